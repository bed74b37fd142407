/** Skills, as a part of a scripted agent: registry, provider on disk, catalog, calls by the user, and the `skill` tool. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { layer as catalogLayer } from "../../layers/skills/catalogLayer.ts"
import { layer as fileSystemLayer } from "../../layers/skills/fileSystem.ts"
import { layer as registryLayer, layerChildWith } from "../../layers/skills/registry.ts"
import { yamlLibrary } from "../../layers/skills/yaml.ts"
import { loadSkill } from "../../layers/skills/tool.ts"
import { decodeSkillsConfig } from "../../schemas/SkillsConfig.ts"
import { Session } from "../../services/Session.ts"
import { type Disposer, SkillRegistry, type SkillRegistryShape } from "../../services/SkillRegistry.ts"
import type { SkillsFileSystem } from "../../services/SkillsFileSystem.ts"
import type { PartStep } from "../scenario/steps.ts"
import { definePart, type Part } from "./part.ts"

type ScriptedProvider = PartStep<"register">["provider"]

/** The host's registry: shared by all agents, and outliving each. */
class HostRegistry extends Context.Service<
  HostRegistry,
  { readonly registry: SkillRegistryShape; readonly scope: Scope.Scope }
>()("effect-agent-context/testing/HostRegistry") {}

const host = Layer.effect(
  HostRegistry,
  Effect.gen(function* () {
    return { registry: yield* SkillRegistry, scope: yield* Effect.scope }
  })
).pipe(Layer.provideMerge(registryLayer))

/** What a script has registered, by registry and name. */
const disposers = new WeakMap<SkillRegistryShape, Map<string, Disposer>>()

const registeredWith = (registry: SkillRegistryShape): Map<string, Disposer> => {
  const known = disposers.get(registry) ?? new Map<string, Disposer>()
  disposers.set(registry, known)
  return known
}

/** `in` says whose registry is meant: the host's, which is also that of the skills on disk, or else the agent's own. */
const registryOf = Effect.fnUntraced(function* (where: string | undefined) {
  const shared = yield* HostRegistry
  return where === undefined || where === "host"
    ? shared
    : { registry: yield* SkillRegistry, scope: yield* Effect.scope }
})

const candidatesOf = ({ candidates = [], name }: ScriptedProvider): ReadonlyArray<unknown> =>
  candidates.map((candidate) => ({
    invocation: { modelInvocable: true, userInvocable: true },
    source: name,
    rank: 300,
    locator: candidate["name"],
    ...candidate
  }))

export const skills: Part = definePart<HostRegistry | SkillRegistry, SkillRegistry | SkillsFileSystem>({
  name: "skills",
  host,
  layer: (config) =>
    Layer.unwrap(
      // Loaded on the way, a library would look like time standing still.
      Effect.map(
        Effect.tap(decodeSkillsConfig(config), () => yamlLibrary),
        (decoded) =>
          catalogLayer(decoded).pipe(
            Layer.provideMerge(layerChildWith(decoded)),
            Layer.provideMerge(fileSystemLayer(decoded))
          )
      )
    ),
  verbs: {
    skills: Effect.fnUntraced(function* () {
      const { cwd } = yield* Session
      const { complete, diagnostics, failures, skills } = yield* SkillRegistry.use((registry) =>
        registry.snapshot({ cwd })
      )
      return {
        skills: skills.map(({ name }) => name),
        complete,
        diagnostics: [...failures.map(({ message, tag }) => ({ message, tag })), ...diagnostics]
      }
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
        const { registry, scope } = yield* registryOf(where)
        const disposer = yield* registry
          .registerProvider(() => ({
            name: provider.name,
            list: () =>
              provider.fail === undefined
                ? Effect.succeed({ candidates: candidatesOf(provider), complete: provider.complete ?? true })
                : Effect.fail(new Error(provider.fail)),
            get: ({ name }) => Effect.succeed({ name, content: `Body of ${name}.\n` })
          }))
          .pipe(Scope.provide(scope))
        registeredWith(registry).set(provider.name, disposer)
        return {}
      },
      Effect.mapError((error) => error.reason)
    ),
    dispose: Effect.fnUntraced(function* ({ in: where, provider }) {
      const { registry } = yield* registryOf(where)
      const registered = registeredWith(registry)
      const disposer = registered.get(provider.name)
      if (disposer !== undefined) yield* disposer
      registered.delete(provider.name)
      return {}
    }),
    invalidate: Effect.fnUntraced(function* ({ in: where, provider }) {
      const { registry } = yield* registryOf(where)
      yield* registry.invalidate(provider.name)
      return {}
    })
  }
})
