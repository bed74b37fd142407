import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeSessionEvent, decodeSessionEventInput } from "../../src/schemas/SessionEvent.ts"

const message = { id: "m", text: "hi", source: { kind: "user" } }
const accepted = (input: unknown): unknown => Result.getOrThrow(decodeSessionEventInput(input))
const refused = (input: unknown) => {
  const result = decodeSessionEventInput(input)
  assert.isTrue(Result.isFailure(result), `accepted ${String(input)}`)
  return Result.isFailure(result) ? result.failure : assert.fail()
}
const nested = (levels: number): unknown => (levels === 0 ? "end" : [nested(levels - 1)])

describe("decodeSessionEventInput", () => {
  it("checks known types by their schema and says what is wrong", () => {
    assert.deepStrictEqual(accepted({ type: "turn/start" }), { type: "turn/start" })
    assert.deepStrictEqual(accepted({ type: "turn/start", turn: 3 }), { type: "turn/start", turn: 3 })
    assert.match(refused({ type: "turn/start", turn: -1 }).detail, /turn/)
    assert.match(refused({ type: "user/message" }).detail, /message/)
    assert.match(refused({ type: "user/message", message: { ...message, id: "" } }).detail, /id/)
    assert.match(refused({ type: "tool/result", token: "t", outcome: "fine" }).detail, /outcome/)
    assert.strictEqual(refused({ type: "inbox/claimed", ids: "a" }).type, "inbox/claimed")
  })

  it("keeps what a known type's schema does not name, and unknown types whole", () => {
    const known = { type: "user/message", message: { ...message, extra: [1] }, further: { a: null } }
    assert.deepStrictEqual(accepted(known), known)
    const unknown = { type: "acme:thing", deep: [{ a: [true, null, 1.5, "x"] }], message: 3 }
    assert.deepStrictEqual(accepted(unknown), unknown)
    assert.deepStrictEqual(accepted({ type: "turn/abort", turn: -1 }), { type: "turn/abort", turn: -1 })
  })

  it("refuses whatever JSON cannot carry, in known and in unknown types, and says where it is", () => {
    const cycle: Record<string, unknown> = {}
    cycle["again"] = { cycle }
    const impossible = [
      undefined,
      () => 1,
      Symbol("s"),
      1n,
      Number.NaN,
      Infinity,
      new Date(0),
      new Map(),
      new Uint8Array(1),
      cycle
    ]
    for (const value of [...impossible, Array(1), Object.create({ inherited: 1 })]) {
      assert.match(refused({ type: "acme:thing", deep: [0, { value }] }).detail, /deep\[1\]\.value|levels deep/)
      refused({ type: "tool/call", token: "t", name: "n", arguments: { value } })
      refused({ type: "turn/start", further: value })
    }
    refused({ type: "acme:thing", value: nested(5_000) })
    refused({
      type: "acme:thing",
      get value() {
        throw new Error("no")
      }
    })
  })

  it("refuses what is no event", () => {
    for (const value of [null, undefined, 1, "turn/start", [], ["type"], {}, { type: "" }, { type: 1 }, new Error("x")])
      refused(value)
  })

  it("copies: whoever appended an event cannot change it afterwards", () => {
    const source = { type: "user/message", message: { ...message, source: { kind: "user", list: [1] } } }
    const decoded = accepted(source)
    source.message.source.list.push(2)
    assert.deepStrictEqual(decoded, {
      type: "user/message",
      message: { ...message, source: { kind: "user", list: [1] } }
    })
  })

  it("leaves the stamp to the log", () => {
    assert.deepStrictEqual(accepted({ seq: 9, at: 9, type: "turn/end" }), { type: "turn/end" })
  })

  it.effect.prop(
    "what is accepted is what JSON gives back",
    { fields: Schema.Record(Schema.String, Schema.Json) },
    ({ fields }) =>
      Effect.sync(() => {
        const { at: _at, seq: _seq, ...rest } = fields
        const decoded = accepted({ ...rest, type: "acme:thing" })
        assert.deepStrictEqual(JSON.parse(JSON.stringify(decoded)), decoded)
        assert.deepStrictEqual(decoded, JSON.parse(JSON.stringify({ ...rest, type: "acme:thing" })))
      }),
    { arbitrary: { runs: 300 } }
  )

  it("carries the keys and numbers that are easily lost", () => {
    const input = JSON.parse('{"type":"acme:thing","__proto__":{"a":1},"n":-0,"s":"\\ud800"}') as unknown
    assert.strictEqual(JSON.stringify(accepted(input)), '{"type":"acme:thing","__proto__":{"a":1},"n":0,"s":"\\ud800"}')
    assert.strictEqual(Object.getPrototypeOf(accepted(input)), Object.prototype)
  })
})

describe("decodeSessionEvent", () => {
  it("wants the stamp too", () => {
    const stamped = { seq: 0, at: 1, type: "turn/start" }
    assert.deepStrictEqual(Result.getOrThrow(decodeSessionEvent(stamped)), stamped as never)
    for (const wrong of [{ seq: -1 }, { seq: 1.5 }, { seq: "0" }, { seq: undefined }, { at: "1" }, { at: null }]) {
      assert.isTrue(Result.isFailure(decodeSessionEvent({ ...stamped, ...wrong })))
    }
  })
})
