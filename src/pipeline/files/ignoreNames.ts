/**
 * Which names an ignore file could mean at all, told without understanding its patterns.
 *
 * Most entries of a tree are meant by no rule. A necessary condition for each line, all of them in one regular expression,
 * lets those pass without asking the matcher.
 */

const special = /[*?[]/

/** `name`: a pattern that the entry's own name matches; `prefix`: how its path begins. */
type Condition =
  | { readonly _tag: "Never" }
  | { readonly _tag: "Always" }
  | { readonly _tag: "Name"; readonly pattern: string }
  | { readonly _tag: "Prefix"; readonly prefix: string }

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

/** A name with brackets, each of which stands for one character, whichever; `undefined`: that is not all there is to it. */
const looseBrackets = (name: string): string | undefined => {
  const pieces = name.split(/\[[^\]\\:/!^][^\]\\:/]*\]/)
  if (pieces.length === 1 || pieces.some((piece) => piece.includes("[")) || pieces.join("").replace(/[*?]/g, "") === "")
    return undefined
  const text = (piece: string) =>
    piece
      .split(/([*?])/)
      .map((part) => (part === "*" ? "[^]*" : part === "?" ? "[^]{1,2}" : escape(part)))
      .join("")
  return `^${pieces.map(text).join("[^]{1,2}")}$`
}

const conditionOf = (raw: string): Condition => {
  if (raw.startsWith("#")) return { _tag: "Never" }
  // Escapes are the matcher's business.
  if (raw.includes("\\")) return { _tag: "Always" }
  const body = raw.replace(/ +$/, "").replace(/^!/, "").replace(/\/+$/, "")
  if (body === "") return { _tag: "Never" }
  const last = body.slice(body.lastIndexOf("/") + 1)
  const first = last.search(special)
  if (first < 0) return { _tag: "Name", pattern: `^${escape(last)}$` }
  const prefix = last.slice(0, first)
  const loose = last.includes("[") ? looseBrackets(last) : undefined
  if (loose !== undefined) return { _tag: "Name", pattern: loose }
  const suffix = last.includes("[") ? "" : last.slice(Math.max(last.lastIndexOf("*"), last.lastIndexOf("?")) + 1)
  if (prefix !== "" || suffix !== "") {
    const start = prefix === "" ? "" : `^${escape(prefix)}[^]*`
    return { _tag: "Name", pattern: suffix === "" ? `^${escape(prefix)}` : `${start}${escape(suffix)}$` }
  }
  const anchored = body.replace(/^\//, "")
  const literal = anchored.slice(0, anchored.search(special))
  return literal !== "" && anchored.includes("/") ? { _tag: "Prefix", prefix: literal } : { _tag: "Always" }
}

/** Whether a line could mean an entry of this name and path; `path` is relative to the directory of the file. */
export const couldMatch = (lines: ReadonlyArray<string>): ((name: string, path: string) => boolean) => {
  const conditions = lines.map(conditionOf)
  if (conditions.some(({ _tag }) => _tag === "Always")) return () => true
  const patterns = conditions.flatMap((condition) => (condition._tag === "Name" ? [condition.pattern] : []))
  const prefixes = conditions.flatMap((condition) => (condition._tag === "Prefix" ? [condition.prefix] : []))
  const names = patterns.length === 0 ? undefined : new RegExp(patterns.join("|"))
  return (name, path) => names?.test(name) === true || prefixes.some((prefix) => path.startsWith(prefix))
}
