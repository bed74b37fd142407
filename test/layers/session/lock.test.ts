import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { isLocked, LockHeld, takeLock } from "../../../src/layers/session/lock.ts"
import * as MemoryFileSystem from "../../../src/testing/memoryFileSystem.ts"

const path = "/locks/s.lock"
/** Above what any kernel gives out. */
const noProcess = 2 ** 30
const content = (holder: { readonly pid: number; readonly token?: string; readonly started?: string }) =>
  JSON.stringify({ token: "dead-1", ...holder })

const diskWith = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  return yield* MemoryFileSystem.make({ "/locks/": null, ...files })
})

const take = (fs: FileSystem.FileSystem) => Effect.exit(Effect.scoped(takeLock(fs, path)))
const left = (fs: FileSystem.FileSystem) => fs.readDirectory("/locks")

/** Lets other fibers in before every request, a random number of times. */
const yielding = (fs: FileSystem.FileSystem): FileSystem.FileSystem => {
  const pause = Effect.flatMap(Random.nextIntBetween(0, 3), (times) => Effect.repeat(Effect.yieldNow, { times }))
  const slow =
    <A extends Array<unknown>, B, E>(call: (...args: A) => Effect.Effect<B, E>) =>
    (...args: A) =>
      Effect.andThen(
        pause,
        Effect.suspend(() => call(...args))
      )
  return FileSystem.FileSystem.of({
    ...fs,
    readFileString: slow(fs.readFileString),
    writeFileString: slow(fs.writeFileString),
    link: slow(fs.link),
    remove: slow(fs.remove)
  })
}

describe("takeLock", () => {
  it.effect("holds until the scope ends, against everybody, and leaves nothing", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* diskWith({})
      assert.isFalse(yield* isLocked(fileSystem, path))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* takeLock(fileSystem, path)
          assert.isTrue(yield* isLocked(fileSystem, path))
          assert.deepStrictEqual(yield* left(fileSystem), ["s.lock"])
          const error = yield* Effect.flip(Effect.scoped(takeLock(fileSystem, path)))
          assert.isTrue(error instanceof LockHeld && error.detail.includes(String(process.pid)))
        })
      )
      assert.deepStrictEqual(yield* left(fileSystem), [])
      assert.isTrue(Exit.isSuccess(yield* take(fileSystem)))
    })
  )

  it.effect("takes over the lock of a process that is gone", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* diskWith({ [path]: content({ pid: noProcess }) })
      assert.isFalse(yield* isLocked(fileSystem, path))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* takeLock(fileSystem, path)
          assert.isTrue(yield* isLocked(fileSystem, path))
        })
      )
      assert.deepStrictEqual(yield* left(fileSystem), [])
    })
  )

  it.effect("takes over where another takeover has died half-way", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* diskWith({
        [path]: content({ pid: noProcess }),
        [`${path}.dead-1`]: content({ pid: noProcess, token: "dead-2" }),
        [`${path}.dead-1.dead-2`]: content({ pid: noProcess, token: "dead-3" })
      })
      assert.isTrue(Exit.isSuccess(yield* take(fileSystem)))
      assert.deepStrictEqual(yield* left(fileSystem), [])
    })
  )

  it.effect("leaves the lock of a running process alone", () =>
    Effect.gen(function* () {
      for (const pid of [process.pid, process.ppid]) {
        const { fileSystem } = yield* diskWith({ [path]: content({ pid }) })
        assert.isTrue(Exit.isFailure(yield* take(fileSystem)))
        assert.isTrue(yield* isLocked(fileSystem, path))
        assert.strictEqual(yield* fileSystem.readFileString(path), content({ pid }))
      }
    })
  )

  it.effect("knows a process from a later one with its number, where the platform tells when it started", () =>
    Effect.gen(function* () {
      const stat = (state: string, start: number) => {
        const fields = Array.from({ length: 50 }, (_, index) => String(index))
        return `${process.pid} (a) (b c) ${[state, ...fields.slice(0, 18), start, ...fields.slice(19)].join(" ")}\n`
      }
      const boot = { "/proc/sys/kernel/random/boot_id": "boot-1\n" }
      const held = Effect.fnUntraced(function* (started: string | undefined, stat: string) {
        const lock = content({ pid: process.pid, ...(started === undefined ? {} : { started }) })
        const { fileSystem } = yield* diskWith({ ...boot, [path]: lock, [`/proc/${process.pid}/stat`]: stat })
        assert.strictEqual(yield* isLocked(fileSystem, path), Exit.isFailure(yield* take(fileSystem)))
        return yield* isLocked(fileSystem, path)
      })
      assert.isTrue(yield* held("boot-1/777", stat("S", 777)))
      assert.isTrue(yield* held(undefined, stat("R", 777)))
      assert.isFalse(yield* held("boot-1/776", stat("S", 777)))
      assert.isFalse(yield* held("boot-0/777", stat("S", 777)))
      assert.isFalse(yield* held("boot-1/777", stat("Z", 777)))
    })
  )

  it.effect("does not touch what is no lock, and says which file is in the way", () =>
    Effect.gen(function* () {
      for (const text of ["", "{", "{}", content({ pid: -1 }), content({ pid: noProcess, token: "../../x" })]) {
        const { fileSystem } = yield* diskWith({ [path]: text })
        const error = yield* Effect.flip(Effect.scoped(takeLock(fileSystem, path)))
        assert.isTrue(error instanceof LockHeld && error.detail.includes(path))
        assert.isTrue(yield* isLocked(fileSystem, path))
        assert.strictEqual(yield* fileSystem.readFileString(path), text)
      }
      const { controls, fileSystem } = yield* diskWith({})
      yield* controls.link(path, "nowhere")
      assert.isTrue((yield* Effect.flip(Effect.scoped(takeLock(fileSystem, path)))) instanceof LockHeld)
    })
  )

  it.effect("removes only its own lock", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* diskWith({})
      const stranger = content({ pid: process.ppid })
      yield* Effect.scoped(Effect.andThen(takeLock(fileSystem, path), controls.write(path, stranger)))
      assert.strictEqual(yield* fileSystem.readFileString(path), stranger)
    })
  )

  it.effect("works without hard links", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* diskWith({ [path]: content({ pid: noProcess }) })
      const unsupported = PlatformError.systemError({ _tag: "Unknown", module: "FileSystem", method: "link" })
      const fs = FileSystem.FileSystem.of({ ...fileSystem, link: () => Effect.fail(unsupported) })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* takeLock(fs, path)
          assert.isTrue(Exit.isFailure(yield* take(fs)))
        })
      )
      assert.deepStrictEqual(yield* left(fs), [])
    })
  )

  it.effect.prop(
    "of many that find a dead process's lock, one holds it at a time, whatever the schedule",
    { seed: Schema.Int, dead: Schema.Boolean },
    ({ dead, seed }) =>
      Effect.gen(function* () {
        const { fileSystem } = yield* diskWith(dead ? { [path]: content({ pid: noProcess }) } : {})
        const fs = yielding(fileSystem)
        let holders = 0
        let successes = 0
        const taker = Effect.scoped(
          Effect.gen(function* () {
            yield* takeLock(fs, path)
            holders++
            successes++
            assert.strictEqual(holders, 1)
            yield* Effect.repeat(Effect.yieldNow, { times: 5 })
            holders--
          })
        ).pipe(Effect.catch((error) => (error._tag === "LockHeld" ? Effect.yieldNow : Effect.die(error))))
        yield* Effect.all(
          Array.from({ length: 6 }, () => Effect.repeat(taker, { times: 2 })),
          { concurrency: "unbounded" }
        )
        assert.isAbove(successes, 0)
        assert.deepStrictEqual(yield* left(fileSystem), [])
      }).pipe(Random.withSeed(seed)),
    { arbitrary: { runs: 150 } }
  )
})
