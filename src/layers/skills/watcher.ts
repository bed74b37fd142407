/**
 * Watches the roots of skills on disk, so that what others change is seen at the next step (S-25). One directory at a time,
 * never what is below: a skill's own files may be many, and none but its SKILL.md matters here.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Paths from "../../pipeline/paths.ts"
import {
  type DirectoryWatcher,
  type OnDirectoryEvent,
  SkillsFileSystem,
  type Unwatched
} from "../../services/SkillsFileSystem.ts"
import { classify, fileSystem } from "../filesystem/probe.ts"
import { watchBackend } from "./watchBackend.ts"

/** How long a listing waits for new watches to begin. */
const patience = "1 second"

/** How many file systems are watched at the same time; agents may have one each. */
const maxFileSystems = 32

interface Watch {
  readonly directory: string
  readonly groups: Set<string>
  /** Ready, or why it is not and will not be. */
  readonly outcome: Deferred.Deferred<Unwatched | undefined>
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  state: "starting" | "late" | "ready" | "closed"
}

const firstSegment = (path: string): string | undefined => path.split(/[/\\]/)[0] || undefined

const whyNot = (directory: string, exit: Exit.Exit<unknown, unknown>): Unwatched => {
  if (Exit.isSuccess(exit)) return { directory, absent: false, reason: "the watch has ended" }
  const error = Cause.squash(exit.cause)
  const known = typeof error === "object" && error !== null && "_tag" in error && error._tag === "PlatformError"
  if (!known) return { directory, absent: false, reason: error instanceof Error ? error.message : String(error) }
  const presence = classify(error as never)
  return { directory, absent: presence._tag === "Absent", reason: presence.reason ?? "there is nothing" }
}

const close = (watch: Watch): void => {
  watch.state = "closed"
  watch.fiber?.interruptUnsafe()
}

/** The watches on one file system. */
const makeWatches = (fs: FileSystem.FileSystem, scope: Scope.Scope, onEvent: OnDirectoryEvent) => {
  const watches = new Map<string, Watch>()
  const groups = new Map<string, ReadonlySet<string>>()

  const drop = (watch: Watch): void => {
    if (watches.get(watch.directory) === watch) watches.delete(watch.directory)
    close(watch)
  }

  const run = (watch: Watch): Effect.Effect<void> => {
    const { directory, outcome } = watch
    const onReady = () => {
      if (watch.state !== "closed") watch.state = "ready"
      Deferred.doneUnsafe(outcome, Effect.succeed(undefined))
    }
    return fs.watch(directory, { onReady }).pipe(
      Stream.runForEach((event) => onEvent(directory, firstSegment(event.path))),
      Effect.exit,
      Effect.flatMap((exit) => {
        const wasReady = watch.state === "ready"
        const wanted = watch.state !== "closed"
        // Not by `drop`: the fiber that would be interrupted is this one.
        watch.state = "closed"
        if (watches.get(directory) === watch) watches.delete(directory)
        Deferred.doneUnsafe(outcome, Effect.succeed(whyNot(directory, exit)))
        return wasReady && wanted ? onEvent(directory, undefined) : Effect.void
      })
    )
  }

  const start = Effect.fnUntraced(function* (directory: string) {
    const outcome = yield* Deferred.make<Unwatched | undefined>()
    const watch: Watch = { directory, groups: new Set(), outcome, fiber: undefined, state: "starting" }
    watches.set(directory, watch)
    watch.fiber = yield* Effect.forkIn(run(watch), scope)
    return watch
  })

  const release = (group: string, kept: ReadonlySet<string>): void => {
    for (const directory of groups.get(group) ?? []) {
      const watch = kept.has(directory) ? undefined : watches.get(directory)
      watch?.groups.delete(group)
      if (watch?.groups.size === 0) drop(watch)
    }
    if (kept.size === 0) groups.delete(group)
    else groups.set(group, kept)
  }

  const settled = ({ directory, outcome, state }: Watch): Effect.Effect<Unwatched | undefined> => {
    const late: Unwatched = { directory, absent: false, reason: "it is not watched yet" }
    if (state === "late") return Effect.succeed(late)
    return Effect.map(
      Effect.timeoutOption(Deferred.await(outcome), patience),
      Option.getOrElse(() => late)
    )
  }

  return {
    ensure: Effect.fnUntraced(function* (group: string, directories: ReadonlyArray<string>) {
      const wanted = new Set(directories)
      release(group, wanted)
      const waiting: Array<Watch> = []
      for (const directory of wanted) {
        const watch = watches.get(directory) ?? (yield* start(directory))
        watch.groups.add(group)
        if (watch.state !== "ready") waiting.push(watch)
      }
      const outcomes = yield* Effect.forEach(waiting, settled, { concurrency: "unbounded" })
      for (const watch of waiting) if (watch.state === "starting") watch.state = "late"
      return outcomes.filter((outcome) => outcome !== undefined)
    }),
    closeAll: (): void => watches.forEach(drop),
    forget: (directory: string): void => {
      for (const watch of watches.values()) if (Paths.within(directory, watch.directory) !== undefined) drop(watch)
    }
  }
}

/** A watcher over the file system of its caller. Everything it holds is released when the scope ends. */
const makeWatcher = (
  built: Context.Context<never>,
  scope: Scope.Scope,
  onEvent: OnDirectoryEvent
): DirectoryWatcher => {
  const all = new Map<FileSystem.FileSystem, ReturnType<typeof makeWatches>>()
  const watchesOf = (fs: FileSystem.FileSystem) => {
    const watches = all.get(fs) ?? makeWatches(fs, scope, onEvent)
    all.delete(fs)
    all.set(fs, watches)
    const [[oldest, its] = []] = all
    if (all.size > maxFileSystems && oldest !== undefined && its !== undefined) {
      all.delete(oldest)
      its.closeAll()
    }
    return watches
  }
  return {
    ensure: Effect.fnUntraced(function* (group, directories) {
      const fs = yield* fileSystem(Context.empty())
      if (Option.isNone(fs)) return []
      const ensure = watchesOf(fs.value).ensure(group, directories)
      const calling = yield* Effect.serviceOption(FileSystem.WatchBackend)
      const backend = Option.orElse(calling, () => Context.getOption(built, FileSystem.WatchBackend))
      return yield* Effect.provideService(
        ensure,
        FileSystem.WatchBackend,
        Option.getOrElse(backend, () => watchBackend)
      )
    }),
    forget: (directory) => all.forEach(({ forget }) => forget(directory))
  }
}

/**
 * Watches every root that the provider lists. Where that fails, listings are incomplete and looked up again each time, so that
 * nothing is missed and nothing is lost. Its handles close with its scope, and none keeps a Node process alive.
 */
export const layerWatch: Layer.Layer<never, never, SkillsFileSystem> = Layer.effectDiscard(
  Effect.gen(function* () {
    const skills = yield* SkillsFileSystem
    const built = yield* Effect.context<never>()
    const scope = yield* Effect.scope
    yield* skills.watchWith((onEvent) => makeWatcher(built, scope, onEvent))
  })
)
