/** One look, explained: an outcome for every considered path (I-64), and its diagnostics. */
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { FileReport, Scope } from "../../schemas/Instructions.ts"
import type { Observed, ObservedCandidate, ObservedDirectory } from "./observed.ts"
import { logicalPath, scopeKey } from "./order.ts"
import type { Rendered, Section } from "./render.ts"
import type { Selected, SelectedScope } from "./select.ts"

/** A section and what it takes in the message, bytes. */
export interface Sized {
  readonly section: Section
  readonly size: number
}

type Row = Pick<FileReport, "outcome" | "renderedBytes"> & { readonly reason?: string }

const fileRow = (
  scope: SelectedScope,
  sections: ReadonlyMap<string, Sized>,
  rendered: Rendered,
  told: ReadonlySet<SelectedScope>
): Row => {
  const sized = sections.get(scopeKey(scope.scope))
  if (sized === undefined && told.has(scope)) return { outcome: "unchanged", renderedBytes: 0 }
  // Taken back for the budget's sake, a file is as good as left out.
  if (sized === undefined || sized.size === 0 || sized.section.kind === "remove")
    return { outcome: "omitted", renderedBytes: 0, reason: "the budget has no room for it" }
  const cut = rendered.truncated.find(({ path }) => path === scope.path)
  return cut === undefined
    ? { outcome: "loaded", renderedBytes: sized.size }
    : { outcome: "truncated", renderedBytes: sized.size, reason: `from ${cut.from} to ${cut.to} bytes` }
}

const sizeOf = (candidate: ObservedCandidate): number =>
  candidate.state._tag === "present"
    ? candidate.state.content.bytes
    : candidate.state._tag === "unavailable"
      ? candidate.state.bytes
      : 0

/** The report of one look, in message order. `told`: the scopes that stay as they are told. */
export const reportOf = (
  observed: Observed,
  selected: Selected,
  sections: ReadonlyArray<Sized>,
  rendered: Rendered,
  told: ReadonlySet<SelectedScope>
): ReadonlyArray<FileReport> => {
  const byScope = new Map(
    sections.flatMap((sized) =>
      sized.section.kind === "held" ? [] : [[scopeKey(sized.section.scope), sized] as const]
    )
  )
  const scopes = new Map(selected.scopes.map((scope) => [scopeKey(scope.scope), scope]))
  const row = (candidate: ObservedCandidate, key: string): Row => {
    const { state } = candidate
    if (state._tag === "absent") return { outcome: "absent", renderedBytes: 0, ...reasonOf(state.reason) }
    if (state._tag === "shadowed") return { outcome: "shadowed", renderedBytes: 0, reason: `by ${state.by}` }
    if (state._tag === "unavailable") return { outcome: state.outcome, renderedBytes: 0, reason: state.reason }
    const scope = scopes.get(key)!
    if (scope.state._tag === "duplicate")
      return { outcome: "duplicate", renderedBytes: 0, reason: `of ${scope.state.of}` }
    return fileRow(scope, byScope, rendered, told)
  }
  const rows = (directory: ObservedDirectory): ReadonlyArray<FileReport> =>
    directory.lists.flatMap((list) =>
      list.candidates.map((candidate): FileReport => {
        const scope: Scope = { owner: directory.owner, directory: directory.directory, slot: list.slot }
        return {
          path: candidate.path,
          shown: logicalPath(directory.owner, directory.directory, candidate.name, observed.shownHome),
          scope,
          bytes: sizeOf(candidate),
          ...row(candidate, scopeKey(scope))
        }
      })
    )
  return observed.directories.flatMap(rows)
}

const reasonOf = (reason: string | undefined) => (reason === undefined ? {} : { reason })

/** What one look has to complain about. */
export const diagnosticsOf = (observed: Observed): ReadonlyArray<Diagnostic> =>
  observed.directories.flatMap((directory) =>
    directory.lists.flatMap((list) =>
      list.candidates.flatMap(({ path, state }): ReadonlyArray<Diagnostic> => {
        if (state._tag === "unavailable")
          return [{ tag: state.tag, path, message: `${path} is not used now: ${state.reason}` }]
        return state._tag === "present" && state.content._tag === "text" && state.content.repaired
          ? [{ tag: "InvalidUtf8", path, message: `${path} is not valid text; what could not be decoded was replaced` }]
          : []
      })
    )
  )
