/**
 * Work that several callers share: it ends when it is done, or when the last of them has stopped waiting (S-5).
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** One piece of work under way. `since` is the state of the world that it goes by; it may move on to a newer one. */
interface Flight<A> {
  since: number
  readonly fiber: Fiber.Fiber<A>
  waiters: number
}

/** Work under way, by key. */
interface Flights<A> {
  /** Joins the work under `key` if it goes by `since`, else begins it with the caller's context. */
  readonly join: (
    key: string,
    since: number,
    begin: (moveOn: (since: number) => void) => Effect.Effect<A>
  ) => Effect.Effect<A>
}

export const makeFlights = <A>(): Flights<A> => {
  const current = new Map<string, Flight<A>>()

  const begin = (
    key: string,
    since: number,
    work: (moveOn: (since: number) => void) => Effect.Effect<A>,
    context: Context.Context<never>
  ): Flight<A> => {
    // The work may move on, and even end, before there is a fiber to hold.
    let latest = since
    let flight: Flight<A> | undefined
    const fiber = Effect.runForkWith(context)(
      Effect.suspend(() =>
        work((since) => {
          latest = since
          if (flight !== undefined) flight.since = since
        })
      )
    )
    const begun: Flight<A> = { since: latest, fiber, waiters: 0 }
    flight = begun
    current.set(key, begun)
    fiber.addObserver(() => forget(key, begun))
    return begun
  }

  const forget = (key: string, flight: Flight<A>): void => {
    if (current.get(key) === flight) current.delete(key)
  }

  return {
    join: (key, since, work) =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.callback<A>((resume) => {
          const known = current.get(key)
          const flight = known?.since === since ? known : begin(key, since, work, context)
          flight.waiters += 1
          const leave = flight.fiber.addObserver(resume)
          return Effect.suspend(() => {
            leave()
            flight.waiters -= 1
            if (flight.waiters > 0) return Effect.void
            forget(key, flight)
            return Fiber.interrupt(flight.fiber)
          })
        })
      )
  }
}
