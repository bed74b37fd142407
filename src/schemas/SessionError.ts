/** What can go wrong with a session's log, as values. */
import * as Schema from "effect/Schema"

/** The id the caller has named, whatever it was: an error can always be built. */
const SessionId = Schema.String

/**
 * Somebody else writes this session: another writer holds it, or has appended since this one last looked. `expected` is
 * the `seq` this writer would have written, `found` the one the log has reached, where the store can tell.
 *
 * With `missed`, the events of the others, the session has taken them over: its log, its surface and all its observers
 * have seen them, so decide again on what is true now and go on. Without, open the session again.
 */
export class SessionConflict extends Schema.TaggedError<SessionConflict>()("SessionConflict", {
  sessionId: SessionId,
  detail: Schema.String,
  expected: Schema.optionalKey(Schema.Natural),
  found: Schema.optionalKey(Schema.Natural),
  missed: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Json)))
}) {
  override get message() {
    return `Session ${this.sessionId} cannot be written: ${this.detail}`
  }
}

/** The stored log is damaged in the middle. Nothing of it is served; `file` and `line` (from 1) say where. */
export class SessionCorrupt extends Schema.TaggedError<SessionCorrupt>()("SessionCorrupt", {
  sessionId: SessionId,
  detail: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Natural)
}) {
  override get message() {
    const place =
      this.file === undefined ? "" : ` (${this.file}${this.line === undefined ? "" : `, line ${this.line}`})`
    return `The log of session ${this.sessionId} is damaged${place}: ${this.detail}`
  }
}

/** The store holds no session of this id. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  sessionId: SessionId
}) {
  override get message() {
    return `There is no session ${this.sessionId}`
  }
}

/** An event that was to be appended does not match its schema. Nothing of its batch was logged. */
export class InvalidSessionEvent extends Schema.TaggedError<InvalidSessionEvent>()("InvalidSessionEvent", {
  type: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `An event of type ${JSON.stringify(this.type)} cannot be logged: ${this.detail}`
  }
}

/**
 * The storage beneath failed. Nothing of the batch at hand was acknowledged. With `inDoubt` its connection broke and did
 * not come back in time, so that it may have been logged all the same: the next append finds out, and is a
 * `SessionConflict` with the batch among what it missed if it was.
 */
export class SessionStorageFailed extends Schema.TaggedError<SessionStorageFailed>()("SessionStorageFailed", {
  sessionId: Schema.optionalKey(SessionId),
  detail: Schema.String,
  inDoubt: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `Session storage failed: ${this.detail}`
  }
}

/** The one error of sessions and their stores; `operation` names the call, `reason` what happened. */
export class SessionError extends Schema.TaggedError<SessionError>()("SessionError", {
  operation: Schema.String,
  reason: Schema.Union([SessionConflict, SessionCorrupt, SessionNotFound, InvalidSessionEvent, SessionStorageFailed])
}) {
  override get message() {
    return `${this.operation}: ${this.reason.message}`
  }
}
