/** The loop over scripted models, and what it leaves behind when something goes wrong. */
import { assert, describe, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { AgentLoop } from "../../src/ai.ts"
import * as Inbox from "../../src/Inbox.ts"
import * as Session from "../../src/Session.ts"
import { calls, eventsOf, goesOn, says, scripted, services, shout, withEcho } from "../support/agentLoop.ts"

const broken = AiError.make({
  module: "Test",
  method: "generateText",
  reason: new AiError.UnknownError({ description: "the model is down" })
})

describe("AgentLoop.run", () => {
  it.effect("logs answers, calls and results, and asks again until nothing is left", () =>
    Effect.gen(function* () {
      const asked: Array<Prompt.Prompt> = []
      const options = { prompt: "go", toolkit: yield* shout, system: "be brief" }
      const model = scripted([calls(["echo", { text: "hi" }]), says("HI it is")], asked)
      const result = yield* Effect.provide(AgentLoop.run(options), model)
      assert.deepStrictEqual(result, { stopped: "idle", steps: 2, text: "HI it is" })
      const log = yield* goesOn
      assert.deepStrictEqual(
        eventsOf(log, "tool/result").map(({ outcome, text, token }) => ({ outcome, text, token })),
        [{ outcome: "ok", text: "HI", token: "call-1-1-1" }]
      )
      assert.deepStrictEqual(
        asked[1]!.content.map(({ role }) => role),
        ["system", "user", "assistant", "tool"]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("answers what the user says meanwhile; nothing else that waits makes it begin a step", () =>
    Effect.gen(function* () {
      const inbox = yield* Inbox.Inbox
      const post = (kind: string) =>
        inbox.update(() => [
          undefined,
          [{ type: "inbox/inserted", position: "end", message: { id: kind, text: kind, source: { kind } } }]
        ])
      const say = (kind: string, text: string) => Effect.andThen(Effect.orDie(post(kind)), says(text))
      const model = scripted([say("user", "first"), say("plugin", "second")])
      const result = yield* Effect.provide(AgentLoop.run({ prompt: "go" }), model)
      assert.deepStrictEqual(result, { stopped: "idle", steps: 2, text: "second" })
      assert.deepStrictEqual(
        (yield* inbox.pending).map(({ id }) => id),
        ["plugin"]
      )
      yield* goesOn
    }).pipe(Effect.provide(services))
  )

  it.effect("stops at the bound on steps", () =>
    Effect.gen(function* () {
      const again = calls(["echo", { text: "hi" }])
      const options = { prompt: "go", toolkit: yield* shout, maxSteps: 3 }
      const result = yield* Effect.provide(AgentLoop.run(options), scripted([again, again, again, again]))
      assert.deepInclude(result, { stopped: "maxSteps", steps: 3 })
      yield* goesOn
    }).pipe(Effect.provide(services))
  )

  it.effect("a model that fails: its error, and a log that goes on", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(
        Effect.provide(AgentLoop.run({ prompt: "go" }), scripted([Effect.fail(broken)]))
      )
      assert.strictEqual(failed._tag, "AiError")
      yield* goesOn
    }).pipe(Effect.provide(services))
  )

  for (const stream of [false, true]) {
    it.effect(`a model that hangs${stream ? " in the middle of its stream" : ""}: interrupted by the signal`, () =>
      Effect.gen(function* () {
        const hanging = yield* Deferred.make<void>()
        const controller = new AbortController()
        const hang = Effect.andThen(Deferred.succeed(hanging, undefined), Effect.never)
        const run = AgentLoop.run({ prompt: "go", stream, signal: controller.signal })
        const fiber = yield* Effect.forkChild(Effect.provide(run, scripted([hang])))
        yield* Deferred.await(hanging)
        controller.abort()
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        const log = yield* goesOn
        assert.lengthOf(eventsOf(log, "assistant/message"), 0)
      }).pipe(Effect.provide(services))
    )
  }

  it.effect("a streamed answer is logged whole", () =>
    Effect.gen(function* () {
      const result = yield* Effect.provide(AgentLoop.run({ prompt: "go", stream: true }), scripted([]))
      assert.strictEqual(result.text, "half and half")
      yield* goesOn
    }).pipe(Effect.provide(services))
  )

  it.effect("malformed arguments and unknown tools are errors the model reads", () =>
    Effect.gen(function* () {
      const model = scripted([calls(["echo", { text: 1 }], ["echo", "{oops"], ["rm", {}]), says("sorry")])
      const result = yield* Effect.provide(AgentLoop.run({ prompt: "go", toolkit: yield* shout }), model)
      assert.deepInclude(result, { stopped: "idle", text: "sorry" })
      const results = eventsOf(yield* goesOn, "tool/result")
      assert.deepStrictEqual(
        results.map((event) => event["outcome"]),
        ["error", "error", "error"]
      )
      assert.include(String(results[0]!["text"]), "text")
      assert.strictEqual(results[2]!["text"], 'There is no tool named "rm". There are: echo.')
    }).pipe(Effect.provide(services))
  )

  it.effect("twenty calls at once: each has its result, and no more run than the bound allows", () =>
    Effect.gen(function* () {
      let running = 0
      let most = 0
      const slow = withEcho((text) =>
        Effect.sync(() => (most = Math.max(most, ++running))).pipe(
          Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 5 })),
          Effect.andThen(Effect.sync(() => (running--, text)))
        )
      )
      const many = Array.from({ length: 20 }, (_, index) => ["echo", { text: `${index}` }] as const)
      const options = { prompt: "go", toolkit: yield* slow, toolConcurrency: 4 }
      yield* Effect.provide(AgentLoop.run(options), scripted([calls(...many)]))
      assert.strictEqual(most, 4)
      const results = eventsOf(yield* goesOn, "tool/result")
      assert.deepStrictEqual(new Set(results.map((event) => event["text"])).size, 20)
    }).pipe(Effect.provide(services))
  )

  it.effect("interrupted while tools run: nothing runs on, and each call has a result that says so", () =>
    Effect.gen(function* () {
      const hanging = yield* Deferred.make<void>()
      let ended = 0
      const stuck = withEcho((text) =>
        text === "quick"
          ? Effect.succeed(text)
          : Effect.onInterrupt(Effect.andThen(Deferred.succeed(hanging, undefined), Effect.never), () =>
              Effect.sync(() => void ended++)
            )
      )
      const asks = calls(["echo", { text: "quick" }], ["echo", { text: "stuck" }], ["echo", { text: "never begun" }])
      const options = { prompt: "go", toolkit: yield* stuck, toolConcurrency: 1 }
      const fiber = yield* Effect.forkChild(Effect.provide(AgentLoop.run(options), scripted([asks])))
      yield* Deferred.await(hanging)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(ended, 1)
      assert.deepStrictEqual(
        eventsOf(yield* goesOn, "tool/result").map((event) => event["outcome"]),
        ["ok", "aborted", "aborted"]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("limits that are no whole numbers are refused before anything is asked; none is passed over", () =>
    Effect.gen(function* () {
      const asked: Array<Prompt.Prompt> = []
      const forever = scripted(
        Array.from({ length: 20 }, () => calls(["nobody", {}])),
        asked
      )
      const run = (limits: object) => Effect.provide(AgentLoop.run({ prompt: "go", ...limits }), forever)
      for (const limits of [{ maxSteps: NaN }, { maxSteps: -1 }, { maxSteps: 2.5 }, { toolConcurrency: 0 }]) {
        const error = yield* Effect.flip(run(limits))
        assert.strictEqual(error._tag, "InvalidConfiguration")
        assert.include(error.message, `agentLoop.${Object.keys(limits)[0]}`)
      }
      assert.strictEqual(asked.length, 0)
      assert.strictEqual((yield* run({ maxSteps: 3 })).stopped, "maxSteps")
      assert.strictEqual(asked.length, 3)
    }).pipe(Effect.provide(services))
  )

  it.effect("with nothing to say there is nothing to do", () =>
    Effect.gen(function* () {
      const { steps, stopped } = yield* Effect.provide(AgentLoop.run({ prompt: [] }), scripted([]))
      assert.deepStrictEqual([stopped, steps], ["idle", 0])
      assert.deepStrictEqual(yield* (yield* Session.Session).log, [])
    }).pipe(Effect.provide(services))
  )

  it.effect("a turn that a killed process has left goes on from the log alone", () =>
    Effect.gen(function* () {
      const session = yield* Session.Session
      yield* session.append([
        { type: "turn/start", turn: 1 },
        { type: "step/start", turn: 1, step: 1 },
        { type: "user/message", message: { id: "u1", text: "go", source: { kind: "user" } } },
        { type: "assistant/message", text: "" },
        { type: "tool/call", token: "call-1-1-1", name: "echo", arguments: { text: "x" } }
      ])
      const asked: Array<Prompt.Prompt> = []
      const result = yield* Effect.provide(AgentLoop.run({}), scripted([says("looked")], asked))
      assert.deepStrictEqual(result, { stopped: "idle", steps: 1, text: "looked" })
      assert.deepStrictEqual(
        asked[0]!.content.map(({ role }) => role),
        ["user", "assistant", "tool"]
      )
      const log = yield* goesOn
      assert.lengthOf(eventsOf(log, "turn/start"), 1)
      assert.deepStrictEqual(
        eventsOf(log, "tool/result").map((event) => event["outcome"]),
        ["aborted"]
      )
    }).pipe(Effect.provide(services))
  )
})
