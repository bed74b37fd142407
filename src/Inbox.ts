/**
 * Messages that wait for the next step boundary.
 *
 * **When to use**
 *
 * To leave a message for an agent while it works: it is handed over with the next step, and survives a restart until
 * then. Waiting messages never make an idle agent start a step.
 *
 * **Details**
 *
 * The inbox is a fold of the session's log. `claim` takes everything that waits; each message keeps its place until a
 * `user/message` event logs it, it is removed, or `putBack` lets it wait again. Claimed messages of a process that died wait
 * again as soon as the session is opened (I-33).
 *
 * **Example** (Putting a message in front)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Inbox from "effect-agent-context/Inbox"
 *
 * const program = Effect.gen(function*() {
 *   const inbox = yield* Inbox.Inbox
 *   const post = (id: string, text: string, position: "front" | "end") =>
 *     inbox.update(() => [
 *       undefined,
 *       [{ type: "inbox/inserted", position, message: { id, text, source: { kind: "user" } } }]
 *     ])
 *   yield* post("a", "then this", "end")
 *   yield* post("b", "first this", "front")
 *   return (yield* inbox.claim).map((message) => message.text)
 * })
 *
 * console.log(await Effect.runPromise(Effect.provide(program, Inbox.layerMemory))) // => ["first this", "then this"]
 * ```
 */
export { layer, layerMemory } from "./layers/inbox/inbox.ts"
export { putBack } from "./layers/inbox/putBack.ts"
export { InboxEvent, InboxPosition } from "./schemas/SessionEvent.ts"
export { Inbox, type InboxShape } from "./services/Inbox.ts"
