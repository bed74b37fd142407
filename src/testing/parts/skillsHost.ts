/** What agents of one scripted host share of skills: registries with the skills on disk, and the providers of a script. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { layerHost } from "../../layers/skills/mounted.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import type { SkillRegistryError } from "../../schemas/SkillRegistryError.ts"
import type { SkillsConfig } from "../../schemas/SkillsConfig.ts"
import { type Disposer, SkillRegistry, type SkillRegistryShape } from "../../services/SkillRegistry.ts"
import type { SkillsFileSystem } from "../../services/SkillsFileSystem.ts"
import type { PartStep } from "../scenario/steps.ts"

export type ScriptedProvider = PartStep<"register">["provider"]

const candidatesOf = ({ candidates = [], name }: ScriptedProvider): ReadonlyArray<unknown> =>
  candidates.map((candidate) => ({
    invocation: { modelInvocable: true, userInvocable: true },
    source: name,
    rank: 300,
    locator: candidate["name"],
    ...candidate
  }))

/** What a script has registered, by registry and name. */
const disposers = new WeakMap<SkillRegistryShape, Map<string, Disposer>>()

const registeredWith = (registry: SkillRegistryShape): Map<string, Disposer> => {
  const known = disposers.get(registry) ?? new Map<string, Disposer>()
  disposers.set(registry, known)
  return known
}

/** Registers a provider as a script describes it, until the scope ends or it is disposed of. */
export const registerIn = Effect.fnUntraced(function* (registry: SkillRegistryShape, provider: ScriptedProvider) {
  const disposer = yield* registry.registerProvider(() => ({
    name: provider.name,
    list: () =>
      provider.fail === undefined
        ? Effect.succeed({ candidates: candidatesOf(provider), complete: provider.complete ?? true })
        : Effect.fail(new Error(provider.fail)),
    get: ({ name }) => Effect.succeed({ name, content: `Body of ${name}.\n` })
  }))
  registeredWith(registry).set(provider.name, disposer)
})

/** Ends what a script has registered under a name. */
export const disposeIn = Effect.fnUntraced(function* (registry: SkillRegistryShape, name: string) {
  const registered = registeredWith(registry)
  const disposer = registered.get(name)
  if (disposer !== undefined) yield* disposer
  registered.delete(name)
})

/** What of a configuration is the host's: agents that differ elsewhere share a registry. */
const hostKeys = [
  "agentsHome",
  "bundledDirectory",
  "home",
  "includeDefaultRoots",
  "maxSourceBytes",
  "providerTimeout",
  "roots",
  "watch"
] as const satisfies ReadonlyArray<keyof SkillsConfig>

const hostKey = (config: SkillsConfig): string => JSON.stringify(hostKeys.map((key) => config[key]))

type Mounted = Context.Context<SkillRegistry | SkillsFileSystem>

/** The skills of a host: they outlive each agent. */
export class HostSkills extends Context.Service<
  HostSkills,
  {
    /** The host's registry for a configuration, with the skills on disk; the same for an equal one. */
    readonly mounted: (config: SkillsConfig) => Effect.Effect<Mounted, InvalidConfiguration | SkillRegistryError>
    /** Registers with every registry of the host, present and future. */
    readonly register: (provider: ScriptedProvider) => Effect.Effect<void, SkillRegistryError>
    readonly dispose: (name: string) => Effect.Effect<void>
    readonly invalidate: (name: string) => Effect.Effect<void>
  }
>()("effect-agent-context/testing/HostSkills") {}

export const hostSkills: Layer.Layer<HostSkills> = Layer.effect(
  HostSkills,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const oneAtATime = yield* Semaphore.make(1)
    const all = new Map<string, Mounted>()
    const scripted = new Map<string, ScriptedProvider>()
    const registries = () => Array.from(all.values(), (mounted) => Context.get(mounted, SkillRegistry))
    const register = (registry: SkillRegistryShape, provider: ScriptedProvider) =>
      Scope.provide(registerIn(registry, provider), scope)
    const mount = Effect.fnUntraced(function* (config: SkillsConfig) {
      const key = hostKey(config)
      const known = all.get(key)
      if (known !== undefined) return known
      const mounted = yield* Layer.buildWithScope(Layer.fresh(layerHost(config)), scope)
      for (const provider of scripted.values()) yield* register(Context.get(mounted, SkillRegistry), provider)
      all.set(key, mounted)
      return mounted
    })
    return HostSkills.of({
      mounted: (config) => Semaphore.withPermits(oneAtATime, 1)(mount(config)),
      register: Effect.fnUntraced(function* (provider) {
        for (const registry of registries()) yield* register(registry, provider)
        scripted.set(provider.name, provider)
      }),
      dispose: Effect.fnUntraced(function* (name) {
        scripted.delete(name)
        for (const registry of registries()) yield* disposeIn(registry, name)
      }),
      invalidate: (name) => Effect.forEach(registries(), (registry) => registry.invalidate(name), { discard: true })
    })
  })
)
