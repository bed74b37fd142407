/** Which sessions a message refers to. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { citationsOf } from "../../../src/pipeline/sessions/citations.ts"
import { formatUri } from "../../../src/pipeline/sessions/uri.ts"

const [a, b, c] = [formatUri("a"), formatUri("b"), formatUri("c")]
const cited = (text: string, references?: Schema.Json, kind = "user") =>
  citationsOf(
    { id: "1", text, source: { kind, ...(references === undefined ? {} : { references }) } },
    { self: "self", maxReferences: 3 }
  )
const tag = (result: ReturnType<typeof cited>) => (Result.isFailure(result) ? result.failure._tag : "none")

describe("the sessions a message refers to", () => {
  it("[R-3] come in the order of their first mention, each once", () => {
    assert.deepStrictEqual(
      cited(`${b} @[A](${a}) @[B](${b}) ${a} ${a} ${a}`),
      Result.succeed([{ sessionId: "b" }, { sessionId: "a", label: "A" }])
    )
  })
  it("[R-1] may be named in its source, as id or as URI", () => {
    assert.deepStrictEqual(
      cited(`see ${b}`, [{ sessionId: "a", label: "A" }, { uri: c, label: "C" }, b, { sessionId: "b" }]),
      Result.succeed([{ sessionId: "b" }, { sessionId: "a", label: "A" }, { sessionId: "c", label: "C" }])
    )
    assert.deepStrictEqual(cited("nothing", []), Result.succeed([]))
  })
  for (const references of [
    "a",
    {},
    null,
    [1],
    [null],
    [{}],
    [{ sessionId: "" }],
    [{ uri: "a" }],
    [{ uri: `${a}==` }],
    ["a"],
    [{ sessionId: "a", label: 1 }]
  ] as const) {
    it(`[R-1] [R-7] are not ${JSON.stringify(references)}`, () =>
      assert.strictEqual(tag(cited("text", references)), references === null ? "none" : "InvalidSessionReference"))
  }
  it("[R-3] [R-7] are other sessions, and not too many", () => {
    assert.strictEqual(tag(cited(`${a} ${formatUri("self")}`)), "SelfSessionReference")
    assert.strictEqual(tag(cited("", [{ sessionId: "self" }])), "SelfSessionReference")
    assert.strictEqual(tag(cited(`${a} ${b}`, [c, a])), "none")
    assert.strictEqual(tag(cited(`${a} ${b} ${c}`, [{ sessionId: "d" }])), "TooManySessionReferences")
    assert.strictEqual(tag(cited("@[x](dsh-session:!!)")), "InvalidSessionReference")
  })
  it("[R-3] are named by users alone", () => {
    assert.deepStrictEqual(cited(`${a} dsh-session:bad`, [1], "note"), Result.succeed([]))
  })
})
