/**
 * The `<system-reminder>` frame and what keeps text inside it (I-23, I-24).
 *
 * Escaping happens before bytes are counted, so every size here is that of what the model receives.
 */
import { byteLength, unitsThatFit } from "./utf8.ts"

export const open = "<system-reminder>\n"
export const close = "</system-reminder>"

const closingTag = /<\/system-reminder\s*>/gi
const escapedTag = "<\\/system-reminder>"

/** `text` with every closing tag, in any spelling, written `<\/system-reminder>`. */
export const escapeText = (text: string): string =>
  text.includes("</") ? text.toWellFormed().replace(closingTag, escapedTag) : text.toWellFormed()

/** The bytes of `escapeText(text)`, from the bytes of `text`. */
export const escapedSize = (text: string, bytes: number): number => {
  if (!text.includes("</")) return bytes
  let size = bytes
  for (const [tag] of text.matchAll(closingTag)) size += escapedTag.length - byteLength(tag)
  return size
}

// Line and paragraph separators break a line too, and NEL sits among the C1 controls.
// oxlint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/g
const short: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  "\\": "\\\\"
}
const jsonEscape = (character: string): string =>
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/**
 * A path or name as the model sees it: control characters, line breaks and backslashes as in a JSON string, closing tags
 * escaped. The beginning of a closing tag is escaped too, since what follows the path may begin with its `>`.
 */
export const showPath = (path: string): string =>
  escapeText(path.replace(unprintable, jsonEscape)).replace(/<\/(?=system-reminder)/gi, "<\\/")

/** A prefix of a text, escaped. */
export interface Prefix {
  /** The prefix, escaped. */
  readonly escaped: string
  /** Bytes of `escaped`. */
  readonly bytes: number
  /** Bytes of the prefix before escaping. */
  readonly original: number
}

/**
 * The longest prefix of `text` whose escaped form takes at most `limit` bytes, cut at a code-point boundary and never
 * inside an escape: a closing tag is either escaped as a whole or not there.
 */
export const escapedPrefix = (text: string, limit: number): Prefix => {
  let escaped = ""
  let bytes = 0
  let original = 0
  let position = 0
  const takeUntil = (end: number): boolean => {
    const units = unitsThatFit(text, position, end, limit - bytes)
    const piece = text.slice(position, position + units).toWellFormed()
    const size = byteLength(piece)
    escaped += piece
    bytes += size
    original += size
    position += units
    return position === end
  }
  for (const { 0: tag, index } of text.matchAll(closingTag)) {
    // It may begin inside the limit and end beyond it; a later one is of no interest.
    if (index - position > limit - bytes) break
    if (!takeUntil(index) || bytes + escapedTag.length > limit) return { escaped, bytes, original }
    escaped += escapedTag
    bytes += escapedTag.length
    original += byteLength(tag)
    position = index + tag.length
  }
  takeUntil(text.length)
  return { escaped, bytes, original }
}
