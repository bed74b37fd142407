import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { makeSession } from "../../src/layers/makeSession.ts"
import { SessionLog } from "../../src/pipeline/sessionLog.ts"
import { SessionStorageFailed } from "../../src/schemas/SessionError.ts"
import type { SessionEvent } from "../../src/schemas/SessionEvent.ts"
import * as Session from "../../src/Session.ts"
import { note } from "./session/support.ts"

/** A session whose every write waits for the test. */
const gated = Effect.gen(function* () {
  const writes: Array<{
    readonly batch: ReadonlyArray<SessionEvent>
    readonly end: Deferred.Deferred<void, SessionStorageFailed>
  }> = []
  const session = yield* makeSession({
    id: "s",
    cwd: "/",
    log: new SessionLog(),
    write: (batch) =>
      Effect.gen(function* () {
        const end = yield* Deferred.make<void, SessionStorageFailed>()
        writes.push({ batch, end })
        yield* Deferred.await(end)
      })
  })
  const finish = (index: number) => Deferred.succeed(writes[index]!.end, undefined)
  const fail = (index: number) => Deferred.fail(writes[index]!.end, new SessionStorageFailed({ detail: "no" }))
  const start = (n: number) => Effect.forkChild(session.append([note(n)]), { startImmediately: true })
  const numbers = Effect.map(session.log, (log) => log.map((event) => (event as { readonly n?: unknown }).n))
  return { session, writes, finish, fail, start, numbers }
})

describe("append", () => {
  it.effect("waiting for the lock is interruptible and leaves nothing", () =>
    Effect.gen(function* () {
      const { finish, numbers, start, writes } = yield* gated
      const first = yield* start(1)
      const waiting = yield* start(2)
      const third = yield* start(3)
      yield* Fiber.interrupt(waiting)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(waiting)))
      assert.strictEqual(writes.length, 1)
      yield* finish(0)
      yield* Fiber.join(first)
      yield* Effect.yieldNow
      yield* finish(1)
      yield* Fiber.join(third)
      assert.deepStrictEqual(yield* numbers, [1, 3])
    })
  )

  it.effect("writing is not interruptible, and what was written is seen", () =>
    Effect.gen(function* () {
      const { finish, numbers, session, start } = yield* gated
      const seen: Array<number> = []
      yield* session.observe((event) => seen.push(event.seq))
      const writing = yield* start(1)
      const interruption = yield* Effect.forkChild(Fiber.interrupt(writing), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(writing.pollUnsafe())
      yield* finish(0)
      yield* Fiber.join(interruption)
      assert.deepStrictEqual([yield* numbers, seen], [[1], [0]])
    })
  )

  it.effect("nobody sees a batch that is being written, nor one that failed, and its place is given again", () =>
    Effect.gen(function* () {
      const { fail, finish, numbers, session, start, writes } = yield* gated
      const failing = yield* start(1)
      assert.deepStrictEqual(yield* numbers, [])
      yield* fail(0)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(failing)))
      const next = yield* start(2)
      const seen: Array<number> = []
      yield* session.observe((event) => seen.push(event.seq))
      assert.deepStrictEqual(seen, [])
      yield* finish(1)
      yield* Fiber.join(next)
      assert.deepStrictEqual([yield* numbers, seen, writes.map(({ batch }) => batch[0]!.seq)], [[2], [0], [0, 0]])
    })
  )

  it.effect("ending the session's scope waits for the write, and lets no later one begin", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { finish, numbers, start } = yield* Scope.provide(gated, scope)
      const writing = yield* start(1)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      const late = yield* start(2)
      yield* Effect.yieldNow
      assert.isUndefined(closing.pollUnsafe())
      yield* finish(0)
      yield* Fiber.join(closing)
      yield* Fiber.join(writing)
      const exit = yield* Fiber.await(late)
      assert.match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", /the session is closed/)
      assert.deepStrictEqual(yield* numbers, [1])
    })
  )

  it.effect("stamps events with the clock of the moment they are written", () =>
    Effect.gen(function* () {
      const { finish, session, start } = yield* gated
      const first = yield* start(1)
      const second = yield* start(2)
      yield* TestClock.adjust("3 seconds")
      yield* finish(0)
      yield* Fiber.join(first)
      yield* Effect.yieldNow
      yield* finish(1)
      yield* Fiber.join(second)
      assert.deepStrictEqual(
        (yield* session.log).map(({ at, seq }) => [seq, at]),
        [
          [0, 0],
          [1, 3_000]
        ]
      )
    })
  )
})

describe("observe", () => {
  it.effect("reports what an observer throws as warnings and diagnostics, the latest hundred", () =>
    Effect.gen(function* () {
      const warnings: Array<unknown> = []
      const logger = Logger.make((options) => {
        warnings.push([options.logLevel, options.message, options.fiber.getRef(References.CurrentLogAnnotations)])
      })
      yield* Effect.gen(function* () {
        const session = yield* Session.Session
        let calls = 0
        yield* session.observe(() => {
          throw calls++ === 0 ? new Error("first") : Object.create(null)
        })
        yield* session.append([note(1)])
        const message = "An observer of session main threw and stays registered: first"
        assert.deepStrictEqual(yield* session.diagnostics!, [{ tag: "SupplierFailed", message }])
        assert.deepStrictEqual(warnings, [["Warn", [message], { session: "main", diagnostic: "SupplierFailed" }]])
        for (let n = 0; n < 150; n++) yield* session.append([note(n)])
        assert.deepStrictEqual([calls, warnings.length, (yield* session.diagnostics!).length], [151, 151, 100])
      }).pipe(Effect.provide([Session.layerMemory(), Logger.layer([logger])]))
    })
  )
})

describe("Session.layer", () => {
  it.effect("holds the session as long as the layer lives", () =>
    Effect.gen(function* () {
      let held = 0
      const open = Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => held++),
          () => Effect.sync(() => held--)
        )
        return (yield* gated).session
      })
      yield* Effect.gen(function* () {
        assert.deepStrictEqual([(yield* Session.Session).id, held], ["s", 1])
      }).pipe(Effect.provide(Session.layer(open)))
      assert.strictEqual(held, 0)
    })
  )

  it.effect("[C-6] sessions in memory are separate, and have the given id and cwd", () =>
    Effect.gen(function* () {
      const use = (layer: Layer.Layer<Session.Session>) =>
        Effect.gen(function* () {
          const session = yield* Session.Session
          yield* session.append([note(1)])
          return [session.id, session.cwd, (yield* session.log).length]
        }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(yield* use(Session.layerMemory()), ["main", "/", 1])
      assert.deepStrictEqual(yield* use(Session.layerMemory({ id: "a", cwd: "/repo" })), ["a", "/repo", 1])
    })
  )
})
