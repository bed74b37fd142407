/** Databases on the PostgreSQL that `SESSION_SQL_URL` names. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Scope } from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** Empty where there is none. */
export const url = process.env["SESSION_SQL_URL"] ?? ""

/** A client of one database. */
export const clientOf = (
  database: string,
  options: Partial<Parameters<typeof PgClient.layer>[0]> = {}
): Layer.Layer<SqlClient | PgClient.PgClient, SqlError> =>
  PgClient.layer({ url: Redacted.make(urlOf(database)), maxConnections: 4, ...options })

export const urlOf = (database: string): string => Object.assign(new URL(url), { pathname: `/${database}` }).href

const admin = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.provide(PgClient.PgClient.use(use), clientOf("postgres", { maxConnections: 1 })))

/** An empty database, dropped with the scope. */
export const freshDatabase: Effect.Effect<string, SqlError, Scope> = Effect.acquireRelease(
  Effect.suspend(() => {
    const name = `t_${globalThis.crypto.randomUUID().replaceAll("-", "")}`
    return Effect.as(
      admin((sql) => sql.unsafe(`create database ${name}`)),
      name
    )
  }),
  (name) => Effect.orDie(admin((sql) => sql.unsafe(`drop database if exists ${name} with (force)`)))
)

/** Cuts every other connection to the database, as a failover does. */
export const cutConnections = (database: string) =>
  admin(
    (sql) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database} and pid <> pg_backend_pid()`
  )
