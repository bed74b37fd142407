/** Sessions in PostgreSQL: see `layerSql`. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { sessionFileName } from "../../../pipeline/sessionFileName.ts"
import { SessionLog } from "../../../pipeline/sessionLog.ts"
import { escapeText, searchedText, searchPattern, unescapeText } from "../../../pipeline/sessionRows.ts"
import type { EventRow } from "../../../pipeline/sessionRows.ts"
import { surfaceOf } from "../../../pipeline/surface.ts"
import { SessionConflict, SessionCorrupt, SessionError, SessionStorageFailed } from "../../../schemas/SessionError.ts"
import type { SessionId } from "../../../schemas/SessionEvent.ts"
import type { SessionShape } from "../../../services/Session.ts"
import { SessionStore } from "../../../services/SessionStore.ts"
import type { SessionStoreShape, SessionSummary } from "../../../services/SessionStore.ts"
import { makeSession } from "../../makeSession.ts"
import type { SessionReason } from "../../makeSession.ts"
import { alreadyExists, idFor, named, newestFirst, randomUuid, summaryOf } from "../shared.ts"
import { makeDatabase } from "./database.ts"
import type { Database } from "./database.ts"
import { migrate } from "./migrations.ts"
import { readRows } from "./read.ts"
import * as Statements from "./statements.ts"
import { checkContiguous, makeWriter } from "./writer.ts"

/** Times in milliseconds. */
export interface Settings {
  readonly migrate: boolean
  readonly patience: number
  readonly answer: number
  readonly heartbeat: number
}

interface SummaryRow {
  readonly id: string
  readonly cwd: string
  readonly title: string | null
  readonly created_at: number
  readonly running: boolean
}

const summaryOfRow = ({ created_at, cwd, id, running, title }: SummaryRow): SessionSummary =>
  summaryOf(
    { id: unescapeText(id), cwd: unescapeText(cwd), createdAt: created_at },
    title === null ? undefined : unescapeText(title),
    running
  )

const makeStore = Effect.fnUntraced(function* (
  database: Database,
  settings: Settings
): Effect.fn.Return<SessionStoreShape, never, Scope> {
  const worker = yield* randomUuid
  const open = new Set<SessionId>()
  const silence = settings.heartbeat * 3

  const quietly = (what: string, statement: string, parameters: ReadonlyArray<string>) =>
    Effect.catch(database.run({ doing: what }, statement, parameters), (error) =>
      Effect.logWarning(`The session store ${error.detail}`)
    )

  yield* Effect.suspend(() =>
    open.size === 0 ? Effect.void : quietly("cannot say that this worker is alive", Statements.beat, [worker])
  ).pipe(Effect.delay(settings.heartbeat), Effect.forever, Effect.forkScoped)

  let seen = false
  yield* Effect.addFinalizer(() =>
    seen ? quietly("cannot say that this worker has ended", Statements.leave, [worker]) : Effect.void
  )

  const isOpen = (sessionId: SessionId) => new SessionConflict({ sessionId, detail: "it is open for writing" })

  /** Until the scope ends nobody else of this process opens it. */
  const take = (id: SessionId, key: string) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        if (open.has(id)) return isOpen(id)
        open.add(id)
        seen = true
        return Effect.void
      }),
      () =>
        Effect.andThen(
          quietly(`cannot say that session ${id} is closed`, Statements.close, [key, worker]),
          Effect.sync(() => open.delete(id))
        )
    )

  const openTaken = Effect.fnUntraced(function* (
    id: SessionId,
    key: string
  ): Effect.fn.Return<SessionShape, SessionReason, Scope> {
    const given = { doing: "cannot open the session", sessionId: id }
    const { rows } = yield* database.run<EventRow>(given, Statements.open, [key, worker])
    const { events, floor, header, length } = yield* readRows(id, rows)
    const visible = events.filter(({ seq }) => seq >= floor)
    yield* checkContiguous(id, visible, floor)
    if (floor + visible.length !== length) {
      return yield* new SessionCorrupt({ sessionId: id, detail: `event ${floor + visible.length} is missing` })
    }
    const { cwd } = header
    const writer = makeWriter({ database, id, key, cwd }, events)
    return yield* makeSession({ id, cwd, log: new SessionLog(events, length), ...writer })
  })

  const createNew = Effect.fnUntraced(function* (options: { readonly cwd: string; readonly id?: SessionId }) {
    const id = yield* idFor(options.id)
    const key = sessionFileName(id)
    // Whoever has it open here has it, whatever becomes of it.
    if (open.has(id)) return yield* alreadyExists(id)
    yield* take(id, key)
    const { cwd } = options
    const nonce = yield* randomUuid
    const given = { doing: "cannot create the session", sessionId: id, writes: true }
    const { repeated, rows } = yield* database.run(given, Statements.create, [
      key,
      worker,
      escapeText(id),
      escapeText(cwd),
      searchedText(id, cwd, undefined),
      yield* Clock.currentTimeMillis,
      nonce
    ])
    if (rows.length === 0) {
      const mine = repeated && (yield* database.run(given, Statements.madeBy, [key, nonce])).rows.length > 0
      if (!mine) return yield* alreadyExists(id)
    }
    return yield* makeSession({ id, cwd, log: new SessionLog(), ...makeWriter({ database, id, key, cwd }, []) })
  })

  return {
    list: database.run<SummaryRow>({ doing: "cannot list the sessions" }, Statements.list, [silence]).pipe(
      Effect.map(({ rows }) => newestFirst(rows.map(summaryOfRow))),
      named("SessionStore.list"),
      Effect.withSpan("SessionStore.list")
    ),
    search: Effect.fn("SessionStore.search")(({ cwd, limit, text }) =>
      database
        .run<SummaryRow>({ doing: "cannot search the sessions" }, Statements.search, [
          silence,
          searchPattern(text),
          escapeText(cwd),
          limit
        ])
        .pipe(
          Effect.map(({ rows }) => rows.map(summaryOfRow)),
          named("SessionStore.search")
        )
    ),
    open: Effect.fn("SessionStore.open")(function* (id) {
      const key = sessionFileName(id)
      yield* take(id, key)
      return yield* openTaken(id, key)
    }, named("SessionStore.open")),
    create: Effect.fn("SessionStore.create")(createNew, named("SessionStore.create")),
    surface: Effect.fn("SessionStore.surface")(function* (id) {
      const given = { doing: "cannot read the session", sessionId: id }
      const { rows } = yield* database.run<EventRow>(given, Statements.surface, [sessionFileName(id), silence])
      const { events, header, length, running, title } = yield* readRows(id, rows)
      return { summary: summaryOf(header, title, running), capturedThroughSeq: length - 1, events: surfaceOf(events) }
    }, named("SessionStore.surface"))
  }
})

const failed = (detail: string) =>
  new SessionError({ operation: "SessionStore.layerSql", reason: new SessionStorageFailed({ detail }) })

/** The store as a layer. */
export const layer = (settings: Settings): Layer.Layer<SessionStore, SessionError, SqlClient> =>
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const client = yield* SqlClient
      const dialect = client.onDialectOrElse({ pg: () => "pg", orElse: () => "another" })
      if (dialect !== "pg") return yield* failed("only PostgreSQL can hold sessions")
      if (settings.migrate) {
        yield* Effect.mapError(migrate(settings.patience), (error) =>
          failed(`the tables cannot be brought up to date: ${error.message}`)
        )
      }
      return yield* makeStore(makeDatabase(client, settings), settings)
    })
  )
