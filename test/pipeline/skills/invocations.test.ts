/** Which skills a user's message calls. */
import { assert, describe, it } from "@effect/vitest"
import { parseInvocations } from "../../../src/pipeline/skills/invocations.ts"

const cases: ReadonlyArray<readonly [text: string, lineStart: ReadonlyArray<string>, anywhere: ReadonlyArray<string>]> =
  [
    ["/deploy", ["deploy"], ["deploy"]],
    ["/deploy now", ["deploy"], ["deploy"]],
    ["  \t/deploy", ["deploy"], ["deploy"]],
    ["release time\n/deploy now\n  /deploy\n> /deploy", ["deploy"], ["deploy"]],
    ["a\r\n/b c\r/d", ["b", "d"], ["b", "d"]],
    ["/b\n/a\n/b", ["b", "a"], ["b", "a"]],
    ["/a /b", ["a"], ["a", "b"]],
    ["curl the /deploy endpoint", [], ["deploy"]],
    ["see /usr/bin/env", [], []],
    ["/usr/bin/env", [], []],
    ["/deploy.", [], []],
    ["/deploy,", [], []],
    ["/Deploy", [], []],
    ["/my_skill", [], []],
    ["/", [], []],
    ["//comment", [], []],
    ["a/deploy", [], []],
    ["https://x.example/deploy", [], []],
    [`/${"x".repeat(64)}`, ["x".repeat(64)], ["x".repeat(64)]],
    [`/${"x".repeat(65)}`, [], []],
    ["> quoted\n> /deploy", [], []],
    ["  > /deploy", [], []],
    ["```\n/deploy\n```", [], []],
    ["```sh\n/deploy\n```\n/real", ["real"], ["real"]],
    ["~~~\n/deploy\n```\n/still\n~~~\n/real", ["real"], ["real"]],
    ["````\n```\n/deploy\n````", [], []],
    ["   ```\n/deploy\n   ```", [], []],
    ["```\n/deploy", [], []],
    ["```inline``` /b", [], ["b"]],
    ["`/deploy` /b", [], ["b"]],
    ["a ``/x ` /y`` /z", [], ["z"]],
    ["a `code\n/deploy\nmore`", [], []],
    ["an unmatched ` tick\n/deploy", ["deploy"], ["deploy"]],
    ["a ` tick\n\n/deploy\n\nanother `", ["deploy"], ["deploy"]],
    ["/deploy\u00a0now", ["deploy"], ["deploy"]],
    ["no call at all", [], []]
  ]

describe("parseInvocations", () => {
  for (const [text, lineStart, anywhere] of cases) {
    it(`[S-45] ${JSON.stringify(text.slice(0, 60))}`, () => {
      assert.deepStrictEqual(parseInvocations(text, "line-start"), lineStart)
      assert.deepStrictEqual(parseInvocations(text, "anywhere"), anywhere)
      assert.deepStrictEqual(parseInvocations(text, "off"), [])
    })
  }
  it("[S-45] long and odd messages are read soon", () => {
    for (const text of [
      "`".repeat(100_000),
      "` ``".repeat(20_000),
      " ".repeat(100_000),
      "/a ".repeat(50_000),
      `${"/".repeat(100_000)} x`
    ]) {
      parseInvocations(`/a\n${text}`, "anywhere")
      assert.include(parseInvocations(`/a\n\n${text}`, "line-start"), "a")
    }
  })
})
