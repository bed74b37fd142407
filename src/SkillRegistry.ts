/**
 * Skills from wherever they come: embedded, on disk, remote. Providers offer them; the registry says which there are, which
 * of two with one name counts, and loads one.
 *
 * **When to use**
 *
 * A host builds one registry for all its sessions and lets providers register with it. An agent that has skills of its own
 * gets `layerChild` on it.
 *
 * **Details**
 *
 * - Of candidates with one name the nearest layer's wins; inside a layer the lower `rank`, then the provider that registered
 *   earlier, then the provider's own order. `shadowed` of a snapshot says who lost to whom.
 * - Providers are asked side by side, each with a deadline. One that fails makes the snapshot incomplete and takes nothing
 *   else down. Only complete snapshots are remembered, until something is registered, disposed of or invalidated.
 * - Callers that want the same at the same time share one collection; whoever is interrupted leaves the others waiting.
 * - Bodies are loaded anew each time.
 *
 * **Gotchas**
 *
 * `get` does not ask who may invoke a skill; `loadSkill` and `loadSkillForUser` do.
 *
 * **Example** (A provider, and a skill of the program's own)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as SkillRegistry from "effect-agent-context/SkillRegistry"
 *
 * const program = Effect.gen(function*() {
 *   const registry = yield* SkillRegistry.SkillRegistry
 *   yield* registry.register({ name: "greet", description: "Say hello properly", content: "Wave first." })
 *   yield* registry.registerProvider(() => ({
 *     name: "embedded",
 *     list: () => Effect.succeed({
 *       candidates: [{
 *         name: "review",
 *         description: "Review a change",
 *         invocation: { modelInvocable: true, userInvocable: true },
 *         source: "embedded",
 *         rank: 300,
 *         locator: 1
 *       }]
 *     }),
 *     get: (skill) => Effect.succeed({ name: skill.name, content: "Read the diff twice." })
 *   }))
 *   const { skills } = yield* registry.snapshot({ cwd: "/repo" })
 *   const { content } = yield* SkillRegistry.loadSkill(registry, "review", { cwd: "/repo" })
 *   return [skills.map((skill) => skill.name), content]
 * })
 *
 * const result = await Effect.runPromise(Effect.scoped(Effect.provide(program, SkillRegistry.layer)))
 * console.log(result) // => [["greet", "review"], "Read the diff twice."]
 * ```
 */
export { layer, layerChild, layerChildWith, layerWith } from "./layers/skills/registry.ts"
export { type LoadedSkill, loadSkill, loadSkillForUser } from "./layers/skills/tool.ts"
export { InvalidConfiguration } from "./schemas/Configuration.ts"
export {
  CatalogEntry,
  catalogSourceKind,
  invocationSourceKind,
  isSkillName,
  ProvidedSkill,
  RuntimeSkill,
  ShadowedSkill,
  Skill,
  SkillCandidate,
  SkillCatalogSource,
  SkillDefinition,
  SkillFailure,
  SkillFiles,
  SkillInvocation,
  SkillInvocationSource,
  SkillName,
  SkillResourceBase,
  SkillSnapshot
} from "./schemas/Skill.ts"
export {
  DuplicateSkillProvider,
  InvalidSkillName,
  SkillCandidateInvalid,
  SkillNotModelInvocable,
  SkillNotUserInvocable,
  SkillRegistryError,
  SkillTooLarge,
  SkillUnavailable
} from "./schemas/SkillRegistryError.ts"
export { decodeSkillsConfig, SkillRoot, SkillsConfig } from "./schemas/SkillsConfig.ts"
export {
  type Disposer,
  type ProviderControl,
  type ProviderListing,
  type ProviderLookup,
  type SkillListing,
  type SkillLookup,
  type SkillProvider,
  type SkillProviderFactory,
  SkillRegistry,
  type SkillRegistryShape
} from "./services/SkillRegistry.ts"
