/**
 * What one look at the disk has found: the *true* of told, waiting and true. Plain data, made by discovery.
 */
import type { DiagnosticTag } from "../../schemas/Diagnostic.ts"
import type { FileOutcome } from "../../schemas/Instructions.ts"
import type { Place } from "./chain.ts"

/**
 * What is known of a file's text. `bytes`: its size in UTF-8. `digest`: it is on disk as a trusted version says, so it
 * was not read. `size`: it was not read because it cannot fit the budget; `bytes` is then its reported size.
 */
export type Content =
  | {
      readonly _tag: "text"
      readonly text: string
      readonly bytes: number
      readonly digest: string
      readonly trimmedDigest: string
      readonly repaired: boolean
    }
  | { readonly _tag: "digest"; readonly bytes: number; readonly digest: string; readonly trimmedDigest: string }
  | { readonly _tag: "size"; readonly bytes: number }

/** What one candidate came to. `unavailable` holds its place; `absent` hands over to the next name (I-9). */
export type CandidateState =
  | {
      readonly _tag: "present"
      readonly content: Content
      /** Equal for two candidates exactly when they are the same real file. */
      readonly real: string | undefined
    }
  | { readonly _tag: "absent"; readonly reason: string | undefined }
  | {
      readonly _tag: "unavailable"
      readonly outcome: Extract<FileOutcome, "unavailable" | "oversized" | "binary">
      readonly tag: DiagnosticTag
      readonly reason: string
      readonly bytes: number
    }
  | { readonly _tag: "shadowed"; readonly by: string }

export interface ObservedCandidate {
  readonly name: string
  readonly path: string
  readonly state: CandidateState
}

/** One list of a directory, its candidates in order up to the one that decided it. */
export interface ObservedList {
  readonly slot: string
  readonly candidates: ReadonlyArray<ObservedCandidate>
}

export interface ObservedDirectory extends Place {
  /** Part of the chain: the user-global place, or a directory from the root down to `cwd`. */
  readonly chain: boolean
  readonly lists: ReadonlyArray<ObservedList>
}

/** One complete look. `directories` are in message order. */
export interface Observed {
  readonly root: string
  readonly identity: string
  readonly shownHome: string
  readonly directories: ReadonlyArray<ObservedDirectory>
}
