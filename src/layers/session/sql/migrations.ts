/** The tables of a store in PostgreSQL, and how they come about. Every migration stays as it is once it is released. */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import type { SqlError } from "effect/sql/SqlError"
import { knownAfter } from "./database.ts"

/**
 * `length`, `floor` and `carried` are what opening needs: the next `seq`, the first one that no checkpoint shadows, and
 * the shadowed ones that are needed all the same. None of them is indexed, so that an append updates a row in place.
 */
const tables = [
  `create table agent_context_sessions (
    session_id text primary key,
    id text not null,
    cwd text not null,
    title text,
    searched text not null,
    created_at double precision not null,
    length integer not null default 0,
    floor integer not null default 0,
    carried integer[] not null default '{}',
    nonce uuid not null
  ) with (fillfactor = 70)`,
  "create index agent_context_sessions_newest on agent_context_sessions (created_at desc, session_id)",
  `create table agent_context_events (
    session_id text not null references agent_context_sessions on delete cascade,
    seq integer not null,
    at double precision not null,
    type text not null,
    batch uuid,
    body text not null,
    primary key (session_id, seq)
  )`,
  `create table agent_context_workers (
    worker_id uuid primary key,
    seen_at timestamptz not null
  )`,
  `create table agent_context_open (
    session_id text not null references agent_context_sessions on delete cascade,
    worker_id uuid not null references agent_context_workers on delete cascade,
    primary key (session_id, worker_id)
  )`,
  "create index agent_context_open_worker on agent_context_open (worker_id)"
]

/** Trigrams find a part of a title without reading all of them. Where they may not be installed, search reads them. */
const search = `do $$
begin
  create extension if not exists pg_trgm;
  create index if not exists agent_context_sessions_searched
    on agent_context_sessions using gin (searched gin_trgm_ops);
exception when others then
  raise notice 'agent_context: searching sessions goes without an index: %', sqlerrm;
end $$`

const migrations = Migrator.fromRecord({
  "1_sessions": Effect.gen(function* () {
    const sql = yield* SqlClient
    for (const statement of tables) yield* sql.unsafe(statement)
  }),
  "2_search": Effect.flatMap(SqlClient, (sql) => sql.unsafe(search))
})

/** Runs what is missing, in a transaction that locks out every other worker that is about to do the same. */
const run = Migrator.make({})({ loader: migrations, table: "agent_context_migrations" })

/** What the database has said, wherever it is: a rollback on a connection that is gone is a defect. */
const sqlErrorIn = (cause: Cause.Cause<unknown>): SqlError | undefined => {
  for (const reason of cause.reasons) {
    const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    const found = error instanceof Migrator.MigrationError ? error.cause : error
    if (isSqlError(found)) return found
  }
  return undefined
}

/** Brings the schema up to date, however often its connection breaks within `patience` milliseconds. */
export const migrate = Effect.fnUntraced(function* (patience: number) {
  const started = yield* Clock.currentTimeMillis
  for (;;) {
    const exit = yield* Effect.exit(run)
    if (Exit.isSuccess(exit)) return
    const error = sqlErrorIn(exit.cause)
    const late = (yield* Clock.currentTimeMillis) - started > patience
    if (error === undefined || late || knownAfter(error) === "refused") return yield* Effect.failCause(exit.cause)
    yield* Effect.sleep(100)
  }
})
