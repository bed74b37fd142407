/** Which sessions a user's message refers to, in its text and in its source. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { UserMessage } from "../../schemas/Message.ts"
import type { SessionId } from "../../schemas/SessionEvent.ts"
import {
  InvalidSessionReference,
  SelfSessionReference,
  SessionMention,
  TooManySessionReferences
} from "../../schemas/SessionReference.ts"
import { parseMentions } from "./mention.ts"
import { parseUri } from "./uri.ts"

/** A structured reference: the id itself, or its URI. */
const Structured = Schema.Union([
  SessionMention,
  Schema.Struct({ uri: Schema.String, label: Schema.optionalKey(Schema.String) }),
  Schema.String
])
const decode = Schema.decodeUnknownOption(Structured)

const structured = (entry: unknown): SessionMention | undefined => {
  const decoded = Option.getOrUndefined(decode(entry))
  if (decoded === undefined || (typeof decoded === "object" && "sessionId" in decoded)) return decoded
  const { uri, ...rest } = typeof decoded === "string" ? { uri: decoded } : decoded
  const sessionId = parseUri(uri)
  return sessionId === undefined ? undefined : { sessionId, ...rest }
}

const inSource = (
  source: UserMessage["source"]
): Result.Result<ReadonlyArray<SessionMention>, InvalidSessionReference> => {
  const given = source["references"] ?? []
  const invalid = (entry: unknown) => Result.fail(new InvalidSessionReference({ text: JSON.stringify(entry) }))
  if (!Array.isArray(given)) return invalid(given)
  const mentions: Array<SessionMention> = []
  for (const entry of given) {
    const mention = structured(entry)
    if (mention === undefined) return invalid(entry)
    mentions.push(mention)
  }
  return Result.succeed(mentions)
}

/** What a reference may not be. */
export interface CitationRules {
  /** The session the message is part of. */
  readonly self: SessionId
  readonly maxReferences: number
}

/**
 * The sessions a message refers to, each once, in the order of their first mention, those of the text before those of the
 * source. Messages of anybody but a user refer to nothing.
 */
export const citationsOf = (
  message: UserMessage,
  { maxReferences, self }: CitationRules
): Result.Result<
  ReadonlyArray<SessionMention>,
  InvalidSessionReference | SelfSessionReference | TooManySessionReferences
> => {
  if (message.source.kind !== "user") return Result.succeed([])
  const inText = parseMentions(message.text)
  if (Result.isFailure(inText)) return Result.fail(inText.failure)
  const beside = inSource(message.source)
  if (Result.isFailure(beside)) return Result.fail(beside.failure)
  const distinct = new Map<SessionId, SessionMention>()
  for (const mention of [...inText.success, ...beside.success]) {
    if (!distinct.has(mention.sessionId)) distinct.set(mention.sessionId, mention)
  }
  if (distinct.has(self)) return Result.fail(new SelfSessionReference({ sessionId: self }))
  return distinct.size > maxReferences
    ? Result.fail(new TooManySessionReferences({ found: distinct.size, maxReferences }))
    : Result.succeed([...distinct.values()])
}
