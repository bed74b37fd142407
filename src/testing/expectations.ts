/**
 * Whether what was seen is what a scenario expects: pure, and every difference is named.
 */
import { toMillis } from "./scenario/duration.ts"
import type { ExpectedChange, Expectations, MessageMatch, TextMatch } from "./scenario/match.ts"
import type { UserMessage } from "../schemas/Message.ts"

export type { Expectations, MessageMatch } from "./scenario/match.ts"

/** Everything a step has shown. What counts from an earlier moment says so. */
export interface Seen {
  /** Of the step that was prepared, if one was. */
  readonly decision: "enter" | "reject" | undefined
  /** The batch of this step; empty when none was entered. */
  readonly entered: ReadonlyArray<UserMessage>
  /** What waits now. */
  readonly inbox: ReadonlyArray<UserMessage>
  /** Types of the events this step has added, without those of the inbox. */
  readonly logged: ReadonlyArray<string>
  /** Every message of this library that was ever logged. */
  readonly contributed: ReadonlyArray<UserMessage>
  /** By path, since the end of the last `prompt`, `step` or `cancel` before this step. So are the following three. */
  readonly reads: Readonly<Record<string, number>>
  readonly probes: Readonly<Record<string, number>>
  readonly bytesRead: Readonly<Record<string, number>>
  readonly diagnostics: ReadonlyArray<string>
  /** The latest outcome of each path that was considered. */
  readonly report: Readonly<Record<string, string>>
  readonly openHandles: number
  /** Milliseconds of the virtual clock this step took. */
  readonly elapsed: number
  readonly candidates: ReadonlyArray<string> | undefined
  readonly skills: ReadonlyArray<string> | undefined
  readonly complete: boolean | undefined
  readonly truncated: boolean | undefined
  /** What the `skill` tool has returned. */
  readonly text: string | undefined
  /** The innermost tag of the typed error, if there was one, and its message. */
  readonly error: { readonly tag: string; readonly message: string } | undefined
}

/** One expectation that does not hold. `key` is its place below `expect`. */
export interface Mismatch {
  readonly key: string
  readonly expected: string
  readonly seen: string
}

const longest = 2000

/** A value as one line, at most 2,000 characters. */
export const show = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text
}

const mismatch = (key: string, expected: unknown, seen: unknown): Mismatch => ({
  key,
  expected: show(expected),
  seen: show(seen)
})

const byKey = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(byKey)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, byKey(inner)])
        )
      : value

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(byKey(a)) === JSON.stringify(byKey(b))

const same = (key: string, expected: unknown, seen: unknown): ReadonlyArray<Mismatch> =>
  equal(expected, seen) ? [] : [mismatch(key, expected, seen)]

const occurrences = (text: string, part: string): number => (part === "" ? 0 : text.split(part).length - 1)

const inOrder = (key: string, parts: ReadonlyArray<string>, text: string): ReadonlyArray<Mismatch> => {
  let from = 0
  for (const [index, part] of parts.entries()) {
    const at = text.indexOf(part, from)
    if (at < 0) return [mismatch(`${key}.inOrder[${index}]`, part, index === 0 ? text : text.slice(from))]
    from = at + part.length
  }
  return []
}

const utf8 = new TextEncoder()

/** The keys of a match that are about a text. */
const matchText = (key: string, match: TextMatch, text: string): ReadonlyArray<Mismatch> => [
  ...(match.equals === undefined ? [] : same(`${key}.equals`, match.equals, text)),
  ...(match.contains ?? []).flatMap((part, index) =>
    text.includes(part) ? [] : [mismatch(`${key}.contains[${index}]`, part, text)]
  ),
  ...(match.excludes ?? []).flatMap((part, index) =>
    text.includes(part) ? [mismatch(`${key}.excludes[${index}]`, `no ${show(part)}`, text)] : []
  ),
  ...(match.inOrder === undefined ? [] : inOrder(key, match.inOrder, text)),
  ...Object.entries(match.count ?? {}).flatMap(([part, times]) =>
    same(`${key}.count[${JSON.stringify(part)}]`, times, occurrences(text, part))
  ),
  ...(match.maxBytes === undefined || utf8.encode(text).length <= match.maxBytes
    ? []
    : [mismatch(`${key}.maxBytes`, match.maxBytes, utf8.encode(text).length)])
]

const list = (value: unknown): ReadonlyArray<unknown> | undefined => (Array.isArray(value) ? value : undefined)

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** Compares two lists of the same length item by item; of another length, both are shown. */
const itemwise = <A, B>(
  key: string,
  expected: ReadonlyArray<A>,
  seen: ReadonlyArray<B> | undefined,
  compare: (key: string, expected: A, seen: B) => ReadonlyArray<Mismatch>,
  brief: (seen: B) => unknown
): ReadonlyArray<Mismatch> => {
  if (seen === undefined) return [mismatch(key, expected, undefined)]
  return seen.length === expected.length
    ? expected.flatMap((item, index) => compare(`${key}[${index}]`, item, seen[index]!))
    : [mismatch(`${key}.length`, expected.length, { length: seen.length, items: seen.map(brief) })]
}

const self = (value: unknown): unknown => value

const matchChange = (key: string, expected: ExpectedChange, seen: unknown): ReadonlyArray<Mismatch> => {
  const { digest, ...others } = fieldsOf(seen)
  return same(key, expected, expected.digest === undefined ? others : { digest, ...others })
}

/** Keys that are left out are not compared. */
const matchFields = (
  key: string,
  expected: Readonly<Record<string, unknown>>,
  seen: unknown
): ReadonlyArray<Mismatch> =>
  Object.entries(expected).flatMap(([name, value]) => same(`${key}.${name}`, value, fieldsOf(seen)[name]))

/** A message in a line: its kind, and what its source covers or its text begins with. */
export const briefly = ({ source, text }: UserMessage): string => {
  const { baseline, changes, kind } = source as UserMessage["source"] & {
    readonly baseline?: unknown
    readonly changes?: unknown
  }
  const covers = list(changes)?.map(
    (change) => `${String(fieldsOf(change)["action"])} ${String(fieldsOf(change)["path"])}`
  )
  return covers === undefined
    ? `${kind} ${show(text.length > 60 ? `${text.slice(0, 59)}…` : text)}`
    : `${kind}${baseline === true ? " baseline" : ""} (${covers.join(", ")})`
}

/** Whether a message meets a match. */
export const matchMessage = (
  key: string,
  match: MessageMatch,
  { source, text }: UserMessage
): ReadonlyArray<Mismatch> => {
  const { baseline, changes, entries, references } = fieldsOf(source)
  return [
    ...(match.source === undefined ? [] : same(`${key}.source`, match.source, source.kind)),
    ...(match.baseline === undefined ? [] : same(`${key}.baseline`, match.baseline, baseline === true)),
    ...(match.changes === undefined ? [] : itemwise(`${key}.changes`, match.changes, list(changes), matchChange, self)),
    ...(match.references === undefined
      ? []
      : itemwise(`${key}.references`, match.references, list(references), matchFields, self)),
    ...(match.entries === undefined ? [] : itemwise(`${key}.entries`, match.entries, list(entries), matchFields, self)),
    ...matchText(key, match, text)
  ]
}

const messages = (key: string, expected: ReadonlyArray<MessageMatch> | undefined, seen: ReadonlyArray<UserMessage>) =>
  expected === undefined ? [] : itemwise(key, expected, seen, matchMessage, briefly)

/** `{}` means none at all; otherwise only the paths that are named count. */
const counts = (
  key: string,
  expected: Readonly<Record<string, number>> | undefined,
  seen: Readonly<Record<string, number>>
) => {
  if (expected === undefined) return []
  if (Object.keys(expected).length === 0) return same(key, expected, seen)
  return Object.entries(expected).flatMap(([path, times]) =>
    same(`${key}[${JSON.stringify(path)}]`, times, seen[path] ?? 0)
  )
}

const bounds = (
  key: string,
  expected: Readonly<Record<string, number>> | undefined,
  seen: Readonly<Record<string, number>>
) => {
  if (expected === undefined) return []
  if (Object.keys(expected).length === 0) return same(key, expected, seen)
  return Object.entries(expected).flatMap(([path, most]) =>
    (seen[path] ?? 0) <= most ? [] : [mismatch(`${key}[${JSON.stringify(path)}]`, `at most ${most}`, seen[path])]
  )
}

const diagnostics = (expected: ReadonlyArray<string> | undefined, seen: ReadonlyArray<string>) => {
  if (expected === undefined) return []
  if (expected.length === 0) return same("diagnostics", [], seen)
  return expected.flatMap((tag, index) => (seen.includes(tag) ? [] : [mismatch(`diagnostics[${index}]`, tag, seen)]))
}

const exact = (key: string, expected: unknown, seen: unknown) =>
  expected === undefined ? [] : same(key, expected, seen)

/**
 * A typed error nobody has announced fails the step: with `error`, or with a `decision` to reject, the scenario has
 * announced it.
 */
const error = (expect: Expectations, seen: Seen): ReadonlyArray<Mismatch> => {
  if (expect.error !== undefined) return same("error", expect.error, seen.error?.tag)
  return seen.error === undefined || expect.decision === "reject"
    ? []
    : [{ key: "error", expected: "none", seen: `${seen.error.tag}: ${seen.error.message}` }]
}

/** Every expectation that does not hold, with what was expected and what was seen; empty when all do. */
export const mismatches = (expect: Expectations, seen: Seen): ReadonlyArray<Mismatch> => [
  ...exact("decision", expect.decision, seen.decision),
  ...messages("entered", expect.entered, seen.entered),
  ...messages("inbox", expect.inbox, seen.inbox),
  ...exact("logged", expect.logged, seen.logged),
  ...(expect.logEvery === undefined
    ? []
    : seen.contributed.flatMap((message, index) => matchMessage(`logEvery[${index}]`, expect.logEvery!, message))),
  ...counts("reads", expect.reads, seen.reads),
  ...counts("probes", expect.probes, seen.probes),
  ...bounds("bytesRead", expect.bytesRead, seen.bytesRead),
  ...Object.entries(expect.report ?? {}).flatMap(([path, outcome]) =>
    same(`report[${JSON.stringify(path)}]`, outcome, seen.report[path])
  ),
  ...diagnostics(expect.diagnostics, seen.diagnostics),
  ...exact("candidates", expect.candidates, seen.candidates),
  ...exact("skills", expect.skills, seen.skills),
  ...exact("complete", expect.complete, seen.complete),
  ...exact("truncated", expect.truncated, seen.truncated),
  ...(expect.text === undefined
    ? []
    : seen.text === undefined
      ? [mismatch("text", expect.text, undefined)]
      : matchText("text", expect.text, seen.text)),
  ...error(expect, seen),
  ...exact("openHandles", expect.openHandles, seen.openHandles),
  ...(expect.within === undefined || seen.elapsed <= toMillis(expect.within)
    ? []
    : [mismatch("within", expect.within, `${seen.elapsed} millis`)])
]
