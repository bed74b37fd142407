/**
 * The events of a session's append-only log.
 *
 * An event is one flat JSON object: `seq` (contiguous from 0), `at` (epoch milliseconds), `type`, and the fields of its
 * type. Types this version does not know are kept as they are and ignored.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { copyJson } from "./json.ts"
import { MessageId, UserMessage } from "./Message.ts"
import { InvalidSessionEvent } from "./SessionError.ts"

/** The identity of a session. Any non-empty string; stores that use it in a file name encode it. */
export const SessionId = Schema.NonEmptyString.annotate({ identifier: "SessionId" })
export type SessionId = typeof SessionId.Type

const event = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

/** How a finished tool execution ended. Only `ok` counts as success. */
export const ToolOutcome = Schema.Literals(["ok", "error", "blocked", "aborted"])
export type ToolOutcome = typeof ToolOutcome.Type

/** Where a message is put among the waiting ones. */
export const InboxPosition = Schema.Literals(["front", "end"])
export type InboxPosition = typeof InboxPosition.Type

/**
 * A message starts waiting, or one that was claimed waits again: then at its recorded place, whatever `position` says.
 */
export const InboxInserted = event("inbox/inserted", { message: UserMessage, position: InboxPosition })
/**
 * The message `id`, waiting or claimed, gives its place to `message`, which waits. With its own id it is put back: it
 * waits again where it was, and if it has been logged or dropped meanwhile, nothing happens.
 */
export const InboxReplaced = event("inbox/replaced", { id: MessageId, message: UserMessage })
/** The message `id`, waiting or claimed, is dropped. */
export const InboxRemoved = event("inbox/removed", { id: MessageId })
/** The messages `ids` were taken for a step. Each keeps its place until it is logged, dropped or waits again. */
export const InboxClaimed = event("inbox/claimed", { ids: Schema.Array(MessageId) })

/** What changes the inbox: a message begins to wait, gives its place to another, is dropped, or is taken for a step. */
export const InboxEvent = Schema.Union([InboxInserted, InboxReplaced, InboxRemoved, InboxClaimed])
export type InboxEvent = typeof InboxEvent.Type

/** The types this version knows, without the fields every event has. */
export const KnownEvent = Schema.Union([
  event("turn/start", { turn: Schema.optionalKey(Schema.Natural) }),
  event("turn/end", { turn: Schema.optionalKey(Schema.Natural) }),
  event("step/start", { step: Schema.optionalKey(Schema.Natural), turn: Schema.optionalKey(Schema.Natural) }),
  event("step/end", { step: Schema.optionalKey(Schema.Natural), turn: Schema.optionalKey(Schema.Natural) }),
  event("user/message", { message: UserMessage }),
  /** `parts`: what else there is to an answer, as the loop that logs it wants it back; nobody else reads it. */
  event("assistant/message", { text: Schema.String, parts: Schema.optionalKey(Schema.Json) }),
  event("tool/call", {
    token: Schema.String,
    parent: Schema.optionalKey(Schema.String),
    name: Schema.String,
    arguments: Schema.Json
  }),
  event("tool/result", { token: Schema.String, outcome: ToolOutcome, text: Schema.optionalKey(Schema.String) }),
  /** Everything visible before `keptFrom` (a `seq`) is shadowed; `text` is the summary that stands for it. */
  event("compaction/checkpoint", { keptFrom: Schema.Natural, text: Schema.optionalKey(Schema.String) }),
  event("session/title", { title: Schema.String }),
  InboxInserted,
  InboxReplaced,
  InboxRemoved,
  InboxClaimed
])
export type KnownEvent = typeof KnownEvent.Type

/** An event of a type this version does not know: kept, and ignored. */
export const UnknownEvent = Schema.StructWithRest(Schema.Struct({ type: Schema.NonEmptyString }), [
  Schema.Record(Schema.String, Schema.Json)
])
export type UnknownEvent = typeof UnknownEvent.Type

/** The fields the log adds: the place of the event, from 0, and when it was logged, in epoch milliseconds. */
export interface Stamp {
  /** Position in the log, contiguous from 0. */
  readonly seq: number
  /** When the event was appended, epoch milliseconds. */
  readonly at: number
}

/** An event before the log has stamped it. Fields of unknown types are passed through. */
export type SessionEventInput = KnownEvent | (UnknownEvent & { readonly type: `${string}:${string}` })

/** An event as it stands in the log. Switch on `type`; anything unknown falls through. */
export type SessionEvent = SessionEventInput & Stamp

/** The types a model can see, before compaction is considered. */
export const surfaceTypes: ReadonlySet<string> = new Set<KnownEvent["type"]>([
  "user/message",
  "assistant/message",
  "tool/call",
  "tool/result",
  "compaction/checkpoint"
])

type Fields = Readonly<Record<string, Schema.Json>>

const checks: ReadonlyMap<
  string,
  { readonly matches: (u: unknown) => boolean; readonly explain: (u: unknown) => string }
> = new Map(
  KnownEvent.members.map((member) => {
    const decode = Schema.decodeUnknownResult(member)
    return [
      member.fields.type.literal,
      {
        matches: Schema.is(member),
        explain: (u) => {
          const result = decode(u)
          return Result.isFailure(result)
            ? result.failure.message.replace(/\s*\n\s*/g, " ")
            : "it does not match its schema"
        }
      }
    ]
  })
)

const decodeFields = (input: unknown): Result.Result<Fields, InvalidSessionEvent> => {
  const type: unknown =
    typeof input === "object" && input !== null ? (input as { readonly type?: unknown }).type : undefined
  const invalid = (detail: string) =>
    Result.fail(new InvalidSessionEvent({ type: typeof type === "string" ? type : "", detail }))
  if (typeof type !== "string" || type === "" || Array.isArray(input)) {
    return invalid("an event is an object with a non-empty string `type`")
  }
  const copied = copyJson(input)
  if (Result.isFailure(copied)) return invalid(copied.failure)
  const check = checks.get(type)
  if (check !== undefined && !check.matches(copied.success)) return invalid(check.explain(copied.success))
  return Result.succeed(copied.success as Fields)
}

/**
 * Checks an event that is to be appended. A known type has to match its schema; fields its schema does not name are
 * kept, and so is every unknown type, as it is. Whatever JSON cannot carry — `undefined`, a function, `NaN`, an
 * instance of a class, a cycle — is an `InvalidSessionEvent`. The result is a copy: changing the input afterwards
 * changes no log.
 *
 * `seq` and `at` of the input, if it has them, are left out; the log sets its own. So events of one log can be appended
 * to another.
 */
export const decodeSessionEventInput = (input: unknown): Result.Result<SessionEventInput, InvalidSessionEvent> => {
  const decoded = decodeFields(input)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const { seq: _seq, at: _at, ...fields } = decoded.success
  return Result.succeed(fields as SessionEventInput)
}

/** Checks an event that was read from a log, with its stamp; otherwise as {@link decodeSessionEventInput}. */
export const decodeSessionEvent = (input: unknown): Result.Result<SessionEvent, InvalidSessionEvent> => {
  const decoded = decodeFields(input)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const { seq, at, type } = decoded.success
  if (typeof seq === "number" && Number.isSafeInteger(seq) && seq >= 0 && typeof at === "number") {
    return Result.succeed(decoded.success as unknown as SessionEvent)
  }
  return Result.fail(
    new InvalidSessionEvent({
      type: String(type),
      detail: "`seq` is a position from 0 and `at` a time in milliseconds"
    })
  )
}
