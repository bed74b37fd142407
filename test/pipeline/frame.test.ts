/** What keeps text inside its frame. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { escapedPrefix, escapedSize, escapeText, showPath } from "../../src/pipeline/frame.ts"
import { byteLength } from "../../src/pipeline/utf8.ts"
import { textOf, textPieces, upTo } from "./instructions/generators.ts"
import { closingTags, pathShown, tokens } from "./instructions/reference.ts"

const check = (name: string, body: () => void) => it.effect(name, () => Effect.sync(body))

describe("texts", () => {
  check("[I-24] a closing tag in any spelling", () => {
    assert.strictEqual(escapeText("</system-reminder>"), "<\\/system-reminder>")
    assert.strictEqual(
      escapeText("x</SyStEm-ReMiNdEr \t\r\n\u00a0>y</system-reminder>"),
      "x<\\/system-reminder>y<\\/system-reminder>"
    )
  })
  check("[I-24] nothing else", () => {
    for (const text of [
      "<system-reminder>",
      "</system-reminder",
      "</system-reminder x>",
      "</ system-reminder>",
      "<\\/system-reminder>",
      "</b>"
    ]) {
      assert.strictEqual(escapeText(text), text)
    }
  })
  it.effect.prop(
    "[I-24] escaped text is well-formed, holds no closing tag, and stays so when it is escaped again",
    [textOf(textPieces, 20)],
    ([text]) =>
      Effect.sync(() => {
        const escaped = escapeText(text)
        assert.isTrue(escaped.isWellFormed())
        assert.deepStrictEqual(closingTags(escaped), [])
        assert.strictEqual(escapeText(escaped), escaped)
        assert.strictEqual(escapedSize(text, byteLength(text)), byteLength(escaped))
      }),
    { arbitrary: { runs: 1000, size: 20 } }
  )
})

describe("prefixes", () => {
  it.effect.prop(
    "[I-61] the longest whose escaped form fits, between code points and escapes",
    { text: textOf(textPieces, 12), limit: upTo(120) },
    ({ text, limit }) =>
      Effect.sync(() => {
        const parts = tokens(text)
        const of = (length: number, form: "raw" | "shown") =>
          parts
            .slice(0, length)
            .map((token) => token[form])
            .join("")
        const length = [...parts.keys(), parts.length].findLast((length) => byteLength(of(length, "shown")) <= limit)!
        const escaped = of(length, "shown")
        assert.deepStrictEqual(escapedPrefix(text, limit), {
          escaped,
          bytes: byteLength(escaped),
          original: byteLength(of(length, "raw"))
        })
      }),
    { arbitrary: { runs: 2000, size: 12 } }
  )
  check("[I-61] nothing fits into nothing, or less", () => {
    for (const text of ["", "a", "</system-reminder>"]) {
      for (const limit of [0, -1, -Infinity])
        assert.deepStrictEqual(escapedPrefix(text, limit), { escaped: "", bytes: 0, original: 0 })
    }
  })
})

describe("paths", () => {
  check("[I-24] control characters, line breaks and backslashes as in a JSON string", () => {
    assert.strictEqual(showPath('a\nb\rc\td\be\ff\\g"h'), 'a\\nb\\rc\\td\\be\\ff\\\\g"h')
    assert.strictEqual(
      showPath("\u0000\u001f\u007f\u0085\u009f\u2028\u2029"),
      "\\u0000\\u001f\\u007f\\u0085\\u009f\\u2028\\u2029"
    )
  })
  check("[I-24] names as people write them are left alone", () => {
    for (const path of [
      "packages/app/AGENTS.md",
      "né/日本語/😀 x/'q' \"r\"/<b>/</b>",
      "~/.dsh/AGENTS.md",
      "$DSH_HOME/AGENTS.md"
    ]) {
      assert.strictEqual(showPath(path), path)
    }
  })
  check("[I-24] closing tags, and their beginnings", () => {
    assert.strictEqual(showPath("a</system-reminder>b"), "a<\\/system-reminder>b")
    assert.strictEqual(showPath("a</System-Reminder"), "a<\\/System-Reminder")
    assert.strictEqual(showPath("a</system-reminder\n>"), "a<\\/system-reminder\\n>")
  })
  it.effect.prop(
    "[I-24] one line, well-formed, and never part of a closing tag with what follows",
    [textOf([...textPieces, "\u0085", "\u0000", "\t"], 8)],
    ([path]) =>
      Effect.sync(() => {
        const shown = showPath(path)
        assert.strictEqual(shown, pathShown(path))
        assert.isTrue(shown.isWellFormed())
        // oxlint-disable-next-line no-control-regex
        assert.notMatch(shown, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
        for (const rest of ["", ">", "\n\n>", " >"]) assert.deepStrictEqual(closingTags(shown + rest), [])
      }),
    { arbitrary: { runs: 1000 } }
  )
})
