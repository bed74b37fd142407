/** File contents as scenarios write them. */
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"

const reportSize = Schema.optionalKey(Schema.Natural)

const Repeat = Schema.Struct({
  repeat: Schema.Tuple([Schema.String, Schema.Natural]),
  reportSize
})

const base64Text = Schema.String.check(
  Schema.makeFilter((text) => Result.isSuccess(Base64.decode(text)) || "Expected base64")
)

const Bytes = Schema.Struct({ base64: base64Text, reportSize })

/** What a file can hold: a text, a text repeated, or bytes. `reportSize` is what `stat` says, whatever the truth. */
export const Content = Schema.Union([Schema.String, Repeat, Bytes])
export type Content = typeof Content.Type

/** What can be at a path at the start: a content, a symbolic link, or `null` for a directory. */
export const Entry = Schema.Union([Schema.String, Schema.Null, Repeat, Bytes, Schema.Struct({ link: Schema.String })])
export type Entry = typeof Entry.Type

/** The bytes of a content. */
export const contentBytes = (content: Content): string | Uint8Array =>
  typeof content === "string"
    ? content
    : "repeat" in content
      ? content.repeat[0].repeat(content.repeat[1])
      : Result.getOrThrow(Base64.decode(content.base64))
