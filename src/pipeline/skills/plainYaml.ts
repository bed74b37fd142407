/**
 * The YAML that most frontmatter is: plain keys, each with a text on its line, and at most one level below. Read here
 * without the YAML library, which takes longer to load and to parse a thousand of these than reading them from the disk.
 *
 * What is not certainly of this shape is not read here. What is, is read as the library reads it; a property test holds
 * the two together.
 */

/** Fields by key: texts and booleans, or one level of the same. */
export type PlainFields = Record<string, string | boolean | Record<string, string | boolean>>

// Tabs and control characters mean something else in each place; a byte-order mark may begin a document.
// oxlint-disable-next-line no-control-regex
const unusual = /[\u0000-\u0009\u000b-\u001f\u007f\ufeff]/

/** What a text does not begin with: indicators, white space, and what a number could begin with. By UTF-16 unit below 128. */
const indicators = new Set("\t\n\v\f\r \u00a0\ufeff-?:,[]{}#&*!|>'\"%@`0123456789+.~=<")
const beginsText = Uint8Array.from({ length: 128 }, (_, code) => (indicators.has(String.fromCharCode(code)) ? 0 : 1))

/** White space beyond ASCII is nothing that YAML knows; whether a text may begin with it is left to the library. */
const whiteSpace = /^\s/
const constant = /^(?:true|True|TRUE|false|False|FALSE|null|Null|NULL)$/

const keyConstant = /^(?:true|false|null)$/i
const isConstantKey = (key: string): boolean => key.length <= 5 && keyConstant.test(key)

const space = 0x20
const hash = 0x23
const colon = 0x3a
const maxKeyLength = 64

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
const isOfKey = (code: number): boolean =>
  isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f

/** Where what follows the blanks from `start` on begins. A no-break space is no white space in YAML. */
const behindBlanks = (source: string, start: number, end: number): number => {
  let at = start
  while (at < end && source.charCodeAt(at) === space) at += 1
  return at
}

const withoutBlanks = (text: string): string => {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === space) end -= 1
  return end === text.length ? text : text.slice(0, end)
}

const quoted = (text: string): string | undefined => {
  const quote = text.charAt(0)
  const inside = text.slice(1, -1)
  const whole = text.length > 1 && text.endsWith(quote)
  return whole && !inside.includes(quote) && !inside.includes("\\") ? inside : undefined
}

/** Whether a text begins like one: no indicator, no number, nothing that could be one. */
const isTextual = (text: string): boolean => {
  const code = text.charCodeAt(0)
  return code < 128 ? beginsText[code] === 1 : !Number.isNaN(code) && !whiteSpace.test(text)
}

const scalar = (raw: string, hashes: boolean): string | boolean | undefined => {
  const text = raw.charCodeAt(raw.length - 1) === space ? withoutBlanks(raw) : raw
  if (!isTextual(text)) return text.startsWith(`"`) || text.startsWith("'") ? quoted(text) : undefined
  const found = text.indexOf(":")
  if (found !== -1 && (text.includes(": ", found) || text.endsWith(":"))) return undefined
  if (hashes && text.includes(" #")) return undefined
  if (text.length > 5 || !constant.test(text)) return text
  const word = text.toLowerCase()
  return word === "true" ? true : word === "false" ? false : undefined
}

/** The fields of `source`, or `undefined` when the library has to read it. Line ends are `\n`. */
export const plainYaml = (source: string): PlainFields | undefined => {
  if (unusual.test(source)) return undefined
  const fields: PlainFields = {}
  let open: string | undefined
  let nested: Record<string, string | boolean> | undefined
  let indent = 0
  let any = false
  const hashes = source.includes("#")
  // Line by line with no pattern: matching would take as long as everything else.
  for (let start = 0, end = 0; start < source.length; start = end + 1) {
    end = source.indexOf("\n", start)
    if (end === -1) end = source.length
    const begin = behindBlanks(source, start, end)
    if (begin === end || source.charCodeAt(begin) === hash) continue
    if (!isLetter(source.charCodeAt(begin))) return undefined
    let at = begin + 1
    while (at < end && isOfKey(source.charCodeAt(at))) at += 1
    if (at - begin > maxKeyLength || source.charCodeAt(at) !== colon) return undefined
    const key = source.slice(begin, at)
    any = true
    if (isConstantKey(key)) return undefined
    const value = behindBlanks(source, at + 1, end)
    // Without a blank in between, it is no key.
    if (value === at + 1 && value !== end) return undefined
    const spaces = begin - start
    if (spaces > 0) {
      if (open === undefined || value === at + 1) return undefined
      if (nested === undefined) {
        nested = {}
        indent = spaces
        fields[open] = nested
      }
      const read = scalar(source.slice(value, end), hashes)
      if (spaces !== indent || read === undefined || Object.hasOwn(nested, key)) return undefined
      nested[key] = read
      continue
    }
    // The field before had nothing on its line and nothing below.
    if (Object.hasOwn(fields, key) || (open !== undefined && nested === undefined)) return undefined
    open = undefined
    nested = undefined
    if (value === end) {
      open = key
      continue
    }
    const read = scalar(source.slice(value, end), hashes)
    if (read === undefined) return undefined
    fields[key] = read
  }
  const unfinished = open !== undefined && nested === undefined
  return unfinished || !any ? undefined : fields
}
