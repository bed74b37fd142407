/** How a text refers to sessions: `@[label](uri)`, or the URI alone. */
import * as Result from "effect/Result"
import { InvalidSessionReference, type SessionMention } from "../../schemas/SessionReference.ts"
import { codeSpanEnds, proseBlocks } from "../prose.ts"
import { formatUri, parseUri, scheme } from "./uri.ts"

// Blanks of every kind, line breaks and control characters: a label is one line.
const gaps = /[\s\p{Cc}]+/gu

/** A label as it can stand in a mention: one line without surrounding blanks. */
export const normalizeLabel = (label: string): string => label.replace(gaps, " ").trim()

/** The mention of a session. A label without anything to see is left empty: the reader of the mention finds a better one. */
export const formatMention = ({ label = "", sessionId }: SessionMention): string =>
  `@[${normalizeLabel(label).replace(/[\\\]]/g, "\\$&")}](${formatUri(sessionId)})`

/**
 * Where something may begin that matters: a code span, a mention, a bare URI that is not the rest of a longer word. Only ASCII
 * counts as part of the word: not all languages put blanks between theirs.
 */
const beginnings = new RegExp(`\`+|@\\[|(?<![\\w%/]|[a-z\\d][+.-])${scheme}`, "gi")
/** What can be part of a URI's payload, or of a wrong spelling of one. Sentences go on with anything else. */
const payload = /[\w+/=%-]*/y

/** Remembers what `find` has found ahead; asked with growing indices, it looks at everything once. -1: nothing is left. */
const ahead = (find: (from: number) => number) => {
  let found = -1
  let none = false
  return (from: number): number => {
    if (!none && found < from) {
      found = find(from)
      none = found === -1
    }
    return found
  }
}

/** The first `]` from some index on that no backslash takes away. */
const nextBracket = (text: string) => (from: number) => {
  for (let index = text.indexOf("]", from); index !== -1; index = text.indexOf("]", index + 1)) {
    let backslashes = 0
    while (text[index - 1 - backslashes] === "\\") backslashes++
    if (backslashes % 2 === 0) return index
  }
  return -1
}

/** The first end of a parenthesis, or of the line, whichever comes first. */
const nextParenthesis = (text: string) => {
  const end = /[)\n]/g
  return (from: number) => {
    end.lastIndex = from
    return end.exec(text)?.index ?? -1
  }
}

interface Found {
  readonly end: number
  readonly uri: string
  readonly label?: string
}

const mentionsIn = (text: string) => {
  const bracket = ahead(nextBracket(text))
  const parenthesis = ahead(nextParenthesis(text))
  return (start: number): Found | undefined => {
    const closing = bracket(start)
    const from = closing + 2
    if (closing === -1 || !text.startsWith("](", closing)) return undefined
    if (text.slice(from, from + scheme.length).toLowerCase() !== scheme) return undefined
    const end = parenthesis(from)
    if (text[end] !== ")") return undefined
    const label = text.slice(start, closing).replace(/\\(.)/gs, "$1")
    return { end: end + 1, uri: text.slice(from, end), ...(label.trim() === "" ? {} : { label }) }
  }
}

const bareAt = (text: string, start: number): Found | undefined => {
  payload.lastIndex = start + scheme.length
  const [rest] = payload.exec(text)!
  // A scheme alone, or a line of hyphens behind it, is prose.
  return /[a-z\d]/i.test(rest) ? { end: payload.lastIndex, uri: text.slice(start, payload.lastIndex) } : undefined
}

const findIn = (block: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const codeEnds = codeSpanEnds(block)
  const mentionAt = mentionsIn(block)
  beginnings.lastIndex = 0
  for (let match = beginnings.exec(block); match !== null; match = beginnings.exec(block)) {
    const { 0: token, index } = match
    const after = index + token.length
    if (token.startsWith("`")) {
      beginnings.lastIndex = codeEnds.get(index) ?? after
      continue
    }
    const reference = token === "@[" ? mentionAt(after) : bareAt(block, index)
    if (reference !== undefined) found.push(reference)
    beginnings.lastIndex = reference?.end ?? after
  }
  return found
}

/**
 * The sessions that a text mentions, in order, repetitions included; code spans and fenced code mention nothing. Whatever is
 * meant as a reference but is none, or not in its one canonical spelling, is an `InvalidSessionReference`: the first such.
 */
export const parseMentions = (text: string): Result.Result<ReadonlyArray<SessionMention>, InvalidSessionReference> => {
  const mentions: Array<SessionMention> = []
  if (!text.toLowerCase().includes(scheme)) return Result.succeed(mentions)
  for (const { label, uri } of proseBlocks(text, "prose").flatMap(findIn)) {
    const sessionId = parseUri(uri)
    if (sessionId === undefined) return Result.fail(new InvalidSessionReference({ text: uri }))
    mentions.push({ sessionId, ...(label === undefined ? {} : { label }) })
  }
  return Result.succeed(mentions)
}
