/**
 * The little world of the model on a real disk: a temporary directory that looks like the root of everything, whose requests
 * can be made to fail or hang. Modification times are those of the virtual clock, as in memory.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Fault, FaultOperation } from "../../src/testing/memoryFileSystem.ts"
import type { MakeWorld } from "../model/world.ts"

/** Turns of the event loop after which what has not gone on while nothing but hanging requests was left will not. */
const idleTurns = 200

const turn: Effect.Effect<void> = Effect.callback((resume) => void setImmediate(() => resume(Effect.void)))

const failing = (method: string, at: string, fault: "PermissionDenied" | "Unknown") =>
  PlatformError.systemError({
    _tag: fault,
    module: "FileSystem",
    method,
    pathOrDescriptor: at,
    cause: Object.assign(new Error(`injected, ${method} '${at}'`), {
      code: fault === "Unknown" ? "EIO" : "EACCES"
    })
  })

export const onDisk: MakeWorld = Effect.fnUntraced(function* (files) {
  const node = yield* Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer)
  const base = yield* Effect.acquireRelease(
    Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "soak-disk-")))),
    (base) => Effect.sync(() => fs.rmSync(base, { recursive: true, force: true }))
  )
  const at = (place: string): string => base + place
  const faults = new Map<string, Fault>()
  const counts = { requests: 0, working: 0, hanging: 0, open: 0 }

  const change = (run: () => void) => Effect.sync(run)
  const stamp = (place: string) =>
    Effect.map(Clock.currentTimeMillis, (now) => fs.utimesSync(at(place), now / 1000, now / 1000))
  const write = (place: string, content: string | Uint8Array) =>
    Effect.andThen(
      change(() => {
        fs.mkdirSync(path.dirname(at(place)), { recursive: true })
        fs.writeFileSync(at(place), content)
      }),
      stamp(place)
    )

  /** A request of the code under test, after its fault. */
  const asked = <A, R>(
    method: string,
    place: string,
    operation: FaultOperation,
    run: Effect.Effect<A, PlatformError.PlatformError, R>
  ): Effect.Effect<A, PlatformError.PlatformError, R> =>
    Effect.suspend(() => {
      counts.requests += 1
      const fault = faults.get(`${operation} ${place}`) ?? faults.get(`any ${place}`)
      if (fault === "PermissionDenied" || fault === "Unknown") return Effect.fail(failing(method, place, fault))
      const key = fault === "hang" ? "hanging" : "working"
      return Effect.acquireUseRelease(
        Effect.sync(() => (counts[key] += 1)),
        () => (fault === "hang" ? Effect.never : run),
        () => Effect.sync(() => (counts[key] -= 1))
      )
    })

  const fileSystem: FileSystem.FileSystem = {
    ...node,
    stat: (place) => asked("stat", place, "stat", node.stat(at(place))),
    lstat: (place) => asked("lstat", place, "stat", node.lstat(at(place))),
    realPath: (place) =>
      asked(
        "realPath",
        place,
        "realPath",
        Effect.map(node.realPath(at(place)), (real) => (real === base ? "/" : real.slice(base.length)))
      ),
    readDirectoryEntries: (place) => asked("readDirectoryEntries", place, "list", node.readDirectoryEntries(at(place))),
    open: (place, options) =>
      asked("open", place, "read", node.open(at(place), options)).pipe(
        Effect.tap(() =>
          Effect.acquireRelease(
            Effect.sync(() => (counts.open += 1)),
            () => Effect.sync(() => (counts.open -= 1))
          )
        )
      )
  }

  for (const [place, content] of Object.entries(files)) {
    yield* content === null ? change(() => void fs.mkdirSync(at(place), { recursive: true })) : write(place, content)
  }

  return {
    fileSystem,
    controls: {
      write,
      delete: (place) => change(() => fs.rmSync(at(place), { recursive: true, force: true })),
      rename: (from, to) => change(() => fs.renameSync(at(from), at(to))),
      link: (place, target) =>
        change(() => {
          fs.rmSync(at(place), { force: true })
          fs.symlinkSync(at(target), at(place))
        }),
      fault: (place, operation, as) => change(() => void faults.set(`${operation} ${place}`, as)),
      heal: () => change(() => faults.clear()),
      // What was abandoned while it was opened is closed as soon as it is open.
      openHandles: Effect.gen(function* () {
        for (let count = 0; count < idleTurns && counts.working + counts.open > 0; count++) yield* turn
        return counts.open
      }),
      requests: Effect.sync(() => counts.requests)
    },
    pause: Effect.fnUntraced(function* (times) {
      for (let count = 0; count < times; count++) yield* turn
    }),
    settled: Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>, times: number | undefined) {
      for (let count = 0, idle = 0; fiber.pollUnsafe() === undefined; count++) {
        if (times !== undefined && count >= times) break
        idle = counts.hanging > 0 && counts.working === 0 ? idle + 1 : 0
        if (idle > idleTurns) break
        yield* turn
      }
      return fiber.pollUnsafe()
    })
  }
})
