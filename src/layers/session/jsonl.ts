/** Sessions in a directory: `<encoded id>.jsonl`, and `<encoded id>.jsonl.lock` while somebody writes it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { SessionHeader } from "../../pipeline/sessionCodec.ts"
import { sessionFileName } from "../../pipeline/sessionFileName.ts"
import { SessionLog } from "../../pipeline/sessionLog.ts"
import { SessionConflict, SessionStorageFailed } from "../../schemas/SessionError.ts"
import type { SessionId } from "../../schemas/SessionEvent.ts"
import { SessionStore } from "../../services/SessionStore.ts"
import type { SessionStoreShape, SessionSummary } from "../../services/SessionStore.ts"
import { isLocked, takeLock } from "./lock.ts"
import { makeSession } from "../makeSession.ts"
import { createLog, glimpse, openLog, readLog } from "./logFile.ts"
import type { Place } from "./logFile.ts"
import { alreadyExists, idFor, named, newestFirst, notFound, summaryOf } from "./shared.ts"

const extension = ".jsonl"
const lockExtension = ".lock"

const makeStore = (fs: FileSystem.FileSystem, directory: string): SessionStoreShape => {
  const at = (id: SessionId): Place => ({ fs, id, path: `${directory}/${sessionFileName(id)}${extension}` })

  const failed = (doing: string, sessionId?: SessionId) => (error: { readonly message: string }) =>
    new SessionStorageFailed({
      ...(sessionId === undefined ? {} : { sessionId }),
      detail: `${doing}: ${error.message}`
    })

  const lock = (place: Place) =>
    Effect.mapError(takeLock(fs, `${place.path}${lockExtension}`), (error) =>
      error._tag === "LockHeld"
        ? new SessionConflict({ sessionId: place.id, detail: error.detail })
        : failed("cannot take the lock", place.id)(error)
    )

  const openLocked = Effect.fnUntraced(function* (place: Place) {
    const { diagnostics, file, write } = yield* openLog(place)
    const { cwd, id } = file.header
    return yield* makeSession({ id, cwd, log: new SessionLog(file.events), write, diagnostics })
  })

  const exists = (place: Place) =>
    Effect.mapError(fs.exists(place.path), failed(`cannot look at ${place.path}`, place.id))

  const open = Effect.fnUntraced(function* (id: SessionId) {
    const place = at(id)
    if (!(yield* exists(place))) return yield* notFound(id)
    yield* lock(place)
    return yield* openLocked(place)
  })

  const create = Effect.fnUntraced(function* (options: { readonly cwd: string; readonly id?: SessionId }) {
    const place = at(yield* idFor(options.id))
    yield* Effect.mapError(
      fs.makeDirectory(directory, { recursive: true, mode: 0o700 }),
      failed(`cannot make ${directory}`, place.id)
    )
    yield* lock(place)
    if (yield* exists(place)) return yield* alreadyExists(place.id)
    const createdAt = yield* Clock.currentTimeMillis
    const header: SessionHeader = { id: place.id, cwd: options.cwd, createdAt }
    yield* Effect.uninterruptible(createLog(place, directory, header))
    return yield* openLocked(place)
  })

  const surface = Effect.fnUntraced(function* (id: SessionId) {
    const place = at(id)
    // A reader can meet a writer that is just taking back a failed write; what is really damaged stays so.
    const file = yield* Effect.retry(readLog(place), { times: 1, while: (reason) => reason._tag === "SessionCorrupt" })
    const log = new SessionLog(file.events)
    const running = yield* isLocked(fs, `${place.path}${lockExtension}`)
    return {
      summary: summaryOf(file.header, log.title, running),
      capturedThroughSeq: log.length - 1,
      events: log.surface
    }
  })

  const summarize = Effect.fnUntraced(function* (name: string, locked: boolean) {
    const path = `${directory}/${name}`
    const found = yield* glimpse(fs, path)
    if (found === undefined) return []
    if (Result.isFailure(found)) {
      yield* Effect.logWarning(`${path} is left out of the list of sessions: ${found.failure}`)
      return []
    }
    const { header, title } = found.success
    // A copy under another name would show the same session twice.
    if (`${sessionFileName(header.id)}${extension}` !== name) return []
    return [summaryOf(header, title, locked && (yield* isLocked(fs, `${path}${lockExtension}`)))]
  })

  const list = Effect.fnUntraced(function* () {
    const names = yield* fs.readDirectory(directory).pipe(
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed([] as Array<string>)),
      Effect.mapError(failed(`cannot list ${directory}`))
    )
    const locks = new Set(names.filter((name) => name.endsWith(lockExtension)))
    const summaries = yield* Effect.forEach(
      names.filter((name) => name.endsWith(extension)),
      (name) =>
        summarize(name, locks.has(`${name}${lockExtension}`)).pipe(
          Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed<ReadonlyArray<SessionSummary>>([])),
          Effect.catch((error) =>
            Effect.as(
              Effect.logWarning(`${directory}/${name} is left out of the list of sessions: ${error.message}`),
              [] as ReadonlyArray<SessionSummary>
            )
          )
        ),
      { concurrency: 8 }
    )
    return newestFirst(summaries.flat())
  })

  return {
    list: Effect.suspend(list).pipe(named("SessionStore.list"), Effect.withSpan("SessionStore.list")),
    open: Effect.fn("SessionStore.open")(open, named("SessionStore.open")),
    create: Effect.fn("SessionStore.create")(create, named("SessionStore.create")),
    surface: Effect.fn("SessionStore.surface")(surface, named("SessionStore.surface"))
  }
}

/**
 * The whole log of one session, shadowed events included, whoever writes it: for looking at, not for going on. Fails with
 * reason `SessionNotFound`, `SessionCorrupt` or `SessionStorageFailed`.
 */
export const readJsonl = (fs: FileSystem.FileSystem, directory: string, id: SessionId) =>
  readLog({ fs, id, path: `${directory}/${sessionFileName(id)}${extension}` }).pipe(named("SessionStore.read"))

/**
 * A store in `directory`, which is made when the first session is created. One file a session, readable by its owner
 * only: a header line, then one line an append. An append has returned only when its line is synced.
 *
 * - Opening after a crash cuts off the torn rest of an append that was never acknowledged, with the diagnostic
 *   `LogTailCut` (a warning, and in `Session.diagnostics`); readers pass over it and leave the file alone. A last line
 *   that lacks nothing but its line feed is a whole batch and stays.
 * - Any other damage is a `SessionCorrupt` that names file and line. Nothing of such a log is served.
 * - The lock of a process that has died is taken over. A directory must not be shared between machines, or between
 *   containers that do not see each other's processes.
 * - `open` and `surface` read the whole file; `list` reads of each file its header, and backwards from the end to the
 *   latest title. Files that are no sessions are passed over.
 */
export const layerJsonl = (directory: string): Layer.Layer<SessionStore, never, FileSystem.FileSystem> =>
  Layer.effect(
    SessionStore,
    Effect.map(FileSystem.FileSystem, (fs) => makeStore(fs, directory))
  )
