/** UTF-8 sizes of text, and cuts that never split a code point. Sizes are bytes. */

/** The size of `text` in UTF-8. A lone surrogate counts as U+FFFD, which is what it is encoded to. */
export const byteLength = (text: string): number => Buffer.byteLength(text, "utf8")

/** How many UTF-16 units of `text`, from `start` on, fit into `bytes` bytes without splitting a code point. */
export const unitsThatFit = (text: string, start: number, end: number, bytes: number): number => {
  let used = 0
  let index = start
  while (index < end) {
    const unit = text.charCodeAt(index)
    const pair = unit >= 0xd800 && unit < 0xdc00 && index + 1 < end && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    used += unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3
    if (used > bytes) break
    index += pair ? 2 : 1
  }
  return index - start
}

/** Decoded text, or why there is none. `repaired` says that invalid sequences became U+FFFD. */
export type Decoded =
  | { readonly _tag: "Text"; readonly text: string; readonly repaired: boolean }
  | { readonly _tag: "Binary" }

const decoders = {
  strict: new TextDecoder("utf-8", { fatal: true }),
  lenient: new TextDecoder("utf-8"),
  strict16le: new TextDecoder("utf-16le", { fatal: true }),
  lenient16le: new TextDecoder("utf-16le"),
  strict16be: new TextDecoder("utf-16be", { fatal: true }),
  lenient16be: new TextDecoder("utf-16be")
} as const

const attempt = (decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Decodes a whole file (I-11): a UTF-8 byte-order mark is stripped, UTF-16 with a byte-order mark is decoded, other
 * invalid UTF-8 becomes U+FFFD, and anything with a NUL is binary. Line ends stay as they are.
 */
export const decodeText = (bytes: Uint8Array): Decoded => {
  const [first, second] = bytes
  const kind = first === 0xff && second === 0xfe ? "16le" : first === 0xfe && second === 0xff ? "16be" : ""
  if (kind === "" && bytes.includes(0)) return { _tag: "Binary" }
  const strict = attempt(decoders[`strict${kind}`], bytes)
  const text = strict ?? decoders[`lenient${kind}`].decode(bytes)
  return kind !== "" && text.includes("\0")
    ? { _tag: "Binary" }
    : { _tag: "Text", text, repaired: strict === undefined }
}
