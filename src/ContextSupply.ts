/**
 * The one door an agent loop walks through: what the model should be told before a step, and what tool results change.
 *
 * **When to use**
 *
 * In every loop: `preStep` before a request, `enter` when it goes ahead, `toolResult` after each tool. Suppliers register
 * themselves when their layers are built; your own is registered the same way.
 *
 * **Gotchas**
 *
 * Build one per session, with `Layer.fresh`: a layer constant that is shared between live sessions would share its state.
 *
 * **Example** (A supplier of one's own)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as ContextSupply from "effect-agent-context/ContextSupply"
 * import * as Inbox from "effect-agent-context/Inbox"
 * import * as Session from "effect-agent-context/Session"
 *
 * const program = Effect.gen(function* () {
 *   const supply = yield* ContextSupply.ContextSupply
 *   yield* supply.register({
 *     name: "motto",
 *     kind: "motto",
 *     propose: () =>
 *       Effect.succeed([
 *         {
 *           message: { id: "motto-1", text: "Measure twice.", source: { kind: "motto" } },
 *           placement: { at: "end" },
 *           ifNotEntered: "drop"
 *         }
 *       ])
 *   })
 *   const prompt = { id: "prompt-1", text: "hello", source: { kind: "user" } }
 *   const decision = yield* supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" })
 *   return decision.decision === "enter" ? decision.messages.map(({ text }) => text) : []
 * })
 *
 * const perSession = ContextSupply.layer.pipe(Layer.provide(Inbox.layer), Layer.provide(Session.layerMemory()), Layer.fresh)
 * const texts = await Effect.runPromise(Effect.scoped(Effect.provide(program, perSession)))
 * console.log(texts) // => ["hello", "Measure twice."]
 * ```
 */
export { layer } from "./layers/supply/contextSupply.ts"
export { DuplicateSupplier, StepRejected } from "./schemas/StepRejected.ts"
export {
  type ContextReport,
  ContextSupply,
  type ContextSupplyShape,
  type Contribution,
  type Entered,
  type NotEntered,
  type Placement,
  type PreStep,
  type ReportItem,
  type StepDecision,
  type Supplier,
  type SupplierReport,
  type ToolExecution
} from "./services/ContextSupply.ts"
