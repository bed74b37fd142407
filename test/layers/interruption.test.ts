/** The edge where an `AbortSignal` becomes interruption (I-13). */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { getEventListeners } from "node:events"
import { interruptedBy } from "../../src/layers/interruption.ts"

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length

describe("interruptedBy", () => {
  it.effect("[I-13] without a signal, and with one that never aborts, the effect is what it was", () =>
    Effect.gen(function* () {
      const { signal } = new AbortController()
      for (const given of [undefined, signal]) {
        assert.strictEqual(yield* Effect.succeed(1).pipe(interruptedBy(given)), 1)
        assert.strictEqual(yield* Effect.flip(Effect.fail("no").pipe(interruptedBy(given))), "no")
        const died = yield* Effect.exit(Effect.die("bug").pipe(interruptedBy(given)))
        assert.isTrue(Exit.hasDies(died))
      }
      assert.strictEqual(listeners(signal), 0)
    })
  )

  it.effect("[I-13] with a signal that has aborted already the effect never starts", () =>
    Effect.gen(function* () {
      const signal = AbortSignal.abort(new Error("stop"))
      let started = false
      const exit = yield* Effect.exit(Effect.sync(() => (started = true)).pipe(interruptedBy(signal)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isFalse(started)
      assert.strictEqual(listeners(signal), 0)
    })
  )

  it.effect("[I-13] aborting interrupts it, waits for its finalizers, and leaves no listener", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const log: Array<string> = []
      const effect = Effect.never.pipe(
        Effect.onInterrupt(() =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => log.push("finalized"))
          )
        ),
        interruptedBy(controller.signal),
        Effect.onExit(() => Effect.sync(() => log.push("exited")))
      )
      const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
      assert.strictEqual(listeners(controller.signal), 1)
      controller.abort()
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(log, ["finalized", "exited"])
      assert.strictEqual(listeners(controller.signal), 0)
    })
  )

  it.effect("[I-13] interrupting the fiber from outside leaves no listener either", () =>
    Effect.gen(function* () {
      const { signal } = new AbortController()
      const fiber = yield* Effect.forkChild(Effect.never.pipe(interruptedBy(signal)), { startImmediately: true })
      assert.strictEqual(listeners(signal), 1)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(listeners(signal), 0)
    })
  )

  it.effect("[I-13] aborting after the end changes nothing", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const gate = yield* Deferred.make<number>()
      const fiber = yield* Effect.forkChild(Deferred.await(gate).pipe(interruptedBy(controller.signal)), {
        startImmediately: true
      })
      yield* Deferred.succeed(gate, 7)
      assert.strictEqual(yield* Fiber.join(fiber), 7)
      controller.abort()
      assert.strictEqual(yield* Fiber.join(fiber), 7)
    })
  )
})
