/** References from one session to others: how they are written, configured, logged, and how they can fail. */
import * as Schema from "effect/Schema"
import { decodeConfiguration } from "./Configuration.ts"
import { SessionId } from "./SessionEvent.ts"

const positive = Schema.Int.check(Schema.isGreaterThan(0))

/**
 * The configuration of session references.
 *
 * - `maxReferences`: how many different sessions one message may refer to (3).
 * - `maxReferenceBytes`: the size of what is shown of one session, as JSON, in UTF-8 bytes (65,536).
 * - `candidateLimit`: how many sessions are offered for a query (50).
 * - `onUnavailable`: whether a session that cannot be read rejects the step, the default, or becomes a line that says so.
 */
export const SessionReferencesConfig = Schema.Struct({
  maxReferences: Schema.optionalKey(positive.annotate({ description: "a positive whole number" })),
  maxReferenceBytes: Schema.optionalKey(positive.annotate({ description: "a positive whole number of bytes" })),
  candidateLimit: Schema.optionalKey(positive.annotate({ description: "a positive whole number" })),
  onUnavailable: Schema.optionalKey(
    Schema.Literals(["reject", "notice"]).annotate({ description: `"reject" or "notice"` })
  )
}).annotate({ identifier: "SessionReferencesConfig" })
export interface SessionReferencesConfig extends Schema.Schema.Type<typeof SessionReferencesConfig> {}

/** Decodes `sessionReferences` from anything; fails with `InvalidConfiguration` that names key, value and what is allowed. */
export const decodeSessionReferencesConfig = decodeConfiguration("sessionReferences", SessionReferencesConfig)

/** What is not configured is this. */
export const sessionReferencesDefaults = {
  maxReferences: 3,
  maxReferenceBytes: 65_536,
  candidateLimit: 50,
  onUnavailable: "reject"
} as const

/** A reference as somebody makes it. Without a label, it is shown under the session's title, else under its id. */
export const SessionMention = Schema.Struct({
  sessionId: SessionId,
  label: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SessionMention" })
export interface SessionMention extends Schema.Schema.Type<typeof SessionMention> {}

/** A session that can be referred to. `createdAt` is epoch milliseconds; `mention` is what to insert into a message. */
export const SessionCandidate = Schema.Struct({
  sessionId: SessionId,
  label: Schema.String,
  uri: Schema.String,
  mention: Schema.String,
  cwd: Schema.String,
  title: Schema.optionalKey(Schema.String),
  createdAt: Schema.Number,
  running: Schema.Boolean
}).annotate({ identifier: "SessionCandidate" })
export interface SessionCandidate extends Schema.Schema.Type<typeof SessionCandidate> {}

/** The sessions that match a query, best first. `truncated`: there are more than the limit. */
export const SessionCandidates = Schema.Struct({
  candidates: Schema.Array(SessionCandidate),
  truncated: Schema.Boolean
}).annotate({ identifier: "SessionCandidates" })
export interface SessionCandidates extends Schema.Schema.Type<typeof SessionCandidates> {}

/** The source kind of messages that show referenced sessions. */
export const sessionReferenceKind = "session-reference"

/**
 * What a message shows of one session. `capturedThroughSeq`: its last event when it was read, -1 for an empty log.
 * `omittedBytes`: UTF-8 bytes of the text of its messages that are not shown, those of cut messages included.
 */
export const SessionReference = Schema.Struct({
  sessionId: SessionId,
  label: Schema.String,
  capturedThroughSeq: Schema.Int,
  compacted: Schema.Boolean,
  originalMessages: Schema.Natural,
  retainedMessages: Schema.Natural,
  omittedMessages: Schema.Natural,
  omittedBytes: Schema.Natural,
  truncated: Schema.Boolean
}).annotate({ identifier: "SessionReference" })
export interface SessionReference extends Schema.Schema.Type<typeof SessionReference> {}

/** The source of such a message. */
export const SessionReferenceSource = Schema.Struct({
  kind: Schema.Literal(sessionReferenceKind),
  version: Schema.Literal(1),
  references: Schema.Array(SessionReference)
}).annotate({ identifier: "SessionReferenceSource" })
export interface SessionReferenceSource extends Schema.Schema.Type<typeof SessionReferenceSource> {}

const shown = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text)

/** Something is meant as a reference and is none. `text`: what was written instead of a session's URI. */
export class InvalidSessionReference extends Schema.TaggedError<InvalidSessionReference>()("InvalidSessionReference", {
  text: Schema.String
}) {
  override get message() {
    return `${shown(this.text)} refers to no session: insert a reference as it is offered, or put backticks around what is not meant as one`
  }
}

/** A message refers to the session it is part of. */
export class SelfSessionReference extends Schema.TaggedError<SelfSessionReference>()("SelfSessionReference", {
  sessionId: SessionId
}) {
  override get message() {
    return `${shown(this.sessionId)} is this very session, which the model knows already: remove the reference`
  }
}

/** A message refers to more different sessions than are allowed. */
export class TooManySessionReferences extends Schema.TaggedError<TooManySessionReferences>()(
  "TooManySessionReferences",
  {
    found: Schema.Natural,
    maxReferences: Schema.Natural
  }
) {
  override get message() {
    return `The message refers to ${this.found} sessions, at most ${this.maxReferences} are allowed: remove some of the references, or raise maxReferences`
  }
}

/** A session that a message refers to does not exist or cannot be read. */
export class SessionReferenceUnavailable extends Schema.TaggedError<SessionReferenceUnavailable>()(
  "SessionReferenceUnavailable",
  { sessionId: SessionId, detail: Schema.String }
) {
  override get message() {
    return `Session ${shown(this.sessionId)} cannot be referred to: ${this.detail}`
  }
}

/** `maxReferenceBytes` has no room even for what has to be said of a session. `needed`: bytes that would do, at least. */
export class SessionReferenceBudgetExceeded extends Schema.TaggedError<SessionReferenceBudgetExceeded>()(
  "SessionReferenceBudgetExceeded",
  { sessionId: SessionId, maxReferenceBytes: Schema.Natural, needed: Schema.Natural }
) {
  override get message() {
    return `A reference to session ${shown(this.sessionId)} needs at least ${this.needed} bytes, maxReferenceBytes is ${this.maxReferenceBytes}: raise it, or shorten the reference's label`
  }
}

/** The one error of session references; `reason` says what is wrong. A step is rejected with that reason. */
export class SessionReferenceError extends Schema.TaggedError<SessionReferenceError>()("SessionReferenceError", {
  reason: Schema.Union([
    InvalidSessionReference,
    SelfSessionReference,
    TooManySessionReferences,
    SessionReferenceUnavailable,
    SessionReferenceBudgetExceeded
  ])
}) {
  override get message() {
    return this.reason.message
  }
}
