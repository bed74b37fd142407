/** Every store: a batch that is appended while somebody interrupts is there, or not, and is the same for everybody (I-33). */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import type { SessionEvent, SessionEventInput } from "../../src/schemas/SessionEvent.ts"
import type { SessionStoreShape } from "../../src/services/SessionStore.ts"
import * as SessionStore from "../../src/SessionStore.ts"
import * as Memory from "../../src/testing/memoryFileSystem.ts"
import { clientOf, freshDatabase, withPostgres } from "../support/postgres.ts"
import { eventually, settle, suspending, type Sweep, sweep } from "./sweep.ts"

interface Stored {
  readonly store: SessionStoreShape
  /** The same sessions, read by somebody else. */
  readonly elsewhere: Effect.Effect<SessionStoreShape, unknown, Scope>
  readonly openHandles: Effect.Effect<number>
}

type MakeStored = Effect.Effect<Stored, unknown, Scope>

const built = (layer: Layer.Layer<SessionStore.SessionStore, unknown>) =>
  Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, SessionStore.SessionStore))

const inMemory: MakeStored = Effect.map(built(SessionStore.layerMemory), (store) => ({
  store,
  elsewhere: Effect.succeed(store),
  openHandles: Effect.succeed(0)
}))

const jsonlOn = (fs: FileSystem.FileSystem, directory: string) =>
  built(SessionStore.layerJsonl(directory).pipe(Layer.provide(Layer.succeed(FileSystem.FileSystem, fs))))

const asFilesInMemory: MakeStored = Effect.gen(function* () {
  const { controls, fileSystem } = yield* Memory.make()
  const fs = suspending(fileSystem)
  const store = yield* jsonlOn(fs, "/sessions")
  return { store, elsewhere: jsonlOn(fs, "/sessions"), openHandles: controls.openHandles }
})

const asFiles: MakeStored = Effect.gen(function* () {
  const node = yield* Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer)
  const directory = yield* node.makeTempDirectoryScoped({ prefix: "sweep-" })
  const store = yield* jsonlOn(node, directory)
  return { store, elsewhere: jsonlOn(node, directory), openHandles: Effect.succeed(0) }
})

const note = (n: number): SessionEventInput => ({ type: "test:note", n })
const numbers = (log: ReadonlyArray<SessionEvent>) => log.map((event) => (event as SessionEvent & { n: number }).n)
const contiguous = (log: ReadonlyArray<SessionEvent>) =>
  assert.deepStrictEqual(
    log.map(({ seq }) => seq),
    log.map((_, index) => index)
  )

const appending = (make: MakeStored, how: "append" | "transact", most: number): Sweep<unknown> => ({
  most,
  make: Effect.gen(function* () {
    const { elsewhere, openHandles, store } = yield* make
    const session = yield* store.create({ id: "s", cwd: "/repo" })
    yield* session.append([note(0)])
    return {
      operation: () =>
        how === "append"
          ? session.append([note(1), note(2)])
          : session.transact(() => [undefined, [note(1), note(2)]] as const),
      after: (exit) =>
        Effect.gen(function* () {
          yield* settle
          const before = numbers(yield* session.log)
          const without = Exit.isFailure(exit) && before.length === 1
          assert.deepStrictEqual(before, without ? [0] : [0, 1, 2])
          yield* session.append([note(3)])
          const log = yield* session.log
          contiguous(log)
          assert.deepStrictEqual(numbers(log), [...before, 3])
          const read = yield* Effect.scoped(Effect.flatMap(elsewhere, (other) => other.surface("s")))
          assert.strictEqual(read.capturedThroughSeq, log.length - 1)
          assert.isTrue(yield* eventually(Effect.map(openHandles, (open) => open <= 1)), "files are open")
        })
    }
  })
})

/** Opened or created by somebody who gave up, a session is nobody's: the next one gets it. */
const holding = (make: MakeStored, how: "open" | "create", most: number): Sweep<unknown> => ({
  most,
  make: Effect.gen(function* () {
    const { openHandles, store } = yield* make
    if (how === "open")
      yield* Effect.scoped(Effect.flatMap(store.create({ id: "s", cwd: "/repo" }), (s) => s.append([note(0)])))
    return {
      operation: () =>
        Effect.scoped(how === "open" ? store.open("s") : store.create({ id: "s", cwd: "/repo" })).pipe(Effect.asVoid),
      after: () =>
        Effect.gen(function* () {
          yield* settle
          const there = (yield* store.list).some(({ id }) => id === "s")
          assert.isTrue(there || how === "create", "a session is lost")
          assert.deepStrictEqual(
            (yield* store.list).filter(({ running }) => running),
            [],
            "a session is held by nobody"
          )
          const session = yield* there ? store.open("s") : store.create({ id: "s", cwd: "/repo" })
          yield* session.append([note(1)])
          const log = yield* session.log
          contiguous(log)
          assert.deepStrictEqual(numbers(log), how === "open" ? [0, 1] : [1])
          assert.isTrue(yield* eventually(Effect.map(openHandles, (open) => open <= 1)), "files are open")
        }).pipe(Effect.scoped)
    }
  })
})

const reading = (make: MakeStored, how: "list" | "surface", most: number): Sweep<unknown> => ({
  most,
  make: Effect.gen(function* () {
    const { openHandles, store } = yield* make
    yield* Effect.scoped(Effect.flatMap(store.create({ id: "s", cwd: "/repo" }), (s) => s.append([note(0)])))
    const operation = (): Effect.Effect<unknown, unknown> => (how === "list" ? store.list : store.surface("s"))
    const expected = yield* operation()
    return {
      operation,
      after: (exit) =>
        Effect.gen(function* () {
          if (Exit.isSuccess(exit)) assert.deepStrictEqual(exit.value, expected)
          assert.isTrue(yield* eventually(Effect.map(openHandles, (open) => open === 0)), "files are open")
          assert.deepStrictEqual(yield* operation(), expected)
        })
    }
  })
})

const suite = (name: string, make: MakeStored, most: number): void => {
  describe(`${name}, interrupted at any moment`, () => {
    const check = (title: string, given: Sweep<unknown>) =>
      it.live(title, () =>
        Effect.gen(function* () {
          const { interrupted } = yield* sweep(given)
          assert.isAbove(interrupted, 0)
        })
      )
    check("[I-33] append leaves the whole batch or none of it", appending(make, "append", most))
    check("[I-33] transact leaves the whole batch or none of it", appending(make, "transact", most))
    check("[I-33] open holds nothing", holding(make, "open", most))
    check("[I-33] create holds nothing", holding(make, "create", most))
    check("[R-2] list can be asked again", reading(make, "list", most))
    check("[R-6] surface can be asked again", reading(make, "surface", most))
  })
}

suite("SessionStore.layerMemory", inMemory, 100)
suite("SessionStore.layerJsonl in memory", asFilesInMemory, 100)
suite("SessionStore.layerJsonl", asFiles, 24)

withPostgres("SessionStore.layerSql, interrupted at any moment", () => {
  suite(
    "SessionStore.layerSql",
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const layer = SessionStore.layerSql.pipe(Layer.provide(clientOf(database)))
      const store = yield* built(layer)
      return { store, elsewhere: built(layer), openHandles: Effect.succeed(0) }
    }),
    12
  )
})
