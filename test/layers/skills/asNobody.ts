/** Lists skills as a user who may not read everything, which the superuser may. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer } from "../../../src/layers/skills/fileSystem.ts"
import { layer as registryLayer } from "../../../src/layers/skills/registry.ts"
import { SkillRegistry } from "../../../src/services/SkillRegistry.ts"

const nobody = 65_534
const root = process.argv[2]!

// After every module is loaded, so that the checkout itself may lie where nobody else can read.
if (process.getuid?.() === 0) {
  process.setgroups?.([nobody])
  process.setgid?.(nobody)
  process.setuid?.(nobody)
}

const skills = Layer.provideMerge(layer({ home: `${root}/home`, agentsHome: `${root}/agents` }), registryLayer).pipe(
  Layer.provide(NodeFileSystem.layer)
)
const snapshot = await Effect.runPromise(
  SkillRegistry.use((registry) => registry.snapshot({ cwd: root })).pipe(Effect.provide(skills))
)
console.log(
  JSON.stringify({
    complete: snapshot.complete,
    skills: snapshot.skills.map(({ name }) => name),
    diagnostics: snapshot.diagnostics
      .map(({ path = "", tag }) => [tag, path])
      .sort(([, a = ""], [, b = ""]) => (a < b ? -1 : 1))
  })
)
