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

const selectDirectory = (
  directory: ObservedDirectory,
  shownHome: string,
  reached: Map<string, string>
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
    const twin =
      (real === undefined ? undefined : reached.get(real)) ?? (digest === undefined ? undefined : texts.get(digest))
    if (twin !== undefined) return { ...base, state: { _tag: "duplicate", of: twin } }
    if (real !== undefined) reached.set(real, path)
    if (digest !== undefined) texts.set(digest, path)
    return { ...base, state: { _tag: "file", content } }
  })
}

/** Selects over one look. The same real file counts at its first place, equal texts of one directory at the earliest. */
export const selectScopes = (observed: Observed, selection: Settings["selection"]): Selected => {
  const reached = new Map<string, string>()
  const scopes = observed.directories.flatMap((directory) => selectDirectory(directory, observed.shownHome, reached))
  const frozen = new Set(
    selection === "all"
      ? scopes
          .filter(({ scope, state }) => state._tag === "held" && scope.owner === "project")
          .map(({ scope }) => placeKey(scope))
      : []
  )
  return { scopes, frozen }
}
