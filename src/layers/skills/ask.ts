/**
 * Asking somebody else's code, without ever waiting longer than agreed: for an answer, for the end of a registration, or
 * for a fiber that does not let itself be interrupted (S-1, S-4).
 */
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Ending } from "./ending.ts"

/** `Done`: it ended by itself, well or not. `Ended`: the registration was disposed of before. */
export type Answer<A> =
  | { readonly _tag: "Done"; readonly exit: Exit.Exit<A, unknown> }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "Ended" }

/** How many turns of the event loop a fiber is given to let go of what it holds. */
const graceTurns = 64

const letGo = Effect.fnUntraced(function* (fiber: Fiber.Fiber<unknown, unknown>) {
  for (let turn = 0; turn < graceTurns && fiber.pollUnsafe() === undefined; turn++) yield* Effect.yieldNow
})

/**
 * Runs `call` in a fiber of its own until it is done, `timeout` is over, `ending` has come, or the caller is interrupted; in the
 * last three cases its signal aborts and the fiber is interrupted, but nobody waits for it to comply.
 */
export const ask = <A>(
  call: (signal: AbortSignal) => Effect.Effect<A, unknown>,
  ending: Ending,
  timeout: Duration.Input
): Effect.Effect<Answer<A>> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback<Answer<A>>((resume) => {
      if (ending.signal.aborted) return resume(Effect.succeed({ _tag: "Ended" }))
      const controller = new AbortController()
      const fiber = Effect.runForkWith(context)(Effect.suspend(() => call(controller.signal)))
      const stop = () => {
        leave()
        controller.abort()
        fiber.interruptUnsafe()
      }
      const leave = ending.onEnd(() => {
        resume(Effect.succeed({ _tag: "Ended" }))
        stop()
      })
      fiber.addObserver((exit) => {
        leave()
        resume(Effect.succeed({ _tag: "Done", exit }))
      })
      return Effect.suspend(() => {
        stop()
        return letGo(fiber)
      })
    }).pipe(Effect.timeoutOption(timeout), Effect.map(Option.getOrElse((): Answer<A> => ({ _tag: "TimedOut" }))))
  )
