/**
 * A file system in memory, for tests: Effect's own `FileSystem` service with the manners of Node on a POSIX disk, and
 * a control side that changes it behind the back of the code under test, breaks it, and counts what was asked of it.
 *
 * **When to use**
 *
 * To test code that reads files without touching a disk: what it does when a file is unreadable, hangs, is replaced or
 * grows between two calls, and how often it asks.
 *
 * **Details**
 *
 * - Errors carry Node's tag, `method`, `pathOrDescriptor` and `cause.code`; links, `..`, permissions, hard links and open
 *   handles of deleted files behave as in a kernel. The one user is not root and owns everything.
 * - All times come from Effect's clock, in whole milliseconds, so `TestClock` decides them.
 * - Listings are newest entry first: deterministic, and never sorted.
 * - `readFile` reads to the end of the file, whatever size is reported.
 *
 * **Gotchas**
 *
 * A request completes without suspending its fiber, unless a fault says otherwise: use a `delay` to let other fibers
 * run in between. Opening a FIFO hangs, as it does on a disk, but can be interrupted.
 *
 * **Example** (Counting what a function asks)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as FileSystem from "effect/FileSystem"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* MemoryFileSystem
 *   const fs = yield* FileSystem.FileSystem
 *   const text = yield* fs.readFileString("/repo/a.md")
 *   yield* memory.fault("/repo/a.md", "read", "PermissionDenied")
 *   const failure = yield* Effect.flip(fs.readFileString("/repo/a.md"))
 *   return [text, failure.reason._tag, yield* memory.reads("/repo/a.md")]
 * })
 *
 * await Effect.runPromise(Effect.provide(program, layer({ "/repo/a.md": "hello" })))
 * // => ["hello", "PermissionDenied", 2]
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { FileContent } from "./memoryFileSystem/content.ts"
import type { Controls } from "./memoryFileSystem/controls.ts"
import { makeControls, seed } from "./memoryFileSystem/controls.ts"
import { makeDisk } from "./memoryFileSystem/disk.ts"
import { makeFileSystem } from "./memoryFileSystem/fileSystem.ts"

export type { FileContent } from "./memoryFileSystem/content.ts"
export type { Controls, WriteOptions } from "./memoryFileSystem/controls.ts"
export type { OnOpen } from "./memoryFileSystem/disk.ts"
export type { Fault, FaultOperation } from "./memoryFileSystem/faults.ts"
export type { SpecialType } from "./memoryFileSystem/node.ts"

/** The control side of the memory file system that {@link layer} provides. */
export class MemoryFileSystem extends Context.Service<MemoryFileSystem, Controls>()(
  "effect-agent-context/testing/MemoryFileSystem"
) {}

/**
 * A file system with its controls, holding `files`. Their parents are made, and their times are the clock's now. A path
 * that ends in "/" with `null` is a directory. Dies on content it does not understand.
 */
export const make = (
  files: Readonly<Record<string, FileContent>> = {}
): Effect.Effect<{ readonly fileSystem: FileSystem.FileSystem; readonly controls: Controls }> =>
  Effect.map(Clock.currentTimeMillis, (millis) => {
    const now = Math.floor(millis)
    const disk = makeDisk(now)
    seed(disk, now, files)
    return { fileSystem: makeFileSystem(disk), controls: makeControls(disk) }
  })

/** {@link Controls} as plain functions. */
export type SyncControls = {
  readonly [K in keyof Controls]: Controls[K] extends (...args: infer Args) => Effect.Effect<infer A>
    ? (...args: Args) => A
    : Controls[K] extends Effect.Effect<infer A>
      ? () => A
      : never
}

/**
 * The same for tests that are not written in Effect: at once, with the time of the machine, and with controls that are plain
 * functions, so `controls.openHandles()` is a number. The `fileSystem` goes into `createAgentContext`.
 */
export const makeSync = (
  files: Readonly<Record<string, FileContent>> = {}
): { readonly fileSystem: FileSystem.FileSystem; readonly controls: SyncControls } => {
  const { controls, fileSystem } = Effect.runSync(make(files))
  const plain = Object.entries(controls).map(([name, control]) => {
    const run = (...args: ReadonlyArray<unknown>): unknown =>
      Effect.runSync(
        Effect.isEffect(control)
          ? (control as Effect.Effect<unknown>)
          : (control as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...args)
      )
    return [name, run] as const
  })
  return { fileSystem, controls: Object.fromEntries(plain) as unknown as SyncControls }
}

/** Provides {@link make}'s file system as Effect's `FileSystem`, and its controls. */
export const layer = (
  files: Readonly<Record<string, FileContent>> = {}
): Layer.Layer<MemoryFileSystem | FileSystem.FileSystem> =>
  Layer.effectContext(
    Effect.map(make(files), ({ controls, fileSystem }) =>
      Context.make(FileSystem.FileSystem, fileSystem).pipe(Context.add(MemoryFileSystem, controls))
    )
  )
