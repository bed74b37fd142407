/**
 * Time for scripted play: a test clock that knows when nothing can go on without it.
 *
 * `TestClock` alone cannot tell a fiber that is suspended for good from one that has not had its turn yet. Here every fiber
 * runs on a scheduler that counts its tasks, and every sleep is known, so a play can wait until all is quiet, see when the
 * next sleeper would wake, and move the clock there. Nothing depends on how fast the machine is; real time is only asked
 * to tell a play that hangs.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"

/** Something did not end: neither by itself nor by moving the clock. `waited` is real milliseconds. */
export class NeverEnds extends Schema.TaggedError<NeverEnds>()("NeverEnds", {
  what: Schema.String,
  waited: Schema.Finite
}) {
  override get message() {
    return `${this.what} did not end: it waits for something that never comes (given up after ${this.waited} ms of real time)`
  }
}

/** What virtual time can be asked for. Times are epoch milliseconds of the virtual clock. */
export interface VirtualTimeShape {
  /** Waits until no fiber can go on before the clock moves. */
  readonly idle: Effect.Effect<void>
  /** When the next sleeper wakes. */
  readonly nextWake: Effect.Effect<number | undefined>
  /** Moves the clock, wakes who is due, in order, and waits until all is quiet again. */
  readonly advance: (by: Duration.Input) => Effect.Effect<void>
  /**
   * Waits until `fiber` has ended, and moves the clock to the next sleeper whenever nothing else can go on. `what` names it
   * in the failure.
   */
  readonly ended: <A, E>(fiber: Fiber.Fiber<A, E>, what: string) => Effect.Effect<Exit.Exit<A, E>, NeverEnds>
  /** Runs `effect` in a fiber of its own until it has ended and all is quiet. It is interrupted if it never ends. */
  readonly play: <A, E, R>(effect: Effect.Effect<A, E, R>, what: string) => Effect.Effect<Exit.Exit<A, E>, NeverEnds, R>
}

/** Virtual time of the play at hand. {@link layer} provides the clock and the scheduler it needs along with it. */
export class VirtualTime extends Context.Service<VirtualTime, VirtualTimeShape>()(
  "effect-agent-context/testing/VirtualTime"
) {}

/** How many rounds of the event loop have to pass without any work: enough for a promise that is settled already. */
const quietRounds = 4

/** Counts the tasks that wait for their turn. */
const counting = (inner: Scheduler.Scheduler): readonly [Scheduler.Scheduler, () => number] => {
  let waiting = 0
  const scheduler: Scheduler.Scheduler = {
    executionMode: inner.executionMode,
    shouldYield: (fiber) => inner.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = inner.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          waiting += 1
          dispatcher.scheduleTask(() => {
            waiting -= 1
            task()
          }, priority)
        },
        flush: () => dispatcher.flush()
      }
    }
  }
  return [scheduler, () => waiting]
}

/** The same clock; `wakes` holds the time of everyone who sleeps on it. */
const watched = (clock: TestClock.TestClock, wakes: Set<{ readonly at: number }>): TestClock.TestClock => ({
  ...clock,
  sleep: (duration) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const sleeper = { at: clock.currentTimeMillisUnsafe() + Duration.toMillis(duration) }
        wakes.add(sleeper)
        return sleeper
      }),
      () => clock.sleep(duration),
      (sleeper) => Effect.sync(() => wakes.delete(sleeper))
    )
})

const make = Effect.fnUntraced(function* (start: number, patience: number) {
  const wakes = new Set<{ readonly at: number }>()
  const given = yield* TestClock.testClockWith(Effect.succeed)
  const clock = watched(given, wakes)
  const [scheduler, waiting] = counting(yield* Scheduler.Scheduler)
  yield* clock.setTime(start)

  const idle = Effect.callback<void>((resume) => {
    let quiet = 0
    const look = () => {
      quiet = waiting() === 0 ? quiet + 1 : 0
      if (quiet > quietRounds) resume(Effect.void)
      else round = setImmediate(look)
    }
    let round = setImmediate(look)
    return Effect.sync(() => clearImmediate(round))
  })

  const nextWake = () => (wakes.size === 0 ? undefined : Math.min(...Array.from(wakes, ({ at }) => at)))
  const realNow = clock.withLive(Clock.currentTimeMillis)
  const realMoment = clock.withLive(Effect.sleep(1))

  const ended = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>, what: string) {
    const since = yield* realNow
    for (;;) {
      yield* Effect.timeoutOption(idle, patience).pipe(clock.withLive)
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return exit
      const waited = (yield* realNow) - since
      if (waited > patience) return yield* new NeverEnds({ what, waited: patience })
      const wake = nextWake()
      // Without a sleeper it can only wait for the world outside: a module that loads, a process.
      yield* wake === undefined ? realMoment : clock.setTime(wake)
    }
  })

  const time: VirtualTimeShape = {
    idle,
    nextWake: Effect.sync(nextWake),
    advance: (by) => Effect.andThen(clock.adjust(by), idle),
    ended,
    play: Effect.fnUntraced(function* (effect, what) {
      const fiber = yield* Effect.forkDetach(effect)
      return yield* Effect.onError(ended(fiber, what), () => Effect.sync(() => fiber.interruptUnsafe()))
    })
  }
  return Context.make(VirtualTime, time).pipe(
    Context.add(Clock.Clock, clock),
    Context.add(Scheduler.Scheduler, scheduler)
  )
})

/**
 * Virtual time from `start` (epoch milliseconds). Everything that runs under this layer sleeps on its clock. `patience` is
 * how many real milliseconds a play may make no end before it counts as hanging; default 5,000.
 */
export const layer = (start: number, patience = 5000): Layer.Layer<VirtualTime> =>
  Layer.effectContext(make(start, patience)).pipe(
    // The clock warns when nobody moves it for a while; a play that hangs is reported here instead.
    Layer.provide(TestClock.layer({ warningDelay: "1 hour" }))
  ) as Layer.Layer<VirtualTime>
