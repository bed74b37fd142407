/** What an agent context is made from, in plain TypeScript. */
import type { FileSystem } from "effect/FileSystem"

/** Workspace instructions: which files count, and how much of them is told. Sizes are UTF-8 bytes. */
export interface InstructionsOptions {
  /** Bounds each instruction message, frame and notices included. There is no default; 0 or less turns instructions off. */
  readonly maxBytes: number
  /** The largest file that is read. Default 1,048,576. */
  readonly maxSourceBytes?: number
  /** In each directory the first of these that exists counts. Default `["AGENTS.md", "CLAUDE.md"]`. */
  readonly instructionFileCandidates?: ReadonlyArray<string>
  /** The same for the overlay beside it. Default `["AGENTS.local.md", "CLAUDE.local.md"]`; `[]` turns overlays off. */
  readonly localInstructionFileCandidates?: ReadonlyArray<string>
  /** What the root of a project holds. Default `[".git"]`. */
  readonly projectRootMarkers?: ReadonlyArray<string>
  /** Whether the first existing name of each list counts, or all of them. Default `"first"`. */
  readonly candidateSelection?: "first" | "all"
  /** Where the user's own `AGENTS.md` lies. Default `$DSH_HOME`, else `~/.dsh`. */
  readonly home?: string
  /** Tools that touch files, and the argument that holds the path. Default `read`, `write` and `edit` with `file_path`. */
  readonly touchTools?: Readonly<Record<string, string>>
}

/** Which skills there are, and how the model is told of them. Sizes are UTF-8 bytes. */
export interface SkillsOptions {
  /** Whether the usual directories count. Default `true`. */
  readonly includeDefaultRoots?: boolean
  /** Further directories; `rank` (lower wins) is 300 and `source` `"custom"` unless given. */
  readonly roots?: ReadonlyArray<{ readonly path: string; readonly rank?: number; readonly source?: string }>
  /** Instead of `$DSH_HOME`, else `~/.dsh`. */
  readonly home?: string
  /** Instead of `$DSH_AGENTS_HOME`, else `~/.agents`. */
  readonly agentsHome?: string
  /** Skills that come with the program. */
  readonly bundledDirectory?: string
  /** The largest skill that is read. Default 1,048,576. */
  readonly maxSourceBytes?: number
  /** Characters of a description in the catalog, at least 3. Default 500. */
  readonly catalogDescriptionMaxLength?: number
  /** Bounds the catalog message. Default 16,384. */
  readonly catalogMaxBytes?: number
  /** Where `/name` in a user's message calls a skill. Default `"line-start"`. */
  readonly userInvocation?: "line-start" | "anywhere" | "off"
  /** How long one provider may take: milliseconds, or a text such as `"5 seconds"`, the default. */
  readonly providerTimeout?: number | `${number} ${"millis" | "second" | "seconds"}`
  /** Whether changes on the disk are noticed as they happen. Default `false`. */
  readonly watch?: boolean
}

/** What may be meant by `@path`. */
export interface FileReferencesOptions {
  /** Candidates for a query. Default 20. */
  readonly maxResults?: number
  /** Files and directories in the index. Default 100,000. */
  readonly maxEntries?: number
  /** Names that are left out. Default `[".git", "node_modules"]`. */
  readonly excludedNames?: ReadonlyArray<string>
  /** Whether `.gitignore` and `.ignore` count. Default `true`. */
  readonly respectIgnoreFiles?: boolean
}

/** References to other sessions of the same store. Sizes are UTF-8 bytes. */
export interface SessionReferencesOptions {
  /** Different sessions that one message may refer to. Default 3. */
  readonly maxReferences?: number
  /** What is shown of one. Default 65,536. */
  readonly maxReferenceBytes?: number
  /** Sessions that are offered for a query. Default 50. */
  readonly candidateLimit?: number
  /** Whether one that cannot be read rejects the step, the default, or becomes a line that says so. */
  readonly onUnavailable?: "reject" | "notice"
}

/** The time, as the model is told it: in which zone, and how often. */
export interface TimeOptions {
  /** An IANA name. Default that of the process. */
  readonly timeZone?: string
  /** How long a reading lasts, in milliseconds. Default 0: every step gets one. */
  readonly refreshIntervalMs?: number
}

/** Where in tmux the agent runs, as the model is told it. */
export interface TmuxOptions {
  /** How long one look may take: milliseconds, or a text such as `"1 second"`, the default. */
  readonly timeout?: number | `${number} ${"millis" | "second" | "seconds"}`
}

/** What an agent context is made from. What is left out is off; `true` is a part with all its defaults. */
export interface AgentContextOptions {
  /** The directory the agent works in. */
  readonly cwd: string
  /** A budget in bytes, or `false`: there is no default. */
  readonly instructions: InstructionsOptions | false
  readonly skills?: SkillsOptions | boolean
  readonly fileReferences?: FileReferencesOptions | boolean
  readonly sessionReferences?: SessionReferencesOptions | boolean
  readonly time?: TimeOptions | boolean
  readonly tmux?: TmuxOptions | boolean
  /**
   * Which session: `"new"`, the default; `"latest"`, the newest one of `cwd` that nobody writes, else a new one; or the one of an
   * `id`, which is created if there is none.
   */
  readonly session?: "new" | "latest" | { readonly id: string }
  /** Where sessions live: `"memory"`, the default, or a directory, in which each is a file. */
  readonly store?: "memory" | { readonly directory: string }
  /** The names of the agent's tools: some context is only true while a tool is there. Unless given, it is taken to have them all. */
  readonly tools?: ReadonlyArray<string>
  /**
   * Another file system than the real one: `MemoryFileSystem.makeSync(files).fileSystem` of `effect-agent-context/testing`, or any
   * Effect `FileSystem`. A store in a directory uses it too.
   */
  readonly fileSystem?: FileSystem
}
