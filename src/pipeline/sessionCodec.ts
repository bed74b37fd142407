/**
 * The text of a session's log file: a header line, then one line an append, a JSON array of its events.
 *
 * A line ends with a line feed. What follows the last one is either a whole batch whose line feed is missing, and then
 * it is part of the log, or the torn rest of an append that was never acknowledged. A batch is an array, so no proper
 * prefix of its line is JSON: the two cannot be mistaken for each other.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeSessionEvent, SessionId } from "../schemas/SessionEvent.ts"
import type { SessionEvent } from "../schemas/SessionEvent.ts"

/** What the first line says. `createdAt` is epoch milliseconds. */
export interface SessionHeader {
  readonly id: SessionId
  readonly cwd: string
  readonly createdAt: number
}

/** Damage: a sentence and the line it is in, from 1. */
export interface Damage {
  readonly line: number
  readonly detail: string
}

/** What a file holds. */
export interface SessionFile {
  readonly header: SessionHeader
  readonly events: Array<SessionEvent>
  /** The bytes, from the start, that hold the header and all whole batches. */
  readonly wholeBytes: number
  /** What follows the last line feed: nothing, a whole batch without its line feed, or the rest of a torn one. */
  readonly tail: "none" | "unterminated" | "torn"
}

const formatName = "effect-agent-context/session"
const formatVersion = 1

const isFormat = Schema.is(Schema.Struct({ format: Schema.Literal(formatName), version: Schema.Natural }))
const isHeader = Schema.is(Schema.Struct({ id: SessionId, cwd: Schema.String, createdAt: Schema.Finite }))

const encoder = new TextEncoder()
// A byte-order mark is no JSON; without this the decoder would swallow one at the start of every line.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const lineFeed = 10

const parseText = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: () => JSON.parse(text) as unknown, catch: () => "it is not valid JSON" })

const parseBytes = (bytes: Uint8Array): Result.Result<unknown, string> =>
  Result.flatMap(Result.try({ try: () => decoder.decode(bytes), catch: () => "it is not valid UTF-8" }), parseText)

/** The first line of a file. */
export const encodeHeader = (header: SessionHeader): Uint8Array =>
  encoder.encode(`${JSON.stringify({ format: formatName, version: formatVersion, ...header })}\n`)

/** The line of one append. */
export const encodeBatch = (events: ReadonlyArray<SessionEvent>): Uint8Array =>
  encoder.encode(`${JSON.stringify(events)}\n`)

/** Reads a first line, given without its line feed. `foreign` tells a file of something else from a damaged session. */
export const decodeHeader = (
  line: Uint8Array
): Result.Result<SessionHeader, Damage & { readonly foreign: boolean }> => {
  const refuse = (foreign: boolean, detail: string) => Result.fail({ line: 1, detail, foreign })
  const parsed = parseBytes(line)
  if (Result.isFailure(parsed)) return refuse(true, `the header cannot be read: ${parsed.failure}`)
  const header = parsed.success
  if (!isFormat(header)) return refuse(true, `the header does not name the format ${formatName}`)
  if (header.version !== formatVersion) {
    return refuse(false, `it has format version ${header.version}, and only version ${formatVersion} can be read`)
  }
  if (!isHeader(header)) return refuse(false, "the header lacks an id, a cwd or a time of creation")
  return Result.succeed({ id: header.id, cwd: header.cwd, createdAt: header.createdAt })
}

/** Adds the events of one line to `events`, if all of them are right and go on where `events`, from `from` on, end. */
const addBatch = (batch: unknown, events: Array<SessionEvent>, from = 0): string | undefined => {
  if (!Array.isArray(batch) || batch.length === 0) return "it is no batch of events"
  const before = events.length
  for (const item of batch) {
    const decoded = decodeSessionEvent(item)
    const expected = from + events.length
    if (Result.isSuccess(decoded) && decoded.success.seq === expected) {
      events.push(decoded.success)
      continue
    }
    events.length = before
    return Result.isFailure(decoded)
      ? decoded.failure.message
      : `event ${expected} was expected, and event ${decoded.success.seq} is there`
  }
  return undefined
}

/** Reads a whole file. Every line that ends with a line feed has to be right, the last one too. */
export const decodeFile = (bytes: Uint8Array): Result.Result<SessionFile, Damage> => {
  const headerEnd = bytes.indexOf(lineFeed)
  if (headerEnd < 0) return Result.fail({ line: 1, detail: "the header is not whole" })
  const header = decodeHeader(bytes.subarray(0, headerEnd))
  if (Result.isFailure(header)) return Result.fail({ line: 1, detail: header.failure.detail })
  const events: Array<SessionEvent> = []
  const file = (wholeBytes: number, tail: SessionFile["tail"]) =>
    Result.succeed({ header: header.success, events, wholeBytes, tail })
  let start = headerEnd + 1
  for (let line = 2; ; line++) {
    const end = bytes.indexOf(lineFeed, start)
    if (end < 0 && start === bytes.length) return file(start, "none")
    const batch = parseBytes(bytes.subarray(start, end < 0 ? bytes.length : end))
    if (Result.isFailure(batch)) return end < 0 ? file(start, "torn") : Result.fail({ line, detail: batch.failure })
    const detail = addBatch(batch.success, events)
    if (detail !== undefined) return Result.fail({ line, detail })
    if (end < 0) return file(bytes.length, "unterminated")
    start = end + 1
  }
}

/**
 * Reads one line of events, given without its line feed; `from` is the first `seq` it has to have. `torn`: it is not even
 * JSON, so without a line feed it is the rest of an append that was never acknowledged.
 */
export const decodeBatch = (
  line: Uint8Array,
  from: number
): Result.Result<ReadonlyArray<SessionEvent>, { readonly torn: boolean; readonly detail: string }> => {
  const batch = parseBytes(line)
  if (Result.isFailure(batch)) return Result.fail({ torn: true, detail: batch.failure })
  const events: Array<SessionEvent> = []
  const detail = addBatch(batch.success, events, from)
  return detail === undefined ? Result.succeed(events) : Result.fail({ torn: false, detail })
}

const titleMark = '"session/title"'
const lenient = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * The latest title in a run of lines, for lists: damage is passed over, and lines that cannot hold a title are not
 * parsed.
 */
export const latestTitle = (lines: Uint8Array): string | undefined => {
  const text = lenient.decode(lines)
  for (let end = text.length; end > 0;) {
    const mark = text.lastIndexOf(titleMark, end - 1)
    if (mark < 0) return undefined
    const start = text.lastIndexOf("\n", mark) + 1
    const stop = text.indexOf("\n", mark)
    const title = titleOf(text.slice(start, stop < 0 ? text.length : stop))
    if (title !== undefined) return title
    end = start
  }
  return undefined
}

const titleOf = (line: string): string | undefined => {
  const batch = Result.getOrUndefined(parseText(line))
  if (!Array.isArray(batch)) return undefined
  return batch
    .map((item) => Result.getOrUndefined(decodeSessionEvent(item)))
    .findLast((event) => event?.type === "session/title")?.title as string | undefined
}
