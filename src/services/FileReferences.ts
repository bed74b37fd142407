/** Which files of a session's workspace a user may mean while typing. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Diagnostic } from "../schemas/Diagnostic.ts"
import type { FileCompletion, FileReferenceError } from "../schemas/FileReference.ts"

/** How to ask for candidates: how many, for whom, and what ends it early. */
export interface ListOptions {
  /** The most candidates wanted; `maxResults` of the configuration unless given. */
  readonly limit?: number
  /** Who asks. A newer query of the same client interrupts the older one. */
  readonly client?: string
  /** Aborting it interrupts the query. */
  readonly signal?: AbortSignal
}

/** What file references can be asked for. */
export interface FileReferencesShape {
  /**
   * Candidates for what a user has typed behind `@` (F-3). With a `/`, or empty: the directory before the last `/` as it is
   * now. Anything else: the best matches of an index of the whole workspace. Interruptible. Fails when the query leads out.
   */
  readonly list: (query: string, options?: ListOptions) => Effect<FileCompletion, FileReferenceError>
  /** Has the tree looked at again with the next query that needs the index. */
  readonly invalidate: Effect<void>
  /** What is wrong with the index that is in use, if there is one: `IndexTruncated`. */
  readonly diagnostics: Effect<ReadonlyArray<Diagnostic>>
}

/** The file references of the session an agent works in. */
export class FileReferences extends Context.Service<FileReferences, FileReferencesShape>()(
  "effect-agent-context/FileReferences"
) {}
