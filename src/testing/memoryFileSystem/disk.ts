/** The state that the service and its controls share, and the one way a request reaches it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import { blocked } from "./changes.ts"
import type { Counter } from "./counters.ts"
import { Counters } from "./counters.ts"
import type { Asked } from "./errno.ts"
import { badArgument, failure, fromThrown } from "./errno.ts"
import type { Operation } from "./faults.ts"
import { Faults } from "./faults.ts"
import type { Caller } from "./node.ts"
import type { Tree } from "./tree.ts"
import { makeTree, normalize } from "./tree.ts"
import { Watchers } from "./watchers.ts"

/** Runs when a file was opened. It may change the disk through the controls, and may return such a change to be run. */
export type OnOpen = () => void | Effect.Effect<void>

export interface Disk {
  readonly tree: Tree
  readonly watchers: Watchers
  readonly faults: Faults
  readonly counters: Counters
  readonly onOpen: Map<string, OnOpen>
  openFiles: number
  nextDescriptor: number
}

export const makeDisk = (now: number): Disk => {
  const watchers = new Watchers()
  return {
    tree: makeTree(now, watchers),
    watchers,
    faults: new Faults(),
    counters: new Counters(),
    onOpen: new Map(),
    openFiles: 0,
    nextDescriptor: 3
  }
}

/** One call of the service. */
export interface Request {
  readonly method: string
  /** What Node reports as the system call; the method's name unless given. */
  readonly syscall?: string
  readonly path: string
  /** The second path, where there is one. */
  readonly other?: string
  /** Where Node's error names something else than `path` first: the target of a new link. */
  readonly subject?: string
  readonly operation?: Operation
  readonly counter?: Counter
}

/** Counts a request and lets the faults of its paths have their way with it. */
export const admit = (disk: Disk, request: Request): Effect.Effect<void, PlatformError> =>
  Effect.suspend(() => {
    const { counter, method, operation = "other", other, path, subject = path } = request
    const key = normalize(path)
    const keys = new Set(other === undefined ? [key] : [key, normalize(other)])
    disk.counters.requests++
    if (counter !== undefined) disk.counters.add(counter, key)
    if ([subject, path, other].some((text) => text?.includes("\0"))) {
      // Node lists with its promise functions, which do not throw for a bad argument: it arrives as any other failure.
      return Effect.fail(
        counter === "lists"
          ? failure({ ...askedBy(request), syscall: undefined }, "ERR_INVALID_ARG_VALUE")
          : badArgument(method, "The argument 'path' must be a string without null bytes")
      )
    }
    const code = [...keys].map((key) => disk.faults.code(key, operation)).find((code) => code !== undefined)
    if (code !== undefined) return Effect.fail(failure(askedBy(request), code))
    // Opening does not wait, the first read does: a reader that is interrupted has a handle to give back.
    if (operation === "read") return Effect.void
    return Effect.forEach(keys, (key) => disk.faults.wait(key, operation), { discard: true })
  })

/** A whole request: admitted, then carried out in one go at the clock's time. */
export const perform = <A>(
  disk: Disk,
  request: Request,
  run: (tree: Tree, caller: Caller) => A | typeof blocked
): Effect.Effect<A, PlatformError> =>
  Effect.flatMap(Effect.andThen(admit(disk, request), attempt(disk, askedBy(request), run)), (result) =>
    result === blocked ? Effect.never : Effect.succeed(result as A)
  )

/** A system call: nothing else runs between its beginning and its end. */
export const attempt = <A>(
  disk: Disk,
  asked: Asked,
  run: (tree: Tree, caller: Caller) => A
): Effect.Effect<A, PlatformError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.try({
      try: () => run(disk.tree, { now: Math.floor(now), privileged: false }),
      catch: fromThrown(asked)
    })
  )

export const askedBy = ({ method, other, path, subject = path, syscall = method }: Request): Asked => ({
  method,
  syscall,
  subject,
  other
})
