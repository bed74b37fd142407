/** What directories may hold, instead of a question for each name. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

/** What a listing says of a name: `present` as something that is no link, `possible` and to be asked for, or `absent`. */
export type Mention = "present" | "possible" | "absent"

/** What a directory says of names; `undefined` when it cannot be listed, which says nothing about them. */
export type Listing = ((name: string) => Mention) | undefined

const longestName = 255

const fold = (name: string): string => name.normalize("NFC").toLowerCase()

const listingOf =
  (entries: ReadonlyArray<FileSystem.DirectoryEntry>) =>
  (name: string): Mention => {
    const exact = entries.find((entry) => entry.name === name)
    // A link can lead nowhere, and of some entries a provider does not know what they are.
    if (exact !== undefined) return exact.type === "File" || exact.type === "Directory" ? "present" : "possible"
    // A name no directory can hold is a question of its own.
    if (name.length > longestName) return "possible"
    const folded = fold(name)
    return entries.some((entry) => entry.name.length < 2 * folded.length && fold(entry.name) === folded)
      ? "possible"
      : "absent"
  }

/**
 * Listings of directories, each asked for once: a name that is `absent` is certainly not there. Names that differ in case
 * or in their composition are possible, since some file systems take them for the same.
 */
export const makeListings = (fs: FileSystem.FileSystem) => {
  const known = new Map<string, Listing>()
  return (directory: string): Effect.Effect<Listing> =>
    known.has(directory)
      ? Effect.succeed(known.get(directory))
      : Effect.match(fs.readDirectoryEntries(directory), {
          onSuccess: (entries): Listing => listingOf(entries),
          onFailure: (): Listing => undefined
        }).pipe(Effect.tap((listing) => Effect.sync(() => known.set(directory, listing))))
}
