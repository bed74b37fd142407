/**
 * What to look for, and where, before any disk is asked (I-1, I-2, I-6, I-22).
 */
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { InstructionsConfig, Scope } from "../../schemas/Instructions.ts"

/** Instruction configuration with every default filled in and unusable names taken out. Sizes are bytes. */
export interface Settings {
  readonly maxBytes: number
  readonly maxSourceBytes: number
  readonly base: ReadonlyArray<string>
  readonly local: ReadonlyArray<string>
  readonly markers: ReadonlyArray<string>
  readonly selection: "first" | "all"
  readonly home: string | undefined
  readonly touchTools: Readonly<Record<string, string>>
  /** One `CandidateIgnored` for each name that was taken out. */
  readonly ignored: ReadonlyArray<Diagnostic>
}

const unusable = (name: string): boolean => name === "" || name === "." || name === ".." || /[/\\\0]/.test(name)

const ignoredCandidate = (key: string, name: string): Diagnostic => ({
  tag: "CandidateIgnored",
  message: `${key}: ${JSON.stringify(name)} is no file name of one directory and is ignored; write a plain name without separators`
})

/** Fills in the defaults of table K and drops unusable names (I-2); a name listed twice counts once. */
export const resolveSettings = (config: InstructionsConfig): Settings => {
  const ignored: Array<Diagnostic> = []
  const names = (key: keyof InstructionsConfig, list: ReadonlyArray<string>): ReadonlyArray<string> => {
    for (const name of list) if (unusable(name)) ignored.push(ignoredCandidate(key, name))
    return [...new Set(list.filter((name) => !unusable(name)))]
  }
  return {
    maxBytes: config.maxBytes,
    maxSourceBytes: config.maxSourceBytes ?? 1_048_576,
    base: names("instructionFileCandidates", config.instructionFileCandidates ?? ["AGENTS.md", "CLAUDE.md"]),
    local: names(
      "localInstructionFileCandidates",
      config.localInstructionFileCandidates ?? ["AGENTS.local.md", "CLAUDE.local.md"]
    ),
    markers: names("projectRootMarkers", config.projectRootMarkers ?? [".git"]),
    selection: config.candidateSelection ?? "first",
    home: config.home,
    touchTools: config.touchTools ?? { read: "file_path", write: "file_path", edit: "file_path" },
    ignored
  }
}

/** Whether instructions are on at all (I-60). */
export const isOn = (settings: Settings): boolean => settings.maxBytes > 0 && settings.maxBytes < Infinity

/** A directory's candidates, grouped as they compete: of a list, the first that exists wins. */
export interface CandidateList {
  readonly slot: string
  readonly names: ReadonlyArray<string>
}

/** The lists of a project directory: two in selection `first`, one for each name in selection `all`. */
export const candidateLists = (settings: Settings): ReadonlyArray<CandidateList> =>
  settings.selection === "first"
    ? [
        { slot: "base", names: settings.base },
        { slot: "local", names: settings.local }
      ].filter((list) => list.names.length > 0)
    : [...new Set([...settings.base, ...settings.local])].map((name) => ({ slot: name, names: [name] }))

/** The user-global file is one fixed name without overlay (I-3). */
export const userLists: ReadonlyArray<CandidateList> = [{ slot: "base", names: ["AGENTS.md"] }]

/** The order of slots inside a directory, for I-51. */
export const slotOrder = (settings: Settings): ReadonlyArray<string> =>
  candidateLists(settings).map((list) => list.slot)

/** A directory to look into. */
export interface Place {
  readonly owner: Scope["owner"]
  /** Root-relative with `/`, or `.`; for the user-global file `.`. */
  readonly directory: string
  readonly absolute: string
}

/**
 * The baseline identity: equal exactly when discovery, precedence, root and budgets mean the same (I-22). `upward` is
 * the root relative to `cwd`.
 */
export const identityOf = (settings: Settings, shownHome: string, upward: string): string =>
  JSON.stringify([
    1,
    settings.base,
    settings.local,
    settings.markers,
    settings.selection,
    settings.maxBytes,
    settings.maxSourceBytes,
    shownHome,
    upward
  ])
