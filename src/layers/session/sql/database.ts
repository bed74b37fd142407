/** Statements that outlive a broken connection, and what their failures mean. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { SessionStorageFailed } from "../../../schemas/SessionError.ts"
import type { SessionId } from "../../../schemas/SessionEvent.ts"

/** What a statement takes. */
export type Parameter = string | number | boolean | null | ReadonlyArray<string | number>

/** A failure that has lasted longer than patience, or that no patience helps against. */
interface Given {
  /** What was being done, for the message. */
  readonly doing: string
  readonly sessionId?: SessionId
  /** Whether the statement writes what its caller would have to know of. */
  readonly writes?: boolean
}

export interface Database {
  /**
   * Runs one statement, and runs it again while its connection breaks. So it has to mean the same when it has already
   * been carried out: `repeated` says that this may be so.
   */
  readonly run: <Row extends object>(
    given: Given,
    statement: string,
    parameters: ReadonlyArray<Parameter>
  ) => Effect.Effect<{ readonly rows: ReadonlyArray<Row>; readonly repeated: boolean }, SessionStorageFailed>
}

const codeOf = ({ reason: { cause } }: SqlError): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

const sqlState = /^[0-9A-Z]{5}$/

/**
 * What is known after a failure. `refused`: the server has said no, and nothing was done. `transient`: nor was it here,
 * but it may be the next time. `broken`: nobody knows whether it was done.
 */
type Known = "refused" | "transient" | "broken"

/** Deadlock, serialization, out of connections, starting up. */
const transient = new Set(["40P01", "40001", "53300", "57P03"])
/** The server or its backend has gone away, perhaps after it had committed. */
const broken = new Set(["57P01", "57P02", "57P05"])

export const knownAfter = (error: SqlError): Known => {
  const code = codeOf(error)
  const isSqlState = code !== undefined && sqlState.test(code)
  // Nothing is said to a server before there is a connection.
  if (error.reason.operation === "connect" && !isSqlState) return "transient"
  if (!isSqlState) return "broken"
  if (transient.has(code)) return "transient"
  return broken.has(code) || code.startsWith("08") ? "broken" : "refused"
}

const messageOf = (error: SqlError): string => {
  const { cause } = error.reason
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message
}

/**
 * What a statement comes to within `limit` milliseconds; `undefined`: nothing yet, and it is given up. This holds where the
 * statement itself would not be interrupted: an append must not be, but nor may it wait for ever.
 */
const answeredWithin = <A, E>(self: Effect.Effect<A, E>, limit: number): Effect.Effect<Exit.Exit<A, E> | undefined> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback((resume) => {
      const start = Effect.runForkWith(context)
      const statement = start(self)
      const timer = start(Effect.sleep(limit))
      // Whoever ends first has answered before it ends the other.
      statement.addObserver((exit) => {
        resume(Effect.succeed(exit))
        timer.interruptUnsafe()
      })
      timer.addObserver(() => {
        resume(Effect.succeed(undefined))
        statement.interruptUnsafe()
      })
      return Effect.sync(() => {
        timer.interruptUnsafe()
        statement.interruptUnsafe()
      })
    })
  )

/** How long to wait, in milliseconds. */
export interface Waiting {
  /** For a broken connection to come back. */
  readonly patience: number
  /** For the answer to one statement, a free connection included. */
  readonly answer: number
}

const shortest = 10
const longest = 500

export const makeDatabase = (client: SqlClient, { answer, patience }: Waiting): Database => {
  const sql = client.withoutTransforms()
  /** A transaction of the caller's could take back what has been acknowledged. */
  const alone = Effect.updateContext(Context.omit(client.transactionService)) as <A, E>(
    self: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>

  const run: Database["run"] = Effect.fnUntraced(function* <Row extends object>(
    { doing, sessionId, writes = false }: Given,
    statement: string,
    parameters: ReadonlyArray<Parameter>
  ) {
    const started = yield* Clock.currentTimeMillis
    let repeated = false
    for (let delay = shortest; ; delay = Math.min(delay * 2, longest)) {
      const exit = yield* answeredWithin(Effect.result(alone(sql.unsafe<Row>(statement, parameters))), answer)
      if (exit === undefined) {
        return yield* new SessionStorageFailed({
          ...(sessionId === undefined ? {} : { sessionId }),
          detail:
            `${doing}: no answer within ${answer} ms; the database may be out of reach, ` +
            "or all connections of the pool are held by transactions that wait for this",
          ...(writes ? { inDoubt: true } : {})
        })
      }
      const result = yield* exit
      if (result._tag === "Success") return { rows: result.success, repeated }
      const known = knownAfter(result.failure)
      repeated ||= known === "broken"
      const waited = (yield* Clock.currentTimeMillis) - started
      if (known === "refused" || waited + delay > patience) {
        return yield* new SessionStorageFailed({
          ...(sessionId === undefined ? {} : { sessionId }),
          detail: `${doing}: ${messageOf(result.failure)}`,
          ...(writes && repeated ? { inDoubt: true } : {})
        })
      }
      yield* Effect.sleep(delay)
    }
  }) as Database["run"]

  return { run }
}
