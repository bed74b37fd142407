/** Sessions in a database that many workers share. What it needs is loaded when the layer is built. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SessionError } from "../../schemas/SessionError.ts"
import type { SessionStore } from "../../services/SessionStore.ts"

/** How a store in a database behaves. */
export interface SqlStoreOptions {
  /**
   * Whether building the layer brings the schema up to date; default true. Without it nothing is checked: for workers
   * whose role may not create tables, while a deployment builds the layer once with a role that may.
   */
  readonly migrate?: boolean
  /** How long a broken connection may take to come back before what hangs on it fails. Default 15 seconds. */
  readonly patience?: Duration.Input
  /**
   * How long one statement may take, waiting for a free connection of the pool included. Default 60 seconds. Without an answer by
   * then it fails; what it was to write is in doubt, and the next append of the session finds out.
   */
  readonly answer?: Duration.Input
  /**
   * How often a worker with open sessions says that it is alive. Default 10 seconds. One that is silent three times as
   * long is taken for dead: its sessions are no longer listed as running.
   */
  readonly heartbeat?: Duration.Input
}

/** As {@link layerSql}, with options. */
export const layerSqlWith = (options: SqlStoreOptions): Layer.Layer<SessionStore, SessionError, SqlClient> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./sql/store.ts")),
      ({ layer }) =>
        layer({
          migrate: options.migrate ?? true,
          patience: Duration.toMillis(Duration.fromInputUnsafe(options.patience ?? "15 seconds")),
          answer: Duration.toMillis(Duration.fromInputUnsafe(options.answer ?? "60 seconds")),
          heartbeat: Duration.toMillis(Duration.fromInputUnsafe(options.heartbeat ?? "10 seconds"))
        })
    )
  )

/**
 * A store in PostgreSQL, over whatever `SqlClient` there is; `@effect/sql-pg` has one. Building it brings the schema up to
 * date, also when several workers start at once, and fails with reason `SessionStorageFailed` where that cannot be done.
 *
 * - An append is one statement: it is logged if the log still ends where this session believes, and is a
 *   `SessionConflict` with what was missed if another worker was faster. Two writers of one session never interleave.
 * - When a connection breaks and it is not known whether an append was logged, that is found out: every batch has an id,
 *   and is written again under it, which logs it once at most.
 * - `open` and `surface` read from the last checkpoint on; `Session.log` reads the rest when it is asked for. `open`
 *   fails with `SessionConflict` only where the same store has the session open: other workers may, and then both write
 *   optimistically.
 * - It never takes part in a transaction of its caller: what is acknowledged is committed.
 */
export const layerSql: Layer.Layer<SessionStore, SessionError, SqlClient> = layerSqlWith({})
