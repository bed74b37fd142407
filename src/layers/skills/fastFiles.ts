/**
 * A way to ask about many files at once that is faster than Effect's `FileSystem`, where there is one (C-8).
 *
 * Whoever knows the platform provides it: the doors for Node do. It says itself which file systems it may stand in for: the
 * plain one of the platform, and nothing that wraps it. Where it has no answer, the `FileSystem` is asked.
 */
import * as Context from "effect/Context"
import type * as FileSystem from "effect/FileSystem"

/** Metadata of a regular file, all equal as long as nothing has changed. `size` is bytes, times are epoch milliseconds. */
export interface FastStat {
  readonly size: number
  readonly mtime: number
  readonly ctime: number
  readonly device: number
  readonly inode: number
}

/** Ends what was begun: nothing more is asked, and nothing is told. */
export type Stop = () => void

/**
 * A file to ask about. `root`: the directory that it was found in by listing, at whatever depth, with no link on the way from there
 * except perhaps the file itself; left out where there may be one.
 */
export interface FastFile {
  readonly path: string
  readonly root?: string
}

/** Asks about many files. */
export interface FastFiles {
  /** Whether `fs` is the platform's own file system, unchanged: then, and only then, this sees what `fs` would. */
  readonly standsFor: (fs: FileSystem.FileSystem) => boolean
  /** The metadata of each file, links followed; `undefined` for what is no regular file or cannot be asked. Calls back once, later. */
  readonly stats: (files: ReadonlyArray<FastFile>, done: (stats: ReadonlyArray<FastStat | undefined>) => void) => Stop
  /**
   * Hands metadata and the first `length` bytes of each file to `use`: `read` of them are there, at the beginning of a buffer that
   * it may not keep. Leaves out what is no regular file or cannot be read. Calls `done` once, later, when every file is closed.
   */
  readonly heads: (
    files: ReadonlyArray<FastFile>,
    length: number,
    use: (index: number, stat: FastStat, buffer: Buffer, read: number) => void,
    done: () => void
  ) => Stop
}

/** The fast files of the platform; there are none unless they are provided. */
export const FastFiles = Context.Reference<FastFiles | undefined>("effect-agent-context/FastFiles", {
  defaultValue: () => undefined
})
