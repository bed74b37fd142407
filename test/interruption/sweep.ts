/** Interrupts an operation at its 1st, 2nd, … moment until it gets through, each time in a world of its own. */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type { Scope } from "effect/Scope"
import { makePoints } from "./points.ts"

/** What is tried, in a fresh world. */
export interface Trial<A> {
  /** The operation. `signal` is what aborts it, for those that are not interrupted as a fiber. */
  readonly operation: (signal: AbortSignal) => Effect.Effect<A, unknown>
  /** Whether all is as it has to be: after it got through, or after it was interrupted. And whether the next call works. */
  readonly after: (exit: Exit.Exit<A, unknown>) => Effect.Effect<void, unknown>
}

export interface Sweep<A> {
  readonly make: Effect.Effect<Trial<A>, unknown, Scope>
  /** `signal`: by the signal that it is given. Default: its fiber. */
  readonly by?: "fiber" | "signal"
  /** Moments that are tried at most; unless `SWEEP=all`, which tries each. Evenly spread, no two sweeps the same. */
  readonly most?: number
}

const everyMoment = process.env["SWEEP"] === "all"

const turn: Effect.Effect<void> = Effect.callback((resume) => void setImmediate(() => resume(Effect.void)))

/** Lets everything that is under way come to its end, as far as it has one. */
export const settle = Effect.repeat(turn, { times: 10 })

/** Turns of the event loop that something on its way may take on a busy machine; only a failure takes them all. */
const patience = 100_000

/** Waits until `holds`, for as long as it takes; whether it came to that. */
export const eventually = Effect.fnUntraced(function* (holds: Effect.Effect<boolean>) {
  for (let count = 0; count < patience; count++) {
    if (yield* holds) return true
    yield* turn
  }
  return false
})

/** A file system that suspends whoever asks it, before and after, as a real one does. */
export const suspending = (fs: FileSystem.FileSystem): FileSystem.FileSystem => {
  const slow = <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.tap(request, () => Effect.yieldNow)
    )
  return {
    ...fs,
    stat: (path) => slow(fs.stat(path)),
    lstat: (path) => slow(fs.lstat(path)),
    realPath: (path) => slow(fs.realPath(path)),
    readDirectory: (path, options) => slow(fs.readDirectory(path, options)),
    readDirectoryEntries: (path) => slow(fs.readDirectoryEntries(path)),
    open: (path, options) => slow(fs.open(path, options))
  }
}

const attempt = Effect.fnUntraced(function* <A>({ by = "fiber", make }: Sweep<A>, at: number) {
  const points = makePoints()
  const { after, operation } = yield* make
  const controller = new AbortController()
  const fiber = yield* Effect.forkChild(Effect.provide(operation(controller.signal), points.context))
  points.arm(at, () => (by === "signal" ? controller.abort(new Error("struck")) : fiber.interruptUnsafe()))
  assert.isTrue(
    yield* eventually(Effect.sync(() => fiber.pollUnsafe() !== undefined)),
    `struck at moment ${at}, it never ended`
  )
  const exit = yield* Fiber.await(fiber)
  const seen = points.disarm()
  const struck = seen >= at
  if (Exit.isFailure(exit) && !(struck && Cause.hasInterruptsOnly(exit.cause)))
    return yield* Effect.die(new Error(`moment ${at}: it failed with ${Cause.pretty(exit.cause)}`))
  yield* Effect.catchCause(after(exit), (cause) =>
    Effect.die(new Error(`struck at moment ${at} of ${seen}: ${Cause.pretty(cause)}`))
  )
  return { seen, struck, interrupted: Exit.isFailure(exit) }
})

/** Tries them all, or as many as allowed. Returns how many moments there were, and how often it was interrupted. */
export const sweep = Effect.fnUntraced(function* <A>(given: Sweep<A>) {
  const { seen } = yield* Effect.scoped(attempt(given, Infinity))
  const stride = everyMoment ? 1 : Math.max(1, Math.ceil(seen / (given.most ?? 120)))
  let interrupted = 0
  let tried = 0
  for (let at = 1; ; at += stride) {
    // Within each stride another place, so that nothing regular is always missed.
    const moment = at + ((at * 7) % stride)
    const outcome = yield* Effect.scoped(attempt(given, moment))
    tried += 1
    interrupted += outcome.interrupted ? 1 : 0
    if (!outcome.struck) break
  }
  return { moments: seen, tried, interrupted }
})
