/** What skill files say in their frontmatter, and what is remembered of it as long as their metadata stay (S-22, S-25). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import {
  closesTooLate,
  type Head,
  type Malformed,
  maxHeadBytes,
  readFrontmatter,
  readHead,
  type ReadSkill
} from "../../pipeline/skills/frontmatter.ts"
import { type Present, readBeginning } from "../filesystem/probe.ts"
import { fastFileOf, type FoundFile, type Loss, unreadable } from "./entries.ts"
import type { FastFiles } from "./fastFiles.ts"
import { isUnchanged, type Looked, readFast } from "./fastLook.ts"
import { forEachUnknown, unknown } from "./forEachUnknown.ts"
import { yamlLibrary } from "./yaml.ts"

/** What a file was found to say. */
interface Known {
  /** How it was then. Only if that can be trusted, an equal version proves equal content. */
  readonly present: Present
  /** How often the file had been written through a tool by then. */
  readonly writes: number
  readonly outcome: ReadSkill | Malformed
}

/** The files of one root, by path. */
export type KnownFiles = Map<string, Known>

/** How many roots are remembered for one file system, and how many written paths. */
const maxRoots = 256
const maxWritten = 4096

/**
 * What is known of skill files, apart for each file system. It holds what is on disk, never what was told to anybody, and goes
 * with the file system.
 */
export const makeHeads = () => {
  let perFileSystem = new WeakMap<FileSystem.FileSystem, Map<string, KnownFiles>>()
  const writes = new Map<string, number>()

  const rootsOf = (fs: FileSystem.FileSystem): Map<string, KnownFiles> => {
    const roots = perFileSystem.get(fs) ?? new Map<string, KnownFiles>()
    perFileSystem.set(fs, roots)
    return roots
  }

  return {
    known: (fs: FileSystem.FileSystem, root: string): KnownFiles | undefined => rootsOf(fs).get(root),
    /** Remembers the files that a root has now, and only them. */
    remember: (fs: FileSystem.FileSystem, root: string, files: KnownFiles): void => {
      const roots = rootsOf(fs)
      roots.delete(root)
      roots.set(root, files)
      const [oldest] = roots.keys()
      if (roots.size > maxRoots && oldest !== undefined) roots.delete(oldest)
    },
    /** A tool has written the file: whatever its metadata say, it has to be read again. */
    written: (path: string): void => {
      if (writes.size >= maxWritten) {
        writes.clear()
        perFileSystem = new WeakMap()
      }
      writes.set(path, (writes.get(path) ?? 0) + 1)
    },
    writes: (path: string): number => (writes.size === 0 ? 0 : (writes.get(path) ?? 0))
  }
}

export type Heads = ReturnType<typeof makeHeads>

const interpret = (head: Head | Malformed, expected: string): Effect.Effect<ReadSkill | Malformed> => {
  if (head._tag === "Malformed") return Effect.succeed(head)
  const read = readFrontmatter(head, expected)
  return read === undefined
    ? Effect.map(yamlLibrary, (yaml) => readFrontmatter(head, expected, yaml)!)
    : Effect.succeed(read)
}

type Outcome = ReadSkill | Malformed | Loss | undefined

/** What is known of a file before it is read, and where it goes afterwards. */
export interface FileMemory {
  readonly before: KnownFiles | undefined
  readonly after: KnownFiles
}

const concurrency = 16

const slowHead = (
  fs: FileSystem.FileSystem,
  { place, present }: FoundFile
): Effect.Effect<Head | Malformed | Loss | undefined> =>
  Effect.map(readBeginning(fs, place.path, present.size, maxHeadBytes, readHead), (result) => {
    if (result._tag === "Absent") return undefined
    if (result._tag === "Unavailable") return unreadable(place.path, result.reason)
    return result.value ?? closesTooLate()
  })

/**
 * What files say, in their order; only those are read that may have changed. `undefined`: it is gone. What is known afterwards
 * is remembered.
 */
export const readKnown = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  fast: FastFiles | undefined,
  heads: Heads,
  found: ReadonlyArray<FoundFile>,
  memoryOf: (file: FoundFile) => FileMemory
): Effect.fn.Return<ReadonlyArray<Outcome>> {
  // As it was before anything is read: what is written meanwhile is read again next time.
  const writes = found.map(({ place }) => heads.writes(place.path))
  const known = found.map((file, index) => {
    const { place, present } = file
    const entry = memoryOf(file).before?.get(place.path)
    if (entry === undefined || !entry.present.trusted || entry.writes !== writes[index]) return undefined
    return isUnchanged(entry.present, present) ? entry : undefined
  })
  const changed = found.filter(
    (file, index) => file.fast && known[index] === undefined && memoryOf(file).before?.has(file.place.path)
  )
  const reread = new Map<FoundFile, Looked>()
  if (fast !== undefined && changed.length > 0) {
    const looked = yield* readFast(
      fast,
      changed.map(({ place }) => fastFileOf(place))
    )
    for (const [index, look] of looked.entries()) if (look !== undefined) reread.set(changed[index]!, look)
  }
  const headOf = (file: FoundFile) => file.head ?? (reread.size === 0 ? undefined : reread.get(file)?.head)
  /** Remembers what a file was found to say. */
  const settle = (index: number, outcome: ReadSkill | Malformed): ReadSkill | Malformed => {
    const file = found[index]!
    // What was read later goes by its metadata of then.
    const present = reread.size === 0 ? file.present : (reread.get(file)?.present ?? file.present)
    memoryOf(file).after.set(file.place.path, { present, writes: writes[index]!, outcome })
    return outcome
  }
  const interpreted = (index: number, head: Head | Malformed): Effect.Effect<Outcome> =>
    Effect.map(interpret(head, found[index]!.place.expected), (outcome) => settle(index, outcome))
  return yield* forEachUnknown<FoundFile, Outcome>(
    found,
    (file, index) => {
      const entry = known[index]
      if (entry !== undefined) {
        memoryOf(file).after.set(file.place.path, entry)
        return entry.outcome
      }
      const head = headOf(file)
      if (head === undefined) return unknown
      const outcome = head._tag === "Malformed" ? head : readFrontmatter(head, file.place.expected)
      return outcome === undefined ? unknown : settle(index, outcome)
    },
    (file, index) => {
      const head = headOf(file)
      if (head !== undefined) return interpreted(index, head)
      return Effect.flatMap(slowHead(fs, file), (head) =>
        head === undefined || "unreadable" in head ? Effect.succeed(head) : interpreted(index, head)
      )
    },
    concurrency
  )
})
