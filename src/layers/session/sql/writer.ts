/**
 * One session's log in a database, as its writer sees it.
 *
 * The writer knows what the log's length is and writes behind it or not at all. With each batch it leaves what the next
 * one who opens the session needs: where the surface begins, and which earlier events are needed all the same.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Carried } from "../../../pipeline/sessionCarried.ts"
import { bodyOf, decodeRow, escapeText, searchedText } from "../../../pipeline/sessionRows.ts"
import type { EventRow } from "../../../pipeline/sessionRows.ts"
import { keptFrom } from "../../../pipeline/surface.ts"
import { SessionConflict, SessionCorrupt } from "../../../schemas/SessionError.ts"
import type { SessionEvent, SessionId } from "../../../schemas/SessionEvent.ts"
import type { SessionReason, Storage } from "../../makeSession.ts"
import { notFound, randomUuid } from "../shared.ts"
import type { Database } from "./database.ts"
import * as Statements from "./statements.ts"

/** The rows as events by `seq`, all of them right. */
export const decodeRows = Effect.fnUntraced(function* (
  sessionId: SessionId,
  rows: ReadonlyArray<EventRow>
): Effect.fn.Return<Array<SessionEvent>, SessionCorrupt> {
  const events: Array<SessionEvent> = []
  for (const row of rows) {
    const event = decodeRow(row)
    if (Result.isFailure(event)) return yield* new SessionCorrupt({ sessionId, detail: event.failure })
    events.push(event.success)
  }
  return events.sort((a, b) => a.seq - b.seq)
})

/** Fails where one is left out: nothing but deleting rows by hand does that. */
export const checkContiguous = (
  sessionId: SessionId,
  events: ReadonlyArray<SessionEvent>,
  from: number
): Effect.Effect<void, SessionCorrupt> => {
  const wrong = events.findIndex((event, index) => event.seq !== from + index)
  return wrong < 0
    ? Effect.void
    : Effect.fail(new SessionCorrupt({ sessionId, detail: `event ${from + wrong} is missing` }))
}

/** Where a session is. `key` is its `session_id`. */
export interface Place {
  readonly database: Database
  readonly id: SessionId
  readonly key: string
  readonly cwd: string
}

/** What the folds of a writer know; never changed, but followed by another. */
class State {
  readonly floor: number
  readonly title: string | undefined
  readonly #carried: Carried

  constructor(floor: number, title: string | undefined, carried: Carried) {
    this.floor = floor
    this.title = title
    this.#carried = carried
  }

  get carried(): ReadonlyArray<number> {
    return this.#carried.below(this.floor)
  }

  after(events: Iterable<SessionEvent>): State {
    const carried = new Carried(this.#carried)
    let { floor, title } = this
    for (const event of events) {
      carried.add(event)
      if (event.type === "compaction/checkpoint") {
        floor = Math.max(floor, keptFrom(event as { readonly seq: number; readonly keptFrom: number }))
      } else if (event.type === "session/title") title = (event as { readonly title: string }).title
    }
    return new State(floor, title, carried)
  }
}

/** The events of a range, all of them there. */
export const readEvents = Effect.fnUntraced(function* (
  { database, id, key }: Place,
  from: number,
  to: number
): Effect.fn.Return<Array<SessionEvent>, SessionReason> {
  const { rows } = yield* database.run<EventRow>({ doing: "cannot read the log", sessionId: id }, Statements.events, [
    key,
    from,
    to
  ])
  const events = yield* decodeRows(id, rows)
  yield* checkContiguous(id, events, from)
  return events
})

/** The largest `integer`: a `seq` that no log reaches. */
const end = 2_147_483_647

/** How many events are read at a time. */
const page = 2_000

/** The part of {@link Storage} that is about the log. `opened`: the events it was opened with. */
export const makeWriter = (
  place: Place,
  opened: ReadonlyArray<SessionEvent>
): Required<Pick<Storage, "write" | "missed" | "whole">> => {
  const { cwd, database, id, key } = place
  let state = new State(0, undefined, new Carried()).after(opened)

  return {
    write: Effect.fnUntraced(function* (batch) {
      const next = state.after(batch)
      const expected = batch[0]!.seq
      const name = yield* randomUuid
      const given = { doing: "cannot append", sessionId: id, writes: true }
      const { repeated, rows } = yield* database.run(given, Statements.append, [
        key,
        expected,
        next.floor,
        next.carried,
        next.title === undefined ? null : escapeText(next.title),
        next.title === state.title ? null : searchedText(id, cwd, next.title),
        batch.map(({ at }) => at),
        name,
        batch.map(({ type }) => escapeText(type)),
        batch.map(bodyOf)
      ])
      if (rows.length === 0) {
        const mine = repeated && (yield* database.run(given, Statements.isMine, [key, expected, name])).rows.length > 0
        if (!mine) {
          const detail = "another writer has appended to it"
          return yield* new SessionConflict({ sessionId: id, detail, expected })
        }
      }
      state = next
    }),

    missed: Effect.fnUntraced(function* (from) {
      const events = yield* readEvents(place, from, end)
      // A log only grows: one that has not is gone.
      if (events.length === 0) return yield* notFound(id)
      state = state.after(events)
      return events
    }),

    whole: Effect.fnUntraced(function* (length) {
      const events: Array<SessionEvent> = []
      while (events.length < length) {
        const read = yield* readEvents(place, events.length, Math.min(events.length + page, length))
        if (read.length === 0) return yield* notFound(id)
        for (const event of read) events.push(event)
      }
      return events
    })
  }
}
