/** What all stores share beside the session itself: ids, summaries, the order of a list. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { SessionHeader } from "../../pipeline/sessionCodec.ts"
import { SessionConflict, SessionError, SessionNotFound, SessionStorageFailed } from "../../schemas/SessionError.ts"
import type { SessionId } from "../../schemas/SessionEvent.ts"
import type { SessionSummary } from "../../services/SessionStore.ts"
import type { SessionReason } from "../makeSession.ts"

/** Names the operation that has failed. */
export const named =
  (operation: string) =>
  <A, R>(self: Effect.Effect<A, SessionReason, R>): Effect.Effect<A, SessionError, R> =>
    Effect.mapError(self, (reason) => new SessionError({ operation, reason }))

export const notFound = (sessionId: SessionId) => new SessionNotFound({ sessionId })
export const alreadyExists = (sessionId: SessionId) =>
  new SessionConflict({ sessionId, detail: "a session of this id exists already" })

/** Random lower-case hexadecimal digits. */
export const randomHex = (digits: number): Effect.Effect<string> =>
  Effect.map(Random.nextIntBetween(0, 16 ** digits, { halfOpen: true }), (value) =>
    value.toString(16).padStart(digits, "0")
  )

/** The given id if it can be one, or a new one that begins with the time of its creation. */
export const idFor = Effect.fnUntraced(function* (
  given: SessionId | undefined
): Effect.fn.Return<SessionId, SessionStorageFailed> {
  if (given === "") return yield* new SessionStorageFailed({ sessionId: given, detail: "a session id cannot be empty" })
  if (given !== undefined) return given
  const now = yield* DateTime.now
  const time = DateTime.formatIso(now).slice(0, 19).replace(/[-:]/g, "").toLowerCase()
  return `${time}-${yield* randomHex(8)}`
})

export const summaryOf = (header: SessionHeader, title: string | undefined, running: boolean): SessionSummary => ({
  id: header.id,
  cwd: header.cwd,
  ...(title === undefined ? {} : { title }),
  createdAt: header.createdAt,
  running
})

/** Newest first; of equal age, by the code units of their ids. */
export const newestFirst = (summaries: Iterable<SessionSummary>): ReadonlyArray<SessionSummary> =>
  Array.from(summaries).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))

/**
 * A name that no other process gives, ever. Not from `Random`, which two processes may have seeded alike.
 */
export const randomUuid: Effect.Effect<string> = Effect.sync(() => globalThis.crypto.randomUUID())
