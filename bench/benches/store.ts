/** Opening one of 10,000 sessions of 1,000 events in PostgreSQL: beside one of ten there, and beside a file. */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type { SessionStoreShape } from "../../src/SessionStore.ts"
import type { Bench } from "../lib/bench.ts"
import { compare } from "../lib/compare.ts"
import { eventCount, jsonlStore, server, sqlStore } from "../lib/stores.ts"

const count = 10_000

/** Opens one session after another, none twice in a row, and reads what its model can see. */
const opening = (store: SessionStoreShape, among: number) => {
  let turn = 0
  return {
    run: () =>
      Effect.runPromise(
        Effect.scoped(Effect.flatMap(store.open(`s${(turn = (turn + 7_919) % among)}`), (session) => session.surface))
      ),
    check: (surface: ReadonlyArray<unknown>) => assert.ok(surface.length > 10 && surface.length < 100)
  }
}

const searching = (store: SessionStoreShape, among: number, search: boolean) => {
  const text = `S${among - 1}`
  const look = search ? store.search!({ text, cwd: "/", limit: 20 }) : store.list
  return {
    run: () => Effect.runPromise(look),
    check: (found: ReadonlyArray<{ readonly id: string }>) =>
      assert.ok(found.some(({ id }) => id === text.toLowerCase()))
  }
}

const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1_000_000
}

const bench: Bench = async function* (name) {
  const { stop, url } = server()
  try {
    const [few, many, files] = [await sqlStore(url, 10), await sqlStore(url, count), await jsonlStore()]
    const one = opening(many, count)
    yield await compare({
      name,
      n: count,
      ours: one,
      peers: { "one of ten": opening(few, 10) },
      target: { ratio: 1.25 }
    })
    yield await compare({
      name: `${name}-jsonl`,
      n: eventCount,
      ours: one,
      peers: { file: opening(files, 10) },
      target: { ratio: 1 }
    })
    yield await compare({
      name: `${name}-search`,
      n: count,
      ours: searching(many, count, true),
      peers: { "the whole list": searching(many, count, false) },
      target: { ratio: 1 }
    })
    const before = heap()
    for (let n = 0; n < 3_000; n++) await one.run()
    const after = heap()
    console.error(`heap: ${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after opening 3,000 sessions`)
    if (globalThis.gc !== undefined) assert.ok(after < before + 10, "memory grows with the sessions that were opened")
  } finally {
    stop()
  }
}

export default bench
