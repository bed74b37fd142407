/** Looks at a disk that is only described: what discovery would hand to the pipeline. */
import { sha1 } from "../../../src/pipeline/digest.ts"
import { candidateLists, identityOf, type Settings, userLists } from "../../../src/pipeline/instructions/chain.ts"
import type { Composed } from "../../../src/pipeline/instructions/compose.ts"
import type { CandidateState, Observed, ObservedDirectory } from "../../../src/pipeline/instructions/observed.ts"
import { compareDirectories, logicalPath } from "../../../src/pipeline/instructions/order.ts"
import { announce, type Told } from "../../../src/pipeline/instructions/told.ts"
import type { Change } from "../../../src/schemas/Instructions.ts"

/** A file: its text, or why there is none. `link`: the real file it leads to, with its text. `unread`: its size. */
export type File =
  | string
  | { readonly unavailable: "unavailable" | "oversized" | "binary" }
  | { readonly link: string; readonly text: string }
  | { readonly unread: number }

export const unavailable: File = { unavailable: "unavailable" }

/** Files by root-relative path, the user's by `~`. */
export type Disk = Readonly<Record<string, File>>

export interface Looking {
  readonly settings: Settings
  readonly chain?: ReadonlyArray<string>
  readonly nested?: ReadonlyArray<string>
  readonly shownHome?: string
}

const stateOf = (file: File | undefined): CandidateState => {
  if (file === undefined) return { _tag: "absent", reason: undefined }
  if (typeof file === "object" && "unavailable" in file) {
    const tag = { unavailable: "CandidateUnavailable", oversized: "SourceOversized", binary: "SourceBinary" } as const
    const outcome = file.unavailable
    return { _tag: "unavailable", outcome, tag: tag[outcome], reason: "for a reason", bytes: 7 }
  }
  if (typeof file === "object" && "unread" in file) {
    return { _tag: "present", real: undefined, content: { _tag: "size", bytes: file.unread } }
  }
  const text = typeof file === "string" ? file : file.text
  return {
    _tag: "present",
    real: typeof file === "string" ? undefined : file.link,
    content: {
      _tag: "text",
      text,
      bytes: Buffer.byteLength(text),
      digest: sha1(text),
      trimmedDigest: sha1(text.trim()),
      repaired: false
    }
  }
}

/** What a look at `disk` finds: the user's file, the chain (the root only, unless given), and what is nested. */
export const observe = (
  disk: Disk,
  { chain = ["."], nested = [], settings, shownHome = "~/.dsh" }: Looking
): Observed => {
  const directory = (owner: "user" | "project", name: string): ObservedDirectory => {
    const absolute = owner === "user" ? "/home/.dsh" : name === "." ? "/repo" : `/repo/${name}`
    return {
      owner,
      directory: name,
      absolute,
      chain: owner === "user" || chain.includes(name),
      lists: (owner === "user" ? userLists : candidateLists(settings)).map(({ names, slot }) => {
        const fileOf = (candidate: string) =>
          disk[owner === "user" ? "~" : logicalPath("project", name, candidate, shownHome)]
        const decided = names.findIndex((candidate) => fileOf(candidate) !== undefined)
        return {
          slot,
          candidates: names.slice(0, decided < 0 ? names.length : decided + 1).map((candidate) => ({
            name: candidate,
            path: `${absolute}/${candidate}`,
            state: stateOf(fileOf(candidate))
          }))
        }
      })
    }
  }
  const names = [...new Set([...chain, ...nested])].sort(compareDirectories)
  return {
    root: "/repo",
    shownHome,
    identity: identityOf(settings, shownHome, chain.at(-1)!),
    directories: [directory("user", "."), ...names.map((name) => directory("project", name))]
  }
}

/** What is told once a message is logged. */
export const tell = (told: Told, composed: Composed): Told =>
  composed.source === undefined ? told : announce(told, { ...composed.source })

/** A change in short: `action directory/slot path`, and `< previousPath`. */
export const short = ({ action, path, previousPath, scope }: Change): string =>
  `${action} ${scope.owner === "user" ? "user" : scope.directory}:${scope.slot} ${path}${previousPath === undefined ? "" : ` < ${previousPath}`}`

/** What is told, in short; a tombstone has a dagger. */
export const toldIn = (told: Told): ReadonlyArray<string> =>
  [...told.scopes.values()]
    .map(
      ({ digest, path, scope }) =>
        `${scope.owner === "user" ? "user" : scope.directory}:${scope.slot} ${path}${digest === undefined ? " †" : ""}`
    )
    .sort()
