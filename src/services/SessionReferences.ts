/** What a session may know of others that its user refers to. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { UserMessage } from "../schemas/Message.ts"
import type { SessionError } from "../schemas/SessionError.ts"
import type { SessionCandidates, SessionReferenceError } from "../schemas/SessionReference.ts"

/** What session references can be asked for. */
export interface SessionReferencesShape {
  /**
   * The other sessions whose id, directory or latest title contains `query`, in any letter case; all for an empty one. Those of this
   * session's directory come first, then those without one, then all others, each newest first.
   */
  readonly candidates: (query: string) => Effect<SessionCandidates, SessionError>
  /**
   * What a step would add right after `message`; `undefined` when it refers to nothing. Reads the sessions now, side by side,
   * and can be interrupted. Fails as a step would be rejected.
   */
  readonly prepare: (message: UserMessage) => Effect<UserMessage | undefined, SessionReferenceError>
}

/** The references from the session around it to the others of its store. */
export class SessionReferences extends Context.Service<SessionReferences, SessionReferencesShape>()(
  "effect-agent-context/SessionReferences"
) {}
