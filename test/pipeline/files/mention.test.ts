import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { activeAtToken, formatMention, parseMentions } from "../../../src/pipeline/files/mention.ts"
import type { FileCandidate } from "../../../src/schemas/FileReference.ts"

// oxlint-disable-next-line no-control-regex
const legal = (name: string) => !["", ".", ".."].includes(name) && !/[/"\u0000-\u001f\u007f-\u009f]/.test(name)

/** Pieces that the grammar has opinions about. */
const pieces = [
  ..."ab9.@ `()[]{}<>~'\\,;:!?#*$_-é\u0301\u00a0\u2028\u3000、。（）「」“”ß🎉",
  "```",
  "~~~",
  "..",
  "class"
]
const Tricky = Schema.Array(Schema.Literals(pieces))

const kinds = ["file", "directory"] as const
const spans = (text: string) => parseMentions(text).map(({ kind, path }) => ({ kind, path }))
const paths = (text: string) => parseMentions(text).map(({ path }) => path)

const holds = (candidate: FileCandidate, quoted: boolean) => {
  const written = formatMention(candidate, { quoted })
  assert.isDefined(written)
  assert.deepStrictEqual(parseMentions(written!), [{ ...candidate, start: 0, end: written!.length }])
  // In a sentence, a closed mention is read the same.
  if (candidate.kind === "directory" && written!.startsWith('@"')) return
  const prose = `Look (${written} first), please.`
  assert.deepStrictEqual(parseMentions(prose), [{ ...candidate, start: 6, end: 6 + written!.length }])
}

describe("[F-2] what is written is read back", () => {
  it.effect.prop(
    "for arbitrary names, at any depth, as file and directory, quoted or not",
    { segments: Schema.NonEmptyArray(Schema.String), kind: Schema.Literals(kinds), quoted: Schema.Boolean },
    ({ kind, quoted, segments }) =>
      Effect.sync(() => {
        const names = segments.filter(legal)
        if (names.length > 0) holds({ path: names.join("/"), kind }, quoted)
      }),
    { arbitrary: { runs: 2000 } }
  )

  it.effect.prop(
    "for names of what means something in prose, code and lists",
    { segments: Schema.NonEmptyArray(Tricky), kind: Schema.Literals(kinds), quoted: Schema.Boolean },
    ({ kind, quoted, segments }) =>
      Effect.sync(() => {
        const names = segments.map((pieces) => pieces.join("")).filter(legal)
        if (names.length > 0) holds({ path: names.join("/"), kind }, quoted)
      }),
    { arbitrary: { runs: 4000 } }
  )

  it("several mentions of one text keep their places", () => {
    const text = 'Move @src/plan.ts and @"a b.md" to @docs/ (see @"Makefile"), not to x@y.ts.'
    assert.deepStrictEqual(spans(text), [
      { kind: "file", path: "src/plan.ts" },
      { kind: "file", path: "a b.md" },
      { kind: "directory", path: "docs" },
      { kind: "file", path: "Makefile" }
    ])
    for (const { end, path, start } of parseMentions(text)) assert.include(text.slice(start, end), path)
  })
})

describe("[F-7] selecting", () => {
  it.effect.prop(
    "inserts the path as it is, in quotes where needed, and nothing else",
    { segments: Schema.NonEmptyArray(Tricky), kind: Schema.Literals(kinds), quoted: Schema.Boolean },
    ({ kind, quoted, segments }) =>
      Effect.sync(() => {
        const path = segments
          .map((pieces) => pieces.join(""))
          .filter(legal)
          .join("/")
        if (path === "") return
        const text = kind === "directory" ? `${path}/` : path
        assert.include(
          [`@${text}`, `@"${text}${kind === "directory" ? "" : '"'}`],
          formatMention({ path, kind }, { quoted })
        )
      })
  )
})

describe("[F-2] formatMention", () => {
  it.each([
    [{ path: "src/plan.ts", kind: "file" }, "@src/plan.ts"],
    [{ path: "src", kind: "directory" }, "@src/"],
    [{ path: "a b.md", kind: "file" }, '@"a b.md"'],
    [{ path: "my docs", kind: "directory" }, '@"my docs/'],
    [{ path: "Makefile", kind: "file" }, '@"Makefile"'],
    [{ path: "scope/pkg", kind: "file" }, '@"scope/pkg"'],
    [{ path: ".env", kind: "file" }, "@.env"]
  ] as const)("%j is %s", (candidate, written) => {
    assert.strictEqual(formatMention(candidate), written)
  })

  it("keeps the quote that the user has opened", () => {
    assert.strictEqual(formatMention({ path: "src/plan.ts", kind: "file" }, { quoted: true }), '@"src/plan.ts"')
    assert.strictEqual(formatMention({ path: "src", kind: "directory" }, { quoted: true }), '@"src/')
  })

  it.each([
    'a"b.ts',
    "a\nb.ts",
    "a\u0085.ts",
    "\u007f.ts",
    "",
    "a//b.ts",
    "a/",
    "/etc/passwd.txt",
    "../a.ts",
    "a/./b.ts"
  ])("refuses %j", (path) => {
    for (const kind of kinds) assert.isUndefined(formatMention({ path, kind }))
  })
})

describe("[F-2] parseMentions finds nothing in", () => {
  it.each([
    "write to ann@example.com or <bob@example.org>",
    "npm install effect@4.1.0 left-pad@1.2.3",
    "npm install @scope/pkg now, or @scope/pkg/sub, or @scope/pkg@1.2.3",
    "@scope/pkg",
    "@Injectable()\nclass A {}",
    "@Component({ selector: 'x.y' })",
    "@override\n  run() {}",
    "@pytest.fixture\ndef db(): ...",
    "/** @param x the thing, @returns {string} */",
    "thanks @ann, and @bob.",
    "`@src/plan.ts` and ``a ` @src/plan.ts``",
    "```ts\n@src/plan.ts\n```",
    "~~~\n@src/plan.ts\n```\n@src/b.ts\n~~~~",
    "```\nnever closed @src/plan.ts",
    '@"never closed.ts',
    '@"my docs/ and then',
    '@"" @ @/ @./',
    "a@src/plan.ts",
    "@src/plan.ts@1.2.3, (@src/plan.ts@",
    "git@github.com:a/b.git"
  ])("%j", (text) => {
    assert.deepStrictEqual(paths(text), [])
  })

  it("but after code there are mentions again", () => {
    assert.deepStrictEqual(paths("`x` @a.ts\n```\n@b.ts\n```\n@c.ts a ` lonely tick @d.ts"), ["a.ts", "c.ts", "d.ts"])
  })
})

describe("[F-2] activeAtToken", () => {
  it.each([
    ["@", { start: 0, query: "", quoted: false }],
    ["see @src/pl", { start: 4, query: "src/pl", quoted: false }],
    ["(@src", { start: 1, query: "src", quoted: false }],
    ['x @"my do', { start: 2, query: "my do", quoted: true }],
    ['@"', { start: 0, query: "", quoted: true }],
    ["a\n@b", { start: 2, query: "b", quoted: false }]
  ] as const)("%j", (text, token) => {
    assert.deepStrictEqual(activeAtToken(text, text.length), token)
  })

  it.each(["ann@exa", "x@1.2", "", "see @src ", '@"a b" c', "`@src", "```\n@src", "no"])("none in %j", (text) => {
    assert.isUndefined(activeAtToken(text, text.length))
  })

  it("looks at what is before the cursor", () => {
    assert.deepStrictEqual(activeAtToken("see @src/plan.ts now", 8), { start: 4, query: "src", quoted: false })
  })

  it.effect.prop(
    "a written mention, while it is typed, is active up to its end",
    { segments: Schema.NonEmptyArray(Schema.String) },
    ({ segments }) =>
      Effect.sync(() => {
        const path = segments.filter(legal).join("/")
        const written = path === "" ? undefined : formatMention({ path, kind: "directory" })
        if (written === undefined) return
        const token = activeAtToken(`see ${written}`, written.length + 4)
        assert.deepStrictEqual(token, { start: 4, query: `${path}/`, quoted: written.startsWith('@"') })
      })
  )
})

describe("[F-2] what costs its length and no more, however hostile", () => {
  for (const piece of ["(@", '(@"', "`@", "@a/b.c ", "[@x\n", "\n\n@a.b"]) {
    it(`${JSON.stringify(piece)} again and again`, () => {
      const text = piece.repeat(200_000)
      assert.isAtMost(parseMentions(text).length, 200_000)
      assert.isUndefined(activeAtToken(`${text}\n`, text.length + 1))
    })
  }

  it("runs of backticks of every length", () => {
    const text = Array.from({ length: 1500 }, (_, index) => "`".repeat(index + 1)).join(" @a/b.c ")
    assert.strictEqual(parseMentions(text).length, 1499)
  })
})
