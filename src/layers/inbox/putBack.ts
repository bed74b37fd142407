/** What a loop owes the inbox when a step is not entered after all. */
import * as Effect from "effect/Effect"
import type { UserMessage } from "../../schemas/Message.ts"
import type { SessionError } from "../../schemas/SessionError.ts"
import type { InboxEvent } from "../../schemas/SessionEvent.ts"
import type { InboxShape } from "../../services/Inbox.ts"

/**
 * Puts claimed messages back, each at its place. Messages that wait again already, or that their supplier has superseded
 * or dropped, are passed over, and so is a prompt that was never in the inbox: call it with everything that was claimed.
 * Fails with `SessionError` when the log cannot be written.
 */
export const putBack = (inbox: InboxShape, claimed: ReadonlyArray<UserMessage>): Effect.Effect<void, SessionError> =>
  claimed.length === 0
    ? Effect.void
    : inbox.update(() => [
        undefined,
        claimed.map((message): InboxEvent => ({ type: "inbox/replaced", id: message.id, message }))
      ])
