/** What directories may hold, instead of a question for each name. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

/** Whether a directory may hold a name; `undefined` when it cannot be listed, which says nothing about its names. */
export type Listing = ((name: string) => boolean) | undefined

const longestName = 255

const fold = (name: string): string => name.normalize("NFC").toLowerCase()

const listingOf =
  (entries: ReadonlyArray<string>) =>
  (name: string): boolean => {
    // A name no directory can hold is a question of its own.
    if (entries.includes(name) || name.length > longestName) return true
    const folded = fold(name)
    return entries.some((entry) => entry.length < 2 * folded.length && fold(entry) === folded)
  }

/**
 * Listings of directories, each asked for once: whatever one says no to is certainly not there. Names that differ in case
 * or in their composition pass, since some file systems take them for the same.
 */
export const makeListings = (fs: FileSystem.FileSystem) => {
  const known = new Map<string, Listing>()
  return (directory: string): Effect.Effect<Listing> =>
    known.has(directory)
      ? Effect.succeed(known.get(directory))
      : Effect.match(fs.readDirectory(directory), {
          onSuccess: (entries): Listing => listingOf(entries),
          onFailure: (): Listing => undefined
        }).pipe(Effect.tap((listing) => Effect.sync(() => known.set(directory, listing))))
}
