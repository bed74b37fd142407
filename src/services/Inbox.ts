/** Messages that wait for the next step boundary: a fold of the session's log, so they survive a restart. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { UserMessage } from "../schemas/Message.ts"
import type { SessionError } from "../schemas/SessionError.ts"
import type { InboxEvent } from "../schemas/SessionEvent.ts"

/** What an inbox can be asked for. Waiting messages never make an idle agent start a step. */
export interface InboxShape {
  /** The waiting messages, in order. Claimed ones are not among them. */
  readonly pending: Effect<ReadonlyArray<UserMessage>>
  /** Decides under the log's lock, from what is pending then. Append, prepend, replace and remove are written with it. */
  readonly update: <A>(
    decide: (pending: ReadonlyArray<UserMessage>) => readonly [A, ReadonlyArray<InboxEvent>]
  ) => Effect<A, SessionError>
  /** Takes every waiting message for the next step. Each keeps its place until it is logged, dropped or put back. */
  readonly claim: Effect<ReadonlyArray<UserMessage>, SessionError>
}

/** The inbox of the session an agent works in. */
export class Inbox extends Context.Service<Inbox, InboxShape>()("effect-agent-context/Inbox") {}
