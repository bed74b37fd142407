import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Clock from "effect/Clock"
import * as SessionStore from "../../../src/SessionStore.ts"
import { makeHost, makeScriptedAgent } from "../../../src/testing/scriptedAgent.ts"
import { clientOf, freshDatabase, withPostgres } from "../../support/postgres.ts"

const files = {
  "/repo/.git/": null,
  "/repo/AGENTS.md": "be brief\n",
  "/repo/lib/AGENTS.md": "no classes\n",
  "/repo/lib/deep/AGENTS.md": "pure functions\n"
}
const config = { instructions: { maxBytes: 65_536 }, time: { timeZone: "UTC" } }
const read = (file: string) => ({ name: "read", arguments: { file_path: file } })

/** The same time for every store, whose connections go by the real one. */
let now = 0
const set = Effect.map(Clock.Clock, (clock): Clock.Clock =>
  Object.assign(Object.create(clock) as Clock.Clock, {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now)
  })
)

/** A life of a session that an agent opens again and again, each time on the next store; what the log then holds. */
const life = Effect.fnUntraced(function* (stores: ReadonlyArray<SessionStore.SessionStoreShape>) {
  for (let round = 0; round < 8; round++) {
    // Every life is some minutes after the one before.
    now = Date.UTC(2026, 2, 1, 9, round * 7)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const host = yield* makeHost({ files, store: stores[round % stores.length]! })
        // Each change is made between two lives, and still there in the next.
        if (round >= 3) yield* host.disk.write("/repo/AGENTS.md", "be thorough\n")
        if (round >= 5) yield* host.disk.delete("/repo/lib/AGENTS.md")
        const agent = yield* makeScriptedAgent({ cwd: "/repo", config, host })
        yield* agent.prompt(`prompt ${round}`, { source: { kind: "user", timeZone: "Asia/Tokyo" } })
        yield* agent.tool({ ...read("lib/deep/a.ts"), token: `call-${round}` })
        yield* agent.endStep
        yield* agent.settle
        yield* agent.post(`posted ${round}`)
        if (round % 3 === 1) yield* agent.compact(round)
        if (round % 2 === 0) yield* agent.step()
        // Some die with a claimed message, some in the middle of a turn.
        if (round % 4 === 2) yield* Effect.flatMap(agent.instance, ({ inbox }) => inbox.claim)
        if (round % 4 !== 3) yield* agent.endTurn
      })
    )
  }
  const session = yield* stores[0]!.open("main")
  return [yield* session.log, yield* session.surface].map((events) => events.map((event) => JSON.stringify(event)))
})

const lived = (stores: ReadonlyArray<SessionStore.SessionStoreShape>) =>
  Effect.provideServiceEffect(life(stores), Clock.Clock, set)

withPostgres("SessionStore.layerSql resumes as every store does", () => {
  describe("SessionStore.layerSql", () => {
    it.effect(
      "[I-30, I-32, I-33, I-34] a session that goes from worker to worker is the one that stays in memory",
      () =>
        Effect.gen(function* () {
          const database = yield* freshDatabase
          const build = <E>(layer: Layer.Layer<SessionStore.SessionStore, E>) =>
            Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, SessionStore.SessionStore))
          const worker = build(SessionStore.layerSql.pipe(Layer.provide(clientOf(database))))
          const [log, surface] = yield* lived([yield* worker, yield* worker, yield* worker])
          const [expectedLog, expectedSurface] = yield* lived([yield* build(SessionStore.layerMemory)])
          assert.deepStrictEqual(log, expectedLog)
          assert.deepStrictEqual(surface, expectedSurface)
          assert.isAbove(log!.length, 100)
          assert.isBelow(surface!.length, log!.length / 2)
        })
    )
  })
})
