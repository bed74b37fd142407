/**
 * Which files are worth reading: a reading plan that never decides what is shown (I-10, I-61, I-62).
 */
import type { Scope } from "../../schemas/Instructions.ts"
import { showPath } from "../frame.ts"
import { byteLength } from "../utf8.ts"
import type { Settings } from "./chain.ts"
import type { Content, Observed } from "./observed.ts"
import { depth } from "./order.ts"
import { render } from "./render.ts"
import { type SelectedScope, selectScopes } from "./select.ts"

interface File {
  readonly scope: SelectedScope
  readonly content: Content
}

/** More than the frame, the introduction and the fixed words of a full notice take together. */
const fixedBytes = 1024

/** More than a file's entry in the notice, or its heading, takes beside its path. */
const entryBytes = 64

/**
 * The least a file of `size` bytes can take once decoded: UTF-16 may halve, a byte-order mark goes. Only closing tags
 * padded with white space could make a text shorter still, and such a file may be left out.
 */
const leastBytes = (size: number): number => Math.max(0, Math.floor(size / 2) - 2)

/**
 * The files that are selected and whose text is not known although it is not the one that was told, by absolute path: they
 * may have to be shown (I-52).
 */
export const missingTexts = (
  observed: Observed,
  settings: Settings,
  isTold: (scope: Scope) => boolean,
  toldDigest: (path: string) => string | undefined
): ReadonlySet<string> =>
  new Set(
    selectScopes(observed, settings.selection, isTold).scopes.flatMap(({ absolute, state }) =>
      state._tag === "file" && state.content._tag === "digest" && state.content.digest !== toldDigest(absolute)
        ? [absolute]
        : []
    )
  )

/**
 * The files to read next, by absolute path, given what has been read; empty when nothing that is still unread can be
 * shown. Speaks of a message that holds everything observed and nothing else: a first baseline.
 */
export const worthReading = (observed: Observed, settings: Settings): ReadonlySet<string> => {
  const { maxBytes } = settings
  const files = selectScopes(observed, settings.selection, () => false).scopes.flatMap((scope): ReadonlyArray<File> =>
    scope.state._tag === "file" ? [{ scope, content: scope.state.content }] : []
  )
  const specificFirst = Array.from(files.keys()).sort(
    (a, b) => depth(files[b]!.scope.scope) - depth(files[a]!.scope.scope) || b - a
  )
  const isUnread = (index: number) => files[index]!.content._tag === "size"
  const unread = specificFirst.filter(isUnread)
  const paths = (indices: ReadonlyArray<number>) => new Set(indices.map((index) => files[index]!.scope.absolute))
  if (unread.length === 0) return new Set()
  const [mostSpecific] = specificFirst
  if (isUnread(mostSpecific!)) {
    // A first guess: as many as the budget could hold if sizes were everything.
    let room = maxBytes
    const crossing = specificFirst.findIndex((index, position) => {
      room -= files[index]!.content.bytes
      return position > 0 && room < 0
    })
    return paths(specificFirst.slice(0, crossing < 0 ? undefined : crossing).filter(isUnread))
  }
  // With room to spare, the notice is a full one and the most specific file is shown, at least in part. Without, the
  // form of the notice depends on each single file.
  const shownPaths = files.map(({ scope }) => byteLength(showPath(scope.path)))
  const besides = shownPaths.reduce((sum, size) => sum + size + entryBytes, fixedBytes + shownPaths[mostSpecific!]!)
  if (besides > maxBytes) return paths(unread)
  const rendered = render(
    files.map(({ content, scope }) => ({
      kind: "set",
      scope: scope.scope,
      path: scope.path,
      text: content._tag === "text" ? content.text : undefined,
      bytes: content.bytes
    })),
    maxBytes,
    "baseline"
  )
  // When an unread file has its turn, what is more specific has been kept, and the notice is about the rest. Its heading
  // makes up for its own entry there, but not for the words that lead up to the entries; they go when nothing is omitted.
  let used = rendered.sizes.reduce((bytes, size) => bytes - size, rendered.bytes) - entryBytes
  const worth: Array<number> = []
  for (const index of specificFirst) {
    if (!isUnread(index)) used += rendered.sizes[index]!
    else if (used + leastBytes(files[index]!.content.bytes) <= maxBytes) worth.push(index)
  }
  return paths(worth)
}
