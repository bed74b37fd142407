/** The skills on disk, beyond what their registry asks: what may have changed, and who watches. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { ToolExecution } from "./ContextSupply.ts"

/** A directory that is not watched, and why. `absent`: there is none. */
export interface Unwatched {
  readonly directory: string
  readonly absent: boolean
  readonly reason: string
}

/** Somebody who watches directories, not what is below them. */
export interface DirectoryWatcher {
  /**
   * Sees to it that exactly `directories` are watched for `group`, when it returns, and says which are not. Those that were
   * watched already cost nothing. The fiber that asks has the `FileSystem` to be watched, and whoever tells of an event has it too.
   */
  readonly ensure: (group: string, directories: ReadonlyArray<string>) => Effect<ReadonlyArray<Unwatched>>
  /** Something else may be in the place of `directory`: what is watched there and below has to be watched anew. */
  readonly forget: (directory: string) => void
}

/** Told of an entry of a watched directory that has changed; no name: anything may have. */
export type OnDirectoryEvent = (directory: string, name: string | undefined) => Effect<void>

/** What the skills on disk can be asked for. */
export interface SkillsFileSystemShape {
  /** Has everything looked at again. */
  readonly invalidate: Effect<void>
  /** Whether a change of one of `paths` (absolute, or relative to `cwd`) may be a change of skills. Asks no disk. */
  readonly touchesRoots: (cwd: string, paths: ReadonlyArray<string>) => boolean
  /** `paths` have been written: if that touches a root, they are looked at again, and everything listed is invalid (S-25). */
  readonly touched: (cwd: string, paths: ReadonlyArray<string>) => boolean
  /** The observer that an agent's `ContextSupply.onToolResult` takes, for its `cwd`: successful `write` and `edit` (S-25). */
  readonly onToolResult: (cwd: string) => (execution: ToolExecution) => void
  /** Has a watcher watch every root that is listed, until the scope ends. */
  readonly watchWith: (make: (onEvent: OnDirectoryEvent) => DirectoryWatcher) => Effect<void, never, Scope>
}

/** The skills on disk that a registry knows. */
export class SkillsFileSystem extends Context.Service<SkillsFileSystem, SkillsFileSystemShape>()(
  "effect-agent-context/SkillsFileSystem"
) {}
