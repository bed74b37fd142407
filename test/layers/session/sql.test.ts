import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import * as Inbox from "../../../src/Inbox.ts"
import * as Session from "../../../src/Session.ts"
import * as SessionStore from "../../../src/SessionStore.ts"
import { makeHost, makeScriptedAgent } from "../../../src/testing/scriptedAgent.ts"
import { leakyProxy } from "../../support/leakyProxy.ts"
import { clientOf, freshDatabase, url, urlOf, withPostgres } from "../../support/postgres.ts"

const note = (n: number): Session.SessionEventInput => ({ type: "test:note", n })

/** A worker: a store with a pool of its own. */
const worker = (client: ReturnType<typeof clientOf>, options: SessionStore.SqlStoreOptions = {}) =>
  Effect.gen(function* () {
    const layer = SessionStore.layerSqlWith(options).pipe(Layer.provideMerge(client))
    const context = yield* Layer.buildWithScope(Layer.fresh(layer), yield* Effect.scope)
    return { store: Context.get(context, SessionStore.SessionStore), sql: Context.get(context, SqlClient) }
  })

const twoWorkers = Effect.gen(function* () {
  const database = yield* freshDatabase
  return [yield* worker(clientOf(database)), yield* worker(clientOf(database))] as const
})

const conflictIn = (exit: Exit.Exit<unknown, Session.SessionError>) => {
  assert.isTrue(Exit.isFailure(exit))
  const error = exit._tag === "Failure" ? exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error : undefined
  assert.strictEqual(error?.reason._tag, "SessionConflict")
  return error!.reason as Session.SessionConflict
}

withPostgres("SessionStore.layerSql among several workers", () => {
  describe("SessionStore.layerSql, two writers of one session", () => {
    it.live("[I-33] the slower one hears what it has missed, has seen it, and goes on", () =>
      Effect.gen(function* () {
        const [one, two] = yield* twoWorkers
        const a = yield* one.store.create({ cwd: "/", id: "s" })
        yield* a.append([note(0)])
        const b = yield* two.store.open("s")
        const seen: Array<string> = []
        yield* b.observe((event, origin) => seen.push(`${event.seq} ${origin}`))
        const missed = yield* a.append([{ type: "assistant/message", text: "one" }, note(2)])
        const conflict = conflictIn(yield* Effect.exit(b.append([note(3)])))
        assert.deepStrictEqual([conflict.expected, conflict.found], [1, 3])
        assert.deepStrictEqual(conflict.missed, missed as never)
        assert.deepStrictEqual(yield* b.surface, [missed[0]!])
        assert.deepStrictEqual((yield* b.append([note(4)]))[0]?.seq, 3)
        assert.deepStrictEqual(seen, ["0 log", "1 elsewhere", "2 elsewhere", "3 here"])
        assert.strictEqual(conflictIn(yield* Effect.exit(a.append([note(5)]))).found, 4)
        assert.deepStrictEqual(yield* a.log, yield* b.log)
      })
    )

    it.live("[I-33] a decision is taken again on what is true now: a message is claimed by one of them", () =>
      Effect.gen(function* () {
        const [one, two] = yield* twoWorkers
        const a = yield* one.store.create({ cwd: "/", id: "s" })
        const b = yield* two.store.open("s")
        const inboxOf = (session: Session.SessionShape) =>
          Effect.map(
            Layer.build(Layer.fresh(Inbox.layer).pipe(Layer.provide(Layer.succeed(Session.Session, session)))),
            (context) => Context.get(context, Inbox.Inbox)
          )
        const inboxes = [yield* inboxOf(a), yield* inboxOf(b)]
        for (let round = 0; round < 20; round++) {
          const message = { id: `m${round}`, text: "hello", source: { kind: "user" } }
          yield* inboxes[round % 2]!.update(() => [undefined, [{ type: "inbox/inserted", message, position: "end" }]])
          const claims = yield* Effect.all(
            inboxes.map((inbox) => inbox.claim),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(
            claims.flat().map(({ id }) => id),
            [`m${round}`]
          )
        }
        assert.deepStrictEqual(
          (yield* one.sql`select seq from agent_context_events order by seq`).map((row) => row["seq"]),
          Array.from({ length: 40 }, (_, seq) => seq)
        )
      })
    )

    it.live("[I-30] a step prepared before the other has logged one is not entered, and tells nothing twice", () =>
      Effect.gen(function* () {
        const [one, two] = yield* twoWorkers
        const files = { "/repo/.git/": null, "/repo/AGENTS.md": "be brief\n", "/repo/lib/AGENTS.md": "no classes\n" }
        const config = { instructions: { maxBytes: 65_536 } }
        const agentOn = (store: SessionStore.SessionStoreShape) =>
          Effect.flatMap(makeHost({ files, store }), (host) => makeScriptedAgent({ cwd: "/repo", config, host }))
        const a = yield* agentOn(one.store)
        yield* (yield* a.instance).session.append([note(0)])
        const b = yield* agentOn(two.store)
        yield* b.instance
        assert.strictEqual((yield* a.prompt("first")).entered.length, 2)
        yield* a.endTurn
        // Beginning the turn is decided under the lock, again when the other has logged something: it learns before it prepares.
        assert.deepStrictEqual(
          (yield* b.prompt("second")).entered.map(({ text }) => text),
          ["second"]
        )
        yield* b.endTurn

        const { inbox, session, supply } = yield* a.instance
        yield* Effect.ignore(session.append([note(1)]))
        yield* a.post("waits")
        const claimed = yield* inbox.claim
        const decision = yield* supply.preStep({ turn: 9, step: 1, claimed, decision: "enter" })
        assert.strictEqual(decision.decision, "enter")
        const other = (yield* b.instance).session
        yield* Effect.ignore(other.append([note(2)]))
        yield* other.append([{ type: "user/message", message: claimed[0]! }])
        // Something else of this process has already caught up, so that the append itself would succeed.
        conflictIn(yield* Effect.exit(session.append([note(3)])))
        conflictIn(yield* Effect.exit(supply.enter(decision as never)))
        yield* Inbox.putBack(inbox, claimed)
        assert.deepStrictEqual(yield* inbox.claim, [])
        const again = yield* supply.preStep({ turn: 9, step: 1, claimed: [], decision: "enter" })
        yield* supply.enter(again as never)
        const told = (yield* session.log).filter((event) => event.type === "user/message")
        assert.strictEqual(told.filter(({ message }) => message.text === "waits").length, 1)
        assert.strictEqual(told.filter(({ message }) => message.source.kind !== "user").length, 1)
      })
    )

    it.live("running says whether any worker has it open, and each lists the same", () =>
      Effect.gen(function* () {
        const [one, two] = yield* twoWorkers
        const scope = yield* Scope.make()
        yield* Scope.provide(one.store.create({ cwd: "/", id: "s" }), scope)
        yield* Effect.scoped(two.store.open("s"))
        assert.deepStrictEqual(
          (yield* two.store.list).map(({ running }) => running),
          [true]
        )
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(
          (yield* two.store.list).map(({ running }) => running),
          [false]
        )
        yield* one.store.open("s")
        yield* one.sql`update agent_context_workers set seen_at = now() - interval '1 minute'`
        assert.deepStrictEqual(
          (yield* two.store.list).map(({ running }) => running),
          [false]
        )
      })
    )
  })

  describe("SessionStore.layerSql", () => {
    it.live("[I-30] opens from the last checkpoint: what is shadowed is not read, and is there when asked for", () =>
      Effect.gen(function* () {
        const [one, two] = yield* twoWorkers
        const message = { id: "waits", text: "hello", source: { kind: "user" } }
        const written = yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* one.store.create({ cwd: "/repo", id: "s" })
            yield* session.append([
              { type: "turn/start", turn: 7 },
              { type: "inbox/inserted", message, position: "end" }
            ])
            for (let n = 0; n < 200; n++)
              yield* session.append([{ type: "assistant/message", text: String(n) }, note(n)])
            yield* session.append([{ type: "compaction/checkpoint", keptFrom: 400, text: "so far" }, note(201)])
            return [yield* session.log, yield* session.surface] as const
          })
        )
        // Damaging what is shadowed shows whether it is read.
        yield* two.sql`update agent_context_events set body = 'x' || body where session_id = 's' and seq between 2 and 399`
        const session = yield* two.store.open("s")
        const replayed: Array<number> = []
        yield* session.observe((event) => replayed.push(event.seq))
        assert.deepStrictEqual(replayed, [0, 1, 400, 401, 402, 403])
        assert.deepStrictEqual(yield* session.surface, written[1])
        const read = yield* one.store.surface("s")
        assert.deepStrictEqual([read.capturedThroughSeq, read.events], [403, written[1]])
        assert.isTrue(Exit.hasDies(yield* Effect.exit(session.log)))
        yield* two.sql`update agent_context_events set body = substr(body, 2) where body like 'x%'`
        assert.deepStrictEqual(yield* session.log, written[0])
      })
    )

    it.live("an append whose acknowledgement is lost is logged once and acknowledged", () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const { hostname: host, port } = new URL(url)
        const proxy = yield* leakyProxy({ host, port: Number(port) })
        const through = Object.assign(new URL(urlOf(database)), { port: String(proxy.port) }).href
        const { store } = yield* worker(clientOf(database, { url: Redacted.make(through) }))
        proxy.swallowAnswerTo("agent_context_sessions (session_id, id")
        const session = yield* store.create({ cwd: "/", id: "s" })
        yield* session.append([note(0)])
        for (let n = 1; n < 6; n++) {
          proxy.swallowAnswerTo(`mark ${n}`)
          const [event] = yield* session.append([{ type: "test:note", text: `mark ${n}` }, note(n)])
          assert.strictEqual(event?.seq, n * 2 - 1)
        }
        assert.strictEqual(proxy.swallowed(), 6)
        assert.deepStrictEqual(
          (yield* session.log).map(({ seq }) => seq),
          Array.from({ length: 11 }, (_, seq) => seq)
        )
      })
    )

    it.live("an append that is in doubt says so, and the next one finds out", () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const { hostname: host, port } = new URL(url)
        const proxy = yield* leakyProxy({ host, port: Number(port) })
        const through = Object.assign(new URL(urlOf(database)), { port: String(proxy.port) }).href
        const impatient = { patience: "200 millis" as const }
        const { store } = yield* worker(clientOf(database, { url: Redacted.make(through) }), impatient)
        const session = yield* store.create({ cwd: "/", id: "s" })
        proxy.swallowAnswerTo("logged after all")
        const failing = yield* Effect.forkChild(
          Effect.flip(session.append([{ type: "test:note", text: "logged after all" }]))
        )
        yield* Effect.repeat(Effect.sleep(1), { until: () => proxy.swallowed() > 0 })
        proxy.cut()
        const { reason } = yield* Fiber.join(failing)
        assert.deepInclude(reason, { _tag: "SessionStorageFailed", inDoubt: true })
        // It has not been connected since: nothing it says now can have been done.
        const refused = yield* Effect.flip(session.append([note(9)]))
        assert.deepStrictEqual([refused.reason._tag, "inDoubt" in refused.reason], ["SessionStorageFailed", false])
        proxy.mend()
        const conflict = conflictIn(yield* Effect.exit(session.append([note(1)])))
        assert.deepStrictEqual(
          conflict.missed?.map(({ text }) => text),
          ["logged after all"]
        )
        assert.strictEqual((yield* session.append([note(1)]))[0]?.seq, 1)
      })
    )

    it.live("callers whose transactions hold every connection get an error, not a deadlock", () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const { sql, store } = yield* worker(clientOf(database, { maxConnections: 1 }), { answer: "300 millis" })
        const session = yield* store.create({ cwd: "/", id: "s" })
        const { reason } = yield* sql.withTransaction(Effect.flip(session.append([note(0)])))
        assert.deepInclude(reason, { _tag: "SessionStorageFailed", inDoubt: true })
        assert.include((reason as Session.SessionStorageFailed).detail, "held by transactions")
        assert.strictEqual((yield* session.append([note(1)]))[0]?.seq, 0)
      })
    )

    it.live("what is acknowledged is committed, whatever becomes of a transaction around it", () =>
      Effect.gen(function* () {
        const [{ sql, store }] = yield* twoWorkers
        const session = yield* store.create({ cwd: "/", id: "s" })
        yield* Effect.exit(sql.withTransaction(Effect.andThen(session.append([note(0)]), Effect.fail("rolled back"))))
        assert.strictEqual((yield* session.log).length, 1)
        assert.strictEqual((yield* session.append([note(1)]))[0]?.seq, 1)
      })
    )

    it.live("workers that start at once bring the schema up to date once", () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const workers = yield* Effect.forEach(Array.from({ length: 8 }), () => worker(clientOf(database)), {
          concurrency: "unbounded"
        })
        const rows = yield* workers[0]!.sql`select migration_id from agent_context_migrations order by 1`
        assert.deepStrictEqual(
          rows.map((row) => row["migration_id"]),
          [1, 2]
        )
        yield* worker(clientOf(database), { migrate: false })
      })
    )

    it.live("[R-2] search finds parts of ids, directories and titles in any letter case, by an index", () =>
      Effect.gen(function* () {
        const [{ sql, store }] = yield* twoWorkers
        const titles = ["Fix the Build", "100% of it_all", "Ärger \0 \ud800", "other"]
        for (const [n, title] of titles.entries()) {
          const cwd = n === 3 ? "" : `/repo/${n}`
          const made = store.create({ cwd, id: `s${n}` })
          yield* Effect.scoped(Effect.flatMap(made, (session) => session.append([{ type: "session/title", title }])))
        }
        const find = (text: string, limit = 10) =>
          Effect.map(store.search!({ text, cwd: "/repo/1", limit }), (found) => found.map(({ id }) => id))
        assert.deepStrictEqual(yield* find(""), ["s1", "s3", "s2", "s0"])
        assert.deepStrictEqual(yield* find("", 2), ["s1", "s3"])
        assert.deepStrictEqual(yield* find(" BUILD "), ["s0"])
        assert.deepStrictEqual(yield* find("0% of it_"), ["s1"])
        assert.deepStrictEqual(yield* find("0_ of"), [])
        assert.deepStrictEqual(yield* find("ÄRGER"), ["s2"])
        assert.deepStrictEqual(yield* find("/REPO/"), ["s1", "s2", "s0"])
        const plan = yield* sql.withTransaction(
          Effect.andThen(
            sql`set local enable_seqscan = off`,
            sql`explain select id from agent_context_sessions where searched like '%build%'`
          )
        )
        assert.include(JSON.stringify(plan), "agent_context_sessions_searched")
      })
    )
  })
})
