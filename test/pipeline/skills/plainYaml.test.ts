/** The short way through a frontmatter and the library read the same, or the short way is not taken. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Yaml from "yaml"
import { plainYaml } from "../../../src/pipeline/skills/plainYaml.ts"
import { realYaml } from "../../../src/pipeline/skills/realYaml.ts"
import { pick, textOf } from "../instructions/generators.ts"

const keys = [
  "name",
  "name",
  "b",
  "c",
  "d",
  "a",
  "a-b",
  "whenToUse",
  "null",
  "true",
  "y",
  "__proto__",
  "constructor",
  "9",
  "-",
  "a b",
  "<<",
  "é",
  '"q"',
  "? k"
]

const pieces = [
  "text",
  "a b",
  " ",
  "  ",
  ": ",
  ":",
  ":x",
  " #",
  "#",
  "#c",
  "'",
  '"',
  "''",
  "\\",
  "\\n",
  "-",
  "- ",
  "---",
  "...",
  "?",
  "? ",
  ",",
  "[",
  "]",
  "{",
  "}",
  "&a",
  "*a",
  "!t",
  "!!str ",
  "|",
  ">",
  ">-",
  "%",
  "@",
  "`",
  "~",
  "=",
  "<",
  "<<",
  "1",
  "0x1f",
  "1e3",
  ".5",
  "+1",
  "-1",
  ".inf",
  ".nan",
  "0o7",
  "2024-01-01",
  "true",
  "false",
  "TRUE",
  "yes",
  "null",
  "Null",
  "é",
  "文",
  "😀",
  "\ud83d",
  "\u00a0",
  "\u0085",
  "\u2028",
  "\ufeff",
  "\t",
  "\u0007",
  "(",
  "/",
  "$",
  "x".repeat(70)
]

// Most of what is plain begins like a text or in quotes; half of the values do.
const values = Arbitrary.flatMap(pick(["", "", "x", "é"]), (start) =>
  Arbitrary.map(textOf(pieces, 4), (rest) => start + rest)
)
const indents = pick(["", "", "", "", "  ", "  ", " ", "    ", "\t"])
const separators = pick([": ", ": ", ": ", ": ", ": ", ":", ":  ", " : ", ":\t"])

const line = Arbitrary.flatMap(indents, (indent) =>
  Arbitrary.flatMap(pick(keys), (key) =>
    Arbitrary.flatMap(separators, (separator) =>
      Arbitrary.flatMap(values, (value) =>
        pick([
          `${indent}${key}${separator}${value}`,
          `${indent}${key}${separator}${value}`,
          `${indent}${key}:`,
          indent + value,
          `${indent}# ${value}`,
          ""
        ])
      )
    )
  )
)
const sources = Arbitrary.map(Arbitrary.array(line, { minLength: 1, maxLength: 5 }), (lines) =>
  lines.map((line) => `${line}\n`).join("")
)

describe("plainYaml", () => {
  it("[S-22] reads what most frontmatter looks like", () => {
    assert.deepStrictEqual(
      plainYaml(`# a comment
name: skill-1
description: Does thing 1 with care. Use when the user asks for it (or mentions widget-1), e.g. a/b.
license: "Apache-2.0: all"
disable-model-invocation: false
metadata:
  author: bench
  version: "1.0"
compatibility: 'node, or so'
`),
      {
        name: "skill-1",
        description: "Does thing 1 with care. Use when the user asks for it (or mentions widget-1), e.g. a/b.",
        license: "Apache-2.0: all",
        "disable-model-invocation": false,
        metadata: { author: "bench", version: "1.0" },
        compatibility: "node, or so"
      }
    )
  })
  for (const source of [
    "",
    "name:",
    "name: a\nname: b",
    "name: 1",
    "name: null",
    "name: a: b",
    "name: a # b",
    "name: a\n  b",
    "name: [a]",
    'name: "a\\n"',
    "name: 'it''s'",
    "name: >\n  a",
    "name: a\n...",
    "metadata:\n  a: b\n    c: d",
    "metadata:\n  a: b\n c: d",
    "metadata:\n  a:\n    b: c",
    "metadata:\n  a: b\n  a: c",
    "metadata:\nname: a",
    "metadata: \u00a0\n  a: b"
  ]) {
    it(`[S-22] leaves ${JSON.stringify(source)} to the library`, () => assert.isUndefined(plainYaml(source)))
  }
  it.effect.prop(
    "[S-22] reads as the library does whatever it reads",
    { source: sources },
    ({ source }) =>
      Effect.sync(() => {
        const fields = plainYaml(source)
        if (fields === undefined) return
        assert.deepStrictEqual(realYaml(Yaml, source), { _tag: "Fields", fields, repaired: [] })
      }),
    { arbitrary: { runs: 8000 } }
  )
})
