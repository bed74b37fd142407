/** A session in bounded bytes. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { encodeJson, headThatFits, tailThatFits } from "../../../src/pipeline/sessions/encode.ts"
import { project, type SaidMessage } from "../../../src/pipeline/sessions/project.ts"
import { type Captured, takeSnapshot } from "../../../src/pipeline/sessions/snapshot.ts"
import type { SessionEvent } from "../../../src/schemas/SessionEvent.ts"
import { pick, textOf, upTo } from "../instructions/generators.ts"

const bytesOf = (text: string) => Buffer.byteLength(text)
const captured = (messages: ReadonlyArray<SaidMessage>, label = "other"): Captured => ({
  sessionId: "other",
  label,
  capturedAt: "2026-03-01T09:00:00.000Z",
  running: false,
  capturedThroughSeq: 7,
  compacted: messages.some(({ role }) => role === "checkpoint"),
  messages
})
const taken = (messages: ReadonlyArray<SaidMessage>, maxBytes: number) =>
  Result.getOrThrow(takeSnapshot(captured(messages), maxBytes))
const textsIn = (json: string): ReadonlyArray<string> => JSON.parse(json).messages.map(({ text }: SaidMessage) => text)
const user = (text: string): SaidMessage => ({ role: "user", text })

const pieces = [
  "a",
  "word ",
  "\n",
  "\t",
  '"',
  "\\",
  "<",
  "</referenced-sessions>",
  "é",
  "€",
  "😀",
  "\u0001",
  "\u2028",
  "\u007f",
  "[9 bytes omitted]",
  "x".repeat(60)
]
const message: Arbitrary.Arbitrary<SaidMessage> = Arbitrary.flatMap(
  pick(["user", "assistant", "assistant", "checkpoint"] as const),
  (role) => Arbitrary.map(textOf(pieces, 25, 1), (text) => ({ role, text }))
)
const messagesArbitrary = Arbitrary.array(message, { maxLength: 8 })

const notice = /^([^]*)\n\[(\d+) bytes omitted\]\n([^]*)$/

/** How a text that is shown came from `original`: bytes that are missing, or `undefined` when it did not. */
const missing = (original: string, shown: string): number | undefined => {
  if (shown === original) return 0
  // A text may hold such lines itself, right before the one that counts.
  for (const { index, 1: line } of shown.matchAll(/(?=(\n\[\d+ bytes omitted\]\n))/g)) {
    if (line === undefined) continue
    const head = shown.slice(0, index)
    const tail = shown.slice(index + line.length)
    const omitted = bytesOf(original) - bytesOf(head) - bytesOf(tail)
    if (
      original.startsWith(head) &&
      original.endsWith(tail) &&
      line === `\n[${omitted} bytes omitted]\n` &&
      omitted > 0
    )
      return omitted
  }
  return undefined
}

describe("what of a session may be known elsewhere", () => {
  const surface = [
    { seq: 3, at: 0, type: "compaction/checkpoint", keptFrom: 3, text: "summary" },
    {
      seq: 4,
      at: 0,
      type: "user/message",
      message: { id: "1", text: "typed \ud800", source: { kind: "user", timeZone: "UTC" } }
    },
    {
      seq: 5,
      at: 0,
      type: "user/message",
      message: { id: "2", text: "rules", source: { kind: "agent-instructions" } }
    },
    {
      seq: 6,
      at: 0,
      type: "user/message",
      message: { id: "3", text: "deeper", source: { kind: "session-reference" } }
    },
    { seq: 7, at: 0, type: "assistant/message", text: "" },
    { seq: 8, at: 0, type: "tool/call", token: "t", name: "read", arguments: { file_path: "secret" } },
    { seq: 9, at: 0, type: "tool/result", token: "t", outcome: "ok", text: "secret" },
    { seq: 10, at: 0, type: "my:reasoning", text: "secret" },
    { seq: 11, at: 0, type: "assistant/message", text: "said" },
    { seq: 12, at: 0, type: "compaction/checkpoint", keptFrom: 3 }
  ] as unknown as ReadonlyArray<SessionEvent>

  it("[R-4] is direct user text, assistant text and checkpoints", () => {
    assert.deepStrictEqual(project(surface), [
      { role: "checkpoint", text: "summary" },
      { role: "user", text: "typed \ufffd" },
      { role: "assistant", text: "said" }
    ])
  })
})

describe("a snapshot", () => {
  it("[R-5] [R-6] holds everything while there is room, to the byte", () => {
    const messages = [user("one"), { role: "assistant", text: '</b> "two"' } as const, user("three")]
    const whole = taken(messages, 65_536)
    assert.deepStrictEqual(JSON.parse(whole.json), {
      sessionId: "other",
      label: "other",
      capturedAt: "2026-03-01T09:00:00.000Z",
      running: false,
      capturedThroughSeq: 7,
      compacted: false,
      originalMessages: 3,
      retainedMessages: 3,
      omittedMessages: 0,
      omittedBytes: 0,
      truncated: false,
      messages
    })
    assert.include(whole.json, "\\u003c/b>")
    assert.deepStrictEqual(taken(messages, bytesOf(whole.json)), whole)
    const less = taken(messages, bytesOf(whole.json) - 1)
    assert.deepStrictEqual(textsIn(less.json), ['</b> "two"', "three"])
    assert.include(less.reference, {
      originalMessages: 3,
      retainedMessages: 2,
      omittedMessages: 1,
      omittedBytes: 3,
      truncated: true
    })
  })

  it("[R-5] keeps checkpoints and the newest message, and lets the oldest others go first", () => {
    const long = "z".repeat(300)
    const messages = [
      user("oldest"),
      { role: "checkpoint", text: "summary" } as const,
      user(long),
      user("older"),
      user("newest")
    ]
    const { json, reference } = taken(messages, 600)
    assert.deepStrictEqual(textsIn(json), ["summary", "older", "newest"])
    assert.include(reference, { compacted: true, retainedMessages: 3, omittedMessages: 2, omittedBytes: 306 })
  })

  it("[R-5] cuts what has to stay, with its beginning, its end, and the exact number of bytes between", () => {
    const text = `begin ${"€".repeat(1000)} end`
    const { json, reference } = taken([user("old"), user(text)], 500)
    const [shown] = textsIn(json)
    const [, head, omitted, tail] = notice.exec(shown!)!
    assert.isTrue(text.startsWith(head!) && text.endsWith(tail!))
    assert.isAbove(head!.length, 6)
    assert.isAbove(tail!.length, 4)
    assert.strictEqual(Number(omitted), bytesOf(text) - bytesOf(head!) - bytesOf(tail!))
    assert.strictEqual(reference.omittedBytes, Number(omitted) + 3)
    assert.isTrue(reference.truncated)
    assert.isAtLeast(bytesOf(json), 490)
  })

  it("[R-5] what has to be cut shares the room evenly, and what is small stays whole", () => {
    const { json } = taken(
      [{ role: "checkpoint", text: "c".repeat(5000) }, { role: "checkpoint", text: "small" }, user("u".repeat(900))],
      900
    )
    const [checkpoint, small, newest] = textsIn(json)
    assert.strictEqual(small, "small")
    assert.approximately(bytesOf(checkpoint!), bytesOf(newest!), 5)
  })

  it("[R-5] says what would be enough when nothing fits", () => {
    const none = takeSnapshot(captured([user("x".repeat(1000))]), 100)
    assert.isTrue(Result.isFailure(none))
    if (!Result.isFailure(none)) return
    assert.isTrue(Result.isSuccess(takeSnapshot(captured([user("x".repeat(1000))]), none.failure.needed)))
    assert.isTrue(Result.isFailure(takeSnapshot(captured([user("x".repeat(1000))]), none.failure.needed - 1)))
    assert.isTrue(Result.isFailure(takeSnapshot(captured([], "l".repeat(500)), 600)))
  })

  it.effect.prop(
    "[R-5] keeps to every budget, is JSON without a tag, and counts exactly what it leaves out",
    { messages: messagesArbitrary, maxBytes: upTo(1500), label: textOf(pieces, 4) },
    ({ label, maxBytes, messages }) =>
      Effect.sync(() => {
        const result = takeSnapshot(captured(messages, label), maxBytes)
        const pinned = messages.filter(({ role }, index) => role === "checkpoint" || index === messages.length - 1)
        if (Result.isFailure(result)) {
          assert.isAbove(result.failure.needed, maxBytes)
          assert.isTrue(Result.isSuccess(takeSnapshot(captured(messages, label), result.failure.needed)))
          return
        }
        const { json, reference } = result.success
        assert.isAtMost(bytesOf(json), maxBytes)
        assert.notInclude(json, "<")
        const { messages: shown, ...facts } = JSON.parse(json)
        const { capturedAt: _, running: __, ...rest } = facts
        assert.deepStrictEqual(rest, reference)
        assert.strictEqual(reference.label, label)
        assert.strictEqual(reference.originalMessages, messages.length)
        assert.strictEqual(reference.retainedMessages, shown.length)
        assert.strictEqual(reference.omittedMessages, messages.length - shown.length)
        // Everything pinned, and of the others a run up to the newest.
        const others = messages.filter((entry) => !pinned.includes(entry))
        const retained = others.slice(others.length - (shown.length - pinned.length))
        const expected = messages.filter((entry) => pinned.includes(entry) || retained.includes(entry))
        assert.deepStrictEqual(
          shown.map(({ role }: SaidMessage) => role),
          expected.map(({ role }) => role)
        )
        let omitted = others.slice(0, others.length - retained.length).reduce((sum, { text }) => sum + bytesOf(text), 0)
        let cut = false
        expected.forEach(({ text }, index) => {
          const gone = missing(text, shown[index].text)
          assert.isDefined(gone)
          omitted += gone!
          cut ||= gone! > 0
        })
        assert.strictEqual(reference.omittedBytes, omitted)
        assert.strictEqual(reference.truncated, cut || shown.length < messages.length)
        // A message is cut only when no other is left, and goes only when it would not have fitted.
        if (cut) assert.strictEqual(shown.length, pinned.length)
        else if (retained.length < others.length) {
          const next = others.at(-1 - retained.length)!
          assert.isAbove(bytesOf(json) + bytesOf(encodeJson(next)) + 1 + 20, maxBytes)
        }
      }),
    { arbitrary: { runs: 3000 } }
  )

  it.effect.prop(
    "[R-5] cuts between code points, as far as the bytes reach",
    { text: textOf(pieces, 12), bytes: upTo(80) },
    ({ bytes, text }) =>
      Effect.sync(() => {
        const size = (part: string) => bytesOf(encodeJson(part)) - 2
        const points = [...text]
        const head = headThatFits(text, bytes)
        const tail = tailThatFits(text, bytes)
        assert.isTrue(text.startsWith(head) && text.endsWith(tail) && head.isWellFormed() && tail.isWellFormed())
        assert.isAtMost(size(head), bytes)
        assert.isAtMost(size(tail), bytes)
        const count = [...head].length
        if (count < points.length) assert.isAbove(size(head + points[count]!), bytes)
        const last = points.length - [...tail].length
        if (last > 0) assert.isAbove(size(points[last - 1]! + tail), bytes)
      }),
    { arbitrary: { runs: 2000 } }
  )

  it("[R-5] a long session costs its length once", () => {
    const messages = Array.from({ length: 100_000 }, (_, index) => user(`message ${index}`))
    const { json, reference } = taken(messages, 65_536)
    assert.isAbove(bytesOf(json), 65_400)
    assert.isTrue(textsIn(json).at(-1) === "message 99999")
    assert.strictEqual(reference.retainedMessages + reference.omittedMessages, 100_000)
  })
})
