/** Content identity. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sha1 } from "../../src/pipeline/digest.ts"

it.effect("[I-22] SHA-1 over the UTF-8 of the text, in lower-case hexadecimal", () =>
  Effect.sync(() => {
    assert.strictEqual(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    assert.strictEqual(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d")
    assert.strictEqual(sha1("né 😀"), "eb3c3b1309f469499c765f655f936d6227eb60c2")
    assert.notStrictEqual(sha1("a\n"), sha1("a\r\n"))
  })
)
