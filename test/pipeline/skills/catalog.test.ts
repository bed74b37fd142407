/** The catalog, for every list and every budget. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import {
  type CatalogSkill,
  catalogDescription,
  type CatalogStyle,
  renderCatalog
} from "../../../src/pipeline/skills/catalog.ts"
import { escapeText } from "../../../src/pipeline/skills/escape.ts"
import { byteLength } from "../../../src/pipeline/utf8.ts"
import { pick, textOf, upTo } from "../instructions/generators.ts"

const names = (count: number) => Array.from({ length: count }, (_, index) => `skill-${String(index).padStart(4, "0")}`)
const skills = (count: number, description: string): ReadonlyArray<CatalogSkill> =>
  names(count).map((name) => ({ name, description }))
const plenty = 1_000_000

const pieces = [
  "a",
  "bc d",
  " ",
  "\n\n",
  "\t",
  "é",
  "文",
  "😀",
  "👩‍👩‍👧",
  "\ud83d",
  "\0",
  "\u0007",
  "\u0090",
  "&",
  "<",
  ">",
  "'",
  '"',
  "</available_skills>",
  "</system-reminder>",
  "- other: x",
  "… and 3 more; ask by name",
  "Use this when the user asks for it"
]

const lists = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.flatMap(textOf(pieces, 12, 1), (description) =>
      Arbitrary.map(upTo(30), (length) => ({ description: `x${description}`, length }))
    ),
    { minLength: 0, maxLength: 12 }
  ),
  (parts) =>
    parts.map(({ description, length }, index): CatalogSkill => ({
      name: `s${index}-${"n".repeat(length + 1)}`,
      description
    }))
)

const shownLines = (text: string): ReadonlyArray<string> => {
  const [, lines = ""] = /<available_skills>\n([^]*)<\/available_skills>\n<\/system-reminder>$/.exec(text) ?? []
  return lines.split("\n").slice(0, -1)
}

describe("renderCatalog", () => {
  it("[S-40] names and descriptions, and nothing else", () => {
    const { entries, omitted, shortened, text } = renderCatalog(
      [
        { name: "pdf", description: "Reads  <b>PDF</b>\n files & it's good" },
        { name: "zip", description: "Zips" }
      ],
      plenty,
      500,
      "first"
    )
    assert.strictEqual(
      text,
      `<system-reminder>
Skills are instructions for particular kinds of tasks. When a task matches a skill, or the user names one, load it with the \`skill\` tool before you begin and follow it. What is already in the conversation as <skill_content> is loaded.

<available_skills>
- pdf: Reads &lt;b&gt;PDF&lt;/b&gt; files &amp; it's good
- zip: Zips
</available_skills>
</system-reminder>`
    )
    assert.deepStrictEqual(entries, [
      { name: "pdf", description: "Reads <b>PDF</b> files & it's good" },
      { name: "zip", description: "Zips" }
    ])
    assert.deepStrictEqual([shortened, omitted], [0, 0])
  })
  it("[S-42] says that it replaces, and that nothing is left", () => {
    assert.include(renderCatalog(skills(1, "x"), plenty, 500, "update").text, "replaces every earlier one")
    const emptied = renderCatalog([], plenty, 500, "emptied").text
    assert.include(emptied, "No skills are available any more.")
    assert.include(emptied, "<available_skills>\n</available_skills>")
    assert.strictEqual(renderCatalog([], plenty, 500, "update").text, emptied)
    assert.strictEqual(renderCatalog([], plenty, 500, "first").text, "")
  })
  it("[S-40] cuts descriptions at a code point", () => {
    assert.strictEqual(catalogDescription("😀".repeat(500), 500), "😀".repeat(500))
    assert.strictEqual(catalogDescription("😀".repeat(501), 500), `${"😀".repeat(499)}…`)
    assert.strictEqual(catalogDescription("ab cd", 4), "ab…")
    assert.strictEqual(catalogDescription("abcd", 3), "ab…")
    assert.strictEqual(catalogDescription(" a \n\t b\u00a0c ", 500), "a b c")
  })
  it("[S-41] shortens all descriptions evenly first", () => {
    const list = [...skills(50, "d".repeat(400)), { name: "zz", description: "short" }]
    const { entries, omitted, shortened, text } = renderCatalog(list, 8192, 500, "first")
    assert.isAtMost(byteLength(text), 8192)
    assert.isAbove(byteLength(text), 8192 - 60)
    assert.deepStrictEqual([shortened, omitted], [50, 0])
    assert.strictEqual(new Set(entries.slice(0, 50).map(({ description }) => description)).size, 1)
    assert.match(entries[0]!.description, /^d{100,}…$/)
    assert.strictEqual(entries[50]!.description, "short")
  })
  it("[S-41] down to three characters, before any is left out", () => {
    // The entries are the same in every style, so the longest frame counts.
    const whole = Math.max(
      ...(["first", "update"] as const).map((style) =>
        byteLength(renderCatalog(skills(20, "ab…"), plenty, 500, style).text)
      )
    )
    const { entries, shortened } = renderCatalog(skills(20, "abcdefghij"), whole, 500, "first")
    assert.deepStrictEqual(new Set(entries.map(({ description }) => description)), new Set(["ab…"]))
    assert.strictEqual(shortened, 20)
    const less = renderCatalog(skills(20, "abcdefghij"), whole - 1, 500, "first")
    assert.deepStrictEqual(new Set(less.entries.map(({ description }) => description)), new Set([""]))
    assert.strictEqual(less.omitted, 0)
  })
  it("[S-41] then names alone, then as many as fit", () => {
    const names = renderCatalog(skills(200, "does something useful"), 200 * 13 + 400, 500, "first")
    assert.deepStrictEqual([names.shortened, names.omitted], [200, 0])
    assert.deepStrictEqual(names.entries[199], { name: "skill-0199", description: "" })
    assert.include(names.text, "- skill-0199\n")
    const some = renderCatalog(skills(2000, "does something useful"), 8192, 500, "first")
    assert.strictEqual(some.entries.length + some.omitted, 2000)
    assert.include(some.text, `\n… and ${some.omitted} more; ask by name\n`)
    assert.deepStrictEqual(some.entries[0], { name: "skill-0000", description: "" })
    assert.isAbove(byteLength(some.text), 8192 - 20)
  })
  it("[S-41] nothing at all where not even the frame fits", () => {
    for (const budget of [1, 100, 0, -5, Number.NaN]) {
      assert.deepStrictEqual(renderCatalog(skills(3, "x"), budget, 500, "first"), {
        text: "",
        entries: [],
        shortened: 0,
        omitted: 3
      })
    }
  })
  it.effect.prop(
    "[S-41] keeps to every budget, and says what it shows",
    {
      list: lists,
      maxBytes: Arbitrary.flatMap(pick([50, 400, 700, 1500, 5000]), upTo),
      maxLength: Arbitrary.map(upTo(60), (extra) => 3 + extra),
      style: pick(["first", "update", "emptied"] satisfies ReadonlyArray<CatalogStyle>)
    },
    ({ list, maxBytes, maxLength, style }) =>
      Effect.sync(() => {
        const { entries, omitted, shortened, text } = renderCatalog(list, maxBytes, maxLength, style)
        assert.isAtMost(byteLength(text), maxBytes)
        assert.isTrue(text.isWellFormed())
        if (text === "") {
          assert.deepStrictEqual(entries, [])
          return
        }
        assert.strictEqual([...text.matchAll(/<\s*\/\s*(?:system-reminder|available_skills)/gi)].length, 2)
        const more = omitted === 0 ? [] : [`… and ${omitted} more; ask by name`]
        const lines = entries.map(({ description, name }) =>
          description === "" ? `- ${name}` : `- ${name}: ${escapeText(description)}`
        )
        assert.deepStrictEqual(shownLines(text), [...lines, ...more])
        assert.deepStrictEqual(
          entries.map(({ name }) => name),
          list.slice(0, list.length - omitted).map(({ name }) => name)
        )
        const whole = list.map(({ description }) => catalogDescription(description, maxLength))
        assert.strictEqual(entries.filter(({ description }, index) => description !== whole[index]).length, shortened)
        for (const { description } of entries) assert.isAtMost([...description].length, maxLength)
        // Nothing gives way before everything of lower worth has.
        const described = entries.some(({ description }) => description !== "")
        if (omitted > 0) assert.isFalse(described)
        if (shortened > 0 && described) assert.strictEqual(omitted, 0)
        const roomier = renderCatalog(list, maxBytes + 40, maxLength, style)
        assert.isAtMost(roomier.omitted, omitted)
        for (const [index, { description }] of entries.entries()) {
          assert.isAtLeast([...roomier.entries[index]!.description].length, [...description].length - 3)
        }
      }),
    { arbitrary: { runs: 3000 } }
  )
})
