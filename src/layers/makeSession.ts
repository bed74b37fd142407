/**
 * A session over any storage: the lock, validation, stamps, observers and the surface, once for all stores.
 *
 * A store brings the log as it stands and one effect that makes a batch durable. While that effect runs the batch is in
 * nobody's view; when it has succeeded the log, the surface and every observer see the batch in one synchronous update,
 * so no fiber ever sees them disagree.
 *
 * Where several processes share a store, one of them may find that another was faster. It takes over what it has missed in
 * the same way, and only then decides again or says so.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { format } from "effect/Formatter"
import * as Result from "effect/Result"
import type { Scope } from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { SessionLog } from "../pipeline/sessionLog.ts"
import type { Diagnostic } from "../schemas/Diagnostic.ts"
import { SessionConflict, SessionError, SessionStorageFailed } from "../schemas/SessionError.ts"
import type { InvalidSessionEvent } from "../schemas/SessionError.ts"
import { decodeSessionEventInput } from "../schemas/SessionEvent.ts"
import type { SessionEvent, SessionEventInput, SessionId } from "../schemas/SessionEvent.ts"
import type { EventOrigin, SessionShape } from "../services/Session.ts"

/** Why a session or a store could not do what it was asked for. */
export type SessionReason = SessionError["reason"]

/** What a store knows of a session it has opened for writing. */
export interface Storage {
  readonly id: SessionId
  readonly cwd: string
  /** The log as it stands. From now on only the session adds to it. */
  readonly log: SessionLog
  /**
   * Makes a batch durable, or fails and leaves nothing of it behind. Never interrupted, never called twice at a time.
   */
  readonly write: (batch: ReadonlyArray<SessionEvent>) => Effect.Effect<void, SessionReason>
  /**
   * Where others may write too: after a `write` that was a `SessionConflict`, what they have logged from `seq` on, which
   * is never nothing. The session takes it over and goes on behind it.
   */
  readonly missed?: (seq: number) => Effect.Effect<ReadonlyArray<SessionEvent>, SessionReason>
  /** The whole log, where `log` has been opened without the events that are shadowed. Its argument is the length. */
  readonly whole?: (length: number) => Effect.Effect<ReadonlyArray<SessionEvent>, SessionReason>
  /** What opening has already found and reported. */
  readonly diagnostics?: ReadonlyArray<Diagnostic>
}

type Observer = (event: SessionEvent, origin: EventOrigin) => void

/** How often a decision is taken again because another writer was faster, before the caller hears of it. */
const maxDecisions = 50

/** Findings kept for `Session.diagnostics`: the latest ones, so that a broken observer cannot fill the memory. */
const keptDiagnostics = 100

const decodeAll = (
  inputs: ReadonlyArray<SessionEventInput>
): Result.Result<ReadonlyArray<SessionEventInput>, InvalidSessionEvent> => {
  const events: Array<SessionEventInput> = []
  for (const input of inputs) {
    const decoded = decodeSessionEventInput(input)
    if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
    events.push(decoded.success)
  }
  return Result.succeed(events)
}

/** Logs a diagnostic as a warning, annotated with `session`, `diagnostic` (the tag) and, where there is one, `path`. */
export const reportDiagnostic = (diagnostic: Diagnostic, session: string): Effect.Effect<void> =>
  Effect.logWarning(diagnostic.message).pipe(
    Effect.annotateLogs({
      session,
      diagnostic: diagnostic.tag,
      ...(diagnostic.path === undefined ? {} : { path: diagnostic.path })
    })
  )

/** A session that writes to `storage` until the scope ends. Ending waits for a write that is under way. */
export const makeSession = Effect.fnUntraced(function* (
  storage: Storage
): Effect.fn.Return<SessionShape, never, Scope> {
  const { log, whole } = storage
  const lock = Semaphore.makeUnsafe(1)
  const observers = new Set<{ readonly notify: Observer }>()
  const diagnostics = [...(storage.diagnostics ?? [])]
  let inside: "an observer" | "a decision" | undefined
  let open = true

  yield* Effect.addFinalizer(() => lock.withPermit(Effect.sync(() => (open = false))))

  /** Runs foreign code that may not call back: a call from in there would wait for itself. */
  const guarded = <A>(what: NonNullable<typeof inside>, run: () => A): A => {
    inside = what
    try {
      return run()
    } finally {
      inside = undefined
    }
  }

  const refuseInside = (operation: string) =>
    Effect.suspend(() =>
      inside === undefined
        ? Effect.void
        : Effect.die(new Error(`${operation} was called from inside ${inside} of session ${storage.id}`))
    )

  const locked = <A>(operation: string, work: Effect.Effect<A, SessionReason>): Effect.Effect<A, SessionError> =>
    refuseInside(operation).pipe(
      Effect.andThen(
        lock.withPermit(
          Effect.uninterruptible(
            Effect.suspend(() =>
              open ? work : new SessionStorageFailed({ sessionId: storage.id, detail: "the session is closed" })
            )
          )
        )
      ),
      Effect.mapError((reason) => new SessionError({ operation, reason }))
    )

  const hand = (observer: Observer, event: SessionEvent, origin: EventOrigin, thrown: Array<unknown>) => {
    try {
      observer(event, origin)
    } catch (error) {
      thrown.push(error)
    }
  }

  const reportThrown = (thrown: ReadonlyArray<unknown>) =>
    Effect.forEach(
      thrown,
      (error) => {
        const what = error instanceof Error ? error.message : format(error)
        const message = `An observer of session ${storage.id} threw and stays registered: ${what}`
        const diagnostic: Diagnostic = { tag: "SupplierFailed", message }
        diagnostics.push(diagnostic)
        if (diagnostics.length > keptDiagnostics) diagnostics.shift()
        return reportDiagnostic(diagnostic, storage.id)
      },
      { discard: true }
    )

  /** From here on the events are in everybody's view. */
  const take = (events: ReadonlyArray<SessionEvent>, origin: EventOrigin): Effect.Effect<void> =>
    Effect.suspend(() => {
      const thrown: Array<unknown> = []
      log.add(events)
      guarded("an observer", () => {
        for (const event of events) {
          for (const observer of observers) hand(observer.notify, event, origin, thrown)
        }
      })
      return thrown.length > 0 ? reportThrown(thrown) : Effect.void
    })

  const lost = Effect.fnUntraced(function* (conflict: SessionConflict): Effect.fn.Return<never, SessionReason> {
    if (storage.missed === undefined) return yield* conflict
    const { detail, sessionId } = conflict
    const expected = log.length
    const missed = yield* storage.missed(expected)
    yield* take(missed, "elsewhere")
    return yield* new SessionConflict({ sessionId, detail, expected, found: log.length, missed: missed as never })
  })

  const commit = Effect.fnUntraced(function* (inputs: ReadonlyArray<SessionEventInput>) {
    const at = yield* Clock.currentTimeMillis
    const batch = inputs.map((input, index): SessionEvent => ({ seq: log.length + index, at, ...input }))
    yield* Effect.catchTag(storage.write(batch), "SessionConflict", lost)
    yield* take(batch, "here")
    return batch
  })

  const decided = Effect.fnUntraced(function* <A>(decide: () => readonly [A, ReadonlyArray<SessionEventInput>]) {
    for (let attempt = 1; ; attempt++) {
      const [answer, inputs] = yield* Effect.sync(() => guarded("a decision", decide))
      const events = yield* Effect.fromResult(decodeAll(inputs))
      if (events.length === 0) return answer
      const logged = yield* Effect.result(commit(events))
      if (Result.isSuccess(logged)) return answer
      const { failure } = logged
      const again = failure._tag === "SessionConflict" && failure.missed !== undefined && attempt < maxDecisions
      if (!again) return yield* failure
    }
  })

  const append = Effect.fn("Session.append")((inputs: ReadonlyArray<SessionEventInput>) => {
    const events = decodeAll(inputs)
    const work = Effect.flatMap(Effect.fromResult(events), (events) =>
      events.length === 0 ? Effect.succeed([]) : commit(events)
    )
    return locked("Session.append", work)
  })

  const transact = Effect.fn("Session.transact")(<A>(decide: () => readonly [A, ReadonlyArray<SessionEventInput>]) =>
    locked("Session.transact", decided(decide))
  )

  const observe = Effect.fn("Session.observe")(function* (notify: Observer) {
    yield* refuseInside("Session.observe")
    const observer = { notify }
    const thrown: Array<unknown> = []
    yield* Effect.acquireRelease(
      // Replay and registration are one synchronous step, as every commit is: no event comes between them.
      Effect.sync(() => {
        guarded("an observer", () => log.forEach((event) => hand(notify, event, "log", thrown)))
        observers.add(observer)
      }),
      () => Effect.sync(() => observers.delete(observer))
    )
    yield* reportThrown(thrown)
  })

  return {
    id: storage.id,
    cwd: storage.cwd,
    log: whole === undefined ? Effect.sync(() => log.events) : Effect.orDie(Effect.suspend(() => whole(log.length))),
    surface: Effect.sync(() => log.surface),
    append,
    transact,
    observe,
    diagnostics: Effect.sync(() => diagnostics.slice())
  }
})

/** A new, empty session that is kept nowhere. */
export const makeMemorySession = (options?: {
  readonly id?: SessionId
  readonly cwd?: string
}): Effect.Effect<SessionShape, never, Scope> =>
  Effect.suspend(() =>
    makeSession({
      id: options?.id ?? "main",
      cwd: options?.cwd ?? "/",
      log: new SessionLog(),
      write: () => Effect.void
    })
  )
