import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sessionFileName } from "../../src/pipeline/sessionFileName.ts"
import { hostileIds } from "../../src/testing/sessionStoreConformance/storeCases.ts"

/** Reads a name that was not shortened back, byte by byte. */
const decode = (name: string): string => {
  const bytes = Buffer.from(
    name.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  )
  return bytes.toString("utf8")
}

const harmless = /^(?!\.)[a-z0-9_.%~-]+$/

describe("sessionFileName", () => {
  it("keeps plain ids readable and escapes the rest", () => {
    assert.strictEqual(sessionFileName("2026-03-01t09_00.a"), "2026-03-01t09_00.a")
    assert.strictEqual(sessionFileName("A b/ü"), "%41%20b%2f%c3%bc")
    assert.strictEqual(sessionFileName(".."), "%2e.")
    assert.strictEqual(sessionFileName("con"), "%63on")
    assert.strictEqual(sessionFileName("com1.x"), "%63om1.x")
    assert.strictEqual(sessionFileName("console"), "console")
  })

  it.effect.prop(
    "is harmless and can be read back, so no two ids share a name",
    { id: Schema.NonEmptyString },
    ({ id }) =>
      Effect.sync(() => {
        const name = sessionFileName(id)
        assert.match(name, harmless)
        assert.isAtMost(name.length, 160)
        if (!name.includes("~") && id.isWellFormed()) assert.strictEqual(decode(name), id)
      }),
    { arbitrary: { runs: 1_000, size: 60 } }
  )

  it("tells hostile ids apart, by lower-case names of bounded length", () => {
    const ids = [
      ...hostileIds,
      "\ud800",
      "\ud801",
      "\udc00",
      ...Array.from({ length: 200 }, (_, n) => "é".repeat(300) + String(n))
    ]
    const names = ids.map(sessionFileName)
    assert.strictEqual(new Set(names).size, ids.length)
    for (const name of names) {
      assert.match(name, harmless)
      assert.isAtMost(name.length, 160)
    }
  })
})
