/**
 * One agent's durable conversation: an append-only log of events, and what of it the model can still see.
 *
 * **When to use**
 *
 * An agent loop appends what happens — turns, steps, messages, tool calls — and reads `surface` to build its next
 * request. Everything else in this library follows the same log by observing it.
 *
 * **Details**
 *
 * - Events are flat JSON objects. The log stamps `seq`, contiguous from 0, and `at`, epoch milliseconds of Effect's
 *   `Clock`. A known type has to match its schema; unknown types and further fields are kept as they are.
 * - `append` is all or nothing. Waiting for its turn can be interrupted, writing cannot.
 * - A `compaction/checkpoint` shadows everything visible before its `keptFrom` for good. The log keeps it.
 *
 * **Gotchas**
 *
 * An observer, or the function given to `transact`, that calls back into its session would wait for itself. Such a call
 * dies with an error that says so.
 *
 * **Example** (A turn)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Session from "effect-agent-context/Session"
 *
 * const program = Effect.gen(function*() {
 *   const session = yield* Session.Session
 *   yield* session.append([{ type: "turn/start" }])
 *   yield* session.append([
 *     { type: "step/start" },
 *     { type: "user/message", message: { id: "m1", text: "hello", source: { kind: "user" } } }
 *   ])
 *   return (yield* session.surface).map((event) => event.seq)
 * })
 *
 * const visible = await Effect.runPromise(Effect.provide(program, Session.layerMemory({ cwd: "/repo" })))
 * console.log(visible) // => [2]
 * ```
 */
export { layerMemory } from "./layers/session/memory.ts"
export { layer } from "./layers/session/session.ts"
export { MessageId, Source, UserMessage, UserSource } from "./schemas/Message.ts"
export {
  InvalidSessionEvent,
  SessionConflict,
  SessionCorrupt,
  SessionError,
  SessionNotFound,
  SessionStorageFailed
} from "./schemas/SessionError.ts"
export {
  decodeSessionEvent,
  decodeSessionEventInput,
  KnownEvent,
  type SessionEvent,
  type SessionEventInput,
  SessionId,
  type Stamp,
  surfaceTypes,
  ToolOutcome,
  UnknownEvent
} from "./schemas/SessionEvent.ts"
export { type EventOrigin, Session, type SessionShape } from "./services/Session.ts"
