/**
 * A way to ask about many files at once that is faster than Effect's `FileSystem`, where there is one (C-8).
 *
 * Whoever knows the platform provides it: the doors for Node do. It says itself which file systems it may stand in for: the
 * plain one of the platform, and nothing that wraps it. Where it has no answer, the `FileSystem` is asked.
 */
import * as Context from "effect/Context"
import type * as FileSystem from "effect/FileSystem"

/** Metadata of a regular file. `size` is bytes, `mtime` epoch milliseconds; `version` is equal as long as nothing has changed. */
export interface FastStat {
  readonly size: number
  readonly mtime: number
  readonly node: string
  readonly version: string
}

/** Ends what was begun: nothing more is asked, and nothing is told. */
export type Stop = () => void

/** Asks about files side by side. */
export interface FastFiles {
  /** Whether `fs` is the platform's own file system, unchanged: then, and only then, this sees what `fs` would. */
  readonly standsFor: (fs: FileSystem.FileSystem) => boolean
  /** The metadata of each path, links followed; `undefined` for what is no regular file or cannot be asked. Calls back once, later. */
  readonly stats: (paths: ReadonlyArray<string>, done: (stats: ReadonlyArray<FastStat | undefined>) => void) => Stop
  /**
   * Hands metadata and the first `length` bytes of each path to `use`, which may not keep the bytes; leaves out what is no regular
   * file or cannot be read. Calls `done` once, later, when every file is closed.
   */
  readonly heads: (
    paths: ReadonlyArray<string>,
    length: number,
    use: (index: number, stat: FastStat, bytes: Uint8Array) => void,
    done: () => void
  ) => Stop
}

/** The fast files of the platform; there are none unless they are provided. */
export const FastFiles = Context.Reference<FastFiles | undefined>("effect-agent-context/FastFiles", {
  defaultValue: () => undefined
})
