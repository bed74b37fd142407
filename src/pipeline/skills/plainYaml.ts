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

// A no-break space is no white space in YAML. One line each time, from where the last one ended.
const nextLine = /( *)(?:([A-Za-z][A-Za-z0-9_-]{0,63}):(?: +([^\n]*))?|(#)[^\n]*)?(?:\n|$)/y

/** Begins like a text: no indicator, no number, nothing that could be one. */
const textual = /^[^\s\-?:,[\]{}#&*!|>'"%@`0-9+.~=<]/
const constant = /^(?:true|True|TRUE|false|False|FALSE|null|Null|NULL)$/

const keyConstant = /^(?:true|false|null)$/i
const isConstantKey = (key: string): boolean => key.length <= 5 && keyConstant.test(key)

const space = 0x20

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

const scalar = (raw: string): string | boolean | undefined => {
  const text = withoutBlanks(raw)
  if (text.startsWith(`"`) || text.startsWith("'")) return quoted(text)
  if (!textual.test(text) || text.includes(": ") || text.endsWith(":") || text.includes(" #")) return undefined
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
  let indent = ""
  nextLine.lastIndex = 0
  while (nextLine.lastIndex < source.length) {
    const line = nextLine.exec(source)
    if (line === null) return undefined
    const [, spaces = "", key, raw] = line
    if (key === undefined) continue
    if (isConstantKey(key)) return undefined
    if (spaces !== "") {
      if (open === undefined || raw === undefined) return undefined
      if (nested === undefined) {
        nested = {}
        indent = spaces
        fields[open] = nested
      }
      const value = scalar(raw)
      if (spaces !== indent || value === undefined || Object.hasOwn(nested, key)) return undefined
      nested[key] = value
      continue
    }
    // The field before had nothing on its line and nothing below.
    if (Object.hasOwn(fields, key) || (open !== undefined && nested === undefined)) return undefined
    open = undefined
    nested = undefined
    if (raw === undefined || raw === "") {
      open = key
      continue
    }
    const value = scalar(raw)
    if (value === undefined) return undefined
    fields[key] = value
  }
  const unfinished = open !== undefined && nested === undefined
  return unfinished || Object.keys(fields).length === 0 ? undefined : fields
}
