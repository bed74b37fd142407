/** Where a story plays: a disk that can be changed, broken and counted, and how to wait for what works on it. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type { Scope } from "effect/Scope"
import * as Memory from "../../src/testing/memoryFileSystem.ts"

export type Controls = Pick<
  Memory.Controls,
  "write" | "delete" | "rename" | "link" | "fault" | "heal" | "openHandles" | "requests"
>

export interface World {
  readonly fileSystem: FileSystem.FileSystem
  readonly controls: Controls
  /** Lets others go on, that many times. */
  readonly pause: (times: number) => Effect.Effect<void>
  /** The end of a fiber, unless it hangs, or `times` is given and has passed first. */
  readonly settled: <A, E>(
    fiber: Fiber.Fiber<A, E>,
    times: number | undefined
  ) => Effect.Effect<ReturnType<Fiber.Fiber<A, E>["pollUnsafe"]>>
}

export type MakeWorld = (files: Readonly<Record<string, string | null>>) => Effect.Effect<World, never, Scope>

/** Long enough for anything in memory that does not hang. */
const patience = 400

export const inMemory: MakeWorld = (files) =>
  Effect.map(Memory.make(files), ({ controls, fileSystem }) => ({
    fileSystem,
    controls,
    pause: Effect.fnUntraced(function* (times) {
      for (let count = 0; count < times; count++) yield* Effect.yieldNow
    }),
    settled: Effect.fnUntraced(function* (fiber, times = patience) {
      for (let count = 0; count < times && fiber.pollUnsafe() === undefined; count++) yield* Effect.yieldNow
      return fiber.pollUnsafe()
    })
  }))
