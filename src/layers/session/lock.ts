/**
 * A lock file that outlives no process: whoever finds one of a dead process takes it over, and exactly one does.
 *
 * A lock appears with its whole content, as a hard link to a file written before, so nobody ever finds half of one.
 * What a dead process has left may be removed only by the holder of a second lock named after it; without that, two
 * processes that find it at once could each remove the lock the other has just made.
 *
 * Processes must see each other: a directory shared between machines, or between containers with process tables of
 * their own, is beyond what a process id can decide.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { isRunning, ownMark } from "./processes.ts"
import { randomHex } from "./shared.ts"

/** Who holds a lock. `token` is different for every lock that was ever taken, and can be part of a file name. */
const Holder = Schema.Struct({
  pid: Schema.Natural,
  token: Schema.String.check(Schema.isPattern(/^[0-9a-z-]+$/)),
  started: Schema.optionalKey(Schema.String)
})
type Holder = typeof Holder.Type

const HolderJson = Schema.fromJsonString(Holder)
const decodeHolder = Schema.decodeUnknownResult(HolderJson)
const encodeHolder = Schema.encodeSync(HolderJson)

/** A lock that is held, in words. */
export class LockHeld {
  readonly _tag = "LockHeld"
  readonly detail: string
  constructor(detail: string) {
    this.detail = detail
  }
}

interface Found {
  readonly state: "free" | "unreadable" | "held" | "stale"
  readonly holder?: Holder
}

const look = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  path: string
): Effect.fn.Return<Found, PlatformError> {
  const text = yield* fs
    .readFileString(path)
    .pipe(Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(undefined)))
  if (text === undefined) return { state: "free" }
  const holder = decodeHolder(text)
  if (Result.isFailure(holder)) return { state: "unreadable" }
  return { state: (yield* isRunning(fs, holder.success)) ? "held" : "stale", holder: holder.success }
})

/** Creates the lock, and says whether it was this call that did. */
const create = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string, holder: Holder) {
  const content = encodeHolder(holder)
  const draft = `${path}.${holder.token}.new`
  const unlessThere = (self: Effect.Effect<void, PlatformError>) =>
    self.pipe(
      Effect.as(true),
      Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.succeed(false))
    )
  // A file system without hard links gets the plain exclusive file; a crash inside that one call leaves it unreadable.
  const plain = unlessThere(fs.writeFileString(path, content, { flag: "wx", mode: 0o600 }))
  return yield* Effect.acquireUseRelease(
    fs.writeFileString(draft, content, { flag: "wx", mode: 0o600 }),
    () => unlessThere(fs.link(draft, path)).pipe(Effect.catch(() => plain)),
    () => Effect.ignore(fs.remove(draft))
  )
})

/** Locks that come and go while we look are tried again; something that is there and not there would be for ever. */
const maxAttempts = 100

const acquire: (
  fs: FileSystem.FileSystem,
  path: string,
  holder: Holder
) => Effect.Effect<void, LockHeld | PlatformError> = Effect.fnUntraced(function* (fs, path, holder) {
  for (let attempt = 0; !(yield* create(fs, path, holder)); attempt++) {
    if (attempt === maxAttempts) return yield* Effect.fail(new LockHeld(`${path} is there and cannot be read`))
    const found = yield* look(fs, path)
    if (found.state === "free") continue
    if (found.holder === undefined) {
      return yield* Effect.fail(new LockHeld(`${path} is no lock file; remove it if nobody writes the session`))
    }
    if (found.state === "held") return yield* Effect.fail(new LockHeld(`process ${found.holder.pid} holds ${path}`))
    yield* removeStale(fs, path, found.holder, holder)
  }
})

const removeStale = (fs: FileSystem.FileSystem, path: string, stale: Holder, holder: Holder) => {
  const breaker = `${path}.${stale.token}`
  return Effect.acquireUseRelease(
    acquire(fs, breaker, holder),
    // Looked at again, since it may have been taken over between the look before and the breaker.
    () => removeIfOf(fs, path, stale),
    () => Effect.ignore(fs.remove(breaker))
  )
}

const removeIfOf = (fs: FileSystem.FileSystem, path: string, holder: Holder) =>
  Effect.flatMap(look(fs, path), (found) => (found.holder?.token === holder.token ? fs.remove(path) : Effect.void))

const release = (fs: FileSystem.FileSystem, path: string, holder: Holder) =>
  Effect.catch(removeIfOf(fs, path, holder), (error) =>
    Effect.logWarning(`The lock file ${path} could not be removed: ${error.message}`)
  )

/** Numbers the locks of this process, since its `Random` may be seeded and repeat itself. */
let taken = 0

/** Takes the lock until the scope ends. Does not wait: a lock that a running process holds is `LockHeld`. */
export const takeLock = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  path: string
): Effect.fn.Return<void, LockHeld | PlatformError, Scope> {
  const mark = yield* ownMark(fs)
  const token = `${mark.pid.toString(36)}-${(taken++).toString(36)}-${yield* randomHex(8)}`
  const holder: Holder = { ...mark, token }
  yield* Effect.acquireRelease(acquire(fs, path, holder), () => release(fs, path, holder))
})

/**
 * Whether a running process holds the lock. One that cannot be read counts as held, as it does for {@link takeLock}.
 */
export const isLocked = (fs: FileSystem.FileSystem, path: string): Effect.Effect<boolean> =>
  look(fs, path).pipe(
    Effect.map((found) => found.state === "held" || found.state === "unreadable"),
    Effect.orElseSucceed(() => true)
  )
