/** Writers that are killed, and what they have to leave behind. */
import * as Effect from "effect/Effect"
import * as assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { SessionEvent } from "../../src/schemas/SessionEvent.ts"
import type { SessionStoreShape } from "../../src/services/SessionStore.ts"
import { batchOf } from "./batch.ts"

const writer = fileURLToPath(new URL("./writer.ts", import.meta.url))

export interface Life {
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
export const live = (
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
    assert.deepEqual(
      batch.map((event) => event.seq),
      Array.from({ length: size }, (_, index) => at + index)
    )
    assert.deepEqual(
      batch.map(({ at: _at, seq: _seq, ...fields }) => fields),
      batchOf(at, size, kind) as never
    )
    at += size
  }
}

/**
 * Lives one life of a session of which `before` events are known, and reads what it has left: everything it acknowledged, in
 * whole batches. Returns how many events there are now.
 */
export const liveAndCheck = Effect.fnUntraced(function* (store: SessionStoreShape, life: Life, before: number) {
  const { errors, killed, lines } = yield* live(life)
  assert.equal(errors, "")
  const acknowledged = lines
    .filter((line) => line !== "open")
    .map((line) => line.split(" ").map(Number) as [number, number])
  const end = acknowledged.reduce((end, [from, size]) => {
    assert.ok(from >= end)
    return from + size
  }, before)
  let torn = 0
  const opened = yield* Effect.exit(
    Effect.scoped(
      Effect.gen(function* () {
        const session = yield* store.open(life.id)
        torn = (yield* session.diagnostics!).length
        return yield* session.log
      })
    )
  )
  const counts = { killed, torn, appends: acknowledged.length }
  if (opened._tag === "Failure") {
    // Only a process that died before it had created the session may leave none.
    assert.deepEqual([lines, before], [[], 0], String(opened.cause))
    return { ...counts, length: before }
  }
  const log = opened.value
  assert.ok(log.length >= end, "an acknowledged append is missing")
  checkLog(log)
  return { ...counts, length: log.length }
})

/** How and when the `index`th life of a session ends: some die while they start, and before, while and after they take the lock. */
export const death = (index: number, below: (end: number) => number): Pick<Life, "lines" | "delay" | "appends"> =>
  index % 4 === 3
    ? { lines: 0, delay: 100 + below(150), appends: 1_000_000 }
    : { lines: below(25), delay: below(3), appends: 1_000_000 }
