/** Several workers over a few sessions in one database, while connections are cut and workers are killed. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as assert from "node:assert/strict"
import * as childProcess from "node:child_process"
import { fileURLToPath } from "node:url"
import { layerSql } from "../../src/layers/session/sql.ts"
import { surfaceOf } from "../../src/pipeline/surface.ts"
import { type SessionEvent, surfaceTypes } from "../../src/schemas/SessionEvent.ts"
import { SessionStore } from "../../src/services/SessionStore.ts"
import type { Dice } from "../soak/dice.ts"
import { clientOf, cutConnections, freshDatabase, urlOf } from "../support/database.ts"

const workers = 4
export const sessions = 6
const program = fileURLToPath(new URL("./sqlWorker.ts", import.meta.url))

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
      assert.ok(!texts.has(message.text), `${message.text} is logged twice`)
      texts.add(message.text)
      continue
    }
    told += 1
    const visible = surfaceOf(log.slice(0, index).filter(({ type }) => surfaceTypes.has(type)))
    const again = visible.find(
      (earlier) => earlier.type === "user/message" && (earlier.message as typeof message).text === message.text
    )
    assert.equal(again, undefined, `event ${index} repeats what event ${again?.seq} has told`)
  }
  return told
}

export interface Fire {
  readonly dice: Dice
  /** Whether to go on, asked before each blow. */
  readonly goesOn: () => boolean
  /** Restarts the server, when it is time. */
  readonly restart?: () => Effect.Effect<void> | undefined
}

/**
 * Lets workers work in a database of their own, and cuts and kills them as the dice say. Dies unless everything they were
 * acknowledged is there, once, and nothing was told again.
 */
export const underFire = Effect.fnUntraced(function* ({ dice, goesOn, restart }: Fire) {
  const database = yield* freshDatabase
  const output: Array<string> = []
  const errors: Array<string> = []
  const counts = { cut: 0, killed: 0, restarted: 0 }
  const spawn = () => start(urlOf(database), dice.below(1_000_000), output, errors)
  const running = yield* Effect.acquireRelease(
    Effect.sync(() => Array.from({ length: workers }, spawn)),
    (running) => Effect.sync(() => running.forEach(({ child }) => child.kill("SIGKILL")))
  )
  // From the first acknowledgements on.
  yield* Effect.repeat(Effect.sleep(20), { until: () => output.length > workers * 10 })
  while (goesOn()) {
    yield* Effect.sleep(50 + dice.below(350))
    const blow = restart?.()
    if (blow !== undefined) {
      yield* blow
      counts.restarted += 1
    } else if (dice.below(4) > 0) {
      yield* Effect.ignore(cutConnections(database))
      counts.cut += 1
    } else {
      const index = dice.below(workers)
      running[index]!.child.kill("SIGKILL")
      running[index] = spawn()
      counts.killed += 1
    }
  }
  for (const { child } of running) child.kill("SIGKILL")
  yield* Effect.promise(() => Promise.all(running.map(({ ended }) => ended)))
  assert.deepEqual(errors, [])

  const layer = layerSql.pipe(Layer.provide(clientOf(database)))
  const context = yield* Effect.retry(Layer.build(layer), { times: 5 })
  const store = Context.get(context, SessionStore)
  const logs = new Map<string, ReadonlyArray<SessionEvent>>()
  let told = 0
  for (const { id } of yield* store.list) {
    const log = yield* Effect.flatMap(store.open(id), (session) => session.log)
    logs.set(id, log)
    assert.deepEqual(
      log.map(({ seq }) => seq),
      log.map((_, index) => index)
    )
    told += checkTold(log)
  }
  const acknowledged = output.filter((line) => line !== "ready")
  const seen = new Set<string>()
  for (const line of acknowledged) {
    const [, id, seq, event] = /^(\S+) (\d+) (.*)$/.exec(line)!
    assert.equal(JSON.stringify(logs.get(id!)?.[Number(seq)]), event, `session ${id}, event ${seq}`)
    assert.ok(!seen.has(`${id} ${seq}`), `session ${id}, event ${seq} was acknowledged to two workers`)
    seen.add(`${id} ${seq}`)
  }
  return { ...counts, acknowledged: acknowledged.length, told }
})
