/** What of a Markdown text is prose. */
import { assert, describe, it } from "@effect/vitest"
import { codeSpanEnds, proseBlocks, withoutCodeSpans } from "../../src/pipeline/prose.ts"

const cases: ReadonlyArray<readonly [text: string, blocks: ReadonlyArray<string>]> = [
  ["a\nb", ["a\nb"]],
  ["a\r\nb\rc", ["a\nb\nc"]],
  ["a\n \nb", ["a", "b"]],
  ["a\n```\nb\n```\nc", ["a", "c"]],
  ["a\n~~~ts\nb\n```\n~~~\nc", ["a", "c"]],
  ["a\n````\n```\nb\n````\nc", ["a", "c"]],
  ["```\nb", []],
  ["```a`b", ["```a`b"]],
  ["``` not closed by this\n``` x\nb\n```\nc", ["c"]],
  ["    ```\nb", ["    ```\nb"]],
  ["```\n    ```\nb\n```\nc", ["c"]],
  ["- ```\n  b\n  ```\nc", ["c"]],
  ["1. a\n   - b\n     ```\n     c\n     ```\nd", ["1. a\n   - b", "d"]],
  ["- a\n\n      ```\n      b\n      ```\nc", ["- a", "c"]],
  ["- a\nb\n    ```\nc", ["- a\nb\n    ```\nc"]]
]

describe("prose", () => {
  for (const [text, blocks] of cases) {
    it(`[R-1] [S-45] is found in ${JSON.stringify(text)}`, () => {
      assert.deepStrictEqual(proseBlocks(text, "skip"), blocks)
      assert.deepStrictEqual(proseBlocks(text, "prose"), blocks)
    })
  }

  it("[S-45] leaves quotes out where they are not what the writer says", () => {
    assert.deepStrictEqual(proseBlocks("a\n> b\nc\n>d", "skip"), ["a", "c"])
    assert.deepStrictEqual(proseBlocks("> ```\nb", "skip"), ["b"])
  })

  it("[R-1] sees through quotes where they are prose, and their fenced code", () => {
    assert.deepStrictEqual(proseBlocks("a\n> b\n> > c", "prose"), ["a\n b\n c"])
    assert.deepStrictEqual(proseBlocks("> ```\n> b\n> ```\n> c", "prose"), [" c"])
    assert.deepStrictEqual(proseBlocks("> ```\n> b\nc", "prose"), ["c"])
    assert.deepStrictEqual(proseBlocks("```\n> ```\nb\n```\nc", "prose"), ["c"])
  })

  it("[R-1] [S-45] knows where code spans end", () => {
    assert.deepStrictEqual([...codeSpanEnds("`a` ``b ` c`` d ```")].sort(), [
      [0, 3],
      [2, 9],
      [4, 13]
    ])
    assert.strictEqual(withoutCodeSpans("`a` ``b ` c`` d ```"), "``` ````````` d ```")
    assert.strictEqual(withoutCodeSpans("`a\nb` c"), "``\n`` c")
  })
})
