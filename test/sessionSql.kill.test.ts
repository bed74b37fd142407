/**
 * Several workers over a few sessions in one database, while connections are cut and workers are killed: a few seconds in
 * the suite, and as many minutes as `SQL_SOAK_MINUTES` says, with `SQL_SOAK_RESTART` a command that restarts the server now
 * and then, such as `scripts/postgres.sh restart DIR`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as childProcess from "node:child_process"
import { sessions, underFire } from "./kill/sqlFire.ts"
import { Dice } from "./soak/dice.ts"
import { withPostgres } from "./support/postgres.ts"

const minutes = Number(process.env["SQL_SOAK_MINUTES"] ?? 0)
const duration = minutes > 0 ? minutes * 60_000 : 6_000
const restart = process.env["SQL_SOAK_RESTART"]

const every = 20_000
let restartAt = performance.now() + every

const restartNow = () => {
  if (restart === undefined || performance.now() < restartAt) return undefined
  restartAt = performance.now() + every
  return Effect.callback<void>((resume) => {
    childProcess.exec(restart, () => resume(Effect.void))
  })
}

withPostgres("SessionStore.layerSql under fire", () => {
  describe("SessionStore.layerSql", () => {
    it.live(
      "[I-33] workers that are cut off and killed lose nothing they were acknowledged, log nothing twice, tell nothing again",
      () =>
        Effect.gen(function* () {
          const dice = new Dice(yield* Random.nextIntBetween(0, 1_000_000))
          let until: number | undefined
          const goesOn = () => performance.now() < (until ??= performance.now() + duration)
          const counts = yield* underFire({ dice, goesOn, restart: restartNow })
          if (minutes > 0) console.log(counts)
          assert.isAbove(counts.acknowledged, 300)
          assert.isAbove(counts.told, sessions)
          assert.isAbove(counts.cut, 3)
        }),
      duration + 60_000
    )
  })
})
