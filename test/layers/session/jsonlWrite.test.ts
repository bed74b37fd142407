import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { SessionShape } from "../../../src/services/Session.ts"
import { faultyDisk } from "./faultyDisk.ts"
import type { Faults } from "./faultyDisk.ts"
import { directory, diskWith, file, note, storeOn } from "./support.ts"

/** An open session of one event on a disk that fails on demand, and the numbers an observer has seen. */
const faultySession = Effect.gen(function* () {
  const disk = yield* diskWith([[note(0)]])
  const faults: Faults = { calls: [] }
  const store = yield* storeOn(faultyDisk(disk.fileSystem, faults))
  const session = yield* store.open("s")
  const seen: Array<unknown> = []
  yield* session.observe((event) => seen.push((event as { readonly n?: unknown }).n))
  return { ...disk, faults, session, seen, bytes: disk.fileSystem.readFile(file) }
})

const numbers = (session: SessionShape) =>
  Effect.map(session.log, (log) => log.map((event) => (event as { readonly n?: unknown }).n))

const reasonOf = (session: SessionShape, n: number) =>
  Effect.map(Effect.flip(session.append([note(n), note(n)])), (error) => error.reason)

describe("append", () => {
  it.effect("is durable before it returns and before anybody sees it", () =>
    Effect.gen(function* () {
      const { bytes, faults, seen, session } = yield* faultySession
      const before = yield* bytes
      const reached = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      faults.beforeSync = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
      const fiber = yield* Effect.forkChild(session.append([note(1)]))
      yield* Deferred.await(reached)
      assert.isAbove((yield* bytes).length, before.length)
      assert.deepStrictEqual([yield* numbers(session), seen, fiber.pollUnsafe()], [[0], [0], undefined])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        [yield* numbers(session), seen, faults.calls],
        [
          [0, 1],
          [0, 1],
          ["write", "sync"]
        ]
      )
    })
  )

  it.effect("a write that fails at any byte leaves the file as it was, and the session usable", () =>
    Effect.gen(function* () {
      const { bytes, faults, seen, session, store } = yield* faultySession
      const before = yield* bytes
      yield* session.append([note(9), note(9)])
      const length = (yield* bytes).length - before.length
      const written = yield* bytes
      for (let after = 0; after <= length; after++) {
        faults.writeAfter = after
        const reason = yield* reasonOf(session, 9)
        assert.strictEqual(reason._tag, "SessionStorageFailed")
        assert.match(reason.message, /\/sessions\/s\.jsonl/)
        assert.deepStrictEqual(yield* bytes, written, `failed after ${after} bytes`)
      }
      delete faults.writeAfter
      assert.deepStrictEqual(
        [yield* numbers(session), seen],
        [
          [0, 9, 9],
          [0, 9, 9]
        ]
      )
      yield* session.append([note(1)])
      assert.deepStrictEqual(
        (yield* session.log).map((event) => event.seq),
        [0, 1, 2, 3]
      )
      assert.strictEqual((yield* store.surface("s")).capturedThroughSeq, 3)
    })
  )

  it.effect("a sync that fails takes the batch back", () =>
    Effect.gen(function* () {
      const { bytes, faults, seen, session } = yield* faultySession
      const before = yield* bytes
      faults.sync = "fails"
      assert.strictEqual((yield* reasonOf(session, 1))._tag, "SessionStorageFailed")
      assert.deepStrictEqual([yield* bytes, seen], [before, [0]])
      // The length could not be synced either: what a crash would leave is unknown, so nothing may follow it.
      delete faults.sync
      assert.match((yield* reasonOf(session, 2)).message, /open the session again/)
      assert.deepStrictEqual(yield* bytes, before)
    })
  )

  it.effect("a failed write that cannot be taken back ends the writing until the session is opened again", () =>
    Effect.gen(function* () {
      const disk = yield* Effect.scoped(
        Effect.gen(function* () {
          const { bytes, faults, seen, session, ...disk } = yield* faultySession
          faults.writeAfter = 20
          faults.truncate = "fails"
          assert.strictEqual((yield* reasonOf(session, 1))._tag, "SessionStorageFailed")
          const left = yield* bytes
          delete faults.writeAfter
          delete faults.truncate
          for (const n of [2, 3]) {
            const reason = yield* reasonOf(session, n)
            assert.strictEqual(reason._tag, "SessionStorageFailed")
            assert.match(reason.message, /open the session again/)
          }
          assert.deepStrictEqual([yield* bytes, yield* numbers(session), seen], [left, [0], [0]])
          assert.strictEqual((yield* disk.store.surface("s")).capturedThroughSeq, 0)
          return disk
        })
      )
      const session = yield* disk.store.open("s")
      assert.deepStrictEqual(
        (yield* session.diagnostics!).map(({ tag }) => tag),
        ["LogTailCut"]
      )
      yield* session.append([note(4)])
      assert.deepStrictEqual(yield* numbers(session), [0, 4])
      assert.strictEqual((yield* disk.store.surface("s")).capturedThroughSeq, 1)
    })
  )

  it.effect("does not write behind what somebody else has written: SessionConflict", () =>
    Effect.gen(function* () {
      const { bytes, controls, session } = yield* faultySession
      const strangers = new Uint8Array([
        ...(yield* bytes),
        ...new TextEncoder().encode('[{"seq":1,"at":0,"type":"turn/end"}]\n')
      ])
      yield* controls.write(file, strangers)
      for (const n of [1, 2]) {
        const reason = yield* reasonOf(session, n)
        assert.isTrue(reason._tag === "SessionConflict" && reason.expected === 1)
      }
      assert.deepStrictEqual(yield* bytes, strangers)
    })
  )

  it.effect("does not write into a file that was deleted", () =>
    Effect.gen(function* () {
      const { controls, fileSystem, session } = yield* faultySession
      yield* controls.delete(file)
      assert.strictEqual((yield* reasonOf(session, 1))._tag, "SessionStorageFailed")
      assert.isFalse(yield* fileSystem.exists(file))
    })
  )
})

describe("open", () => {
  it.effect("cannot be interrupted while it cuts a torn tail: the request would hit what is written next", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* diskWith([[note(0)]])
      const whole = yield* fileSystem.readFile(file)
      yield* controls.write(file, new Uint8Array([...whole, 91]))
      const reached = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const faults: Faults = {
        calls: [],
        beforeSync: Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
      }
      const store = yield* storeOn(faultyDisk(fileSystem, faults))
      const opening = yield* Effect.forkChild(Effect.scoped(store.open("s")), { startImmediately: true })
      yield* Deferred.await(reached)
      const interruption = yield* Effect.forkChild(Fiber.interrupt(opening), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(opening.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interruption)
      assert.deepStrictEqual(yield* fileSystem.readFile(file), whole)
      assert.deepStrictEqual(yield* fileSystem.readDirectory(directory), ["s.jsonl"])
    })
  )
})

describe("surface", () => {
  it.effect("looks again when it has met a writer that was taking back a failed write", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* diskWith([[note(0)]])
      const whole = yield* fileSystem.readFile(file)
      let reads = 0
      const readFile = (path: string) =>
        Effect.map(fileSystem.readFile(path), (bytes) => (reads++ === 0 ? new Uint8Array([...bytes, 91, 10]) : bytes))
      const store = yield* storeOn({ ...fileSystem, readFile })
      assert.strictEqual((yield* store.surface("s")).capturedThroughSeq, 0)
      assert.deepStrictEqual([reads, yield* fileSystem.readFile(file)], [2, whole])
    })
  )
})

describe("create", () => {
  it.effect("leaves nothing behind when the header cannot be written", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* diskWith([])
      const faults: Faults = { calls: [], writeAfter: 5 }
      const store = yield* storeOn(faultyDisk(fileSystem, faults))
      const { operation, reason } = yield* Effect.flip(Effect.scoped(store.create({ cwd: "/", id: "t" })))
      assert.deepStrictEqual([operation, reason._tag], ["SessionStore.create", "SessionStorageFailed"])
      assert.deepStrictEqual(yield* fileSystem.readDirectory(directory), ["s.jsonl"])
      delete faults.writeAfter
      yield* Effect.scoped(store.create({ cwd: "/", id: "t" }))
      assert.deepStrictEqual(
        (yield* store.list).map(({ id }) => id),
        ["s", "t"]
      )
    })
  )
})
