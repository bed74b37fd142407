import { assert, describe, it } from "@effect/vitest"
import { corpusOf, fuzz } from "./fuzzer.ts"
import { targets } from "./targets.ts"

describe.each(targets)("untrusted input: $name", (target) => {
  it("the corpus breaks nothing", async () => {
    const corpus = corpusOf(target.name)
    assert.isAbove(corpus.length, 0)
    for (const [, bytes] of corpus) await target.run(bytes)
  })
  it("nor do a few hundred inputs made of it", async () => {
    const { findings, tried } = await fuzz(target, 1, (tried) => tried < 300)
    assert.deepStrictEqual(
      findings.map(({ error, input }) => ({ error, input: input.toString("latin1") })),
      []
    )
    assert.isAtLeast(tried, 300)
  })
})
