/**
 * Messages as they are logged and shown to a model.
 *
 * A message is plain JSON: an id, the text the model reads verbatim, and a **source**, typed and durable metadata the
 * model never sees. Who produced a message and what it covers is read from its source, never from its prose (I-22).
 */
import * as Schema from "effect/Schema"

/** The identity of a message, unique in its session's log. Any non-empty string. */
export const MessageId = Schema.NonEmptyString.annotate({ identifier: "MessageId" })
export type MessageId = typeof MessageId.Type

/**
 * Who produced a message. `kind` names the producer; everything else belongs to that producer and is decoded by it
 * alone, so a source written by a newer version, or by somebody else, survives untouched (I-54).
 */
export const Source = Schema.StructWithRest(Schema.Struct({ kind: Schema.NonEmptyString }), [
  Schema.Record(Schema.String, Schema.Json)
]).annotate({ identifier: "Source" })
export type Source = typeof Source.Type

/** A user-role message: what a person typed, or what a supplier contributed. */
export const UserMessage = Schema.Struct({
  id: MessageId,
  text: Schema.String,
  source: Source
}).annotate({ identifier: "UserMessage" })
export interface UserMessage extends Schema.Schema.Type<typeof UserMessage> {}

/** The source of what a person typed. `timeZone` is the IANA zone of the client that sent it. */
export const UserSource = Schema.Struct({
  kind: Schema.Literal("user"),
  timeZone: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "UserSource" })
export type UserSource = typeof UserSource.Type
