/**
 * Every moment at which a fiber can be interrupted, counted: before each of its operations, before and after each task of the
 * scheduler, and whenever all has come to rest for now, a request to the world outside being under way.
 */
import * as Context from "effect/Context"
import * as Scheduler from "effect/Scheduler"

export interface Points {
  /** Under which everything to be interrupted runs. */
  readonly context: Context.Context<never>
  /** Counts from now on, and calls `strike` at the `at`th moment. */
  readonly arm: (at: number, strike: () => void) => void
  /** Stops counting. Returns how many moments there were. */
  readonly disarm: () => number
}

export const makePoints = (): Points => {
  const inner = new Scheduler.MixedScheduler()
  let armed: { readonly at: number; readonly strike: () => void } | undefined
  let seen = 0
  let resting = false

  const point = () => {
    if (armed === undefined) return
    seen += 1
    if (seen === armed.at) armed.strike()
  }
  const rest = () => {
    if (armed === undefined || resting) return
    resting = true
    queueMicrotask(() => {
      resting = false
      point()
    })
  }

  const scheduler: Scheduler.Scheduler = {
    executionMode: inner.executionMode,
    shouldYield: (fiber) => {
      point()
      rest()
      return inner.shouldYield(fiber)
    },
    makeDispatcher: () => {
      const dispatcher = inner.makeDispatcher()
      return {
        scheduleTask: (task, priority) =>
          dispatcher.scheduleTask(() => {
            point()
            task()
            rest()
          }, priority),
        flush: () => dispatcher.flush()
      }
    }
  }

  return {
    context: Context.make(Scheduler.Scheduler, scheduler) as Context.Context<never>,
    arm: (at, strike) => {
      seen = 0
      armed = { at, strike }
    },
    disarm: () => {
      armed = undefined
      return seen
    }
  }
}
