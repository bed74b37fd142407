/** The inbox of a session: a fold of its log, and decisions under the log's own lock. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InboxState } from "../../pipeline/inbox.ts"
import type { UserMessage } from "../../schemas/Message.ts"
import type { InboxEvent } from "../../schemas/SessionEvent.ts"
import { Inbox } from "../../services/Inbox.ts"
import type { InboxShape } from "../../services/Inbox.ts"
import { Session } from "../../services/Session.ts"
import { makeMemorySession } from "../makeSession.ts"

type Decide<A> = (pending: ReadonlyArray<UserMessage>) => readonly [A, ReadonlyArray<InboxEvent>]

const claimAll: Decide<ReadonlyArray<UserMessage>> = (pending) => [
  pending,
  pending.length === 0 ? [] : [{ type: "inbox/claimed", ids: pending.map((message) => message.id) }]
]

const makeInbox = Effect.gen(function* () {
  const session = yield* Session
  const state = new InboxState()
  let released = false
  // What history has claimed belongs to a step that nobody is left to log: it waits before anything new is folded.
  const releaseOnce = () => {
    if (!released) state.release()
    released = true
  }
  yield* session.observe((event, origin) => {
    if (origin !== "log") releaseOnce()
    state.add(event)
  })
  releaseOnce()

  const update = <A>(decide: Decide<A>) => session.transact(() => decide(state.pending))
  const inbox: InboxShape = {
    pending: Effect.sync(() => state.pending),
    update: Effect.fn("Inbox.update")(update),
    claim: Effect.withSpan(update(claimAll), "Inbox.claim")
  }
  return inbox
})

/**
 * The inbox of the session at hand. Building it on a log with history is a restart: messages wait as the log says, and
 * those that were claimed but neither logged nor dropped wait again, at their places (I-33).
 */
export const layer: Layer.Layer<Inbox, never, Session> = Layer.effect(Inbox, makeInbox)

/** An inbox over a session in memory that nobody else sees: for trying things out. */
export const layerMemory: Layer.Layer<Inbox> = Layer.provide(layer, Layer.effect(Session, makeMemorySession()))
