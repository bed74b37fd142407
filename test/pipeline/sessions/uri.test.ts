/** One session, one URI. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { formatUri, parseUri, scheme } from "../../../src/pipeline/sessions/uri.ts"
import { pick, textOf, upTo } from "../instructions/generators.ts"

const pieces = [
  "a",
  "main",
  "Z9",
  "-",
  "_",
  " ",
  "\n",
  "\0",
  "\u0007",
  '"',
  "\\",
  "/",
  "<",
  ">",
  "é",
  "e\u0301",
  "€",
  "日本",
  "😀",
  "\ud83d",
  "\ude00",
  "\u2028",
  "=",
  "+",
  "%",
  "\ufffd"
]
const ids = textOf(pieces, 8, 1)

const base64url = (text: string) => Buffer.from(text, "utf8").toString("base64url")

/** Other spellings of the same URI, as a lenient reader would take them. */
const misspell = (id: string, uri: string): ReadonlyArray<string> => {
  const payload = uri.slice(scheme.length)
  const standard = Buffer.from(payload, "base64url").toString("base64")
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  const last = alphabet.indexOf(payload.at(-1)!)
  const escaped = Array.from(
    { length: id.length },
    (_, index) => `\\u${id.charCodeAt(index).toString(16).padStart(4, "0")}`
  )
  return [
    ...(standard === payload ? [] : [scheme + standard]),
    `${uri}=`,
    `${uri}==`,
    `${uri}A`,
    `${uri} `,
    `${uri}\n`,
    `${uri}.`,
    ` ${uri}`,
    `${uri.slice(0, -1)}`,
    `${uri.slice(0, scheme.length + 2)} ${uri.slice(scheme.length + 2)}`,
    // The last character carries bits that no byte holds.
    ...(payload.length % 4 === 0 ? [] : [uri.slice(0, -1) + alphabet[last ^ 1]]),
    scheme.toUpperCase() + payload,
    scheme + base64url(` ${JSON.stringify(id)}`),
    scheme + base64url(`${JSON.stringify(id)}\n`),
    scheme + base64url(`[${JSON.stringify(id)}]`),
    scheme + base64url(`"${escaped.join("")}"`),
    ...(id.includes("/") ? [scheme + base64url(JSON.stringify(id).replace("/", "\\/"))] : []),
    payload
  ]
}

describe("the URI of a session", () => {
  it("[R-1] is the scheme and the unpadded base64url of the id as JSON", () => {
    assert.strictEqual(formatUri("other"), "dsh-session:Im90aGVyIg")
    assert.strictEqual(formatUri("é/日本😀?"), `dsh-session:${base64url('"é/日本😀?"')}`)
    assert.strictEqual(parseUri("dsh-session:Im90aGVyIg"), "other")
  })

  it.effect.prop(
    "[R-1] says the id again, whatever it is",
    { id: ids },
    ({ id }) =>
      Effect.sync(() => {
        assert.match(formatUri(id), /^dsh-session:[\w-]+$/)
        assert.strictEqual(parseUri(formatUri(id)), id)
      }),
    { arbitrary: { runs: 2000 } }
  )

  it.effect.prop(
    "[R-1] has no other spelling",
    { id: ids },
    ({ id }) =>
      Effect.sync(() => {
        const uri = formatUri(id)
        for (const other of misspell(id, uri)) if (other !== uri) assert.isUndefined(parseUri(other), other)
      }),
    { arbitrary: { runs: 1000 } }
  )

  it.effect.prop(
    "[R-1] what is accepted at all is what would be written",
    {
      payload: Arbitrary.map(Arbitrary.array(upTo(255), { maxLength: 12 }), (bytes) =>
        Buffer.from(bytes).toString("base64url")
      ),
      quoted: pick([true, false])
    },
    ({ payload, quoted }) =>
      Effect.sync(() => {
        const uri = scheme + (quoted ? base64url(`"${Buffer.from(payload, "base64url").toString("latin1")}"`) : payload)
        const id = parseUri(uri)
        if (id !== undefined) assert.strictEqual(formatUri(id), uri)
      }),
    { arbitrary: { runs: 2000 } }
  )

  for (const json of ['""', "1", "null", "{}", '"a', "", '"a" "b"', '"\t"']) {
    it(`[R-1] is not made of ${JSON.stringify(json)}`, () => assert.isUndefined(parseUri(scheme + base64url(json))))
  }

  it("[R-1] is not made of bytes that are no UTF-8", () => {
    assert.isUndefined(parseUri(scheme + Buffer.from([0x22, 0xff, 0x22]).toString("base64url")))
    assert.isUndefined(parseUri(scheme + Buffer.from([0xef, 0xbb, 0xbf, 0x22, 0x61, 0x22]).toString("base64url")))
  })

  it("[R-1] ids are any strings", () => {
    assert.isTrue(Schema.is(Schema.String)(parseUri(formatUri("\ud800"))))
  })
})
