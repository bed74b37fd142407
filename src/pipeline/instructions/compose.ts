/**
 * The next instruction message: the difference between what is told and what is true, within the budget
 * (I-20, I-25, I-30 to I-32, I-46 to I-51).
 */
import type { Change, FileReport, InstructionsSource, Omission, Scope, Truncation } from "../../schemas/Instructions.ts"
import { type Settings, slotOrder } from "./chain.ts"
import type { Observed } from "./observed.ts"
import { compareScopes, scopeKey } from "./order.ts"
import { type FileSection, type HeldSection, render, type Rendered, type Section, type Style } from "./render.ts"
import { reportOf } from "./report.ts"
import { placeKey, type Selected, type SelectedScope, selectScopes } from "./select.ts"
import { isTold, live, type Told, type ToldScope } from "./told.ts"

/** What the composition starts from. */
export interface Composing {
  readonly told: Told
  /** The whole state is due: a new agent instance, or a visible message has been compacted away. */
  readonly fresh: boolean
  /** Nothing that was told has been compacted away. */
  readonly allVisible?: boolean
  /** A baseline waits; whatever takes its place has to be one. */
  readonly baselineWaits: boolean
  readonly observed: Observed
  readonly settings: Settings
}

/** A composed message with its account. `source` is absent when there is nothing to say. */
export interface Composed {
  readonly text: string
  readonly bytes: number
  readonly source: InstructionsSource | undefined
  readonly omitted: ReadonlyArray<Omission>
  readonly truncated: ReadonlyArray<Truncation>
  readonly report: ReadonlyArray<FileReport>
}

/** A message before it has a source: its sections, their rendering, and what is committed with them. */
interface Message {
  readonly planned: ReadonlyArray<Planned>
  readonly rendered: Rendered
  readonly changes: ReadonlyArray<Change>
}

/** A section and the change that is committed with it, if it is shown. */
interface Planned {
  readonly section: Section
  readonly change: Change | undefined
}

const digestOf = (scope: SelectedScope): string | undefined =>
  scope.state._tag === "file" && scope.state.content._tag !== "size" ? scope.state.content.digest : undefined

const fileSection = (selected: SelectedScope, kind: FileSection["kind"], previousPath?: string): Planned => {
  const content = selected.state._tag === "file" ? selected.state.content : undefined
  const digest = digestOf(selected)
  const { scope, path } = selected
  const moved = previousPath === undefined || previousPath === path ? {} : { previousPath }
  return {
    section: {
      kind,
      scope,
      path,
      ...moved,
      text: content?._tag === "text" ? content.text : undefined,
      bytes: content?.bytes ?? 0
    },
    change:
      digest === undefined
        ? undefined
        : { action: kind === "replace" ? "replace" : "set", scope, path, ...(kind === "replace" ? moved : {}), digest }
  }
}

const removal = (told: ToldScope, because: "gone" | "budget"): Planned & { readonly change: Change } => ({
  section: { kind: "remove", scope: told.scope, path: told.path, because },
  change: { action: "remove", scope: told.scope, path: told.path }
})

/** What is withdrawn of another slot's path stands at that slot's place (I-51). */
const inOrder = (settings: Settings, planned: ReadonlyArray<Planned>): ReadonlyArray<Planned> => {
  const compare = compareScopes(slotOrder(settings))
  return planned.toSorted((a, b) => compare(a.section.scope, b.section.scope))
}

/** What is told of a scope and what is true of it, side by side. */
interface Pair {
  readonly told: ToldScope | undefined
  readonly selected: SelectedScope | undefined
  /** Why what was told stays, whatever is on disk. */
  readonly held: HeldSection["because"] | undefined
}

/**
 * Every scope looked at or told, in message order. A path that was told under a slot of another configuration is paired
 * with the scope that has it now: moved to another slot, a file is neither gone nor new.
 */
const pairs = (told: Told, selected: Selected, settings: Settings): ReadonlyArray<Pair> => {
  const compare = compareScopes(slotOrder(settings))
  const seen = new Set(selected.scopes.map(({ scope }) => scopeKey(scope)))
  const unmatched = [...told.scopes.values()].filter((entry) => !seen.has(scopeKey(entry.scope)))
  const moved = new Map(unmatched.filter(live).map((entry) => [placePath(entry.scope, entry.path), entry]))
  const frozen = new Set(
    [...told.scopes.values()]
      .filter(live)
      .flatMap(({ scope }) => (selected.frozen.has(placeKey(scope)) ? [placeKey(scope)] : []))
  )
  const because = (unreadable: boolean, scope: Scope): Pair["held"] =>
    unreadable ? "unreadable" : frozen.has(placeKey(scope)) ? "beside" : undefined
  const paired = new Set<ToldScope>()
  const looked = selected.scopes.map((entry) => {
    const known = told.scopes.get(scopeKey(entry.scope))
    const earlier = live(known) ? undefined : moved.get(placePath(entry.scope, entry.path))
    if (earlier !== undefined) paired.add(earlier)
    return {
      scope: entry.scope,
      pair: {
        told: earlier ?? known,
        selected: entry,
        held: because(entry.state._tag === "held", entry.scope)
      }
    }
  })
  const unreadable = new Set(
    selected.scopes.flatMap(({ path, scope, state }) => (state._tag === "held" ? [placePath(scope, path)] : []))
  )
  const others = unmatched
    .filter((entry) => !paired.has(entry))
    .map((entry) => ({
      scope: entry.scope,
      pair: {
        told: entry,
        selected: undefined,
        held: because(unreadable.has(placePath(entry.scope, entry.path)), entry.scope)
      }
    }))
  return [...looked, ...others].sort((a, b) => compare(a.scope, b.scope)).map(({ pair }) => pair)
}

const isFile = (selected: SelectedScope | undefined): selected is SelectedScope => selected?.state._tag === "file"

/** One scope's transition: nothing, or one section (I-47 to I-50). */
const transition = ({ told, selected, held }: Pair): ReadonlyArray<Planned> => {
  if (held !== undefined) return []
  if (!isFile(selected)) return live(told) ? [removal(told, "gone")] : []
  if (!live(told)) return [fileSection(selected, selected.chain ? "set" : "additional")]
  const same = told.path === selected.path && told.digest === digestOf(selected)
  return same ? [] : [fileSection(selected, "replace", told.path)]
}

/** The complete chain, and the transitions of everything nested; nothing visible is a baseline (I-20, I-32). */
const restoring = (all: ReadonlyArray<Pair>): ReadonlyArray<Planned> =>
  all.flatMap((pair) =>
    pair.selected?.chain === true && isFile(pair.selected) && pair.held === undefined
      ? [fileSection(pair.selected, "set")]
      : transition(pair)
  )

/** What the complete rendering retains of the chain and of what the visible baseline carries (I-30). */
const retained = (all: ReadonlyArray<Pair>, settings: Settings): ReadonlySet<string> => {
  const carried = all.filter(
    ({ told, selected, held }) =>
      held === undefined && isFile(selected) && (selected.chain || (live(told) && told.by === "baseline"))
  )
  const sections = carried.map(({ selected }) => fileSection(selected!, "set").section)
  const { shown } = render(sections, settings.maxBytes, "baseline")
  return new Set(carried.flatMap(({ selected }, index) => (shown.has(index) ? [scopeKey(selected!.scope)] : [])))
}

/** A new instance over a baseline that means the same: what has changed meanwhile, and what no longer fits (I-30). */
const resuming = (all: ReadonlyArray<Pair>, settings: Settings): ReadonlyArray<Planned> => {
  const keeps = retained(all, settings)
  return all.flatMap((pair) => {
    const { told, selected, held } = pair
    if (held !== undefined || !isFile(selected) || keeps.has(scopeKey(selected.scope))) return transition(pair)
    if (live(told)) return told.by === "baseline" ? [removal(told, "budget")] : transition(pair)
    return selected.chain ? [] : transition(pair)
  })
}

/**
 * The complete present in place of everything told before (I-31). Such a message says that it replaces all earlier ones,
 * so whatever was told and is neither shown nor named as still applying is withdrawn by it, line or no line. The lines of
 * what still applies find room first; a budget too small even for them costs a file that cannot be read its place, until it
 * can be read and is told again.
 */
const superseding = (all: ReadonlyArray<Pair>, settings: Settings): Message => {
  const planned = inOrder(
    settings,
    all.flatMap((pair): ReadonlyArray<Planned> => {
      const { held, selected, told } = pair
      if (held !== undefined)
        return live(told)
          ? [{ section: { kind: "held", scope: told.scope, path: told.path, because: held }, change: undefined }]
          : []
      if (isFile(selected)) return [fileSection(selected, "set")]
      return live(told) ? [removal(told, "gone")] : []
    })
  )
  const present = new Set(
    planned.flatMap(({ section }) => (section.kind === "set" ? [placePath(section.scope, section.path)] : []))
  )
  // A file that another scope tells now is not gone.
  const said = planned.filter(
    ({ section }) => section.kind !== "remove" || !present.has(placePath(section.scope, section.path))
  )
  const rendered = render(
    said.map(({ section }) => section),
    settings.maxBytes,
    "superseding"
  )
  if (rendered.text === "") return { planned: said, rendered, changes: [] }
  const visible = said.filter((_, index) => rendered.sizes[index]! > 0)
  const shownPaths = new Set(
    visible.flatMap(({ section }) => (section.kind === "remove" ? [] : [placePath(section.scope, section.path)]))
  )
  const shownScopes = new Map(visible.map((entry) => [scopeKey(entry.section.scope), entry]))
  const changes = all.flatMap(({ selected, told }): ReadonlyArray<Change> => {
    const scope = selected?.scope ?? told!.scope
    const shown = shownScopes.get(scopeKey(scope))
    if (shown !== undefined && shown.section.kind !== "remove") return shown.change === undefined ? [] : [shown.change]
    return live(told) && !shownPaths.has(placePath(told.scope, told.path)) ? [removal(told, "gone").change] : []
  })
  const compare = compareScopes(slotOrder(settings))
  return { planned: said, rendered, changes: changes.sort((a, b) => compare(a.scope, b.scope)) }
}

const placePath = (scope: Scope, path: string): string => JSON.stringify([scope.owner, path])

const committed = (planned: ReadonlyArray<Planned>, rendered: Rendered): ReadonlyArray<Change> =>
  planned.flatMap(({ change }, index) => (change !== undefined && rendered.shown.has(index) ? [change] : []))

/** When not even a notice fits, every file is left out all the same. */
const allFiles = (planned: ReadonlyArray<Planned>): ReadonlyArray<Omission> =>
  planned.flatMap(({ section }) => ("text" in section ? [{ path: section.path, bytes: section.bytes }] : []))

/** Composes the message that is due now. */
export const compose = ({ told, fresh, allVisible, baselineWaits, observed, settings }: Composing): Composed => {
  const selected = selectScopes(observed, settings.selection, isTold(told))
  const all = pairs(told, selected, settings)
  const finish = ({ changes, planned, rendered }: Message, baseline: boolean): Composed => {
    const says = rendered.text !== "" && (baseline || changes.length > 0)
    const sections = planned.map(({ section }, index) => ({ section, size: rendered.sizes[index]! }))
    return {
      text: says ? rendered.text : "",
      bytes: says ? rendered.bytes : 0,
      source: says
        ? {
            kind: "agent-instructions",
            version: 1,
            ...(baseline ? { baseline: true, baselineIdentity: observed.identity } : {}),
            changes
          }
        : undefined,
      omitted: rendered.text === "" ? allFiles(planned) : rendered.omitted,
      truncated: rendered.truncated,
      report: reportOf(
        observed,
        selected,
        sections,
        rendered,
        new Set(
          all.flatMap(({ held, selected, told }) =>
            (held !== undefined || live(told)) && selected !== undefined ? [selected] : []
          )
        )
      )
    }
  }
  const present = new Set(
    all.flatMap(({ selected }) => (isFile(selected) ? [placePath(selected.scope, selected.path)] : []))
  )
  // A file that another slot has taken over is not gone.
  const isGone = ({ section }: Planned) =>
    section.kind !== "remove" || section.because === "budget" || !present.has(placePath(section.scope, section.path))
  const say = (due: ReadonlyArray<Planned>, style: Style): Composed => {
    const planned = inOrder(settings, due.filter(isGone))
    const rendered = render(
      planned.map(({ section }) => section),
      settings.maxBytes,
      style
    )
    return finish({ planned, rendered, changes: committed(planned, rendered) }, style !== "dynamic")
  }
  if (told.identity !== undefined && told.identity !== observed.identity) {
    const anything = all.some((pair) => live(pair.told) || (pair.held === undefined && isFile(pair.selected)))
    return anything ? finish(superseding(all, settings), true) : say([], "dynamic")
  }
  if (told.identity !== undefined) return say(fresh ? resuming(all, settings) : all.flatMap(transition), "dynamic")
  const chained = all.some(({ selected, held }) => selected?.chain === true && isFile(selected) && held === undefined)
  // Where the first baseline was empty, the chain may have been told since, file by file (I-50).
  const toldSince = allVisible === true && all.some(({ selected, told }) => selected?.chain === true && live(told))
  return chained && ((fresh && !toldSince) || baselineWaits)
    ? say(restoring(all), "baseline")
    : say(all.flatMap(transition), "dynamic")
}
