/** A load that is interrupted leaves nothing open and nothing running, wherever it was (I-13). */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type { Scope } from "effect/Scope"
import { getEventListeners } from "node:events"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"
import { both, loadIn, populate, withRead, type World } from "./world.ts"

/** A file system whose requests, reads of open files included, are counted and pass a gate. */
const watched = (fs: FileSystem.FileSystem, gate: (request: number) => Effect.Effect<void>) => {
  const seen = { started: 0, ended: 0 }
  const watch = <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      seen.started += 1
      return Effect.andThen(gate(seen.started), request).pipe(Effect.onExit(() => Effect.sync(() => (seen.ended += 1))))
    })
  const watching: FileSystem.FileSystem = {
    ...fs,
    stat: (path) => watch(fs.stat(path)),
    realPath: (path) => watch(fs.realPath(path)),
    readDirectory: (path, how) => watch(fs.readDirectory(path, how)),
    readDirectoryEntries: (path) => watch(fs.readDirectoryEntries(path)),
    open: (path, how) =>
      Effect.map(watch(fs.open(path, how)), (file) =>
        withRead(file, (buffer, where) => watch(file.read(buffer, where)))
      )
  }
  return { seen, fs: watching }
}

const tree = Effect.fnUntraced(function* (world: World) {
  yield* populate(world, {
    "/repo/.git/": null,
    "/repo/AGENTS.md": "root rules\n",
    "/repo/CLAUDE.local.md": "x".repeat(100_000),
    "/repo/a/AGENTS.md": "a rules\n",
    "/repo/a/CLAUDE.md": "shadowed\n",
    "/repo/a/b/AGENTS.local.md": "local\n",
    "/home/u/.dsh/AGENTS.md": "mine\n"
  })
  yield* world.link("/repo/a/b/CLAUDE.md", "../../AGENTS.md")
})

const where = { cwd: "/repo/a/b", shadowed: true, maxBytes: 200_000 }

/** Gives whatever was set going on the real event loop time to arrive. */
const settle: Effect.Effect<void> = Effect.callback((resume) => void setImmediate(() => resume(Effect.void)))

/** How many turns of the event loop a busy machine may take to answer one request: only a failure waits that long. */
const patience = 100_000

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length

const onlyInterrupted = (exit: Exit.Exit<unknown, unknown>) =>
  assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause), "the load was not interrupted")

/** Interrupts at the first, second, … request until a load gets through. Returns at how many it was interrupted. */
const sweep = Effect.fnUntraced(function* (
  world: World,
  how: "fiber" | "signal",
  request: "never returns" | "takes its time"
): Effect.fn.Return<number, unknown, Scope> {
  yield* tree(world)
  const undisturbed = yield* loadIn(world, where)
  for (let at = 1; ; at++) {
    const reached = yield* Deferred.make<void>()
    const { fs, seen } = watched(world.fs, (number) => {
      if (number < at) return Effect.yieldNow
      const hold = request === "never returns" ? Effect.never : Effect.andThen(Effect.yieldNow, Effect.yieldNow)
      return number === at ? Effect.andThen(Deferred.succeed(reached, undefined), hold) : hold
    })
    const controller = new AbortController()
    const fiber = yield* Effect.forkChild(loadIn(world, { ...where, fs, signal: controller.signal }))
    yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(fiber))
    if (fiber.pollUnsafe() !== undefined) {
      assert.strictEqual((yield* Fiber.join(fiber)).text, undisturbed.text)
      return at - 1
    }
    if (how === "signal") controller.abort()
    else fiber.interruptUnsafe()
    onlyInterrupted(yield* Fiber.await(fiber))
    // What a real system was asked to open may still arrive; it is closed then.
    for (let turn = 0; world.kind === "real" && turn < patience; turn++) {
      if (seen.started === seen.ended && (yield* world.openHandles) === 0) break
      yield* settle
    }
    assert.strictEqual(yield* world.openHandles, 0, `handles, request ${at}`)
    assert.strictEqual(seen.started, seen.ended, `requests still running, request ${at}`)
    assert.strictEqual(listeners(controller.signal), 0, `listeners, request ${at}`)
    const started = seen.started
    yield* settle
    assert.strictEqual(seen.started, started, `something went on after request ${at}`)
    assert.strictEqual((yield* loadIn(world, where)).text, undisturbed.text)
  }
})

describe("at every request", () => {
  for (const how of ["fiber", "signal"] as const) {
    for (const request of ["never returns", "takes its time"] as const) {
      both(`[I-13] interrupted by ${how} while a request ${request}`, (world) =>
        Effect.map(sweep(world, how, request), (points) => assert.isTrue(points >= 12, `only ${points} points`))
      )
    }
  }
})

describe("what never returns", () => {
  const world = Effect.map(
    Memory.make({ "/repo/.git/": null, "/repo/AGENTS.md": "rules\n" }),
    ({ controls, fileSystem }) => ({
      controls,
      fileSystem,
      load: (fs: FileSystem.FileSystem, signal?: AbortSignal) =>
        loadIn({ kind: "memory", fs, at: (path) => path } as World, {
          cwd: "/repo",
          ...(signal === undefined ? {} : { signal })
        })
    })
  )

  /** Whether the fiber ends within a few turns of its scheduler: no time passes, nothing is waited for. */
  const endsAtOnce = Effect.fnUntraced(function* (fiber: Fiber.Fiber<unknown, unknown>) {
    for (let turn = 0; turn < 20; turn++) {
      if (fiber.pollUnsafe() !== undefined) return true
      yield* Effect.yieldNow
    }
    return false
  })

  for (const operation of ["stat", "read", "realPath"] as const) {
    for (const how of ["fiber", "signal"] as const) {
      it.effect(`[I-13] a ${operation} is abandoned at once (${how})`, () =>
        Effect.gen(function* () {
          const { controls, fileSystem, load } = yield* world
          yield* controls.link("/repo/AGENTS.local.md", "AGENTS.md")
          yield* controls.fault("/repo/AGENTS.md", operation, "hang")
          const controller = new AbortController()
          const fiber = yield* Effect.forkChild(load(fileSystem, controller.signal), { startImmediately: true })
          for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
          assert.strictEqual(fiber.pollUnsafe(), undefined, "it does not hang")
          assert.strictEqual(yield* controls.openHandles, operation === "read" ? 1 : 0)
          if (how === "signal") controller.abort()
          else fiber.interruptUnsafe()
          assert.isTrue(yield* endsAtOnce(fiber))
          onlyInterrupted(yield* Fiber.await(fiber))
          assert.strictEqual(yield* controls.openHandles, 0)
          assert.strictEqual(listeners(controller.signal), 0)
        })
      )
    }
  }

  for (const how of ["fiber", "signal"] as const) {
    it.effect(`[I-13] an opening that cannot be interrupted is abandoned at once (${how})`, () =>
      Effect.gen(function* () {
        const { controls, fileSystem, load } = yield* world
        const fs: FileSystem.FileSystem = { ...fileSystem, open: () => Effect.uninterruptible(Effect.never) }
        const controller = new AbortController()
        const fiber = yield* Effect.forkChild(load(fs, controller.signal), { startImmediately: true })
        for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
        assert.strictEqual(fiber.pollUnsafe(), undefined, "it does not hang")
        if (how === "signal") controller.abort()
        else fiber.interruptUnsafe()
        assert.isTrue(yield* endsAtOnce(fiber))
        onlyInterrupted(yield* Fiber.await(fiber))
        assert.strictEqual(listeners(controller.signal), 0)
        assert.include((yield* load(fileSystem)).text, "rules")
        assert.strictEqual(yield* controls.openHandles, 0)
      })
    )
  }

  it.effect("[I-13] a file that opens after it was abandoned is closed unread", () =>
    Effect.gen(function* () {
      const { controls, fileSystem, load } = yield* world
      const late = yield* Deferred.make<void>()
      let opened = false
      const fs: FileSystem.FileSystem = {
        ...fileSystem,
        open: (path, how) =>
          Deferred.await(late).pipe(
            Effect.andThen(fileSystem.open(path, how)),
            Effect.tap(() => Effect.sync(() => (opened = true))),
            Effect.uninterruptible
          )
      }
      const fiber = yield* Effect.forkChild(load(fs), { startImmediately: true })
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.isFalse(opened)
      yield* Deferred.succeed(late, undefined)
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      assert.isTrue(opened)
      assert.strictEqual(yield* controls.openHandles, 0)
      assert.strictEqual(yield* controls.bytesRead("/repo/AGENTS.md"), 0)
    })
  )

  it.effect("[I-13] an aborted signal asks nothing at all", () =>
    Effect.gen(function* () {
      const { controls, fileSystem, load } = yield* world
      const signal = AbortSignal.abort()
      onlyInterrupted(yield* Effect.exit(load(fileSystem, signal)))
      assert.strictEqual(yield* controls.requests, 0)
      assert.strictEqual(listeners(signal), 0)
    })
  )

  both("[I-13] a FIFO that took a file's place after it was asked for hangs nothing but itself", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": "rules\n" })
      const arrived = yield* Deferred.make<void>()
      let swapped = false
      const swap = Effect.suspend(() => {
        if (swapped) return Effect.void
        swapped = true
        return Effect.andThen(world.delete("/repo/AGENTS.md"), world.fifo("/repo/AGENTS.md"))
      })
      const fs: FileSystem.FileSystem = {
        ...world.fs,
        stat: (path) =>
          Effect.tap(world.fs.stat(path), () => (path === world.at("/repo/AGENTS.md") ? swap : Effect.void)),
        open: (path, how) => Effect.andThen(Deferred.succeed(arrived, undefined), world.fs.open(path, how))
      }
      const fiber = yield* Effect.forkChild(loadIn(world, { cwd: "/repo", fs }))
      yield* Deferred.await(arrived)
      yield* settle
      assert.strictEqual(fiber.pollUnsafe(), undefined, "it does not hang")
      yield* Fiber.interrupt(fiber)
      // A writer lets the abandoned opening on a real system go on, which then closes what it got.
      yield* world.kind === "real"
        ? Effect.orDie(Effect.scoped(world.fs.open(world.at("/repo/AGENTS.md"), { flag: "r+" })))
        : Effect.void
      for (let turn = 0; turn < patience && (yield* world.openHandles) > 0; turn++) yield* settle
      assert.strictEqual(yield* world.openHandles, 0)
      yield* world.delete("/repo/AGENTS.md")
      yield* world.write("/repo/AGENTS.md", "again\n")
      assert.include((yield* loadIn(world, { cwd: "/repo" })).text, "again")
    })
  )
})
