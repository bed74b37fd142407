/**
 * The one index of a session (F-4): built by one fiber, shared by all who wait for it, given up when nobody does, and patched
 * when a tool says which path it has changed.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type { Scope } from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { noRules } from "../../pipeline/files/ignore.ts"
import { PathIndex } from "../../pipeline/files/pathIndex.ts"
import type { FileReferencesSettings } from "../../schemas/FileReference.ts"
import type { FastReader } from "./fastReader.ts"
import { patch } from "./patch.ts"
import { walk } from "./walk.ts"
import { realRoot, rulesAbove } from "./workspace.ts"

/** An index, and whether `maxEntries` left something out. */
export interface Built {
  readonly index: PathIndex
  readonly root: string | undefined
  truncated: boolean
}

/** An index that is there, or on its way. */
interface Build {
  /** It holds what this file system showed, and is for nobody who has been given another one. */
  readonly fs: FileSystem.FileSystem
  readonly done: Deferred.Deferred<Built>
  fiber: Fiber.Fiber<unknown> | undefined
  built: Built | undefined
  waiting: number
  /** Paths that tools have changed since the walk began. */
  changed: ReadonlySet<string>
}

/** With more changes than this a walk is cheaper. */
const maxChanged = 256

export const makeSharedIndex = Effect.fnUntraced(function* (
  cwd: string,
  settings: FileReferencesSettings,
  reader: FastReader | undefined
) {
  const scope: Scope = yield* Effect.scope
  const onePatch = yield* Semaphore.make(1)
  let current: Build | undefined

  const build = Effect.fnUntraced(function* (fs: FileSystem.FileSystem): Effect.fn.Return<Built> {
    const root = yield* realRoot(fs, cwd)
    if (root === undefined) return { index: new PathIndex(), root, truncated: false }
    const rules = settings.respectIgnoreFiles ? yield* rulesAbove(fs, root, settings) : noRules
    const { index, truncated } = yield* walk(fs, reader, root, rules, settings)
    return { index, root, truncated }
  })

  const start = Effect.fnUntraced(function* (started: Build) {
    started.fiber = yield* build(started.fs).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit)) started.built = exit.value
          else if (current === started) current = undefined
        })
      ),
      Deferred.into(started.done),
      Effect.forkIn(scope)
    )
  })

  const join = (fs: FileSystem.FileSystem) =>
    Effect.suspend(() => {
      const joined: Build =
        current?.fs === fs
          ? current
          : {
              fs,
              done: Deferred.makeUnsafe<Built>(),
              fiber: undefined,
              built: undefined,
              waiting: 0,
              changed: new Set()
            }
      const isNew = joined !== current
      current = joined
      joined.waiting++
      return Effect.as(isNew ? start(joined) : Effect.void, joined)
    })

  /** Nobody waits for it, and it is not there yet: nothing of it is left running. */
  const leave = (joined: Build): Effect.Effect<void> =>
    Effect.suspend(() => {
      joined.waiting--
      if (joined.waiting > 0 || joined.built !== undefined || joined.fiber === undefined) return Effect.void
      if (current === joined) current = undefined
      return Effect.sync(() => joined.fiber?.interruptUnsafe())
    })

  const applyChanges = Effect.fnUntraced(function* (joined: Build, built: Built) {
    for (const path of joined.changed) {
      if (built.root !== undefined) yield* patch(joined.fs, cwd, built.root, path, built, settings)
      const changed = new Set(joined.changed)
      changed.delete(path)
      joined.changed = changed
    }
  })

  return {
    /**
     * The index as it is after everything that tools have reported. `joined` runs as soon as this query keeps the walk from
     * being given up.
     */
    get: (fs: FileSystem.FileSystem, joined: Effect.Effect<void>): Effect.Effect<Built> =>
      Effect.acquireUseRelease(
        Effect.tap(join(fs), joined),
        (build) =>
          Effect.gen(function* () {
            const built = build.built ?? (yield* Deferred.await(build.done))
            if (build.changed.size > 0) yield* applyChanges(build, built).pipe(Semaphore.withPermit(onePatch))
            return built
          }),
        leave
      ),
    /** Anything may have changed. Who waits already is answered by the walk that is under way. */
    invalidate: (): void => {
      current = undefined
    },
    /** This path has changed; it is looked at with the next query. */
    touch: (path: string): void => {
      if (current === undefined) return
      if (current.changed.size >= maxChanged) current = undefined
      else current.changed = new Set([...current.changed, path])
    },
    /** The index in use, if it is there. */
    current: (): Built | undefined => current?.built
  }
})
