import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as SessionStore from "../src/SessionStore.ts"
import { death, live, liveAndCheck } from "./kill/life.ts"
import { Dice } from "./soak/dice.ts"

const lanes = 2
const sessionsPerLane = 10
const livesPerSession = 10

const lane = Effect.fnUntraced(function* (
  store: SessionStore.SessionStoreShape,
  directory: string,
  laneNumber: number
) {
  const counts = { kills: 0, appends: 0, torn: 0, sessions: 0 }
  for (let session = 0; session < sessionsPerLane; session++) {
    const id = `lane-${laneNumber}-${session}`
    let before = 0
    for (let life = 0; life < livesPerSession; life++) {
      const seed = yield* Random.nextIntBetween(0, 1_000_000)
      const dice = new Dice(seed)
      const end = death(life, (end) => dice.below(end))
      const { appends, killed, length, torn } = yield* liveAndCheck(store, { directory, id, seed, ...end }, before)
      counts.kills += killed ? 1 : 0
      counts.appends += appends
      counts.torn += torn
      before = length
    }
    counts.sessions += before > 0 ? 1 : 0
  }
  return counts
})

describe("a process that is killed while it appends", () => {
  it.live(
    "[I-33] has lost nothing it acknowledged and left nothing half-visible, 200 times",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "session-kill-" })
        const store = yield* Effect.provide(
          SessionStore.SessionStore,
          SessionStore.layerJsonl(directory).pipe(Layer.provide(Layer.succeed(FileSystem.FileSystem, fs)))
        )
        // One that ends by itself leaves its compiled modules to the others, which then start in half the time.
        const warm = yield* live({ directory, id: "warm", seed: 0, lines: Infinity, delay: 0, appends: 3 })
        assert.deepStrictEqual([warm.lines.length, warm.errors], [4, ""])
        const numbers = Array.from({ length: lanes }, (_, number) => number)
        const counts = yield* Effect.forEach(numbers, (number) => lane(store, directory, number), {
          concurrency: lanes
        })
        const total = (key: keyof (typeof counts)[number]) => counts.reduce((sum, each) => sum + each[key], 0)
        assert.strictEqual(total("kills"), lanes * sessionsPerLane * livesPerSession)
        assert.isAbove(total("appends"), 500)
        assert.strictEqual(total("sessions"), lanes * sessionsPerLane)
      }).pipe(Effect.provide(NodeFileSystem.layer)),
    180_000
  )
})
