/**
 * Frontmatter read by the YAML library: YAML 1.2 with its core schema, no tags of anybody's own, and bounds on everything
 * that can be made large out of little (S-22).
 */
import type * as Yaml from "yaml"

/** The library. It is handed in, because it is only loaded when it is needed. */
export type YamlLibrary = Pick<typeof Yaml, "parseDocument" | "Lexer">

/** What is wrong with a source. `line` is counted from 1 in the source. */
export interface YamlProblem {
  readonly code: "InvalidYaml" | "DuplicateKey" | "UnknownTag" | "TooDeep" | "TooManyAliases" | "NotAMapping"
  readonly line: number
  readonly message: string
}

/** The fields of a source; `repaired` holds the lines whose text was taken literally. */
export type YamlResult =
  | { readonly _tag: "Fields"; readonly fields: Record<string, unknown>; readonly repaired: ReadonlyArray<number> }
  | { readonly _tag: "Problem"; readonly problem: YamlProblem }

/** Collections inside collections, and aliases that are resolved: far more than anybody writes. */
const maxDepth = 32
const maxAliases = 64
/** Each repair parses once more; somebody who left out more quotes than this has to write them. */
const maxRepairs = 16

const lineAt = (source: string, position: number): number => source.slice(0, position).split("\n").length

/** The line at which collections nest too deep. The library would find out by running out of stack. */
const tooDeepAt = (yaml: YamlLibrary, source: string): number | undefined => {
  let line = 1
  let flow = 0
  let compact = 0
  for (const lexeme of new yaml.Lexer().lex(source)) {
    if (lexeme === "[" || lexeme === "{") flow += 1
    else if (lexeme === "]" || lexeme === "}") flow -= 1
    else if (lexeme === "-" || lexeme === "?" || lexeme === ":") compact += 1
    for (let at = lexeme.indexOf("\n"); at !== -1; at = lexeme.indexOf("\n", at + 1)) {
      line += 1
      compact = 0
    }
    if (flow > maxDepth || (flow === 0 && compact > maxDepth)) return line
  }
  return undefined
}

const problem = (code: YamlProblem["code"], line: number, message: string): YamlResult => ({
  _tag: "Problem",
  problem: { code, line, message }
})

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

type Document = ReturnType<YamlLibrary["parseDocument"]>

const parse = (yaml: YamlLibrary, source: string): Document =>
  yaml.parseDocument(source, {
    version: "1.2",
    schema: "core",
    customTags: [],
    merge: false,
    resolveKnownTags: false,
    strict: true,
    stringKeys: false,
    // What is wrong is told as a finding, never by a warning of the process.
    logLevel: "error",

    uniqueKeys: true,
    prettyErrors: false
  })

const toFields = (source: string, document: Document, repaired: ReadonlyArray<number>): YamlResult => {
  const [error] = document.errors
  if (error !== undefined) {
    const line = lineAt(source, error.pos[0])
    if (error.code === "DUPLICATE_KEY")
      return problem("DuplicateKey", line, "a key stands here for the second time; keep one of them")
    return problem("InvalidYaml", line, `${error.message}; a text with special characters has to be quoted`)
  }
  // An unknown tag is a mere warning there, and its value is taken as if it were not tagged.
  const [warning] = document.warnings
  if (warning !== undefined) {
    return problem(
      "UnknownTag",
      lineAt(source, warning.pos[0]),
      `${warning.message}; leave the tag out, or quote the text`
    )
  }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: maxAliases })
  } catch (thrown) {
    return thrown instanceof ReferenceError && thrown.message.includes("Unresolved alias")
      ? problem("InvalidYaml", 1, thrown.message)
      : problem("TooManyAliases", 1, `aliases come to more than ${maxAliases} values; write the values out`)
  }
  return isFields(value)
    ? { _tag: "Fields", fields: value, repaired }
    : problem("NotAMapping", 1, "it is no list of fields; write one `key: value` a line")
}

const plainStart = /^(?:[^\s\-?:,[\]{}#&*!|>'"%@`]|[-?:](?=[^\s]))/
const fieldLine = /^( *[A-Za-z_][A-Za-z0-9_-]*:[ \t]+)(\S.*)$/

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

/** Where a comment begins, `#` after a blank; the end of the text when there is none. */
const commentStart = (text: string): number => {
  for (let at = text.indexOf("#"); at !== -1; at = text.indexOf("#", at + 1)) if (isBlank(text[at - 1])) return at
  return text.length
}

/** `line` with its text quoted, when it is a key with a plain text that holds `: `. */
const quoted = (line: string): string | undefined => {
  const [, key, rest] = fieldLine.exec(line) ?? []
  if (key === undefined || !plainStart.test(rest!)) return undefined
  const end = commentStart(rest!)
  const text = rest!.slice(0, end).trimEnd()
  if (!/:[ \t]/.test(text)) return undefined
  return `${key}'${text.replaceAll("'", "''")}'${rest!.slice(text.length)}`
}

/**
 * Reads `source`, whose line ends are `\n`. When it is no YAML only because plain texts on one line hold `: `, these are
 * taken literally (S-22).
 */
export const realYaml = (yaml: YamlLibrary, source: string): YamlResult => {
  const deep = tooDeepAt(yaml, source)
  if (deep !== undefined) return problem("TooDeep", deep, `collections nest more than ${maxDepth} deep; flatten them`)
  const strict = parse(yaml, source)
  let document = strict
  let text = source
  const repaired: Array<number> = []
  while (repaired.length < maxRepairs && document.errors[0]?.code === "BLOCK_AS_IMPLICIT_KEY") {
    const line = lineAt(text, document.errors[0].pos[0])
    const lines = text.split("\n")
    const replacement = quoted(lines[line - 1]!)
    if (replacement === undefined) break
    lines[line - 1] = replacement
    text = lines.join("\n")
    repaired.push(line)
    document = parse(yaml, text)
  }
  return document.errors.length > 0 ? toFields(source, strict, []) : toFields(text, document, repaired)
}
