/**
 * A session's log as rows of a table: what a database's text can hold, and what it was made from.
 *
 * An event's row has its `seq` and `at` in columns of their own and everything else as JSON, so that what is read back is
 * what was appended, down to the order of its fields.
 */
import * as Result from "effect/Result"
import { decodeSessionEvent } from "../schemas/SessionEvent.ts"
import type { SessionEvent } from "../schemas/SessionEvent.ts"
import { fold } from "./sessions/candidates.ts"

/** An event as it is read from a table. */
export interface EventRow {
  readonly seq: number
  readonly at: number
  readonly body: string
}

/** Any string, also one with NUL or lone surrogates, as text that every database keeps; reversible. */
export const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1)

export const unescapeText = (text: string): string => JSON.parse(`"${text}"`) as string

/** An event without its stamp. */
export const bodyOf = ({ at: _at, seq: _seq, ...fields }: SessionEvent): string => JSON.stringify(fields)

/** Reads one event, or says what is wrong with it. */
export const decodeRow = ({ at, body, seq }: EventRow): Result.Result<SessionEvent, string> => {
  const parsed = Result.try({ try: () => JSON.parse(body) as object, catch: () => "it is not valid JSON" })
  if (Result.isFailure(parsed)) return Result.fail(`event ${seq} cannot be read: ${parsed.failure}`)
  const decoded = decodeSessionEvent({ seq, at, ...parsed.success })
  return Result.mapError(decoded, (error) => `event ${seq}: ${error.message}`)
}

const lossy = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed()

/** What a search for sessions looks through, one line each: folded as candidates are. */
export const searchedText = (id: string, cwd: string, title: string | undefined): string =>
  lossy([id, cwd, title ?? ""].map(fold).join("\n"))

/** The pattern of `like` that matches every {@link searchedText} in which one line contains the query. */
export const searchPattern = (query: string): string => `%${lossy(fold(query.trim())).replaceAll(/[\\%_]/g, "\\$&")}%`
