/**
 * A way to list directories that is faster than Effect's `FileSystem`, where there is one (C-8).
 *
 * Whoever knows the platform provides it: the doors for Node do. It says itself which file systems it may stand in for: the
 * plain one of the platform, and nothing that wraps it.
 */
import * as Context from "effect/Context"
import type * as FileSystem from "effect/FileSystem"
import type { Listed } from "./growth.ts"

/** Lists directories side by side. */
export interface FastReader {
  /** Whether `fs` is the platform's own file system, unchanged: then, and only then, this sees what `fs` would. */
  readonly standsFor: (fs: FileSystem.FileSystem) => boolean
  /**
   * The entries of a directory, by its real path, and the ignore files among them if they are `wanted`; `undefined` when it
   * cannot be listed or is not what it was. Calls back once, later. May not throw.
   */
  readonly list: (directory: string, wanted: boolean, callback: (listed: Listed | undefined) => void) => void
  /** How many directories to ask for side by side. */
  readonly concurrency: number
}

/** The fast reader of the platform; there is none unless one is provided. */
export const FastReader = Context.Reference<FastReader | undefined>("effect-agent-context/FastReader", {
  defaultValue: () => undefined
})
