/** Which sessions a text mentions. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { formatMention, parseMentions } from "../../../src/pipeline/sessions/mention.ts"
import type { SessionMention } from "../../../src/schemas/SessionReference.ts"
import { textOf } from "../instructions/generators.ts"

const uri = "dsh-session:Im90aGVyIg"
const x = "dsh-session:Ingi"
const other = (label?: string): SessionMention => ({ sessionId: "other", ...(label === undefined ? {} : { label }) })

const found: ReadonlyArray<readonly [text: string, mentions: ReadonlyArray<SessionMention>]> = [
  [`see @[Fix login](${uri}) please`, [other("Fix login")]],
  [`@[a](${uri})@[b](${x}) ${uri}`, [other("a"), { sessionId: "x", label: "b" }, other()]],
  [uri, [other()]],
  [`${uri}.`, [other()]],
  [`(${uri}), <${uri}>; "${uri}"! ${uri}: *${uri}*`, [other(), other(), other(), other(), other()]],
  [`見て${uri}を続けて`, [other()]],
  [`[a link](${uri})`, [other()]],
  [`@[open](${uri}`, [other()]],
  [`@[](${uri})`, [other()]],
  [`@[ ](${uri})`, [other()]],
  [`@[a \\] \\\\ b](${uri})`, [other("a ] \\ b")]],
  [`@[a\\\\](${uri})`, [other("a\\")]],
  [`@[a [b](${uri})`, [other("a [b")]],
  [`@[todo] @[a](${uri})`, [other("a")]],
  [`@[a\nb](${uri})`, [other("a\nb")]],
  [`@[fix \`foo\`](${uri})`, [other("fix `foo`")]],
  [`@[fix \` it](${uri}) and \`${x}\``, [other("fix ` it")]],
  [`\`code\` ${uri} \`code\``, [other()]],
  [`an unmatched \` tick ${uri}`, [other()]],
  [`> quoted ${uri}`, [other()]],
  [`    ${uri}`, [other()]],
  [`\`\`\`\n${x}\n\`\`\`\n${uri}`, [other()]],
  [`- \`\`\`\n  ${x}\n  \`\`\`\n- ${uri}`, [other()]]
]

const prose: ReadonlyArray<string> = [
  "",
  "no mention at all, dsh-session is a word",
  "dsh-session:",
  "dsh-session: is a scheme",
  "What is `dsh-session:`? (dsh-session:)",
  "dsh-session:… dsh-session:<id> dsh-session:-- dsh-session:!!",
  "my-dsh-session:abc xdsh-session:abc https://a.example/dsh-session:abc my_dsh-session:abc",
  `\`${uri}\``,
  `\`\`@[a](${uri}) \` \`\``,
  `\`a\n${uri}\``,
  `\`\`\`\n${uri}\n\`\`\``,
  `~~~\n@[x](dsh-session:!!)\n~~~`,
  `\`@[x](dsh-session:!!)\``,
  `> \`\`\`\n> ${uri}\n> \`\`\``,
  "@[label](https://a.example) @[label] @label name@host"
]

const malformed: ReadonlyArray<readonly [text: string, uri: string]> = [
  ["bad @[x](dsh-session:!!)", "dsh-session:!!"],
  ["@[x](dsh-session:)", "dsh-session:"],
  [`@[x](${uri}==)`, `${uri}==`],
  [`@[x](${uri} )`, `${uri} `],
  [`@[x](DSH-Session:Im90aGVyIg)`, "DSH-Session:Im90aGVyIg"],
  [`see ${uri}== there`, `${uri}==`],
  [`see ${uri}%3D`, `${uri}%3D`],
  ["dsh-session:abc", "dsh-session:abc"],
  ["DSH-SESSION:Im90aGVyIg", "DSH-SESSION:Im90aGVyIg"],
  ["dsh-session://other", "dsh-session://other"],
  ["dsh-session:IiI", "dsh-session:IiI"],
  [`${uri} and dsh-session:nothing`, "dsh-session:nothing"],
  ["```\ncode\n```\ndsh-session:nothing", "dsh-session:nothing"]
]

const visible = [
  "a",
  "Fix",
  "(",
  ")",
  "[",
  "]",
  "\\",
  "`",
  "``",
  "@[",
  "](",
  "é",
  "日本",
  "😀",
  "\ud83d",
  "<",
  "|",
  "*",
  "dsh-session:",
  x
]
const labels = textOf([...visible, " ", "\n", "\n\n", "\n```\n", "\r\n", "\t", "\0", "\u2028", "> "], 10)
const ids = textOf(["a", "x", "é", "日", "😀", "\ud83d", "\n", '"', "\\", "`"], 5, 1)

describe("mentions", () => {
  for (const [text, mentions] of found) {
    it(`[R-1] are found in ${JSON.stringify(text)}`, () =>
      assert.deepStrictEqual(parseMentions(text), Result.succeed(mentions)))
  }
  for (const text of prose) {
    it(`[R-1] are not seen in ${JSON.stringify(text)}`, () =>
      assert.deepStrictEqual(parseMentions(text), Result.succeed([])))
  }
  for (const [text, wrong] of malformed) {
    it(`[R-1] [R-7] are refused in ${JSON.stringify(text)}`, () => {
      const result = parseMentions(text)
      assert.isTrue(Result.isFailure(result))
      if (!Result.isFailure(result)) return
      assert.strictEqual(result.failure._tag, "InvalidSessionReference")
      assert.strictEqual(result.failure.text, wrong)
      assert.include(result.failure.message, JSON.stringify(wrong))
    })
  }

  it.effect.prop(
    "[R-1] are read back as they were written, whatever is before and after",
    { label: labels, sessionId: ids },
    ({ label, sessionId }) =>
      Effect.sync(() => {
        const seen = label.replace(/[\s\p{Cc}]+/gu, " ").trim()
        const mention = formatMention({ sessionId, label })
        assert.notMatch(mention, /[\n\r]/)
        const expected = { sessionId, ...(seen === "" ? {} : { label: seen }) }
        for (const [before, after] of [
          ["", ""],
          ["Go on from ", ", please."],
          ["- ", "\n"],
          ["> ", ""],
          ["```\n\n```\n", "`"],
          ["(", ")"]
        ] as const) {
          assert.deepStrictEqual(parseMentions(before + mention + after), Result.succeed([expected]))
        }
        assert.deepStrictEqual(parseMentions(`${mention} ${mention}`), Result.succeed([expected, expected]))
      }),
    { arbitrary: { runs: 1500 } }
  )

  it("[R-1] are found soon in long and odd texts", () => {
    const n = 50_000
    const texts = [
      "@[".repeat(n),
      "@[](dsh-session:".repeat(n),
      "\\]".repeat(n),
      "@[\\".repeat(n),
      "dsh-session:".repeat(n),
      `dsh-session:${"-".repeat(n)}`,
      "`".repeat(n),
      "` ``".repeat(n),
      "> ".repeat(n),
      "- ".repeat(n),
      "\n".repeat(n),
      "1. ".repeat(n)
    ]
    for (const text of texts) assert.isDefined(parseMentions(`${text}\n\n${uri}`))
  })
})
