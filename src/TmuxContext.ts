/**
 * Where in tmux an agent runs: session, window, pane and layout, for a model that is asked to work with the panes beside it.
 *
 * **When to use**
 *
 * In agents that run in a terminal. It is safe to mount everywhere: outside of tmux it says nothing.
 *
 * **Details**
 *
 * - Looks with the first step of a turn, and speaks when something differs from the last reading the model can still see.
 * - `$TMUX_PANE` is only a hint, since it is inherited; what counts is that the pane's terminal is the controlling terminal of
 *   this process.
 * - Asks through Effect's `ChildProcessSpawner`, so a test can answer in the place of tmux. A missing program, a dead server or
 *   an answer that is not understood costs the message and leaves one `TmuxUnavailable` in the step's report.
 * - Having left tmux, in a session that goes on elsewhere, is said once.
 *
 * **Example**
 *
 * ```ts
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as ContextSupply from "effect-agent-context/ContextSupply"
 * import * as Inbox from "effect-agent-context/Inbox"
 * import * as Session from "effect-agent-context/Session"
 * import * as TmuxContext from "effect-agent-context/TmuxContext"
 *
 * const program = Effect.gen(function* () {
 *   const supply = yield* ContextSupply.ContextSupply
 *   const prompt = { id: "p1", text: "Watch the pane on the right.", source: { kind: "user" } }
 *   const decision = yield* supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" })
 *   if (decision.decision === "enter") for (const { text } of decision.messages) console.log(text)
 * })
 *
 * const perSession = TmuxContext.layer({ timeout: "500 millis" }).pipe(
 *   Layer.provideMerge(ContextSupply.layer),
 *   Layer.provide(Inbox.layer),
 *   Layer.provide(Session.layerMemory()),
 *   Layer.provide(NodeServices.layer),
 *   Layer.fresh
 * )
 * await Effect.runPromise(Effect.provide(program, perSession))
 * ```
 */
export { layer } from "./layers/ambient/tmux.ts"
export { decodeTmuxConfig, TmuxConfig, TmuxContextSource, TmuxLocation } from "./schemas/TmuxContext.ts"
