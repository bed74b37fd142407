/** JSON in which no tag can begin: every `<` is written `\u003c`. Sizes are UTF-8 bytes of what is written. */

/** A value as such JSON. Valid JSON still, since `<` stands only inside of its strings. */
export const encodeJson = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c")

const shortEscapes = '"\\\b\t\n\f\r'

/** The bytes of one code point inside such a string. Lone surrogates are written as escapes. */
const codePointSize = (codePoint: number): number => {
  if (codePoint < 0x80) {
    const escape = codePoint < 0x20 || codePoint === 0x22 || codePoint === 0x5c || codePoint === 0x3c
    return !escape ? 1 : shortEscapes.includes(String.fromCharCode(codePoint)) ? 2 : 6
  }
  if (codePoint < 0x800) return 2
  if (codePoint >= 0xd800 && codePoint < 0xe000) return 6
  return codePoint < 0x1_0000 ? 3 : 4
}

/** The longest beginning of `text`, in whole code points, that takes at most `bytes` bytes inside such a string. */
export const headThatFits = (text: string, bytes: number): string => {
  let left = bytes
  let end = 0
  while (end < text.length) {
    const codePoint = text.codePointAt(end)!
    left -= codePointSize(codePoint)
    if (left < 0) break
    end += codePoint < 0x1_0000 ? 1 : 2
  }
  return text.slice(0, end)
}

/** The longest end of a well-formed `text`, likewise. */
export const tailThatFits = (text: string, bytes: number): string => {
  let left = bytes
  let start = text.length
  while (start > 0) {
    const unit = text.charCodeAt(start - 1)
    const width = unit >= 0xdc00 && unit < 0xe000 && start > 1 ? 2 : 1
    left -= codePointSize(text.codePointAt(start - width)!)
    if (left < 0) break
    start -= width
  }
  return text.slice(start)
}
