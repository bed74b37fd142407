import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as childProcess from "node:child_process"
import { fileURLToPath } from "node:url"
import { sessionFileName } from "../../src/pipeline/sessionFileName.ts"
import type { SessionEventInput } from "../../src/schemas/SessionEvent.ts"
import * as SessionStore from "../../src/SessionStore.ts"
import { clientOf, freshDatabase, urlOf, withPostgres } from "../support/postgres.ts"

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))

const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  Effect.callback<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resume) => {
    const child = childProcess.spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } })
    const written = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk) => (written.stdout += String(chunk)))
    child.stderr.on("data", (chunk) => (written.stderr += String(chunk)))
    child.once("close", (code) => resume(Effect.succeed({ code, ...written })))
    return Effect.sync(() => child.kill())
  })

const ids = ["one", "lone \ud800 a\0b", "empty"]

const write = Effect.fnUntraced(function* (directory: string) {
  const store = yield* SessionStore.SessionStore
  const session = yield* store.create({ cwd: "/repo", id: ids[0]! })
  const message = { id: "waits", text: "hello \ud800 \0", source: { kind: "user" } }
  yield* session.append([{ type: "inbox/inserted", message, position: "end" }])
  for (let n = 0; n < 700; n++) {
    const pair: [SessionEventInput, SessionEventInput] = [
      { type: "assistant/message", text: `${n} ü` },
      { type: "test:note", n }
    ]
    yield* session.append(pair)
  }
  yield* session.append([{ type: "session/title", title: "Long" }])
  yield* session.append([{ type: "compaction/checkpoint", keptFrom: 1_390 }, { type: "turn/end" }])
  const other = yield* store.create({ cwd: "/\ud800", id: ids[1]! })
  yield* other.append([{ type: "test:note", b: 1, a: { z: 1, y: 2 } }])
  yield* store.create({ cwd: "/", id: ids[2]! })
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(`${directory}/notes.jsonl`, '{"some":"other file"}\n')
})

withPostgres("sessions import", () => {
  describe("sessions import", () => {
    it.live("[I-33] copies what the files hold, goes on where it was stopped, and tells what does not fit", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "session-import-" })
        const files = SessionStore.layerJsonl(directory).pipe(Layer.provide(Layer.succeed(FileSystem.FileSystem, fs)))
        yield* Effect.scoped(Effect.provide(write(directory), files))
        const long = `${directory}/${sessionFileName("one")}.jsonl`
        const whole = yield* fs.readFileString(long)
        // As a crash leaves it, to be taken up by a second run: half of the file, and the rest of a batch.
        const cut = whole.indexOf("\n", whole.length / 2)
        yield* fs.writeFileString(long, whole.slice(0, cut + 20))

        const database = yield* freshDatabase
        const url = urlOf(database)
        const importing = (...args: ReadonlyArray<string>) =>
          run(["sessions", "import", "--store", directory, "--json", ...args], { DATABASE_URL: url })
        const first = yield* importing("--to", url)
        assert.strictEqual(first.code, 0, first.stderr)
        const part = JSON.parse(first.stdout).sessions.find(({ id }: { id: string }) => id === "one")
        assert.isAbove(part.events, 600)
        assert.strictEqual(part.added, part.events)
        yield* fs.writeFileString(long, whole)
        const second = yield* importing()
        assert.strictEqual(second.code, 0, second.stderr)
        const rest = JSON.parse(second.stdout).sessions.find(({ id }: { id: string }) => id === "one")
        assert.deepStrictEqual([rest.events, rest.added], [1_404, 1_404 - part.events])
        assert.deepStrictEqual(
          JSON.parse((yield* importing()).stdout).sessions.map(({ added }: { added: number }) => added),
          [0, 0, 0]
        )

        const layer = SessionStore.layerSql.pipe(Layer.provideMerge(clientOf(database)))
        const built = yield* Layer.build(layer)
        const sql = Context.get(built, SessionStore.SessionStore)
        const jsonl = Context.get(yield* Layer.build(files), SessionStore.SessionStore)
        assert.deepStrictEqual(yield* sql.list, yield* jsonl.list)
        for (const id of ids) {
          assert.deepStrictEqual(yield* sql.surface(id), yield* jsonl.surface(id))
          const logs = yield* Effect.forEach([sql, jsonl], (store) =>
            Effect.scoped(Effect.flatMap(store.open(id), (session) => session.log))
          )
          assert.strictEqual(JSON.stringify(logs[0]), JSON.stringify(logs[1]))
        }

        // It goes on in the database; the file still fits.
        yield* Effect.scoped(Effect.flatMap(sql.open("one"), (session) => session.append([{ type: "turn/start" }])))
        assert.strictEqual((yield* importing()).code, 0)
        yield* Context.get(
          built,
          SqlClient
        )`update agent_context_events set at = at + 1 where session_id = 'one' and seq = 3`
        const failed = yield* importing()
        assert.strictEqual(failed.code, 1)
        assert.include(failed.stderr, "1 of 3 sessions could not be imported")
        assert.include(failed.stdout, "where the file has")
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )

    it.live("says what is missing: a database, a server", () =>
      Effect.gen(function* () {
        const none = yield* run(["sessions", "import", "--store", "/"], { DATABASE_URL: undefined })
        assert.strictEqual(none.code, 2)
        assert.match(none.stderr, /needs a database: name it with --to .*, or in \$DATABASE_URL\n$/)
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "session-import-" })
        yield* fs.writeFileString(`${directory}/one.jsonl`, "")
        const nobody = yield* run(["sessions", "import", "--store", directory, "--to", "postgres://u@127.0.0.1:1/x"])
        assert.deepStrictEqual([nobody.code, nobody.stdout], [1, ""])
        assert.match(nobody.stderr, /^agent-context: The database cannot be [^\n]*\n$/)
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )
  })
})
