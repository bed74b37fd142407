/** Skills, as a part of a scripted agent: registry, provider on disk, catalog, calls by the user, and the `skill` tool. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer as catalogLayer } from "../../layers/skills/catalogLayer.ts"
import { layerChildWith } from "../../layers/skills/registry.ts"
import { loadSkill } from "../../layers/skills/tool.ts"
import { yamlLibrary } from "../../layers/skills/yaml.ts"
import { decodeSkillsConfig } from "../../schemas/SkillsConfig.ts"
import { Session } from "../../services/Session.ts"
import { SkillRegistry } from "../../services/SkillRegistry.ts"
import type { SkillsFileSystem } from "../../services/SkillsFileSystem.ts"
import { definePart, type Part } from "./part.ts"
import { disposeIn, HostSkills, hostSkills, registerIn } from "./skillsHost.ts"

/** `in` says whose registry is meant: the host's, which is also that of the skills on disk, or else the agent's own. */
const isHost = (where: string | undefined): boolean => where === undefined || where === "host"

export const skills: Part = definePart<HostSkills, SkillRegistry | SkillsFileSystem>({
  name: "skills",
  host: hostSkills,
  layer: (config) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const decoded = yield* decodeSkillsConfig(config)
        // Loaded on the way, a library would look like time standing still.
        yield* yamlLibrary
        const mounted = yield* (yield* HostSkills).mounted(decoded)
        return catalogLayer(decoded).pipe(
          Layer.provideMerge(layerChildWith(decoded)),
          Layer.provideMerge(Layer.succeedContext(mounted))
        )
      })
    ),
  verbs: {
    skills: Effect.fnUntraced(function* () {
      const { cwd } = yield* Session
      const { complete, diagnostics, skills } = yield* SkillRegistry.use((registry) => registry.snapshot({ cwd }))
      return { skills: skills.map(({ name }) => name), complete, diagnostics }
    }),
    skill: Effect.fnUntraced(
      function* ({ name }) {
        const { cwd } = yield* Session
        const registry = yield* SkillRegistry
        const { text } = yield* loadSkill(registry, name, { cwd })
        return { text }
      },
      Effect.mapError((error) => error.reason)
    ),
    register: Effect.fnUntraced(
      function* ({ in: where, provider }) {
        if (isHost(where)) yield* (yield* HostSkills).register(provider)
        else yield* registerIn(yield* SkillRegistry, provider)
        return {}
      },
      Effect.mapError((error) => error.reason)
    ),
    dispose: Effect.fnUntraced(function* ({ in: where, provider: { name } }) {
      if (isHost(where)) yield* (yield* HostSkills).dispose(name)
      else yield* disposeIn(yield* SkillRegistry, name)
      return {}
    }),
    invalidate: Effect.fnUntraced(function* ({ in: where, provider: { name } }) {
      if (isHost(where)) yield* (yield* HostSkills).invalidate(name)
      else yield* (yield* SkillRegistry).invalidate(name)
      return {}
    })
  }
})
