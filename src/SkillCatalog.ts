/**
 * The skills of a registry as the model knows them: a catalog of names and descriptions, and what a user calls by name.
 *
 * **When to use**
 *
 * Beside a `SkillRegistry` and the `skill` tool. The catalog goes out with the first step and again, whole, when it has
 * changed; a provider that fails never takes a name away. A user's `/name` at the start of a line loads that skill into
 * the step.
 *
 * **Details**
 *
 * Where the host says which tools the agent has (`AgentTools`), the catalog is published only while `skill` is among them.
 *
 * **Example**
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as ContextSupply from "effect-agent-context/ContextSupply"
 * import * as Inbox from "effect-agent-context/Inbox"
 * import * as Session from "effect-agent-context/Session"
 * import * as SkillCatalog from "effect-agent-context/SkillCatalog"
 * import * as SkillRegistry from "effect-agent-context/SkillRegistry"
 *
 * const program = Effect.gen(function* () {
 *   const registry = yield* SkillRegistry.SkillRegistry
 *   yield* registry.register({ name: "pdf", description: "Read and write PDF files", content: "Use the pdf command." })
 *   const supply = yield* ContextSupply.ContextSupply
 *   const prompt = { id: "p1", text: "/pdf", source: { kind: "user" } }
 *   const decision = yield* supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" })
 *   return decision.decision === "enter" ? decision.messages.map(({ source }) => source.kind) : []
 * })
 *
 * const perSession = SkillCatalog.layer().pipe(
 *   Layer.provideMerge(ContextSupply.layer),
 *   Layer.provide(Inbox.layer),
 *   Layer.provide(Session.layerMemory()),
 *   Layer.fresh
 * )
 * const kinds = await Effect.runPromise(
 *   program.pipe(Effect.scoped, Effect.provide(Layer.provideMerge(perSession, SkillRegistry.layer)))
 * )
 * console.log(kinds) // => ["user", "skill-catalog", "skill-invocation"]
 * ```
 */
export { layer } from "./layers/skills/catalogLayer.ts"
export { CatalogEntry, SkillCatalogSource, SkillInvocationSource } from "./schemas/Skill.ts"
export { AgentTools } from "./services/AgentTools.ts"
