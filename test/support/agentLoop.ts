/** What tests of the agent loop share: scripted models, a session in memory, an echo for a tool, and what a log has to look like. */
import { assert } from "@effect/vitest"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AgentLoop } from "../../src/ai.ts"
import * as ContextSupply from "../../src/ContextSupply.ts"
import * as Inbox from "../../src/Inbox.ts"
import { layerMemory } from "../../src/layers/session/memory.ts"
import * as Session from "../../src/Session.ts"

type Part = Response.PartEncoded
type Reply = Effect.Effect<ReadonlyArray<Part>, AiError.AiError>

export const says = (text: string): Reply => Effect.succeed([{ type: "text", text }])
export const calls = (...params: ReadonlyArray<readonly [string, unknown]>): Reply =>
  Effect.succeed(params.map(([name, params], index) => ({ type: "tool-call", id: `${index}`, name, params })))

/** A model that gives these replies one after the other, and notes what it was asked. */
export const scripted = (replies: ReadonlyArray<Reply>, asked: Array<Prompt.Prompt> = []) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) => {
        asked.push(prompt)
        return Effect.map(replies[asked.length - 1] ?? says("done"), (parts) => [...parts])
      },
      streamText: ({ prompt }) => {
        asked.push(prompt)
        const begun: ReadonlyArray<Response.StreamPartEncoded> = [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "half " }
        ]
        const rest = Stream.unwrap(
          Effect.map(replies[asked.length - 1] ?? says(""), () =>
            Stream.fromIterable<Response.StreamPartEncoded>([
              { type: "text-delta", id: "t", delta: "and half" },
              { type: "text-end", id: "t" }
            ])
          )
        )
        return Stream.concat(Stream.fromIterable(begun), rest)
      }
    })
  )

export const services = ContextSupply.layer.pipe(
  Layer.provideMerge(Inbox.layer),
  Layer.provideMerge(layerMemory({ cwd: "/work" }))
)

const Echo = Tool.make("echo", { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String })
const tools = Toolkit.make(Echo)

export const withEcho = (echo: (text: string) => Effect.Effect<string>) =>
  Effect.provide(tools, tools.toLayer({ echo: ({ text }) => echo(text) }))

export const shout = withEcho((text) => Effect.succeed(text.toUpperCase()))

export const eventsOf = (log: ReadonlyArray<Session.SessionEvent>, type: string) =>
  log.flatMap((event): ReadonlyArray<Readonly<Record<string, unknown>>> => (event.type === type ? [{ ...event }] : []))

/** Turns and steps are nested and closed, every call has one result and every result a call before it. */
export const assertValid = (log: ReadonlyArray<Session.SessionEvent>) => {
  const open: Array<string> = []
  const waiting = new Set<unknown>()
  for (const event of log) {
    if (event.type === "turn/start" || event.type === "step/start") {
      assert.strictEqual(open.length, event.type === "turn/start" ? 0 : 1, `${event.seq}: ${event.type}`)
      open.push(event.type)
    } else if (event.type === "turn/end" || event.type === "step/end") {
      assert.strictEqual(open.pop(), event.type.replace("end", "start"))
    } else if (event.type === "tool/call") {
      assert.isFalse(waiting.has(event["token"]))
      waiting.add(event["token"])
    } else if (event.type === "tool/result") assert.isTrue(waiting.delete(event["token"]), "a result without a call")
  }
  assert.deepStrictEqual(open, [])
  assert.strictEqual(waiting.size, 0)
}

/** After whatever has happened: the log is valid, nothing is claimed for good, and the next prompt is answered. */
export const goesOn = Effect.gen(function* () {
  const session = yield* Session.Session
  const before = yield* session.log
  assertValid(before)
  const asked: Array<Prompt.Prompt> = []
  const result = yield* Effect.provide(AgentLoop.run({ prompt: "again" }), scripted([says("fine")], asked))
  assert.deepStrictEqual(result, { stopped: "idle", steps: 1, text: "fine" })
  assertValid(yield* session.log)
  const roles = asked[0]!.content.map(({ role }) => role)
  for (const [index, role] of roles.entries()) if (role === "tool") assert.strictEqual(roles[index - 1], "assistant")
  return before
})
