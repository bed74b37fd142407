/** The files a memory file system starts with. */
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import { utf8 } from "./node.ts"

interface Sized {
  /** What `stat` says the size is, in bytes, whatever it is. */
  readonly reportSize?: number | undefined
}

/**
 * What is at a path at the start: text, bytes, a text repeated, base64, a symbolic link, or `null` for a directory.
 * A directory's path ends in "/", no other does. `{ text }` is a text that can carry a `reportSize`.
 */
export type FileContent =
  | string
  | null
  | Uint8Array
  | ({ readonly text: string } & Sized)
  | ({ readonly repeat: readonly [text: string, times: number] } & Sized)
  | ({ readonly base64: string } & Sized)
  | ({ readonly link: string } & Sized)

export type Seed =
  | { readonly _tag: "Directory" }
  | { readonly _tag: "Link"; readonly target: string; readonly reportSize: number | undefined }
  | { readonly _tag: "File"; readonly data: Uint8Array; readonly reportSize: number | undefined }

/** Throws on what it does not understand: a file left out silently would make a test prove nothing. */
export const seedOf = (path: string, content: FileContent): Seed => {
  if ((content === null) !== path.endsWith("/")) {
    throw new Error(`Memory file system: "${path}" has to be null and end in "/", or neither`)
  }
  if (content === null) return { _tag: "Directory" }
  if (typeof content === "string") return { _tag: "File", data: utf8(content), reportSize: undefined }
  if (content instanceof Uint8Array) return { _tag: "File", data: content, reportSize: undefined }
  const { reportSize } = content
  if ("link" in content) return { _tag: "Link", target: content.link, reportSize }
  return { _tag: "File", data: bytesOf(path, content), reportSize }
}

const bytesOf = (
  path: string,
  content: { readonly text: string } | { readonly repeat: readonly [string, number] } | { readonly base64: string }
): Uint8Array => {
  if ("text" in content) return utf8(content.text)
  if ("repeat" in content) return utf8(content.repeat[0].repeat(content.repeat[1]))
  if ("base64" in content) return Result.getOrThrow(Base64.decode(content.base64))
  throw new Error(`Memory file system: the content of "${path}" is none of text, repeat, base64, link`)
}
