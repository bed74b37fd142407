/**
 * A process to be killed: opens or creates a session and appends to it until it dies, acknowledging each append on
 * standard output after it has returned. Arguments: directory, session id, seed, and how many appends at most.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { writeSync } from "node:fs"
import { layerJsonl } from "../../src/layers/session/jsonl.ts"
import { SessionStore } from "../../src/services/SessionStore.ts"
import { batchOf } from "./batch.ts"

const [directory, id, seed, appends] = process.argv.slice(2) as [string, string, string, string]

const acknowledge = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const program = Effect.scoped(
  Effect.gen(function* () {
    const store = yield* SessionStore
    const session = yield* Effect.catchReason(store.open(id), "SessionError", "SessionNotFound", () =>
      store.create({ cwd: directory, id })
    )
    yield* acknowledge("open")
    for (let n = 0; n < Number(appends); n++) {
      const from = (yield* session.log).length
      const batch = batchOf(from, yield* Random.nextIntBetween(1, 4), yield* Random.nextIntBetween(0, 29))
      if (from % 2 === 0) yield* session.append(batch)
      else yield* session.transact(() => [undefined, batch])
      yield* acknowledge(`${from} ${batch.length}`)
    }
  })
)

Effect.runFork(
  program.pipe(
    Random.withSeed(seed),
    Effect.provide(layerJsonl(directory).pipe(Layer.provide(NodeFileSystem.layer))),
    Effect.tapCause((cause) => Effect.sync(() => writeSync(2, `${cause}\n`)))
  )
)
