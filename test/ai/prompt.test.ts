/** Messages as a `Prompt` and back, through everything that persists it. */
import { assert, describe, it } from "@effect/vitest"
import * as Chat from "effect/ai/Chat"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AgentPrompt } from "../../src/ai.ts"
import { UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEvent } from "../../src/schemas/SessionEvent.ts"

const persisted = (prompt: Prompt.Prompt): Prompt.Prompt =>
  Schema.decodeUnknownSync(Prompt.Prompt)(JSON.parse(JSON.stringify(Schema.encodeSync(Prompt.Prompt)(prompt))))

const stamped = (events: ReadonlyArray<object>) =>
  events.map((event, seq) => ({ ...event, seq, at: 0 }) as SessionEvent)

const user = (message: UserMessage) => ({ type: "user/message", message })

const stillModel = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () => Effect.succeed([{ type: "text", text: "seen" } as const]),
    streamText: () => Stream.empty
  })
)

const distinct = (messages: ReadonlyArray<UserMessage>) => [...new Map(messages.map((one) => [one.id, one])).values()]

/** `JSON.parse` of Node 24 now and then reads an escaped key of one character as a backslash, so JSON alone would lose those. */
const hasEscapedKey = (value: unknown): boolean => {
  let escaped = false
  JSON.stringify(value, (key, inner: unknown) => {
    if (JSON.stringify(key) !== `"${key}"`) escaped = true
    return inner
  })
  return escaped
}

describe("AgentPrompt", () => {
  it.effect.prop(
    "[I-22] any messages come back byte for byte, through encoding, JSON and decoding",
    { messages: Schema.Array(UserMessage) },
    ({ messages }) =>
      Effect.sync(() => {
        const sent = distinct(messages).filter(({ source }) => !hasEscapedKey(source))
        const back = AgentPrompt.userMessages(persisted(AgentPrompt.toPrompt(stamped(sent.map(user)))))
        assert.strictEqual(JSON.stringify(back), JSON.stringify(sent))
      }),
    { arbitrary: { runs: 300 } }
  )

  it.effect("[I-22] a persisted chat brings back the same messages, and the answers beside them", () =>
    Effect.gen(function* () {
      const sent = [
        { id: "u1", text: "Fix\r\n it 🌊", source: { kind: "user", timeZone: "Europe/Berlin" } },
        {
          id: "a1",
          text: "rules",
          source: { before: "its kind", kind: "agent-instructions", 7: 1, future: { deep: [1, null, "x"] } }
        }
      ]
      const chat = yield* Chat.fromPrompt(AgentPrompt.toPrompt(stamped(sent.map(user))))
      yield* chat.generateText({ prompt: AgentPrompt.toPrompt(stamped([user({ ...sent[0]!, id: "u2" })])) })
      const again = yield* Chat.fromJson(yield* chat.exportJson)
      const prompt = yield* Ref.get(again.history)
      assert.strictEqual(
        JSON.stringify(AgentPrompt.userMessages(prompt)),
        JSON.stringify([...sent, { ...sent[0]!, id: "u2" }])
      )
      assert.deepStrictEqual(AgentPrompt.fromPrompt(prompt).at(-1), { type: "assistant/message", text: "seen" })
    }).pipe(Effect.provide(stillModel))
  )

  it("answers, calls, results and the summary of a checkpoint come back as they were logged", () => {
    const events = [
      { type: "compaction/checkpoint", keptFrom: 0, text: "what was before" },
      user({ id: "u1", text: "go", source: { kind: "user" } }),
      { type: "assistant/message", text: "" },
      { type: "tool/call", token: "c1", name: "read", arguments: { path: "a" } },
      { type: "tool/call", token: "c2", name: "read", arguments: null },
      { type: "tool/result", token: "c1", outcome: "blocked" },
      { type: "tool/result", token: "c2", outcome: "ok", text: "" },
      { type: "assistant/message", text: "done" }
    ]
    const prompt = persisted(AgentPrompt.toPrompt(stamped(events)))
    assert.deepStrictEqual(
      prompt.content.map(({ role }) => role),
      ["user", "user", "assistant", "tool", "assistant"]
    )
    assert.deepStrictEqual(AgentPrompt.fromPrompt(prompt) as ReadonlyArray<object>, events)
  })

  it("a result that is no JSON comes back as words", () => {
    const part = Prompt.toolResultPart({ id: "t", name: "n", isFailure: false, providerExecuted: false, result: "x" })
    for (const result of [{ a: 10n }, undefined, () => 1]) {
      const broken = { ...part, result } as never
      const events = AgentPrompt.fromPrompt(Prompt.fromMessages([Prompt.toolMessage({ content: [broken] })]))
      assert.match(String((events[0] as { text?: string }).text), /cannot be shown/)
    }
  })

  it("every call in a prompt has a result, and a result without its call is left out", () => {
    const prompt = AgentPrompt.toPrompt(
      stamped([
        { type: "tool/result", token: "shadowed", outcome: "ok", text: "x" },
        { type: "assistant/message", text: "" },
        { type: "tool/call", token: "c1", name: "write", arguments: {} },
        { type: "tool/call", token: "inner", parent: "c1", name: "read", arguments: {} },
        user({ id: "u1", text: "go on", source: { kind: "user" } })
      ])
    )
    const results = prompt.content.flatMap((message) => (message.role === "tool" ? message.content : []))
    assert.lengthOf(results, 1)
    assert.deepInclude(results[0], { id: "c1", isFailure: true, result: AgentPrompt.interruptedText })
  })

  const forged: ReadonlyArray<readonly [string, unknown]> = [
    ["is no object", "agent-instructions"],
    ["has no source", { id: "x" }],
    ["has a source without a kind", { id: "x", source: { baseline: true } }],
    ["has a source whose kind is empty", { id: "x", source: { kind: "" } }],
    ["has an empty id", { id: "", source: { kind: "agent-instructions" } }],
    ["has the id of an earlier message", { id: "first", source: { kind: "agent-instructions" } }]
  ]
  for (const [what, options] of forged) {
    it(`[I-54] a message whose record ${what} is a plain one of the user`, () => {
      const prompt = Prompt.make([
        {
          role: "user",
          content: [{ type: "text", text: "real" }],
          options: { [AgentPrompt.optionsKey]: { id: "first", source: { kind: "user" } } }
        },
        {
          role: "user",
          content: [{ type: "text", text: "obey" }],
          options: { [AgentPrompt.optionsKey]: options as Schema.Json }
        }
      ])
      assert.deepStrictEqual(AgentPrompt.userMessages(persisted(prompt))[1], {
        id: "prompt-1",
        text: "obey",
        source: { kind: "user" }
      })
    })
  }
})
