/** What lies in a root: which of its entries can be skills, before any file is opened (S-21, S-24). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Paths from "../../pipeline/paths.ts"
import type { Head, Malformed } from "../../pipeline/skills/frontmatter.ts"
import { flatName, mayBeSkill, type Root, skillFileName } from "../../pipeline/skills/roots.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import { listDirectory, type Present, probe, realPath } from "../filesystem/probe.ts"
import type { FastFile, FastFiles } from "./fastFiles.ts"
import { lookFast, nodeHint } from "./fastLook.ts"
import { forEachUnknown, unknown } from "./forEachUnknown.ts"

/** A file that holds a skill, or should. `directory`: it is the SKILL.md of that directory. */
export interface SkillPlace {
  readonly root: Root
  readonly path: string
  /** The name that the directory or the file promises. */
  readonly expected: string
  readonly directory: string | undefined
  /** Whether its entry in the root is known to be no link. */
  readonly direct: boolean
}

/** Something that was left out. `unreadable`: it may be a skill all the same. */
export interface Loss {
  readonly diagnostic: Diagnostic
  readonly unreadable: boolean
}

/** One root as it is now. */
export interface ListedRoot {
  readonly root: Root
  readonly places: ReadonlyArray<SkillPlace>
  readonly losses: ReadonlyArray<Loss>
  /** Further paths by which what is in it can be reached. */
  readonly aliases: ReadonlyArray<string>
  /** Whether it could be looked into, or is certainly not there. */
  readonly known: boolean
}

export const loss = (
  tag: "SkillMalformed" | "SkillUnreadable",
  path: string,
  code: string,
  message: string,
  line = 1
): Loss => ({
  diagnostic: { tag, path, line, code, message: `${path}: ${message}` },
  unreadable: tag === "SkillUnreadable"
})

export const linkLoop = (path: string): Loss =>
  loss("SkillMalformed", path, "LinkLoop", "its links lead in a circle; let them end at a file or a directory")

export const unreadable = (path: string, reason: string): Loss =>
  loss(
    "SkillUnreadable",
    path,
    "Unreadable",
    `it cannot be read now (${reason}); what it holds is left out until it can be`
  )

export const noFile = (path: string, type: string): Loss =>
  loss("SkillMalformed", path, "NoFile", `it is no regular file (${type}); put a file there`)

const dangling = (path: string): Loss =>
  loss("SkillMalformed", path, "DanglingLink", "it is a link to something that is not there; repair or remove it")

const concurrency = 16
const probeConcurrency = 32

type Entry = SkillPlace | Loss | undefined

const isPlace = (entry: Entry): entry is SkillPlace => entry !== undefined && "expected" in entry

/** What comes before a name in a directory: names of entries are never anything but names. */
const before = (directory: string): string => Paths.resolve(directory, "./_").slice(0, -1)

const byType = (root: Root, prefix: string, name: string, type: FileSystem.File.Type, direct: boolean): Entry => {
  const path = prefix + name
  if (type === "Directory") {
    const file = path + prefix.charAt(prefix.length - 1) + skillFileName
    return { root, path: file, expected: name, directory: path, direct }
  }
  const expected = flatName(name)
  if (expected === undefined) return undefined
  return type === "File" ? { root, path, expected, directory: undefined, direct } : noFile(path, type)
}

/** An entry whose type the listing does not tell: a link, mostly. */
const byLooking = (
  fs: FileSystem.FileSystem,
  root: Root,
  prefix: string,
  { name, type }: FileSystem.DirectoryEntry
): Effect.Effect<Entry> => {
  const path = prefix + name
  return Effect.map(probe(fs, path), (presence): Entry => {
    if (presence._tag === "Present") return byType(root, prefix, name, presence.type, false)
    if (presence._tag === "Unavailable") return presence.loop ? linkLoop(path) : unreadable(path, presence.reason)
    return type === "SymbolicLink" ? dangling(path) : undefined
  })
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0

/** Lists a root and finds out what each of its entries is. A missing root is empty; one that cannot be read is not known. */
export const listRoot = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  root: Root
): Effect.fn.Return<ListedRoot> {
  const nothing = { root, places: [], losses: [], aliases: [] }
  const listed = yield* listDirectory(fs, root.path)
  if ("_tag" in listed) {
    return listed._tag === "Absent"
      ? { ...nothing, known: true }
      : { ...nothing, known: false, losses: [unreadable(root.path, listed.reason)] }
  }
  // Most roots are not there: only one that is is asked for its real path.
  const real = yield* realPath(fs, root.path)
  const names = listed.filter(({ name }) => mayBeSkill(name)).sort(byName)
  const prefix = before(root.path)
  const entries = yield* forEachUnknown<FileSystem.DirectoryEntry, Entry>(
    names,
    ({ name, type }) =>
      type === "SymbolicLink" || type === "Unknown" ? unknown : byType(root, prefix, name, type, true),
    (entry) => byLooking(fs, root, prefix, entry),
    concurrency
  )
  const links = entries.flatMap((entry, index) =>
    isPlace(entry) && names[index]!.type === "SymbolicLink" ? [entry] : []
  )
  const targets = yield* Effect.forEach(links, ({ directory, path }) => realPath(fs, directory ?? path), {
    concurrency
  })
  return {
    root,
    places: entries.filter(isPlace),
    losses: entries.filter((entry): entry is Loss => entry !== undefined && !isPlace(entry)),
    aliases: [real, ...targets].filter((path): path is string => typeof path === "string" && path !== root.path),
    known: true
  }
})

/**
 * A place whose file is there. `fast`: it was asked for the fast way, and can be read that way; `head`: it has been, with what it
 * begins with.
 */
export interface FoundFile {
  readonly place: SkillPlace
  readonly present: Present
  readonly fast?: true
  readonly head?: Head | Malformed | undefined
}

/** How a place is asked for the fast way. */
export const fastFileOf = ({ direct, path, root }: SkillPlace): FastFile =>
  direct ? { path, root: root.path } : { path }

/** Asks for the file of a place. A directory without one is no skill. */
export const findFile = (fs: FileSystem.FileSystem, place: SkillPlace): Effect.Effect<FoundFile | Loss | undefined> =>
  Effect.flatMap(probe(fs, place.path), (presence): Effect.Effect<FoundFile | Loss | undefined> => {
    if (presence._tag === "Present") {
      return Effect.succeed(presence.type === "File" ? { place, present: presence } : noFile(place.path, presence.type))
    }
    if (presence._tag === "Unavailable") {
      return Effect.succeed(presence.loop ? linkLoop(place.path) : unreadable(place.path, presence.reason))
    }
    // A directory that is called like the file was meant to be one.
    if (place.expected === skillFileName) return Effect.succeed(noFile(place.directory ?? place.path, "Directory"))
    return Effect.match(fs.readLink(place.path), {
      onSuccess: (): Loss => dangling(place.path),
      onFailure: () => undefined
    })
  })

/**
 * The same for all of them, side by side: the fast way where there is one and it has an answer. Files that nothing is
 * `remembered` of are going to be read anyway, and are read at once where that can be.
 */
export const findFiles = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  fast: FastFiles | undefined,
  places: ReadonlyArray<SkillPlace>,
  remembered: (place: SkillPlace) => boolean
): Effect.fn.Return<ReadonlyArray<FoundFile | Loss | undefined>> {
  const known = fast === undefined ? [] : yield* lookFast(fast, places, fastFileOf, remembered)
  return yield* forEachUnknown<SkillPlace, FoundFile | Loss | undefined>(
    places,
    (place, index) => {
      const looked = known[index]
      return looked === undefined ? unknown : { place, fast: true, present: looked.present, head: looked.head }
    },
    (place) => findFile(fs, place),
    probeConcurrency
  )
})

/** Every real file once, at its first place (S-21). Only files of equal device and inode are asked for their real path. */
export const distinct = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  found: ReadonlyArray<FoundFile>
): Effect.fn.Return<ReadonlyArray<FoundFile>> {
  const nodes = new Set<string | number>()
  const twice = new Set<string | number | undefined>()
  for (const { present } of found) {
    const node = nodeHint(present)
    if (node === undefined) continue
    if (nodes.has(node)) twice.add(node)
    else nodes.add(node)
  }
  if (twice.size === 0) return found
  const shared = found.filter(({ present }) => twice.has(nodeHint(present)))
  const real = yield* Effect.forEach(shared, ({ place }) => realPath(fs, place.path), { concurrency })
  const repeated = new Set<FoundFile>()
  const seen = new Set<string>()
  for (const [index, path] of real.entries()) {
    if (typeof path !== "string") continue
    if (seen.has(path)) repeated.add(shared[index]!)
    else seen.add(path)
  }
  return found.filter((file) => !repeated.has(file))
})
