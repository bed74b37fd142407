import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { SessionEvent } from "../src/schemas/SessionEvent.ts"
import * as SessionStore from "../src/SessionStore.ts"
import { batchOf } from "./kill/batch.ts"

const lanes = 2
const sessionsPerLane = 10
const livesPerSession = 10
const writer = fileURLToPath(new URL("./kill/writer.ts", import.meta.url))

interface Life {
  readonly directory: string
  readonly id: string
  readonly seed: number
  /** Kill when this many lines have arrived, 0 is with the start of the process, and this many milliseconds later. */
  readonly lines: number
  readonly delay: number
  /** How many appends it makes if nobody kills it. */
  readonly appends: number
}

/** Starts a writer and kills it. What it had written to its pipe before it died still arrives. */
const live = (
  life: Life
): Effect.Effect<{ readonly killed: boolean; readonly lines: ReadonlyArray<string>; readonly errors: string }> =>
  Effect.callback((resume) => {
    const child = spawn(process.execPath, [writer, life.directory, life.id, String(life.seed), String(life.appends)], {
      env: { ...process.env, NODE_COMPILE_CACHE: `${life.directory}/.compiled` },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    let errors = ""
    let seen = -1
    const advance = (lines: number) => {
      if (seen < life.lines && lines >= life.lines) setTimeout(() => child.kill("SIGKILL"), life.delay)
      seen = Math.max(seen, lines)
    }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text
      advance(output.split("\n").length - 1)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
    child.on("spawn", () => advance(0))
    child.on("close", (_code, signal) =>
      resume(Effect.succeed({ killed: signal === "SIGKILL", lines: output.split("\n").slice(0, -1), errors }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Every batch in the log is whole and what its writer wrote, and no `seq` is left out. */
const checkLog = (log: ReadonlyArray<SessionEvent>): void => {
  for (let at = 0; at < log.length;) {
    const { kind, size } = log[at] as SessionEvent & { readonly kind: number; readonly size: number }
    const batch = log.slice(at, at + size)
    assert.deepStrictEqual(
      batch.map((event) => event.seq),
      Array.from({ length: size }, (_, index) => at + index)
    )
    assert.deepStrictEqual(
      batch.map(({ at: _at, seq: _seq, ...fields }) => fields),
      batchOf(at, size, kind) as never
    )
    at += size
  }
}

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
      // Some die while they start: before, while and after they take the lock, create the file or open it.
      const starting = life % 4 === 3
      const { errors, killed, lines } = yield* live({
        directory,
        id,
        seed: yield* Random.nextIntBetween(0, 1_000_000),
        lines: starting ? 0 : yield* Random.nextIntBetween(0, 25),
        delay: starting ? yield* Random.nextIntBetween(100, 250) : yield* Random.nextIntBetween(0, 3),
        appends: 1_000_000
      })
      assert.strictEqual(errors, "")
      counts.kills += killed ? 1 : 0
      const acknowledged = lines
        .filter((line) => line !== "open")
        .map((line) => line.split(" ").map(Number) as [number, number])
      const end = acknowledged.reduce((end, [from, size]) => {
        assert.strictEqual(from >= end, true)
        return from + size
      }, before)
      counts.appends += acknowledged.length

      const opened = yield* Effect.exit(
        Effect.scoped(
          Effect.gen(function* () {
            const session = yield* store.open(id)
            counts.torn += (yield* session.diagnostics!).length
            return yield* session.log
          })
        )
      )
      if (opened._tag === "Failure") {
        // Only a process that died before it had created the session may leave none.
        assert.deepStrictEqual([lines, before], [[], 0], String(opened.cause))
        continue
      }
      const log = opened.value
      assert.isAtLeast(log.length, end, "an acknowledged append is missing")
      checkLog(log)
      before = log.length
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
