import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as VirtualTime from "../../src/testing/virtualTime.ts"

const inTime = <A, E>(effect: Effect.Effect<A, E, VirtualTime.VirtualTime>) =>
  Effect.provide(effect, VirtualTime.layer(1000, 200))

const yields = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })

describe("virtual time", () => {
  it.effect("begins where it is told, and moves only as far as somebody sleeps", () =>
    inTime(
      Effect.gen(function* () {
        const time = yield* VirtualTime.VirtualTime
        assert.strictEqual(yield* Clock.currentTimeMillis, 1000)
        const played = Effect.gen(function* () {
          yield* Effect.sleep("1 hour")
          yield* yields(100)
          yield* Effect.sleep("5 millis")
          return yield* Clock.currentTimeMillis
        })
        assert.deepStrictEqual(yield* time.play(played, "it"), Exit.succeed(3_601_005))
        assert.strictEqual(yield* Clock.currentTimeMillis, 3_601_005)
        assert.isUndefined(yield* time.nextWake)
      })
    )
  )

  it.effect("idle waits for everyone who can go on, and for nobody else", () =>
    inTime(
      Effect.gen(function* () {
        const time = yield* VirtualTime.VirtualTime
        const done: Array<string> = []
        const does = (name: string, before: Effect.Effect<void>) =>
          Effect.forkChild(
            Effect.andThen(
              before,
              Effect.sync(() => done.push(name))
            )
          )
        yield* does("busy", yields(500))
        yield* does("asleep", Effect.sleep(10))
        yield* does("stuck", Effect.never)
        yield* time.idle
        assert.deepStrictEqual(done, ["busy"])
        assert.strictEqual(yield* time.nextWake, 1010)
        yield* time.advance(10)
        assert.deepStrictEqual(done, ["busy", "asleep"])
      })
    )
  )

  it.effect("waits for the world outside without moving the clock", () =>
    inTime(
      Effect.gen(function* () {
        const time = yield* VirtualTime.VirtualTime
        const outside = Effect.callback<string>((resume) => {
          setTimeout(() => resume(Effect.succeed("done")), 5)
        })
        assert.deepStrictEqual(yield* time.play(outside, "it"), Exit.succeed("done"))
        assert.strictEqual(yield* Clock.currentTimeMillis, 1000)
      })
    )
  )

  it.effect("what never ends is a failure that names it, and is interrupted", () =>
    inTime(
      Effect.gen(function* () {
        const time = yield* VirtualTime.VirtualTime
        let interrupted = false
        const stuck = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted = true)))
        const error = yield* Effect.flip(time.play(stuck, "the look"))
        assert.include(error.message, "the look did not end")
        yield* time.idle
        assert.isTrue(interrupted)
        const stubborn = yield* Effect.flip(time.play(Effect.uninterruptible(Effect.never), "the write"))
        assert.strictEqual(stubborn._tag, "NeverEnds")
        const restless = yield* Effect.flip(time.play(Effect.forever(Effect.sleep(10)), "the poll"))
        assert.strictEqual(restless._tag, "NeverEnds")
      })
    )
  )
})
