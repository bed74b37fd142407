/** What has to be watched so that no change of a root goes unseen, and what an event there means (S-25). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Paths from "../../pipeline/paths.ts"
import { flatName, mayBeSkill, skillFileName } from "../../pipeline/skills/roots.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { DirectoryWatcher, OnDirectoryEvent, Unwatched } from "../../services/SkillsFileSystem.ts"
import { fileSystem, probe } from "../filesystem/probe.ts"
import type { ListedRoot } from "./entries.ts"

/** How many roots are watched; the one that was listed longest ago gives way. */
const maxRoots = 512

/** How many directories above a root are watched, in case one of them is replaced. */
const levelsAbove = 2

const nameOf = (path: string): string => Paths.within(Paths.parent(path), path) ?? path

const rootGroup = (root: string): string => `root ${root}`
const entriesGroup = (root: string): string => `entries ${root}`

const notWatched = (root: string, { directory, reason }: Unwatched, more: number): Diagnostic => ({
  tag: "WatcherFailed",
  path: root,
  message: `${directory}${more === 0 ? "" : ` and ${more} more`} cannot be watched (${reason}); until it can be, the skills in ${root} are looked for at every step`
})

/** The roots that are watched, for the provider of skills on disk. */
export const makeWatched = (invalidate: () => void) => {
  const watchers = new Set<DirectoryWatcher>()
  /** By root, the names of its entries that are directories. */
  const known = new Map<string, ReadonlySet<string>>()

  const forget = (directory: string): void => watchers.forEach((watcher) => watcher.forget(directory))

  /** An entry of a root has changed: whether that can be a skill, as far as its name and kind tell. */
  const concernsRoot = Effect.fnUntraced(function* (root: string, name: string, directories: ReadonlySet<string>) {
    if (name === nameOf(root)) return true
    if (!mayBeSkill(name)) return false
    if (flatName(name) !== undefined || directories.has(name)) return true
    const fs = yield* fileSystem(Context.empty())
    if (Option.isNone(fs)) return true
    const presence = yield* probe(fs.value, Paths.resolve(root, `./${name}`))
    return presence._tag === "Unavailable" || (presence._tag === "Present" && presence.type === "Directory")
  })

  const onEvent: OnDirectoryEvent = Effect.fnUntraced(function* (directory, name) {
    if (name === undefined) return invalidate()
    const changed = Paths.resolve(directory, `./${name}`)
    let concerned = false
    for (const [root, directories] of known) {
      if (root === directory) concerned ||= yield* concernsRoot(root, name, directories)
      // A directory that is deleted says so under its own name.
      else if (Paths.parent(directory) === root) concerned ||= name === skillFileName || name === nameOf(directory)
      else concerned ||= Paths.within(changed, root) !== undefined
    }
    if (!concerned) return
    forget(name === nameOf(directory) ? directory : changed)
    invalidate()
  })

  const ensureRoot = Effect.fnUntraced(function* (watcher: DirectoryWatcher, root: string) {
    const above = Paths.ancestors(root)
    const failed = yield* watcher.ensure(rootGroup(root), above.slice(0, levelsAbove + 1))
    const rootFailed = failed.find(({ directory }) => directory === root)
    if (rootFailed === undefined) return []
    if (!rootFailed.absent) return [rootFailed]
    // It is not there yet: the nearest directory that is tells when the next one appears.
    for (let levels = 1; levels < above.length; levels++) {
      const chain = above.slice(0, Math.max(levels, levelsAbove) + 1)
      const nearest = (yield* watcher.ensure(rootGroup(root), chain)).find(
        ({ directory }) => directory === above[levels]
      )
      if (nearest === undefined) return []
      if (!nearest.absent) return [nearest]
    }
    return []
  })

  const add = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
    for (const path of paths) {
      const entries = known.get(path) ?? new Set<string>()
      known.delete(path)
      known.set(path, entries)
    }
    for (const oldest of known.keys()) {
      if (known.size <= Math.max(maxRoots, paths.length)) return
      known.delete(oldest)
      yield* Effect.forEach([...watchers], (watcher) =>
        Effect.andThen(watcher.ensure(rootGroup(oldest), []), watcher.ensure(entriesGroup(oldest), []))
      )
      invalidate()
    }
  })

  const say = (root: string, failed: ReadonlyArray<Unwatched>): ReadonlyArray<Diagnostic> =>
    failed[0] === undefined ? [] : [notWatched(root, failed[0], failed.length - 1)]

  return {
    /** Before the roots are listed. What it says makes the listing incomplete. */
    roots: Effect.fnUntraced(function* (
      fs: FileSystem.FileSystem,
      paths: ReadonlyArray<string>
    ): Effect.fn.Return<ReadonlyArray<Diagnostic>> {
      if (watchers.size === 0) return []
      yield* add(paths).pipe(Effect.provideService(FileSystem.FileSystem, fs))
      const said = yield* Effect.forEach([...watchers], (watcher) =>
        Effect.forEach(paths, (path) => Effect.map(ensureRoot(watcher, path), (failed) => say(path, failed)), {
          concurrency: "unbounded"
        })
      ).pipe(Effect.provideService(FileSystem.FileSystem, fs))
      return said.flat(2)
    }),
    /** When they are listed, before their files are looked at. */
    entries: Effect.fnUntraced(function* (
      fs: FileSystem.FileSystem,
      listed: ReadonlyArray<ListedRoot>
    ): Effect.fn.Return<ReadonlyArray<Diagnostic>> {
      if (watchers.size === 0) return []
      const said = yield* Effect.forEach(
        listed,
        Effect.fnUntraced(function* ({ places, root }) {
          const directories = places.flatMap(({ directory, expected }) =>
            directory === undefined ? [] : [[directory, expected] as const]
          )
          known.set(root.path, new Set(directories.map(([, name]) => name)))
          const failed = yield* Effect.forEach([...watchers], (watcher) =>
            watcher.ensure(
              entriesGroup(root.path),
              directories.map(([directory]) => directory)
            )
          )
          return say(
            root.path,
            failed.flat().filter(({ absent }) => !absent)
          )
        }),
        { concurrency: "unbounded" }
      ).pipe(Effect.provideService(FileSystem.FileSystem, fs))
      return said.flat()
    }),
    /** Has a watcher join until the scope ends. What was listed before was not watched. */
    join: (make: (onEvent: OnDirectoryEvent) => DirectoryWatcher) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const watcher = make(onEvent)
          watchers.add(watcher)
          invalidate()
          return watcher
        }),
        (watcher) => Effect.sync(() => watchers.delete(watcher))
      )
  }
}
