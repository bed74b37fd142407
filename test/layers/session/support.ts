/** A JSONL store on a disk in memory, with the bytes of its files at hand. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { FileSystem as FileSystemTag } from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { SessionEvent, SessionEventInput } from "../../../src/schemas/SessionEvent.ts"
import type { SessionStoreShape } from "../../../src/services/SessionStore.ts"
import * as SessionStore from "../../../src/SessionStore.ts"
import * as MemoryFileSystem from "../../../src/testing/memoryFileSystem.ts"

export const directory = "/sessions"
export const file = `${directory}/s.jsonl`

export const note = (n: number): SessionEventInput => ({ type: "test:note", n })

export const types = (events: ReadonlyArray<SessionEvent>) => events.map((event) => event.type)

/** A store that is built anew, as a new process would. */
export const storeOn = (fileSystem: FileSystem.FileSystem): Effect.Effect<SessionStoreShape> =>
  Effect.provide(
    SessionStore.SessionStore,
    SessionStore.layerJsonl(directory).pipe(Layer.provide(Layer.succeed(FileSystemTag, fileSystem))),
    { local: true }
  )

/** A disk with one session, `s`, of the given batches. */
export const diskWith = Effect.fnUntraced(function* (batches: ReadonlyArray<ReadonlyArray<SessionEventInput>>) {
  const { controls, fileSystem } = yield* MemoryFileSystem.make()
  const store = yield* storeOn(fileSystem)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/repo", id: "s" })
      for (const batch of batches) yield* session.append(batch as [SessionEventInput, ...Array<SessionEventInput>])
    })
  )
  return { controls, fileSystem, store }
})

/** Where each line of a file begins, and where the last one ends. */
export const lineStarts = (bytes: Uint8Array): ReadonlyArray<number> => {
  const starts = [0]
  for (const [index, byte] of bytes.entries()) if (byte === 10) starts.push(index + 1)
  return starts
}
