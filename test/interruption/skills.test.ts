/** Skills: registry, provider on disk and tool, interrupted at any moment (S-4, S-6, S-46). */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { layerHost } from "../../src/layers/skills/mounted.ts"
import { loadSkill } from "../../src/layers/skills/tool.ts"
import { yamlLibrary } from "../../src/layers/skills/yaml.ts"
import { SkillRegistry, type SkillRegistryShape } from "../../src/services/SkillRegistry.ts"
import * as Memory from "../../src/testing/memoryFileSystem.ts"
import { candidate, puppet } from "../layers/skills/providers.ts"
import { eventually, settle, suspending, type Sweep, sweep } from "./sweep.ts"

const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\nBody of ${name}.\n`
const files = {
  "/repo/.git/": null,
  "/repo/.dsh/skills/greet/SKILL.md": skill("greet"),
  "/repo/.dsh/skills/greet/more.md": "more\n",
  "/repo/.dsh/skills/part/SKILL.md": skill("part"),
  "/home/u/.dsh/skills/greet/SKILL.md": skill("greet")
}

const asking = (
  by: "fiber" | "signal",
  ask: (registry: SkillRegistryShape, signal?: AbortSignal) => Effect.Effect<unknown, unknown>
): Sweep<unknown> => ({
  by,
  make: Effect.gen(function* () {
    yield* yamlLibrary
    const { controls, fileSystem } = yield* Memory.make(files)
    const fs = suspending(fileSystem)
    const environment = Context.make(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { HOME: "/home/u" } })
    ).pipe(Context.add(FileSystem.FileSystem, fs))
    const built = yield* Layer.build(Layer.fresh(layerHost({}))).pipe(Effect.provide(environment))
    const registry = Context.get(built, SkillRegistry)
    const remote = puppet("remote", [candidate("far")], { after: "1 millis" }, ({ name }) =>
      Effect.as(Effect.yieldNow, { name, content: `body of ${name}` })
    )
    yield* registry.registerProvider(remote.factory)
    const expected = yield* ask(registry)
    yield* registry.invalidate("remote")
    return {
      operation: (signal) => ask(registry, by === "signal" ? signal : undefined),
      after: (exit) =>
        Effect.gen(function* () {
          if (Exit.isSuccess(exit)) assert.deepStrictEqual(exit.value, expected)
          assert.isTrue(yield* eventually(Effect.sync(() => remote.running === 0)), "a provider is still asked")
          assert.isTrue(yield* eventually(Effect.map(controls.openHandles, (open) => open === 0)), "files are open")
          const asked = yield* controls.requests
          yield* settle
          assert.strictEqual(yield* controls.requests, asked, "something went on")
          assert.deepStrictEqual(yield* ask(registry), expected)
        })
    }
  })
})

const where = (signal?: AbortSignal) => ({ cwd: "/repo", ...(signal === undefined ? {} : { signal }) })
const names = (registry: SkillRegistryShape, revalidate: boolean, signal?: AbortSignal) =>
  Effect.map(registry.snapshot({ ...where(signal), revalidate }), ({ complete, skills }) => [
    complete,
    ...skills.map(({ name, provider }) => `${name} ${provider}`)
  ])

describe("skills, interrupted at any moment", () => {
  for (const by of ["fiber", "signal"] as const) {
    const check = (name: string, ask: Parameters<typeof asking>[1], least: number) =>
      it.live(`${name} (${by})`, () =>
        Effect.gen(function* () {
          const { interrupted } = yield* sweep(asking(by, ask))
          assert.isAtLeast(interrupted, least)
        })
      )
    check("[S-4] a snapshot asks nobody any more", (registry, signal) => names(registry, true, signal), 50)
    check(
      "[S-4] a remembered snapshot can be asked for again",
      (registry, signal) => names(registry, false, signal),
      10
    )
    check("[S-6] get of a skill on disk", (registry, signal) => registry.get("greet", where(signal)), 20)
    check("[S-6] get of a remote skill", (registry, signal) => registry.get("far", where(signal)), 10)
    check("[S-46] the tool loads a skill", (registry, signal) => loadSkill(registry, "greet", where(signal)), 20)
  }
})
