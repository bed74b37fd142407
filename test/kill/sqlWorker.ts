/**
 * A worker to be killed: picks up sessions that others may be working on, and plays turns in them over the real layers. It
 * says what it has been acknowledged: session, `seq` and event, a line each. Arguments: URL, seed, number of sessions.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"
import { layerSqlWith } from "../../src/layers/session/sql.ts"
import type { SessionShape } from "../../src/services/Session.ts"
import { SessionStore, type SessionStoreShape } from "../../src/services/SessionStore.ts"
import { makeHost, makeScriptedAgent } from "../../src/testing/scriptedAgent.ts"

const [url, seed, sessions] = process.argv.slice(2) as [string, string, string]

const files = { "/repo/.git/": null, "/repo/AGENTS.md": "be brief\n", "/repo/lib/AGENTS.md": "no classes\n" }
const config = { instructions: { maxBytes: 65_536 } }

const say = (line: string) => writeSync(1, `${line}\n`)

/** An observer sees an event of its own only when it is durable; what has returned to the caller comes after that. */
const telling = (session: SessionShape) =>
  Effect.as(
    session.observe((event, origin) => {
      if (origin === "here") say(`${session.id} ${event.seq} ${JSON.stringify(event)}`)
    }),
    session
  )

const turn = Effect.fnUntraced(function* (store: SessionStoreShape) {
  const told: SessionStoreShape = {
    ...store,
    open: (id) => Effect.flatMap(store.open(id), telling),
    create: (options) => Effect.flatMap(store.create(options), telling)
  }
  const host = yield* makeHost({ files, store: told })
  const sessionId = `s${yield* Random.nextIntBetween(0, Number(sessions))}`
  const agent = yield* makeScriptedAgent({ cwd: "/repo", config, host, sessionId })
  for (let n = yield* Random.nextIntBetween(1, 6); n > 0; n--) {
    const text = globalThis.crypto.randomUUID()
    yield* Effect.gen(function* () {
      if (n % 3 === 0) yield* agent.post(`posted ${text}`)
      yield* agent.prompt(`prompt ${text}`)
      yield* agent.tool({ name: "read", arguments: { file_path: "lib/a.ts" } })
      yield* agent.endStep
      yield* agent.step()
      yield* agent.settle
      if ((yield* Random.nextIntBetween(0, 8)) === 0) yield* agent.compact(yield* Random.nextIntBetween(0, 6))
      yield* agent.endTurn
    }).pipe(
      // Another worker was faster, or the server is gone for long: whoever comes next finds the session as it is.
      Effect.catchIf(
        (error) => ["SessionError", "ScriptMistake", "StepRejected"].includes(error._tag),
        () => agent.resume()
      )
    )
  }
})

const program = Effect.flatMap(SessionStore, (store) =>
  Effect.forever(Effect.catchTag(Effect.scoped(turn(store)), "SessionError", () => Effect.sleep(5)))
)

say("ready")
Effect.runFork(
  program.pipe(
    Random.withSeed(seed),
    Effect.provide(
      layerSqlWith({ patience: "20 seconds" }).pipe(
        Layer.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 2 }))
      )
    ),
    Effect.provide(Logger.layer([])),
    Effect.tapCause((cause) => Effect.sync(() => writeSync(2, `${cause}\n`)))
  )
)
