/**
 * One session's log file: read whole by anybody, written by the holder of its lock.
 *
 * A batch is acknowledged when its line is written and synced. A write that fails is undone; if even that fails nothing
 * more is written until the session is opened again, which cuts off whatever was left.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import type { Scope } from "effect/Scope"
import { decodeFile, decodeHeader, encodeBatch, encodeHeader, latestTitle } from "../../pipeline/sessionCodec.ts"
import type { Damage, SessionFile, SessionHeader } from "../../pipeline/sessionCodec.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import { SessionConflict, SessionCorrupt, SessionStorageFailed } from "../../schemas/SessionError.ts"
import type { SessionEvent, SessionId } from "../../schemas/SessionEvent.ts"
import { reportDiagnostic } from "../makeSession.ts"
import type { SessionReason } from "../makeSession.ts"
import { notFound } from "./shared.ts"

/** A session and where its log is. `path` is the file of the log. */
export interface Place {
  readonly fs: FileSystem.FileSystem
  readonly id: SessionId
  readonly path: string
}

const storageFailed = (place: Place, doing: string) => (error: PlatformError) =>
  new SessionStorageFailed({ sessionId: place.id, detail: `${doing} ${place.path}: ${error.message}` })

const corrupt = ({ id, path }: Place, { detail, line }: Damage) =>
  new SessionCorrupt({ sessionId: id, file: path, line, detail })

/** Reads and checks the whole log. A torn tail is left out, not cut off. */
export const readLog = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<SessionFile, SessionReason> {
  const { fs, id, path } = place
  // Asked before opening: a FIFO of that name would never answer.
  const info = yield* Effect.mapError(fs.stat(path), (error) =>
    error.reason._tag === "NotFound" ? notFound(id) : storageFailed(place, "cannot look at")(error)
  )
  if (info.type !== "File") {
    return yield* new SessionStorageFailed({ sessionId: id, detail: `${path} is no regular file` })
  }
  const bytes = yield* Effect.mapError(fs.readFile(path), storageFailed(place, "cannot read"))
  const decoded = decodeFile(bytes)
  if (Result.isFailure(decoded)) return yield* corrupt(place, decoded.failure)
  if (decoded.success.header.id === id) return decoded.success
  return yield* corrupt(place, { line: 1, detail: `it is the log of session ${decoded.success.header.id}` })
})

/**
 * Creates the file, durably and with its header, or not at all. The caller holds the lock and knows that it is missing.
 */
export const createLog = Effect.fnUntraced(function* (place: Place, directory: string, header: SessionHeader) {
  const { fs, path } = place
  const draft = `${path}.new`
  const written = Effect.scoped(
    Effect.gen(function* () {
      const file = yield* fs.open(draft, { flag: "w", mode: 0o600 })
      yield* file.writeAll(encodeHeader(header))
      yield* file.sync
    })
  )
  yield* written.pipe(
    Effect.andThen(fs.rename(draft, path)),
    Effect.onError(() => Effect.ignore(fs.remove(draft))),
    Effect.mapError(storageFailed(place, "cannot create"))
  )
  // The new name is in the directory's own data. Where directories cannot be synced there is nothing to be done.
  yield* Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(directory), (file) => file.sync)))
})

/** What {@link openLog} hands over. */
export interface Writer {
  readonly file: SessionFile
  readonly diagnostics: ReadonlyArray<Diagnostic>
  readonly write: (batch: ReadonlyArray<SessionEvent>) => Effect.Effect<void, SessionReason>
}

/** Opens the log for appending until the scope ends, after bringing its tail in order. The caller holds the lock. */
export const openLog = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<Writer, SessionReason, Scope> {
  const { fs, id, path } = place
  const file = yield* readLog(place)
  const handle = yield* Effect.mapError(fs.open(path, { flag: "a" }), storageFailed(place, "cannot open"))
  const diagnostics: Array<Diagnostic> = []
  let size = file.wholeBytes
  if (file.tail === "torn") {
    const message = `The last line of ${path} was not whole and has been cut off; it was never acknowledged.`
    diagnostics.push({ tag: "LogTailCut", path, message })
    yield* settle(cut(handle, size), storageFailed(place, "cannot cut the torn tail of"))
    yield* reportDiagnostic(diagnostics[0]!, id)
  } else if (file.tail === "unterminated") {
    const end = Effect.andThen(handle.writeAll(Uint8Array.of(10)), handle.sync)
    yield* settle(end, storageFailed(place, "cannot end the last line of"))
    size++
  }
  return { file, diagnostics, write: makeWrite(place, handle, size) }
})

/**
 * A request to the disk outlives the fiber it is taken from; let go of, it could hit what the next writer has appended.
 */
const settle = (work: Effect.Effect<void, PlatformError>, failed: (error: PlatformError) => SessionReason) =>
  Effect.uninterruptible(Effect.mapError(work, failed))

const cut = (handle: FileSystem.File, size: number) => Effect.andThen(handle.truncate(size), handle.sync)

const makeWrite = (place: Place, handle: FileSystem.File, settledSize: number): Writer["write"] => {
  const { id, path } = place
  let size = settledSize
  let broken: SessionStorageFailed | undefined

  const undo = Effect.suspend(() => cut(handle, size)).pipe(
    Effect.catchCause(() =>
      Effect.sync(() => {
        broken = new SessionStorageFailed({
          sessionId: id,
          detail: `a failed write to ${path} could not be undone; open the session again to go on`
        })
      })
    )
  )

  /** Nobody may have touched the file since: appending behind a stranger's events would damage the log for both. */
  const checkUntouched = Effect.fnUntraced(function* (batch: ReadonlyArray<SessionEvent>) {
    const info = yield* Effect.mapError(handle.stat, storageFailed(place, "cannot look at"))
    if (Option.isSome(info.nlink) && info.nlink.value === 0n) {
      return yield* new SessionStorageFailed({ sessionId: id, detail: `${path} was deleted or replaced` })
    }
    if (ByteSize.toNumberUnsafe(info.size) === size) return
    const detail = `${path} has changed since it was opened`
    return yield* new SessionConflict({ sessionId: id, detail, expected: batch[0]!.seq })
  })

  return Effect.fnUntraced(function* (batch) {
    if (broken !== undefined) return yield* broken
    yield* checkUntouched(batch)
    const line = encodeBatch(batch)
    yield* handle.writeAll(line).pipe(
      Effect.andThen(handle.sync),
      Effect.onError(() => undo),
      Effect.mapError(storageFailed(place, "cannot append to"))
    )
    size += line.length
  })
}

/** What a list shows of a log without checking all of it. */
export interface Glimpse {
  readonly header: SessionHeader
  readonly title: string | undefined
}

const headerLimit = 65_536
const chunkSize = 262_144

/**
 * The header and the latest title: reads the first line, then backwards from the end until a title turns up, so the
 * cost is what was logged since the latest title, or the whole file if there is none. `undefined`: the file is no
 * session's.
 */
export const glimpse = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  path: string
): Effect.fn.Return<Result.Result<Glimpse, string> | undefined, PlatformError> {
  const info = yield* fs.stat(path)
  if (info.type !== "File") return undefined
  const size = ByteSize.toNumberUnsafe(info.size)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* fs.open(path)
      const head = yield* readRange(handle, 0, Math.min(size, headerLimit))
      const headerEnd = head.indexOf(10)
      if (headerEnd < 0) return undefined
      const header = decodeHeader(head.subarray(0, headerEnd))
      if (Result.isFailure(header)) return header.failure.foreign ? undefined : Result.fail(header.failure.detail)
      const title = yield* latestTitleIn(handle, headerEnd + 1, size)
      return Result.succeed({ header: header.success, title })
    })
  )
})

const latestTitleIn = Effect.fnUntraced(function* (handle: FileSystem.File, from: number, size: number) {
  /** The beginning of a line whose earlier part is in the chunk before. */
  let rest = new Uint8Array(0)
  for (let end = size; end > from;) {
    const start = Math.max(from, end - chunkSize)
    const chunk = yield* readRange(handle, start, end - start)
    const bytes = new Uint8Array(chunk.length + rest.length)
    bytes.set(chunk)
    bytes.set(rest, chunk.length)
    const lineStart = start === from ? 0 : chunk.indexOf(10) + 1
    if (start === from || lineStart > 0) {
      const title = latestTitle(bytes.subarray(lineStart))
      if (title !== undefined) return title
    }
    rest = lineStart > 0 || start === from ? bytes.slice(0, lineStart) : bytes
    end = start
  }
  return undefined
})

/** Fewer bytes only at the end of the file. */
const readRange = Effect.fnUntraced(function* (handle: FileSystem.File, from: number, length: number) {
  const bytes = new Uint8Array(length)
  let read = 0
  while (read < length) {
    const count = yield* handle.read(bytes.subarray(read), { position: BigInt(from + read) })
    if (count === 0) break
    read += count
  }
  return bytes.subarray(0, read)
})
