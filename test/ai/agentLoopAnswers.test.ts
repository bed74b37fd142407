/** What a provider wants back with its answers, tools that need approval, results that are too long, and two runs at once. */
import { assert, describe, it } from "@effect/vitest"
import * as Chat from "effect/ai/Chat"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AgentLoop, AgentPrompt } from "../../src/ai.ts"
import * as Session from "../../src/Session.ts"
import type { SessionEvent, SessionEventInput } from "../../src/schemas/SessionEvent.ts"
import { byteLength } from "../../src/pipeline/utf8.ts"
import {
  assertValid,
  calls,
  eventsOf,
  goesOn,
  says,
  scripted,
  services,
  shout,
  withEcho
} from "../support/agentLoop.ts"

const Search = Tool.providerDefined({
  id: "test.search",
  customName: "Search",
  providerName: "search",
  parameters: Schema.Struct({ query: Schema.String }),
  success: Schema.Struct({ hits: Schema.Array(Schema.String) })
})
const Echo = Tool.make("echo", { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String })
const searching = Toolkit.make(Search(), Echo)
const withSearch = Effect.provide(
  searching,
  searching.toLayer({ echo: ({ text }: { readonly text: string }) => Effect.succeed(text) } as never)
)

const whole: ReadonlyArray<Response.PartEncoded> = [
  { type: "reasoning", text: "hm", metadata: { test: { signature: "s1" } } },
  { type: "text", text: "I search.", metadata: { test: { itemId: "m1" } } },
  { type: "tool-call", id: "srv1", name: "Search", params: { query: "x" }, providerExecuted: true },
  {
    type: "tool-result",
    id: "srv1",
    name: "Search",
    isFailure: false,
    result: { hits: ["a"] },
    providerExecuted: true
  },
  { type: "tool-call", id: "c1", name: "echo", params: { text: "hi" }, metadata: { test: { thought: "t1" } } },
  { type: "finish", reason: "tool-calls", usage: { inputTokens: {}, outputTokens: {} } as never, response: undefined }
]

const streamed: ReadonlyArray<Response.StreamPartEncoded> = [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "h" },
  { type: "reasoning-delta", id: "r", delta: "m" },
  { type: "reasoning-end", id: "r", metadata: { test: { signature: "s1" } } },
  { type: "text-start", id: "t", metadata: { test: { itemId: "m1" } } },
  { type: "text-delta", id: "t", delta: "I search." },
  { type: "text-end", id: "t" },
  ...(whole.slice(2) as ReadonlyArray<Response.StreamPartEncoded>)
]

/** Answers with reasoning and calls first, and then with plain words. */
const thoughtful = (asked: Array<Prompt.Prompt>) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) =>
        Effect.sync(() => (asked.push(prompt) === 1 ? [...whole] : [{ type: "text", text: "done" } as const])),
      streamText: ({ prompt }) =>
        Stream.suspend(() =>
          Stream.fromIterable<Response.StreamPartEncoded>(
            asked.push(prompt) === 1
              ? streamed
              : [
                  { type: "text-start", id: "t" },
                  { type: "text-delta", id: "t", delta: "done" },
                  { type: "text-end", id: "t" }
                ]
          )
        )
    })
  )

const encode = Schema.encodeSync(Prompt.Prompt)
const stamped = (events: ReadonlyArray<SessionEventInput>) =>
  events.map((event, seq) => ({ ...event, seq, at: 0 }) as SessionEvent)

describe("AgentLoop.run, answers", () => {
  for (const stream of [false, true]) {
    it.effect(
      `[C-4] reasoning, metadata and what the provider has run come back ${stream ? "streamed" : "whole"}`,
      () =>
        Effect.gen(function* () {
          const asked: Array<Prompt.Prompt> = []
          const toolkit = yield* withSearch
          const run = AgentLoop.run({ prompt: "go", toolkit, stream })
          const result = yield* Effect.provide(run, thoughtful(asked))
          assert.deepInclude(result, { stopped: "idle", text: "done" })
          const content = asked[1]!.content.flatMap((message) => (message.role === "assistant" ? message.content : []))
          assert.deepStrictEqual(
            content.map((part) => [part.type, "text" in part ? part.text : "", part.options["test"] ?? {}]),
            [
              ["reasoning", "hm", { signature: "s1" }],
              ["text", "I search.", { itemId: "m1" }],
              ["tool-call", "", {}],
              ["tool-result", "", {}],
              ["tool-call", "", { thought: "t1" }]
            ]
          )
          assert.deepInclude(content[2], { id: "srv1", params: { query: "x" }, providerExecuted: true })
          assert.deepInclude(content[3], { id: "srv1", result: { hits: ["a"] }, providerExecuted: true })
          assert.deepInclude(content[4], { id: "call-1-1-1", params: { text: "hi" }, providerExecuted: false })

          // What the provider has run is no call of the log's: nobody here has to answer it.
          const session = yield* Session.Session
          const log = yield* goesOn
          assert.deepStrictEqual(
            eventsOf(log, "tool/call").map(({ token }) => token),
            ["call-1-1-1"]
          )

          // A persisted chat gives the same messages, byte for byte, and so does a log made of it.
          const prompt = AgentPrompt.toPrompt(yield* session.surface)
          const chat = yield* Chat.fromPrompt(prompt)
          const again = yield* Ref.get((yield* Chat.fromJson(yield* chat.exportJson)).history)
          const replayed = AgentPrompt.toPrompt(stamped(AgentPrompt.fromPrompt(again)))
          assert.strictEqual(JSON.stringify(encode(replayed)), JSON.stringify(encode(prompt)))
        }).pipe(Effect.provide(services), Effect.provide(thoughtful([])))
    )
  }

  it.effect("a plain answer is logged as text and calls alone", () =>
    Effect.gen(function* () {
      yield* Effect.provide(
        AgentLoop.run({ prompt: "go", toolkit: yield* shout }),
        scripted([calls(["echo", { text: "hi" }])])
      )
      for (const answer of eventsOf(yield* goesOn, "assistant/message")) assert.notProperty(answer, "parts")
    }).pipe(Effect.provide(services))
  )

  it("parts that nobody here has written are passed over", () => {
    for (const parts of ["x", [{ type: "image" }], { 0: "text" }]) {
      const prompt = AgentPrompt.toPrompt(stamped([{ type: "assistant/message", text: "hi", parts }]))
      assert.deepStrictEqual(
        prompt.content.map(({ content }) => (typeof content === "string" ? content : content.map(({ type }) => type))),
        [["text"]]
      )
    }
  })
})

const Remove = Tool.make("remove", {
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  needsApproval: true
})
const Maybe = Tool.make("maybe", {
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  needsApproval: ({ path }) => {
    if (path === "broken") throw new Error("no idea")
    return path === "ask"
  }
})
const guarded = Toolkit.make(Remove, Maybe)

/** The tools, and what they were run with. */
const watched = (ran: Array<string>) => {
  const handler = ({ path }: { readonly path: string }) => Effect.sync(() => (ran.push(path), "done"))
  return Effect.provide(guarded, guarded.toLayer({ remove: handler, maybe: handler }))
}

const results = (log: ReadonlyArray<SessionEvent>) =>
  eventsOf(log, "tool/result").map(({ outcome, text }) => `${String(outcome)}: ${String(text)}`)

describe("AgentLoop.run, approval", () => {
  const model = () =>
    scripted([
      calls(
        ["remove", { path: "a" }],
        ["remove", { path: "b" }],
        ["maybe", { path: "free" }],
        ["maybe", { path: "ask" }],
        ["maybe", { path: "broken" }],
        ["remove", { path: 1 }]
      )
    ])

  it.effect("what is approved is run, what is not is blocked, with the reason; one question at a time", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const asked: Array<AgentLoop.ApprovalRequest> = []
      let open = 0
      const approve: AgentLoop.Approve = (request) =>
        Effect.gen(function* () {
          assert.strictEqual(++open, 1)
          asked.push(request)
          yield* Effect.yieldNow
          open--
          const { path } = request.arguments as { readonly path: string }
          return path === "a" || path === "ask" ? { approved: true } : { approved: false, reason: "Not that one." }
        })
      const toolkit = yield* watched(ran)
      yield* Effect.provide(AgentLoop.run({ prompt: "go", toolkit, approve }), model())
      assert.deepStrictEqual(ran.toSorted(), ["a", "ask", "free"])
      assert.deepStrictEqual(asked[0], { token: "call-1-1-1", name: "remove", arguments: { path: "a" } })
      const refused = "blocked: The call was not approved, and was not run. Not that one."
      const shown = new Map(results(yield* goesOn).map((text, index) => [index, text]))
      assert.deepStrictEqual([...shown.values()].filter((text) => text === refused).length, 3)
    }).pipe(Effect.provide(services))
  )

  it.effect("with nobody to ask, or one who fails, nothing that needs it is run", () =>
    Effect.gen(function* () {
      for (const options of [
        {},
        { approve: () => Effect.die("gone") },
        { approve: (() => Effect.succeed(true)) as never }
      ]) {
        const ran: Array<string> = []
        const toolkit = yield* watched(ran)
        const result = yield* Effect.provide(AgentLoop.run({ prompt: "go", toolkit, ...options }), model())
        assert.strictEqual(result.stopped, "idle")
        assert.deepStrictEqual(ran, ["free"])
      }
      assert.include(results(yield* goesOn)[0], "Nobody is there to approve it.")
    }).pipe(Effect.provide(services))
  )

  it.effect("interrupted while somebody is asked: the call was not run, and the log says so", () =>
    Effect.gen(function* () {
      const asking = yield* Deferred.make<void>()
      const ran: Array<string> = []
      const toolkit = yield* watched(ran)
      const approve = () => Effect.andThen(Deferred.succeed(asking, undefined), Effect.never)
      const options = { prompt: "go", toolkit, approve }
      const asks = scripted([calls(["remove", { path: "a" }])])
      const fiber = yield* Effect.forkChild(Effect.provide(AgentLoop.run(options), asks))
      yield* Deferred.await(asking)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(ran, [])
      assert.deepStrictEqual(results(yield* goesOn), ["aborted: The call was interrupted before it was run."])
    }).pipe(Effect.provide(services))
  )
})

describe("AgentLoop.run, bounds", () => {
  it.effect("a result that is too long is logged and sent cut, between characters, with a note", () =>
    Effect.gen(function* () {
      const asked: Array<Prompt.Prompt> = []
      const toolkit = yield* withEcho((text) => Effect.succeed("é".repeat(Number(text))))
      const exact = AgentLoop.defaultMaxResultBytes / 2
      const asks = calls(["echo", { text: `${exact}` }], ["echo", { text: `${exact + 1}` }])
      yield* Effect.provide(AgentLoop.run({ prompt: "go", toolkit }), scripted([asks], asked))
      yield* Effect.provide(
        AgentLoop.run({ prompt: "go", toolkit, maxResultBytes: 1024 }),
        scripted([calls(["echo", { text: "1000" }])])
      )
      const log = yield* goesOn
      const texts = eventsOf(log, "tool/result").map(({ text }) => String(text))
      assert.strictEqual(texts[0], "é".repeat(exact))
      for (const [text, limit, bytes] of [
        [texts[1]!, AgentLoop.defaultMaxResultBytes, exact * 2 + 2],
        [texts[2]!, 1024, 2000]
      ] as const) {
        assert.isAtMost(byteLength(text), limit)
        assert.isAbove(byteLength(text), limit - 16)
        const [, kept, of] = /^é+\n\[The result is cut: these are its first (\d+) of (\d+) bytes\.\]$/.exec(text)!
        assert.strictEqual(Number(of), bytes)
        assert.strictEqual(Number(kept), byteLength(text.slice(0, text.indexOf("\n"))))
      }
      const sent = asked[1]!.content.flatMap((message) => (message.role === "tool" ? message.content : []))
      assert.deepStrictEqual(
        sent.map((part) => ("result" in part ? part.result : undefined)),
        texts.slice(0, 2)
      )
      const refused = yield* Effect.flip(
        Effect.provide(AgentLoop.run({ prompt: "go", maxResultBytes: 10 }), scripted([]))
      )
      assert.strictEqual(refused._tag, "InvalidConfiguration")
    }).pipe(Effect.provide(services))
  )

  it.effect("a second run of a session fails at once, and leaves the first and its log alone", () =>
    Effect.gen(function* () {
      const asking = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<void>()
      const slow = Effect.andThen(
        Deferred.succeed(asking, undefined),
        Effect.andThen(Deferred.await(answer), says("first"))
      )
      const first = yield* Effect.forkChild(Effect.provide(AgentLoop.run({ prompt: "go" }), scripted([slow])))
      yield* Deferred.await(asking)
      const session = yield* Session.Session
      const before = yield* session.log
      const second = Effect.provide(AgentLoop.run({ prompt: "me too" }), scripted([says("second")]))
      const error = yield* Effect.flip(second)
      assert.strictEqual(error._tag, "AlreadyRunning")
      assert.include(error.message, JSON.stringify(session.id))
      assert.deepStrictEqual(yield* session.log, before)
      yield* Deferred.succeed(answer, undefined)
      assert.deepInclude(yield* Fiber.join(first), { stopped: "idle", text: "first" })
      assertValid(yield* session.log)
      yield* goesOn
    }).pipe(Effect.provide(services))
  )
})
