/**
 * A session in bounded bytes: a pure function of what was said and a budget, linear in its input.
 *
 * The oldest messages go first. Checkpoints and the newest message stay; when even these do not fit whole, they share the room
 * evenly and each shows its beginning and its end around an exact notice. Sizes are those of the JSON as it is sent.
 */
import * as Result from "effect/Result"
import type { SessionId } from "../../schemas/SessionEvent.ts"
import type { SessionReference } from "../../schemas/SessionReference.ts"
import { byteLength } from "../utf8.ts"
import { encodeJson, headThatFits, tailThatFits } from "./encode.ts"
import type { SaidMessage } from "./project.ts"

/** A session as it was when it was read. `capturedAt` is an ISO time. */
export interface Captured {
  readonly sessionId: SessionId
  readonly label: string
  readonly capturedAt: string
  readonly running: boolean
  readonly capturedThroughSeq: number
  readonly compacted: boolean
  readonly messages: ReadonlyArray<SaidMessage>
}

/** What is shown of it, and what the source of the message says about that. */
export interface Snapshot {
  readonly json: string
  readonly reference: SessionReference
}

/** The budget has no room for what is always there; `needed` bytes would do, at least. */
export interface NoRoom {
  readonly needed: number
}

/** The counters of a snapshot. */
interface Counts {
  readonly retained: number
  readonly omittedBytes: number
  readonly truncated: boolean
}

const notice = (bytes: number): string => `\n[${bytes} bytes omitted]\n`

const sizeOf = (value: unknown): number => byteLength(encodeJson(value))
const digits = (value: number): number => String(value).length
/** The bytes of a text inside the quotes of a JSON string. */
const textSize = (text: string): number => sizeOf(text) - 2

const referenceOf = (captured: Captured, { omittedBytes, retained, truncated }: Counts): SessionReference => ({
  sessionId: captured.sessionId,
  label: captured.label,
  capturedThroughSeq: captured.capturedThroughSeq,
  compacted: captured.compacted,
  originalMessages: captured.messages.length,
  retainedMessages: retained,
  omittedMessages: captured.messages.length - retained,
  omittedBytes,
  truncated
})

const document = (captured: Captured, counts: Counts, messages: ReadonlyArray<SaidMessage>) => {
  const { label, sessionId, ...facts } = referenceOf(captured, counts)
  const { capturedAt, running } = captured
  return { sessionId, label, capturedAt, running, ...facts, messages }
}

const snapshot = (captured: Captured, counts: Counts, messages: ReadonlyArray<SaidMessage>): Snapshot => ({
  json: encodeJson(document(captured, counts, messages)),
  reference: referenceOf(captured, counts)
})

/** Which messages stay in any case: checkpoints, and the newest one. */
const pinnedIn = (messages: ReadonlyArray<SaidMessage>): ReadonlyArray<boolean> =>
  messages.map(({ role }, index) => role === "checkpoint" || index === messages.length - 1)

/** The beginning and the end of a text, and how many bytes lie between, in at most `room` bytes of JSON. */
const cut = (text: string, size: number, room: number): { readonly text: string; readonly omitted: number } => {
  const left = room - textSize(notice(size))
  const head = headThatFits(text, Math.ceil(left / 2))
  const tail = tailThatFits(text, left - textSize(head))
  const omitted = size - byteLength(head) - byteLength(tail)
  return { text: `${head}${notice(omitted)}${tail}`, omitted }
}

/** The greatest room each may have so that all together stay within `room`; none gets less than its least. */
const evenly = (parts: ReadonlyArray<{ readonly least: number; readonly whole: number }>, room: number): number => {
  const taken = (share: number) =>
    parts.reduce((sum, { least, whole }) => sum + Math.min(whole, Math.max(least, share)), 0)
  let [low, high] = [0, room]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (taken(middle) <= room) low = middle
    else high = middle - 1
  }
  return low
}

/** Shows nothing but what stays in any case, and of that what there is room for. */
const cutToFit = (
  captured: Captured,
  kept: ReadonlyArray<SaidMessage>,
  total: number,
  maxBytes: number
): Result.Result<Snapshot, NoRoom> => {
  // The longest the counters can get: `false` is longer than `true`, and what does not fit with it has to be cut.
  const most = { retained: kept.length, omittedBytes: total, truncated: false }
  const fixed = sizeOf(
    document(
      captured,
      most,
      kept.map(({ role }) => ({ role, text: "" }))
    )
  )
  const parts = kept.map(({ text }) => {
    const whole = textSize(text)
    const bytes = byteLength(text)
    return { bytes, whole, least: Math.min(whole, textSize(notice(bytes))) }
  })
  const needed = parts.reduce((sum, { least }) => sum + least, fixed)
  if (needed > maxBytes) return Result.fail({ needed })
  const share = evenly(parts, maxBytes - fixed)
  let omittedBytes = total - parts.reduce((sum, { bytes }) => sum + bytes, 0)
  const messages = kept.map(({ role, text }, index) => {
    const { bytes, least, whole } = parts[index]!
    if (whole <= Math.max(least, share)) return { role, text }
    const shortened = cut(text, bytes, Math.max(least, share))
    omittedBytes += shortened.omitted
    return { role, text: shortened.text }
  })
  return Result.succeed(snapshot(captured, { retained: kept.length, omittedBytes, truncated: true }, messages))
}

/** Shows as much of a session as fits into `maxBytes` bytes of JSON. */
export const takeSnapshot = (captured: Captured, maxBytes: number): Result.Result<Snapshot, NoRoom> => {
  const { messages } = captured
  const pinned = pinnedIn(messages)
  const stays = messages.filter((_, index) => pinned[index])
  const total = messages.reduce((sum, { text }) => sum + byteLength(text), 0)
  const nothing = sizeOf(document(captured, { retained: 0, omittedBytes: 0, truncated: false }, stays))
  const sizeWith = (retained: number, omittedBytes: number, added: number): number => {
    const omitted = messages.length - retained
    const counters = digits(retained) - 1 + digits(omitted) - digits(messages.length) + digits(omittedBytes) - 1
    return nothing + counters - (omitted > 0 ? 1 : 0) + added
  }
  let retained = stays.length
  let omittedBytes = total - stays.reduce((sum, { text }) => sum + byteLength(text), 0)
  if (sizeWith(retained, omittedBytes, 0) > maxBytes) return cutToFit(captured, stays, total, maxBytes)
  let first = messages.length
  for (let added = 0; first > 0; first--) {
    const message = messages[first - 1]!
    if (pinned[first - 1]) continue
    added += sizeOf(message) + 1
    const left = omittedBytes - byteLength(message.text)
    if (sizeWith(retained + 1, left, added) > maxBytes) break
    retained += 1
    omittedBytes = left
  }
  const shown = messages.filter((_, index) => pinned[index] || index >= first)
  const truncated = retained < messages.length
  return Result.succeed(snapshot(captured, { retained, omittedBytes, truncated }, shown))
}
