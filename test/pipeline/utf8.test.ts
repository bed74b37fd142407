/** Sizes, cuts and decoding. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { byteLength, decodeText, unitsThatFit } from "../../src/pipeline/utf8.ts"
import { textOf, upTo } from "./instructions/generators.ts"

const check = (name: string, body: () => void) => it.effect(name, () => Effect.sync(body))
const decode = (...bytes: ReadonlyArray<number>) => decodeText(Uint8Array.from(bytes))
const text = (text: string, repaired = false) => ({ _tag: "Text", text, repaired }) as const
const binary = { _tag: "Binary" } as const
const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string, order: "le" | "be"): Uint8Array => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le")
  return order === "le" ? bytes : bytes.swap16()
}

describe("decodeText", () => {
  check("[I-11] UTF-8 as it is, line ends included", () => {
    assert.deepStrictEqual(decode(), text(""))
    assert.deepStrictEqual(decodeText(utf8("a\r\nb\rc\n né 😀")), text("a\r\nb\rc\n né 😀"))
  })
  check("[I-11] a byte-order mark is stripped, once, and only in front", () => {
    assert.deepStrictEqual(decode(0xef, 0xbb, 0xbf), text(""))
    assert.deepStrictEqual(decode(0xef, 0xbb, 0xbf, 0x61), text("a"))
    assert.deepStrictEqual(decode(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61, 0xef, 0xbb, 0xbf), text("\ufeffa\ufeff"))
  })
  check("[I-11] invalid UTF-8 becomes U+FFFD and is said to", () => {
    assert.deepStrictEqual(decode(0x61, 0xff, 0x62), text("a\ufffdb", true))
    assert.deepStrictEqual(decode(0xc3), text("\ufffd", true))
    for (const half of [0xfe, 0xff]) {
      assert.deepStrictEqual(decode(half, 0x61), text("\ufffda", true))
      assert.deepStrictEqual(decode(0x61, half), text("a\ufffd", true))
    }
    assert.deepStrictEqual(decode(0xef, 0xbb, 0xbf, 0x80, 0x61), text("\ufffda", true))
    assert.deepStrictEqual(decode(0xed, 0xa0, 0x80), text("\ufffd\ufffd\ufffd", true))
    assert.deepStrictEqual(decodeText(utf8("a\ufffdb")), text("a\ufffdb"), "a real U+FFFD is no repair")
  })
  check("[I-11] UTF-16 with a byte-order mark, in both orders", () => {
    for (const order of ["le", "be"] as const) {
      assert.deepStrictEqual(decodeText(utf16("", order)), text(""))
      assert.deepStrictEqual(decodeText(utf16("né 😀\r\n", order)), text("né 😀\r\n"))
      assert.deepStrictEqual(decodeText(utf16("\ufeffa", order)), text("\ufeffa"))
      assert.deepStrictEqual(decodeText(utf16("a\ud83db", order)), text("a\ufffdb", true))
      assert.deepStrictEqual(
        decodeText(utf16("ab", order).subarray(0, 5)),
        text("a\ufffd", true),
        "an odd number of bytes"
      )
    }
  })
  check("[I-11] NUL makes it binary, in any encoding; so does UTF-16 without its mark", () => {
    assert.deepStrictEqual(decode(0), binary)
    assert.deepStrictEqual(decode(0xef, 0xbb, 0xbf, 0x61, 0), binary)
    assert.deepStrictEqual(decode(0x61, 0, 0xff), binary)
    assert.deepStrictEqual(decodeText(utf16("a\0b", "le")), binary)
    assert.deepStrictEqual(decodeText(utf16("a\0b", "be")), binary)
    assert.deepStrictEqual(decodeText(utf16("ab", "le").subarray(2)), binary)
    assert.deepStrictEqual(decode(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), binary, "UTF-32")
  })
  check("[I-11] a file does not depend on the one decoded before", () => {
    for (const bad of [
      [0xef, 0xbb, 0xbf, 0xc3],
      [0xff, 0xfe, 0, 0xd8],
      [0xfe, 0xff, 0xd8],
      [0xff, 0xfe, 0x61]
    ]) {
      decode(...bad)
      assert.deepStrictEqual(decode(0xef, 0xbb, 0xbf, 0x61), text("a"))
      assert.deepStrictEqual(decodeText(utf16("a", "le")), text("a"))
      assert.deepStrictEqual(decodeText(utf16("a", "be")), text("a"))
    }
  })
  it.effect.prop(
    "[I-11] whatever chunks the bytes arrived in, and wherever they lie in memory",
    {
      content: textOf(["a", "é", "€", "😀", "\ufeff", "\n", "\r\n"], 20),
      order: upTo(2),
      chunk: upTo(6),
      offset: upTo(3)
    },
    ({ content, order, chunk, offset }) =>
      Effect.sync(() => {
        const bytes = order === 0 ? utf8(`\ufeff${content}`) : utf16(content, order === 1 ? "le" : "be")
        const chunks = Array.from({ length: Math.ceil(bytes.length / (chunk + 1)) }, (_, index) =>
          bytes.slice(index * (chunk + 1), (index + 1) * (chunk + 1))
        )
        const joined = Buffer.concat([new Uint8Array(offset), ...chunks]).subarray(offset)
        assert.deepStrictEqual(decodeText(joined), text(content))
      }),
    { arbitrary: { runs: 500 } }
  )
  it.effect.prop(
    "[I-11] any bytes give well-formed text or are binary",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
    ([bytes]) =>
      Effect.sync(() => {
        const decoded = decode(...bytes)
        if (decoded._tag === "Binary") return assert.include(bytes, 0)
        assert.isTrue(decoded.text.isWellFormed())
        assert.notInclude(decoded.text, "\0")
        if (decoded.repaired) assert.include(decoded.text, "\ufffd")
      }),
    { arbitrary: { runs: 1000, size: 12 } }
  )
})

/** The first and last of each size, and what only looks like half of a pair. */
const pieces = [
  "a",
  "\x7f",
  "\x80",
  "\u07ff",
  "\u0800",
  "\uffff",
  "\u{10000}",
  "\u{10ffff}",
  "\ud800",
  "\udbff",
  "\udc00",
  "\udfff"
]

describe("sizes", () => {
  it.effect.prop("[I-60] bytes are those of the encoded text", [textOf(pieces, 12)], ([text]) =>
    Effect.sync(() => assert.strictEqual(byteLength(text), utf8(text).length))
  )
  it.effect.prop(
    "[I-61] as many whole code points as fit",
    { content: textOf(pieces, 8), from: upTo(4), to: upTo(12), bytes: upTo(16) },
    ({ content, from, to, bytes }) =>
      Effect.sync(() => {
        const part = content.slice(from, Math.max(from, to))
        const points = [...part]
        const fitting = points.findLastIndex((_, index) => byteLength(points.slice(0, index + 1).join("")) <= bytes) + 1
        assert.strictEqual(
          unitsThatFit(content, from, from + part.length, bytes),
          points.slice(0, fitting).join("").length
        )
      }),
    { arbitrary: { runs: 1000 } }
  )
  check("[I-61] nothing fits into nothing, or less", () => {
    assert.strictEqual(unitsThatFit("abc", 0, 3, 0), 0)
    assert.strictEqual(unitsThatFit("abc", 0, 3, -5), 0)
  })
})
