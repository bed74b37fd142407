/** The budget rules, for every list of sections and every budget. */
import { assert, describe, it } from "@effect/vitest"
import type { Arbitrary } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import {
  type FileSection,
  render,
  type Rendered,
  type Section,
  type Style
} from "../../../src/pipeline/instructions/render.ts"
import { type Case, cases, cutCases, sections, styles, textOf, textPieces } from "./generators.ts"
import * as Reference from "./reference.ts"

const { bytesOf } = Reference

/** Registers a property of `render` over cases. */
const property = (
  name: string,
  given: Arbitrary<Case>,
  options: { runs: number; size?: number },
  check: (given: Case) => void
) => it.effect.prop(name, { given }, ({ given }) => Effect.sync(() => check(given)), { arbitrary: options })

const short = sections(textOf(textPieces, 14), { minLength: 1, maxLength: 5 })
const long = cases(sections(textOf([...textPieces, "some more words\n", "né ".repeat(30)], 60), { maxLength: 30 }))

describe("render, against every possible message", () => {
  const asExpected = ({ list, maxBytes, style }: Case) => {
    const { sizes: _, ...rendered } = render(list, maxBytes, style)
    assert.deepStrictEqual(rendered, Reference.expected(list, maxBytes, style))
  }
  property(
    "[I-61] [I-62] removals, then the most specific files: the first message in order of preference that fits",
    cases(short),
    { runs: 4000 },
    asExpected
  )
  property(
    "[I-61] only the most specific file is cut, to the longest prefix that fits, and what is left goes to broader ones",
    cutCases,
    { runs: 1000 },
    asExpected
  )
})

/** What the message says of each section, read back from it. Fails unless that accounts for every byte of it. */
const readBack = (
  list: ReadonlyArray<Section>,
  maxBytes: number,
  style: Style,
  rendered: Rendered
): Reference.Possible => {
  const { text, sizes, shown, omitted, truncated } = rendered
  const files = Reference.bySpecificity(list, Reference.isFile)
  assert.isAtMost(truncated.length, 1)
  const [lost] = truncated
  const kept = new Set<number>(
    [...sizes.keys()].filter((index) => sizes[index]! > 0 && !(lost !== undefined && index === files[0]))
  )
  const cutAt = (file: FileSection, to: number) => {
    const length = Reference.tokens(file.text!).findIndex((_, index) => Reference.rawBytes(file.text!, index) === to)
    assert.isAbove(length, 0, "cut between code points and escapes, leaving some text and not all of it")
    return length
  }
  const cut = lost && { index: files[0]!, length: cutAt(list[files[0]!] as FileSection, lost.to) }
  const notice = /^<system-reminder>\n(Workspace instruction budget .*\n\n)?/.exec(text)![1] ?? ""
  const possible = (detail: Reference.Detail): Reference.Possible => ({ detail, kept, ...(cut && { cut }) })
  const detail = (["full", "counts", "none"] as const).find(
    (detail) => notice === Reference.noticeOf(list, maxBytes, possible(detail))
  )
  assert.isDefined(detail, `the notice is true: ${notice}`)
  const found = possible(detail!)
  const intro = kept.size === 0 && cut === undefined && style === "baseline" ? "" : Reference.introOf(list, style)
  assert.strictEqual(text, Reference.write(list, maxBytes, style, found, intro))
  assert.deepStrictEqual({ ...rendered, sizes: 0 }, { ...Reference.outcome(list, text, found), sizes: 0 })
  for (const [index, section] of list.entries()) {
    const length = cut?.index === index ? cut.length : kept.has(index) ? Infinity : undefined
    assert.strictEqual(sizes[index], length === undefined ? 0 : bytesOf(Reference.blockOf(section, style, length)))
    assert.strictEqual(shown.has(index), length !== undefined && section.kind !== "held")
  }
  for (const { path, bytes } of omitted)
    assert.isTrue(list.some((section) => section.path === path && "bytes" in section && section.bytes === bytes))
  return found
}

const holds = ({ list, maxBytes, style }: Case): { rendered: Rendered; found: Reference.Possible | undefined } => {
  const rendered = render(list, maxBytes, style)
  const { text, bytes, sizes } = rendered
  assert.strictEqual(bytes, bytesOf(text))
  if (text === "") {
    assert.deepStrictEqual(rendered, {
      text: "",
      bytes: 0,
      shown: new Set<number>(),
      omitted: [],
      truncated: [],
      sizes: list.map(() => 0)
    })
    return { rendered, found: undefined }
  }
  assert.isTrue(bytes <= maxBytes && Number.isFinite(maxBytes), "within the budget")
  assert.isTrue(text.isWellFormed(), "no lone surrogates")
  assert.isTrue(text.startsWith("<system-reminder>\n") && text.endsWith("</system-reminder>"), "framed")
  assert.deepStrictEqual(Reference.closingTags(text), ["</system-reminder>"])
  assert.strictEqual(sizes.length, list.length)
  return { rendered, found: readBack(list, maxBytes, style, rendered) }
}

describe("render, whatever the sections and the budget", () => {
  property(
    "[I-60] [I-24] within the budget, framed once, well-formed, and accounting for every byte",
    long,
    { runs: 1500, size: 40 },
    holds
  )

  it.effect.prop(
    "[I-60] [I-62] for every budget from 0 to beyond the total",
    { list: sections(textOf(textPieces, 14), { maxLength: 5 }), style: styles },
    ({ list, style }) =>
      Effect.sync(() => {
        const total = bytesOf(Reference.writeAll(list, style))
        const unread = list.some((section) => !Reference.readable(section))
        const says = style !== "dynamic" || list.some(({ kind }) => kind !== "held")
        for (let maxBytes = 0; maxBytes < total + 3; maxBytes++) {
          const { rendered } = holds({ list, style, maxBytes })
          if (unread || !says || list.length === 0) continue
          const everything = rendered.sizes.every((size) => size > 0) && rendered.truncated.length === 0
          assert.strictEqual(everything, maxBytes >= total)
        }
      }),
    { arbitrary: { runs: 25 } }
  )

  property("[I-61] a longer cut would not fit, nor would an omitted file", long, { runs: 1000, size: 40 }, (given) => {
    const { list, maxBytes, style } = given
    const { rendered, found } = holds(given)
    if (found === undefined || (found.kept.size === 0 && found.cut === undefined)) return
    const files = Reference.bySpecificity(list, Reference.isFile)
    const rank = (index: number) => files.indexOf(index)
    const overflows = (possible: Reference.Possible) =>
      bytesOf(Reference.write(list, maxBytes, style, possible)) > maxBytes
    /** All lines that are there, and the files more specific than `index`. */
    const before = (index: number) => [...found.kept].filter((other) => rank(other) < rank(index))
    if (found.cut !== undefined) {
      const { index, length } = found.cut
      assert.strictEqual(index, files[0], "the most specific one")
      assert.isTrue(
        overflows({ detail: found.detail, kept: new Set(before(index)), cut: { index, length: length + 1 } })
      )
    }
    for (const index of files) {
      if (rendered.sizes[index]! > 0 || !Reference.readable(list[index]!)) continue
      const { cut, detail } = found
      assert.isTrue(overflows({ detail, kept: new Set([...before(index), index]), ...(cut && { cut }) }))
    }
  })

  property(
    "[I-63] the same input gives the same message, and is left alone",
    long,
    { runs: 300, size: 40 },
    ({ list, maxBytes, style }) => {
      const frozen = Object.freeze(
        list.map((section) => Object.freeze({ ...section, scope: Object.freeze({ ...section.scope }) }))
      )
      assert.deepStrictEqual(render(frozen, maxBytes, style), render(list, maxBytes, style))
    }
  )
})
