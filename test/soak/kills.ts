/** Processes that are killed while they write: sessions as files, and in PostgreSQL where there is one. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { layerJsonl } from "../../src/layers/session/jsonl.ts"
import { SessionStore } from "../../src/services/SessionStore.ts"
import { death, liveAndCheck } from "../kill/life.ts"
import { underFire } from "../kill/sqlFire.ts"
import { url } from "../support/database.ts"
import { Dice } from "./dice.ts"
import type { Lane } from "./lane.ts"

const lives = 4

const files: Lane = {
  name: "jsonl",
  pace: 3000,
  story: (seed) =>
    Effect.gen(function* () {
      const dice = new Dice(seed)
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped({ prefix: "soak-kill-" })
      const store = Context.get(yield* Layer.build(layerJsonl(directory)), SessionStore)
      const below = (end: number) => dice.below(end)
      let length = 0
      let kills = 0
      for (let life = 0; life < lives; life++) {
        const id = "one"
        const given = { directory, id, seed: dice.below(1_000_000), ...death(life, below) }
        const outcome = yield* liveAndCheck(store, given, length)
        kills += outcome.killed ? 1 : 0
        length = outcome.length
      }
      return { counts: { acts: length, kills, resumes: lives }, wrong: [] }
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer), Effect.orDie)
}

const blows = 12

const sql: Lane = {
  name: "sql",
  pace: 5000,
  story: (seed) =>
    Effect.gen(function* () {
      let left = blows
      const { acknowledged, cut, killed } = yield* underFire({ dice: new Dice(seed), goesOn: () => left-- > 0 })
      return { counts: { acts: acknowledged, cuts: cut, kills: killed }, wrong: [] }
    }).pipe(Effect.scoped, Effect.orDie)
}

export const killLanes = url === "" ? [files] : [files, sql]
