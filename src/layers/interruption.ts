/** The edge where an `AbortSignal` becomes interruption. Inside, there are only fibers. */
import * as Effect from "effect/Effect"

/**
 * Interrupts `self` when `signal` aborts; with a signal that has aborted already, `self` never starts. The listener is
 * gone when `self` is done.
 */
export const interruptedBy =
  (signal: AbortSignal | undefined) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    if (signal === undefined) return self
    const aborted = Effect.callback<never>((resume) => {
      const abort = () => resume(Effect.interrupt)
      if (signal.aborted) return abort()
      signal.addEventListener("abort", abort, { once: true })
      return Effect.sync(() => signal.removeEventListener("abort", abort))
    })
    return Effect.raceFirst(aborted, self)
  }
