/**
 * From candidates to scopes: which file speaks for which scope (I-6, I-7, I-9).
 */
import type { Scope } from "../../schemas/Instructions.ts"
import type { Settings } from "./chain.ts"
import type { Content, Observed, ObservedCandidate, ObservedDirectory } from "./observed.ts"
import { logicalPath } from "./order.ts"

/** What a scope comes to. `held`: it cannot be told now, and what was told of it stays. */
export type ScopeState =
  | { readonly _tag: "file"; readonly content: Content }
  | { readonly _tag: "duplicate"; readonly of: string }
  | { readonly _tag: "held" }
  | { readonly _tag: "gone" }

export interface SelectedScope {
  readonly scope: Scope
  readonly chain: boolean
  /** The deciding candidate: root-relative or below the home's display form; of a `gone` scope its first name. */
  readonly path: string
  readonly absolute: string
  readonly state: ScopeState
}

/** Every scope that was looked at, in message order, and the directories that keep their last state. */
export interface Selected {
  readonly scopes: ReadonlyArray<SelectedScope>
  /** `owner` and `directory` of places with an unavailable candidate, in selection `all` only (I-9). */
  readonly frozen: ReadonlySet<string>
}

/** The key of a place in `frozen`. */
export const placeKey = (place: Pick<Scope, "owner" | "directory">): string =>
  JSON.stringify([place.owner, place.directory])

const deciding = (candidates: ReadonlyArray<ObservedCandidate>): ObservedCandidate | undefined =>
  candidates.find((candidate) => candidate.state._tag === "present" || candidate.state._tag === "unavailable")

const trimmedDigest = (content: Content): string | undefined =>
  content._tag === "size" ? undefined : content.trimmedDigest

/** What has been reached so far: real files by their identity, and by whom. */
type Reached = Map<string, { readonly path: string; readonly kept: boolean }>

/** A directory that keeps its last state: what it has told, and nothing that it has not. */
interface Keeping {
  readonly kept: boolean
  readonly isTold: (scope: Scope) => boolean
}

const selectDirectory = (
  directory: ObservedDirectory,
  shownHome: string,
  reached: Reached,
  { isTold, kept }: Keeping
): ReadonlyArray<SelectedScope> => {
  const texts = new Map<string, string>()
  return directory.lists.map((list): SelectedScope => {
    const scope: Scope = { owner: directory.owner, directory: directory.directory, slot: list.slot }
    const candidate = deciding(list.candidates) ?? list.candidates[0]!
    const path = logicalPath(directory.owner, directory.directory, candidate.name, shownHome)
    const base = { scope, chain: directory.chain, path, absolute: candidate.path }
    if (candidate.state._tag === "unavailable") return { ...base, state: { _tag: "held" } }
    if (candidate.state._tag !== "present") return { ...base, state: { _tag: "gone" } }
    const { content, real } = candidate.state
    const digest = trimmedDigest(content)
    const first = real === undefined ? undefined : reached.get(real)
    // A fault where a file is reached first withdraws nothing that was told of it elsewhere.
    const same = first !== undefined && !(first.kept && isTold(scope)) ? first.path : undefined
    const twin = same ?? (digest === undefined ? undefined : texts.get(digest))
    if (twin !== undefined) return { ...base, state: { _tag: "duplicate", of: twin } }
    // Nor does it take a file over from where it could be told.
    if (real !== undefined && (!kept || isTold(scope))) reached.set(real, { path, kept })
    if (digest !== undefined) texts.set(digest, path)
    return { ...base, state: { _tag: "file", content } }
  })
}

/** The directories that keep their last state: in selection `all`, those with an unavailable candidate (I-9). */
const frozenPlaces = (observed: Observed, selection: Settings["selection"]): ReadonlySet<string> =>
  new Set(
    selection === "all"
      ? observed.directories
          .filter(
            ({ lists, owner }) =>
              owner === "project" && lists.some(({ candidates }) => deciding(candidates)?.state._tag === "unavailable")
          )
          .map(placeKey)
      : []
  )

/**
 * Selects over one look. The same real file counts at its first place, equal texts of one directory at the earliest.
 * `isTold`: whether the model has a text of a scope; a directory that keeps its last state has nothing else to keep.
 */
export const selectScopes = (
  observed: Observed,
  selection: Settings["selection"],
  isTold: (scope: Scope) => boolean
): Selected => {
  const frozen = frozenPlaces(observed, selection)
  const reached: Reached = new Map()
  const scopes = observed.directories.flatMap((directory) => {
    const kept =
      frozen.has(placeKey(directory)) &&
      directory.lists.some(({ slot }) => isTold({ owner: directory.owner, directory: directory.directory, slot }))
    return selectDirectory(directory, observed.shownHome, reached, { kept, isTold })
  })
  return { scopes, frozen }
}
