/**
 * Stores with the same session many times over: 1,000 events, compacted now and then. In PostgreSQL one has ten of them and
 * one 10,000, filled once and kept with the server's data among the temporary files; `SESSION_SQL_URL` names another server.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { SessionEventInput } from "../../src/Session.ts"
import * as SessionStore from "../../src/SessionStore.ts"

export const eventCount = 1_000

const script = path.join(import.meta.dirname, "../../scripts/postgres.sh")
const data = path.join(os.tmpdir(), "effect-agent-context-bench-postgres")

const control = (command: string): string => {
  const { status, stdout } = childProcess.spawnSync(script, [command, data], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", 2]
  })
  if (status !== 0) throw new Error("there is no PostgreSQL to measure with")
  return stdout.trim()
}

/** The URL of a server, and how to end it. */
export const server = (): { readonly url: string; readonly stop: () => void } => {
  const url = process.env["SESSION_SQL_URL"]
  return url === undefined ? { url: control("start"), stop: () => void control("stop") } : { url, stop: () => {} }
}

const text = (length: number) => "What a model says is about as long as this sentence. ".repeat(20).slice(0, length)

/** One step of a conversation is five events; every fortieth is followed by a compaction that keeps the last four. */
const events: ReadonlyArray<SessionEventInput> = Array.from({ length: eventCount }, (_, seq): SessionEventInput => {
  if (seq === 0) return { type: "session/title", title: "A session like any other" }
  if (seq % 200 === 199) return { type: "compaction/checkpoint", keptFrom: seq - 20, text: text(900) }
  switch (seq % 5) {
    case 0:
      return { type: "step/start", step: seq }
    case 1:
      return { type: "user/message", message: { id: `m${seq}`, text: text(200), source: { kind: "user" } } }
    case 2:
      return { type: "assistant/message", text: text(400) }
    case 3:
      return { type: "tool/call", token: `t${seq}`, name: "read", arguments: { file_path: `src/file${seq}.ts` } }
    default:
      return { type: "tool/result", token: `t${seq - 1}`, outcome: "ok", text: text(500) }
  }
})

const write = (store: SessionStore.SessionStoreShape, id: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/repo", id })
      for (let at = 0; at < events.length; at += 5) {
        yield* session.append(events.slice(at, at + 5) as [SessionEventInput, ...Array<SessionEventInput>])
      }
    })
  )

const copies = [
  `insert into agent_context_sessions
   select 's' || n, 's' || n, cwd, title, 's' || n || substr(searched, 3), created_at + n, length, floor, carried, nonce
   from agent_context_sessions, generate_series(1, $1::int - 1) n where session_id = 's0'`,
  `insert into agent_context_events
   select 's' || n, seq, at, type, batch, body
   from generate_series(1, $1::int - 1) n, (select * from agent_context_events where session_id = 's0') e`
]

/** A store in a database of its own with `count` sessions, `s0`, `s1` and so on. */
export const sqlStore = async (url: string, count: number): Promise<SessionStore.SessionStoreShape> => {
  const name = `sessions_${count}`
  const clientOf = (database: string) =>
    PgClient.layer({ url: Redacted.make(Object.assign(new URL(url), { pathname: `/${database}` }).href) })
  await Effect.runPromise(
    PgClient.PgClient.use((sql) =>
      Effect.flatMap(sql`select 1 from pg_database where datname = ${name}`, (found) =>
        found.length > 0 ? Effect.void : Effect.asVoid(sql.unsafe(`create database ${name}`))
      )
    ).pipe(Effect.provide(clientOf("postgres")), Effect.scoped)
  )
  const layer = SessionStore.layerSql.pipe(Layer.provideMerge(clientOf(name)))
  const context = await Effect.runPromise(Layer.buildWithScope(layer, Scope.makeUnsafe()))
  const sql = Context.get(context, PgClient.PgClient)
  const store = Context.get(context, SessionStore.SessionStore)
  const [row] = await Effect.runPromise(sql<{ n: number }>`select count(*)::int as n from agent_context_sessions`)
  if (row!.n === count) return store
  console.error(`filling a store of ${count} sessions …`)
  await Effect.runPromise(sql`truncate agent_context_sessions cascade`)
  await Effect.runPromise(write(store, "s0"))
  // All or nothing: who finds as many sessions as there should be finds their events too.
  const copy = Effect.forEach(copies, (statement) => sql.unsafe(statement, [count]))
  await Effect.runPromise(sql.withTransaction(copy))
  await Effect.runPromise(sql.unsafe("vacuum analyze"))
  return store
}

/** A store of ten such files. */
export const jsonlStore = async (): Promise<SessionStore.SessionStoreShape> => {
  const directory = path.join(os.tmpdir(), `effect-agent-context-bench-sessions-${eventCount}`)
  const layer = SessionStore.layerJsonl(directory).pipe(Layer.provide(NodeFileSystem.layer))
  const store = Context.get(
    await Effect.runPromise(Layer.buildWithScope(layer, Scope.makeUnsafe())),
    SessionStore.SessionStore
  )
  for (let n = 0; n < 10; n++) {
    if (!fs.existsSync(path.join(directory, `s${n}.jsonl`))) await Effect.runPromise(write(store, `s${n}`))
  }
  return store
}
