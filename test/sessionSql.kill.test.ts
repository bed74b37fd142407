/**
 * Several workers over a few sessions in one database, while connections are cut and workers are killed: a few seconds in
 * the suite, and as many minutes as `SQL_SOAK_MINUTES` says, with `SQL_SOAK_RESTART` a command that restarts the server now
 * and then, such as `scripts/postgres.sh restart DIR`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as childProcess from "node:child_process"
import { fileURLToPath } from "node:url"
import { surfaceTypes } from "../src/schemas/SessionEvent.ts"
import type { SessionEvent } from "../src/schemas/SessionEvent.ts"
import { surfaceOf } from "../src/pipeline/surface.ts"
import * as SessionStore from "../src/SessionStore.ts"
import { clientOf, cutConnections, freshDatabase, urlOf, withPostgres } from "./support/postgres.ts"

const workers = 4
const sessions = 6
const minutes = Number(process.env["SQL_SOAK_MINUTES"] ?? 0)
const duration = minutes > 0 ? minutes * 60_000 : 8_000
const restart = process.env["SQL_SOAK_RESTART"]
const program = fileURLToPath(new URL("./kill/sqlWorker.ts", import.meta.url))

interface Worker {
  readonly child: childProcess.ChildProcess
  readonly output: Array<string>
  readonly ended: Promise<unknown>
}

const start = (url: string, seed: number, output: Array<string>, errors: Array<string>): Worker => {
  const child = childProcess.spawn(process.execPath, [program, url, String(seed), String(sessions)], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  let rest = ""
  child.stdout!.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop()!
    for (const line of lines) output.push(line)
  })
  child.stderr!.setEncoding("utf8").on("data", (text: string) => errors.push(text))
  return { child, output, ended: new Promise((resolve) => child.once("close", resolve)) }
}

/** Nothing is told again that the model can still see, and no user's text is there twice. */
const checkTold = (log: ReadonlyArray<SessionEvent>): number => {
  let told = 0
  const texts = new Set<string>()
  for (const [index, event] of log.entries()) {
    if (event.type !== "user/message") continue
    const { message } = event as Extract<SessionEvent, { readonly type: "user/message" }>
    if (message.source.kind === "user") {
      assert.isFalse(texts.has(message.text), `${message.text} is logged twice`)
      texts.add(message.text)
      continue
    }
    told += 1
    const visible = surfaceOf(log.slice(0, index).filter(({ type }) => surfaceTypes.has(type)))
    const again = visible.find(
      (earlier) => earlier.type === "user/message" && (earlier.message as typeof message).text === message.text
    )
    assert.strictEqual(again, undefined, `event ${index} repeats what event ${again?.seq} has told`)
  }
  return told
}

withPostgres("SessionStore.layerSql under fire", () => {
  describe("SessionStore.layerSql", () => {
    it.live(
      "[I-33] workers that are cut off and killed lose nothing they were acknowledged, log nothing twice, tell nothing again",
      () =>
        Effect.gen(function* () {
          const database = yield* freshDatabase
          const output: Array<string> = []
          const errors: Array<string> = []
          const counts = { cut: 0, killed: 0, restarted: 0 }
          const spawn = (seed: number) => start(urlOf(database), seed, output, errors)
          const running = yield* Effect.acquireRelease(
            Effect.sync(() => Array.from({ length: workers }, (_, seed) => spawn(seed))),
            (running) => Effect.sync(() => running.forEach(({ child }) => child.kill("SIGKILL")))
          )
          // From the first acknowledgements on.
          yield* Effect.repeat(Effect.sleep(20), { until: () => output.length > workers * 10 })
          const until = performance.now() + duration
          let restartAt = performance.now() + 20_000
          for (let seed = workers; performance.now() < until;) {
            yield* Effect.sleep(yield* Random.nextIntBetween(50, 400))
            if (restart !== undefined && performance.now() > restartAt) {
              yield* Effect.callback<void>((resume) => {
                childProcess.exec(restart, () => resume(Effect.void))
              })
              counts.restarted += 1
              restartAt = performance.now() + 20_000
            } else if ((yield* Random.nextIntBetween(0, 4)) > 0) {
              yield* Effect.ignore(cutConnections(database))
              counts.cut += 1
            } else {
              const index = yield* Random.nextIntBetween(0, workers - 1)
              running[index]!.child.kill("SIGKILL")
              running[index] = spawn(seed++)
              counts.killed += 1
            }
          }
          for (const { child } of running) child.kill("SIGKILL")
          yield* Effect.promise(() => Promise.all(running.map(({ ended }) => ended)))
          assert.deepStrictEqual(errors, [])

          const layer = SessionStore.layerSql.pipe(Layer.provide(clientOf(database)))
          const context = yield* Effect.retry(Layer.build(layer), { times: 5 })
          const store = Context.get(context, SessionStore.SessionStore)
          const logs = new Map<string, ReadonlyArray<SessionEvent>>()
          let told = 0
          for (const { id } of yield* store.list) {
            const log = yield* Effect.flatMap(store.open(id), (session) => session.log)
            logs.set(id, log)
            assert.deepStrictEqual(
              log.map(({ seq }) => seq),
              log.map((_, index) => index)
            )
            told += checkTold(log)
          }
          const acknowledged = output.filter((line) => line !== "ready")
          const seen = new Set<string>()
          for (const line of acknowledged) {
            const [, id, seq, event] = /^(\S+) (\d+) (.*)$/.exec(line)!
            assert.strictEqual(JSON.stringify(logs.get(id!)?.[Number(seq)]), event, `session ${id}, event ${seq}`)
            assert.isFalse(seen.has(`${id} ${seq}`), `session ${id}, event ${seq} was acknowledged to two workers`)
            seen.add(`${id} ${seq}`)
          }
          if (minutes > 0) console.log({ ...counts, acknowledged: acknowledged.length, told })
          assert.isAbove(acknowledged.length, 300)
          assert.isAbove(told, sessions)
          assert.isAbove(counts.cut, 3)
        }),
      duration + 60_000
    )
  })
})
