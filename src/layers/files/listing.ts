/** A directory of the workspace as it is now (F-3). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { isIgnored } from "../../pipeline/files/ignore.ts"
import { composed } from "../../pipeline/files/nameTable.ts"
import { isHidden, type Listing } from "../../pipeline/files/query.ts"
import { listing } from "../../pipeline/files/rank.ts"
import * as Paths from "../../pipeline/paths.ts"
import type { FileCandidate, FileCompletion, FileReferencesSettings } from "../../schemas/FileReference.ts"
import { realPath } from "../filesystem/probe.ts"
import { listReal } from "./reading.ts"
import { standing } from "./workspace.ts"

const nothing: FileCompletion = { candidates: [], truncated: false }

/** Where a directory really is: inside, nowhere, or outside of the workspace. */
type Place =
  | { readonly _tag: "Inside"; readonly real: string }
  | { readonly _tag: "Nowhere" }
  | { readonly _tag: "Outside" }

const nowhere: Place = { _tag: "Nowhere" }

/** Of a path that is not there, the nearest directory that is decides whether it leads out. */
const locate = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  root: string,
  directory: string
): Effect.fn.Return<Place> {
  for (const [up, each] of [...Paths.descend(".", directory)].reverse().entries()) {
    const real = yield* realPath(fs, Paths.resolve(root, each))
    if (typeof real === "string") {
      if (Paths.within(root, real) === undefined) return { _tag: "Outside" }
      return up === 0 ? { _tag: "Inside", real } : nowhere
    }
    if (real._tag === "Unavailable") return nowhere
  }
  return nowhere
})

/** The directory as the disk spells it, when the query composes its letters in another way; only such names are looked for. */
const respelled = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, root: string, directory: string) {
  let spelled = "."
  for (const segment of directory.split("/")) {
    const place = yield* locate(fs, root, spelled)
    if (place._tag !== "Inside") return undefined
    const listed = yield* listReal(fs, place.real)
    const names = listed?.names ?? []
    const name = names.includes(segment) ? segment : names.find((other) => composed(other) === composed(segment))
    if (name === undefined) return undefined
    spelled = Paths.below(spelled, name)
  }
  return spelled
})

const find = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, root: string, directory: string) {
  const place = yield* locate(fs, root, directory)
  const plain = composed(directory) === directory && directory.normalize("NFD") === directory
  if (place._tag !== "Nowhere" || plain) return { place, directory }
  const spelled = yield* respelled(fs, root, directory)
  return spelled === undefined ? { place, directory } : { place: yield* locate(fs, root, spelled), directory: spelled }
})

/** How often a directory is looked at again that was swapped for another while it was listed. */
const attempts = 3

/**
 * The entries of a directory that the query means. `undefined`: it is outside of the workspace. What is listed is the real
 * directory, and only if it is still there afterwards: a link put in its place meanwhile leads nowhere.
 */
export const listLive = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  root: string,
  query: Listing,
  limit: number,
  settings: FileReferencesSettings
): Effect.fn.Return<FileCompletion | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { directory, place } = yield* find(fs, root, query.directory)
    if (place._tag === "Outside") return undefined
    if (place._tag === "Nowhere") return nothing
    const listed = yield* listReal(fs, place.real)
    if (listed === undefined) continue
    const real = Paths.within(root, place.real) ?? "."
    const { open, rules } = yield* standing(fs, root, real, settings)
    const all = open || directory.split("/").some(isHidden)
    const entries: Array<FileCandidate> = []
    for (const [at, name] of listed.names.entries()) {
      const kind = listed.kinds[at]!
      if (kind === "other") continue
      if (!all) {
        if (isHidden(name) && !query.hidden) continue
        if (settings.excludedNames.includes(name)) continue
        if (isIgnored(rules, Paths.below(real, name), name, kind === "directory")) continue
      }
      entries.push({ path: Paths.below(directory, name), kind })
    }
    return listing(entries, query.rest, limit)
  }
  return nothing
})
