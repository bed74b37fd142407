/** What file references ask of a file system: a real directory's entries, and ignore files. Never through a link. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { ignoreFileNames } from "../../pipeline/files/changes.ts"
import type { IgnoreTexts } from "../../pipeline/files/ignore.ts"
import { listDirectory, probeEntry, readFile, realPath } from "../filesystem/probe.ts"
import type { EntryKind, Listed } from "./growth.ts"
import { joiner } from "./growth.ts"

/** A larger ignore file is taken for a mistake. Bytes. */
export const largestIgnoreFile = 1_048_576

const decoder = new TextDecoder()

/** The text of an ignore file; a link is none, as git has it. */
export const readIgnoreFile = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string) {
  const presence = yield* probeEntry(fs, path)
  if (presence._tag !== "Present" || presence.type !== "File") return undefined
  const bytes = yield* readFile(fs, path, presence.size, largestIgnoreFile)
  return bytes._tag === "Bytes" ? decoder.decode(bytes.bytes) : undefined
})

/** The ignore files of a directory, of which those `among` its names are there. */
export const readIgnoreTexts = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  directory: string,
  among: (name: string) => boolean
): Effect.fn.Return<IgnoreTexts> {
  const join = joiner(directory)
  const [gitignore, ignore] = yield* Effect.forEach(
    ignoreFileNames,
    (name) => (among(name) ? readIgnoreFile(fs, join(directory, name)) : Effect.succeed(undefined)),
    { concurrency: "unbounded" }
  )
  return { gitignore, ignore }
})

const kindOf = (type: FileSystem.File.Type): EntryKind =>
  type === "Directory" ? "directory" : type === "File" || type === "SymbolicLink" ? "file" : "other"

const entryKind = (fs: FileSystem.FileSystem, path: string, type: FileSystem.File.Type): Effect.Effect<EntryKind> =>
  type === "Unknown"
    ? Effect.map(probeEntry(fs, path), (presence) => (presence._tag === "Present" ? kindOf(presence.type) : "other"))
    : Effect.succeed(kindOf(type))

/**
 * The entries of a directory, by its real path. `undefined`: it cannot be listed, or something else was in its place when it
 * had been, and nobody knows of which the entries are.
 */
export const listReal = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, directory: string) {
  const entries = yield* listDirectory(fs, directory)
  if ("_tag" in entries) return undefined
  if ((yield* realPath(fs, directory)) !== directory) return undefined
  const join = joiner(directory)
  const known = entries.every(({ type }) => type !== "Unknown")
  const kinds = known
    ? entries.map(({ type }) => kindOf(type))
    : yield* Effect.forEach(entries, ({ name, type }) => entryKind(fs, join(directory, name), type), {
        concurrency: 16
      })
  return { names: entries.map(({ name }) => name), kinds }
})

/** The same, with the ignore files, where they count. */
export const listWithTexts = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  directory: string,
  respectIgnoreFiles: boolean
): Effect.fn.Return<Listed | undefined> {
  const listed = yield* listReal(fs, directory)
  if (listed === undefined) return undefined
  const present = new Set(respectIgnoreFiles ? listed.names : [])
  const texts = yield* readIgnoreTexts(fs, directory, (name) => present.has(name))
  return { ...listed, texts }
})
