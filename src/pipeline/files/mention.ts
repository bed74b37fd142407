/**
 * The grammar of `@path` mentions (F-2): what is being typed, what a choice inserts, and what a text mentions.
 *
 * Every spelling has one reading, because what could be read as something else is written in quotes: a word alone
 * (`@override`, `@ann`), a call (`@Component()`), a package (`@scope/name`), a path with white space or another `@` in it, and
 * one that ends like a sentence.
 */
import type { FileCandidate } from "../../schemas/FileReference.ts"

/** A mention being typed: `start` is where its `@` is, `query` what has been typed of the path. */
export interface ActiveToken {
  readonly start: number
  readonly query: string
  /** The user has opened a quote: hand it to `formatMention`. */
  readonly quoted: boolean
}

/** A mention in a text, from `start` up to, not including, `end`. */
export interface Mention extends FileCandidate {
  readonly start: number
  readonly end: number
}

/** What may stand before the `@`, beside the beginning of the text. */
const boundary = String.raw`[\s\p{Ps}\p{Pi}<]`

const openQuote = new RegExp(`^(?:${boundary})?(@"([^"\n]*))$`, "u")
const openPlain = new RegExp(`(?:^|${boundary})(@([^\\s"]*))$`, "u")
const isBoundary = new RegExp(boundary, "u")
const isSpace = /\s/

/** Control characters end or steer a line, a double quote ends the mention: neither can be spelled. */
// oxlint-disable-next-line no-control-regex
const unspeakable = /[\u0000-\u001f\u007f-\u009f"]/

const endsLikeProse = /[.,;:!?'`)\]}>…。，、；：！？）】》」』’”]$/
const looksLikeAPackage = /^[a-z0-9-][a-z0-9._~-]*(?:\/[a-z0-9-][a-z0-9_~-]*)+$/
const looksLikeACall = /^[\p{L}\p{N}_$.]+\(/u

const mistakable = (text: string): boolean =>
  /[\s@`]/.test(text) ||
  text.startsWith("[") ||
  !/[./]/.test(text) ||
  endsLikeProse.test(text) ||
  looksLikeAPackage.test(text) ||
  looksLikeACall.test(text)

/**
 * What the choice of a candidate inserts in place of the token: `@path`, or `@"path"` when that is needed or the user has
 * opened a quote. A directory ends in `/`, and its quote stays open for what follows. `undefined`: the grammar cannot spell
 * this path.
 */
export const formatMention = (
  { kind, path }: FileCandidate,
  options: { readonly quoted?: boolean } = {}
): string | undefined => {
  // Nor is it for directions, which lead anywhere, or for what is no relative path.
  if (unspeakable.test(path) || path.split("/").some((name) => name === "" || name === "." || name === ".."))
    return undefined
  const text = kind === "directory" ? `${path}/` : path
  if (options.quoted !== true && !mistakable(text)) return `@${text}`
  return kind === "directory" ? `@"${text}` : `@"${text}"`
}

const fence = /^ {0,3}(`{3,}(?!`)(?!.*`)|~{3,})/
const closing = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/

interface Stretch {
  readonly start: number
  readonly end: number
}

/** The stretches of a text that are not inside fenced code. */
const outsideFences = (text: string): ReadonlyArray<Stretch> => {
  const stretches: Array<Stretch> = []
  let open: string | undefined
  let start = 0
  let at = 0
  for (const line of text.split("\n")) {
    const next = Math.min(text.length, at + line.length + 1)
    if (open === undefined) {
      open = fence.exec(line)?.[1]
      if (open !== undefined) stretches.push({ start, end: at })
    } else {
      const mark = closing.exec(line)?.[1]
      if (mark !== undefined && mark[0] === open[0] && mark.length >= open.length) {
        open = undefined
        start = next
      }
    }
    at = next
  }
  if (open === undefined) stretches.push({ start, end: text.length })
  return stretches
}

/**
 * The mention being typed at `cursor`, if there is one: `@path`, or an open `@"path with spaces`, at the beginning or behind
 * white space or an opening bracket.
 */
export const activeAtToken = (text: string, cursor: number): ActiveToken | undefined => {
  const before = text.slice(0, cursor)
  const last = outsideFences(before).at(-1)
  if (last === undefined || last.end !== before.length) return undefined
  // Only what may be part of it is searched: a long text would be searched again from each of its brackets.
  const typed = before.slice(last.start)
  const quote = typed.lastIndexOf('"')
  const open = quote < 1 ? null : openQuote.exec(typed.slice(Math.max(0, quote - 2)))
  const match = open ?? openPlain.exec(typed.slice(lastStop(typed)))
  return match === null ? undefined : { start: cursor - match[1]!.length, query: match[2]!, quoted: open !== null }
}

/** Where the last white space or quote of a text is; its beginning without one. */
const lastStop = (text: string): number => {
  let at = text.length - 1
  while (at > 0 && text[at] !== '"' && !isSpace.test(text[at]!)) at -= 1
  return Math.max(0, at)
}

const toMention = (text: string, quoted: boolean): FileCandidate | undefined => {
  const candidate: FileCandidate = text.endsWith("/")
    ? { path: text.slice(0, -1), kind: "directory" }
    : { path: text, kind: "file" }
  const written = formatMention(candidate, { quoted })
  return (quoted ? written !== undefined : written === `@${text}`) ? candidate : undefined
}

const quotedToken = /@"([^"\n]*)("?)/y
// One with another `@` in it is written in quotes, so there is nothing to read beyond that.
const plainToken = /@([^\s"`@]+)(@?)/y
const trailing = new Set(".,;:!?'`)]}>…。，、；：！？）】》」』’”")

/** What a sentence puts behind a path is none of it. */
const withoutTrailing = (text: string): string => {
  let end = text.length
  while (end > 0 && trailing.has(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}

const definition =
  /^\s*(?:@|(?:async|abstract|class|const|def|enum|export|fn|func|fun|function|interface|private|protected|public|static|struct)\b)/

/** `@pytest.fixture` alone on its line, above what it decorates. */
const decorates = (text: string, start: number, end: number): boolean => {
  let before = start - 1
  while (before >= 0 && text[before] !== "\n" && isSpace.test(text[before]!)) before -= 1
  if (before >= 0 && text[before] !== "\n") return false
  let lineEnd = end
  while (lineEnd < text.length && text[lineEnd] !== "\n" && isSpace.test(text[lineEnd]!)) lineEnd += 1
  return text[lineEnd] === "\n" && definition.test(text.slice(lineEnd + 1))
}

/** The mention whose `@` is at `start`. */
const mentionAt = (text: string, start: number, limit: number): Mention | undefined => {
  quotedToken.lastIndex = start
  const quoted = quotedToken.exec(text)
  if (quoted !== null) {
    const [whole, path, close] = quoted
    // An open quote is what a directory leaves behind; of anything else nobody knows where it ends.
    const candidate = close === '"' || path!.endsWith("/") ? toMention(path!, true) : undefined
    const end = start + whole.length
    return candidate === undefined || end > limit ? undefined : { ...candidate, start, end }
  }
  plainToken.lastIndex = start
  const token = plainToken.exec(text)
  if (token === null || token[2] === "@") return undefined
  const plain = withoutTrailing(token[1]!)
  if (plain === "") return undefined
  const candidate = toMention(plain, false)
  const end = start + 1 + plain.length
  if (candidate === undefined || end > limit || decorates(text, start, end)) return undefined
  return { ...candidate, start, end }
}

/** The runs of backticks of a stretch, by their length, each list in order. */
const backticks = (text: string, { end, start }: Stretch): ReadonlyMap<number, ReadonlyArray<number>> => {
  const byLength = new Map<number, Array<number>>()
  const runs = /`+/g
  runs.lastIndex = start
  for (let run = runs.exec(text); run !== null && run.index < end; run = runs.exec(text)) {
    const same = byLength.get(run[0].length)
    if (same === undefined) byLength.set(run[0].length, [run.index])
    else same.push(run.index)
  }
  return byLength
}

/**
 * What a text mentions, in order: exactly what `formatMention` has written, wherever it stands in prose. Code spans and
 * fenced code mention nothing.
 */
export const parseMentions = (text: string): ReadonlyArray<Mention> => {
  const mentions: Array<Mention> = []
  for (const stretch of outsideFences(text)) {
    const runs = backticks(text, stretch)
    const passed = new Map<number, number>()
    /** Where the code span ends that `length` backticks open; nowhere without as many further on. */
    const spanEnd = (from: number, length: number): number | undefined => {
      const same = runs.get(length)!
      let index = passed.get(length) ?? 0
      while (index < same.length && same[index]! < from) index += 1
      passed.set(length, index)
      return index < same.length ? same[index]! + length : undefined
    }
    const next = /`+|@/g
    next.lastIndex = stretch.start
    for (let found = next.exec(text); found !== null && found.index < stretch.end; found = next.exec(text)) {
      const { index } = found
      if (found[0] !== "@") {
        next.lastIndex = spanEnd(next.lastIndex, found[0].length) ?? next.lastIndex
        continue
      }
      const begins = index === 0 || isBoundary.test(text[index - 1]!)
      const mention = begins ? mentionAt(text, index, stretch.end) : undefined
      if (mention === undefined) continue
      mentions.push(mention)
      next.lastIndex = mention.end
    }
  }
  return mentions
}
