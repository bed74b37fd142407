import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { layerJsonl } from "../../src/layers/session/jsonl.ts"
import type { SessionEventInput } from "../../src/schemas/SessionEvent.ts"
import { SessionStore } from "../../src/services/SessionStore.ts"
import * as MemoryFileSystem from "../../src/testing/memoryFileSystem.ts"
import { command } from "./harness.ts"

const directory = "/home/ann/.dsh/sessions"

const user = (id: string, text: string): SessionEventInput => ({
  type: "user/message",
  message: { id, text, source: { kind: "user" } }
})
const rules = (id: string, text: string): SessionEventInput => ({
  type: "user/message",
  message: { id, text, source: { kind: "agent-instructions", version: 1, baseline: true, changes: [] } }
})

/** A session of three steps: a prompt with rules, a step with nothing new, and one after a compaction. */
const written = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 2, 1, 9))
  const store = yield* SessionStore
  const session = yield* store.create({ cwd: "/home/ann/shop", id: "one" })
  yield* session.append([{ type: "turn/start", turn: 1 }])
  yield* session.append([{ type: "step/start", turn: 1, step: 1 }, user("p1", "hello"), rules("r1", "the rules\n")])
  yield* session.append([{ type: "assistant/message", text: "hi" }])
  // Not part of any step: somebody logs a message of their own.
  yield* session.append([user("x", "between the steps")])
  yield* session.append([
    { type: "step/end", step: 1 },
    { type: "session/title", title: "Greeting\u001b[31m" }
  ])
  yield* session.append([{ type: "step/start", turn: 1, step: 2 }])
  yield* session.append([
    { type: "step/end", step: 2 },
    { type: "turn/end", turn: 1 }
  ])
  yield* session.append([{ type: "compaction/checkpoint", keptFrom: 9, text: "they greeted" }])
  yield* session.append([
    { type: "step/start", turn: 2, step: 1 },
    { type: "inbox/removed", id: "gone" },
    user("p2", "again\n"),
    rules("r2", "the rules, restored")
  ])
}).pipe(Effect.scoped, Effect.provide(layerJsonl(directory)))

describe("sessions", () => {
  it.effect("[C-4] list names every session, newest first, and nothing can steer the terminal", () =>
    Effect.gen(function* () {
      yield* written
      const { code, stdout } = yield* command("sessions", "list")
      assert.strictEqual(code, 0)
      assert.strictEqual(stdout, `one  2026-03-01T09:00:00.000Z  /home/ann/shop  "Greeting\\u001b[31m"\n`)
      const { sessions } = JSON.parse((yield* command("sessions", "list", "--json")).stdout)
      assert.deepStrictEqual(sessions, [
        {
          id: "one",
          cwd: "/home/ann/shop",
          title: "Greeting\u001b[31m",
          createdAt: Date.UTC(2026, 2, 1, 9),
          running: false
        }
      ])
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("[C-4] show gives a line for each step, also of what compaction has shadowed", () =>
    Effect.gen(function* () {
      yield* written
      const { stdout } = yield* command("sessions", "show", "one")
      assert.strictEqual(
        stdout,
        [
          "1  2026-03-01T09:00:00.000Z  turn 1, step 1: user, agent-instructions (0)",
          "2  2026-03-01T09:00:00.000Z  turn 1, step 2: nothing new",
          "3  2026-03-01T09:00:00.000Z  turn 2, step 1: user, agent-instructions (0)",
          ""
        ].join("\n")
      )
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("[C-4] show --step prints what that request was supplied with, from the log alone", () =>
    Effect.gen(function* () {
      yield* written
      const first = yield* command("sessions", "show", "one", "--step", "1")
      assert.strictEqual(first.stdout, "── user\nhello\n\n── agent-instructions (0)\nthe rules\n")
      const third = JSON.parse((yield* command("sessions", "show", "one", "--step", "3", "--json")).stdout)
      assert.deepStrictEqual(
        third.messages.map(({ id }: { readonly id: string }) => id),
        ["p2", "r2"]
      )
      assert.strictEqual(
        (yield* command("sessions", "show", "one", "--step", "2")).stdout,
        "This request was supplied with nothing new.\n"
      )
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("a session that somebody writes can be looked at", () =>
    Effect.gen(function* () {
      yield* written
      const shown = yield* SessionStore.use((store) => store.open("one")).pipe(
        Effect.andThen(command("sessions", "show", "one")),
        Effect.scoped,
        Effect.provide(layerJsonl(directory))
      )
      assert.strictEqual(shown.code, 0)
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("what is not there, or not readable, is one line and a failure", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryFileSystem.MemoryFileSystem
      const none = yield* command("sessions", "list")
      assert.deepStrictEqual(none, { code: 0, stderr: "", stdout: `There are no sessions in ${directory}.\n` })
      const missing = yield* command("sessions", "show", "none")
      assert.deepStrictEqual(missing, { code: 1, stderr: "agent-context: There is no session none\n", stdout: "" })
      yield* written
      const beyond = yield* command("sessions", "show", "one", "--step", "4")
      assert.deepStrictEqual(beyond, {
        code: 1,
        stderr: "agent-context: Session one has 3 steps, no step 4.\n",
        stdout: ""
      })
      const zero = yield* command("sessions", "show", "one", "--step", "0")
      assert.strictEqual(zero.code, 2)
      assert.strictEqual(zero.stdout, "")
      yield* memory.write(`${directory}/one.jsonl`, "nonsense\nmore\n")
      const damaged = yield* command("sessions", "show", "one")
      assert.strictEqual(damaged.code, 1)
      assert.match(
        damaged.stderr,
        /^agent-context: The log of session one is damaged \(.*one\.jsonl, line 1\): [^\n]*\n$/
      )
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect(
    "[R-2] candidates are what to insert: those of this directory first, nothing that could steer the terminal",
    () =>
      Effect.gen(function* () {
        yield* written
        const create = (id: string, cwd: string) =>
          Effect.scoped(
            SessionStore.use((store) => store.create({ id, cwd })).pipe(Effect.provide(layerJsonl(directory)))
          )
        yield* create("two", process.cwd())
        yield* TestClock.adjust("1 minute")
        yield* create("three", "/greetings")
        const all = yield* command("sessions", "candidates", "")
        assert.deepStrictEqual([all.code, all.stderr], [0, ""])
        assert.deepStrictEqual(
          all.stdout.split("\n").map((line) => line.split("  ")[0]),
          [
            "@[two](dsh-session:InR3byI)",
            "@[three](dsh-session:InRocmVlIg)",
            "@[Greeting [31m](dsh-session:Im9uZSI)",
            ""
          ]
        )
        const found = yield* command("sessions", "candidates", "GREETING", "--json")
        const { candidates, truncated } = JSON.parse(found.stdout)
        assert.isFalse(truncated)
        assert.deepStrictEqual(candidates, [
          {
            sessionId: "three",
            label: "three",
            uri: "dsh-session:InRocmVlIg",
            mention: "@[three](dsh-session:InRocmVlIg)",
            cwd: "/greetings",
            createdAt: Date.UTC(2026, 2, 1, 9, 1),
            running: false
          },
          {
            sessionId: "one",
            label: "Greeting [31m",
            uri: "dsh-session:Im9uZSI",
            mention: "@[Greeting [31m](dsh-session:Im9uZSI)",
            cwd: "/home/ann/shop",
            title: "Greeting\u001b[31m",
            createdAt: Date.UTC(2026, 2, 1, 9),
            running: false
          }
        ])
        const none = yield* command("sessions", "candidates", "nothing like it")
        assert.deepStrictEqual(none, { code: 0, stderr: "", stdout: `No session in ${directory} matches.\n` })
        assert.strictEqual((yield* command("sessions", "candidates")).code, 2)
      }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("[R-2] candidates beyond the limit are mentioned", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        SessionStore.use((store) =>
          Effect.forEach(
            Array.from({ length: 51 }, (_, index) => `s${index}`),
            (id) => store.create({ id, cwd: "/" })
          )
        )
      ).pipe(Effect.provide(layerJsonl(directory)))
      const { code, stderr, stdout } = yield* command("sessions", "candidates", "s")
      assert.strictEqual(code, 0)
      assert.strictEqual(stdout.trimEnd().split("\n").length, 50)
      assert.strictEqual(stderr, "agent-context: These are the first 50; a longer query finds the others.\n")
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("a store that nobody has written to is imported without asking a database", () =>
    Effect.gen(function* () {
      const args = ["sessions", "import", "--to", "postgres://nobody@127.0.0.1:1/none", "--store", "/elsewhere"]
      const told = yield* command(...args)
      assert.deepStrictEqual(told, { code: 0, stderr: "", stdout: "There are no sessions in /elsewhere.\n" })
      const { stdout } = yield* command(...args, "--json")
      assert.deepStrictEqual(JSON.parse(stdout), { sessions: [] })
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("another store is named with --store", () =>
    Effect.gen(function* () {
      yield* written
      const { stdout } = yield* command("sessions", "list", "--store", "/elsewhere")
      assert.strictEqual(stdout, "There are no sessions in /elsewhere.\n")
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )
})
