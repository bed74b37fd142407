/**
 * Every question to a file system, answered in three values that never fail: present, absent, unavailable (I-8, I-9).
 *
 * This is the one room that touches Effect's `FileSystem`. A regular file is told apart before anything is opened, since
 * opening a FIFO would block, uninterruptibly.
 */
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"

/** Something is where it was looked for. `size` is bytes as reported. */
export interface Present {
  readonly _tag: "Present"
  readonly type: FileSystem.File.Type
  readonly size: number
  /** Equal as long as the provider's metadata says that nothing has changed: device, inode, size, modification time. */
  readonly version: string
  /** Device and inode, when the provider knows them. */
  readonly node: string | undefined
  /** Whether `version` can be relied on: the file was last modified long enough before it was asked (I-52). */
  readonly trusted: boolean
}

/** Confirmed: there is nothing there. */
export interface Absent {
  readonly _tag: "Absent"
  readonly reason: string | undefined
}

/** Cannot be told. `loop`: too many symbolic links. */
export interface Unavailable {
  readonly _tag: "Unavailable"
  readonly reason: string
  readonly loop: boolean
}

export type Presence = Present | Absent | Unavailable

/** A whole file, or why there is none. `Oversized`: more than the cap, by its metadata or while it was read. */
export type FileBytes =
  | { readonly _tag: "Bytes"; readonly bytes: Uint8Array }
  | { readonly _tag: "Oversized"; readonly atLeast: number }
  | Absent
  | Unavailable

/** How old a modification has to be before equal metadata proves equal content, in milliseconds. */
export const settleMillis = 2000

const absent: Absent = { _tag: "Absent", reason: undefined }

const codeOf = (error: PlatformError): string | undefined => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined
}

/** What a failed question means. */
export const classify = (error: PlatformError): Absent | Unavailable => {
  const code = codeOf(error)
  if (error.reason._tag === "NotFound" || code === "ENOENT" || code === "ENOTDIR") return absent
  if (code === "EISDIR") return { _tag: "Absent", reason: "it is a directory" }
  const loop = code === "ELOOP"
  return {
    _tag: "Unavailable",
    reason: loop ? "too many symbolic links" : `${error.reason._tag}${code === undefined ? "" : ` (${code})`}`,
    loop
  }
}

/** The file system of the calling fiber, else the one a layer was built with, else none (I-12). */
export const fileSystem = (built: Context.Context<never>): Effect.Effect<Option.Option<FileSystem.FileSystem>> =>
  Effect.contextWith((calling: Context.Context<never>) =>
    Effect.succeed(
      Option.orElse(Context.getOption(calling, FileSystem.FileSystem), () =>
        Context.getOption(built, FileSystem.FileSystem)
      )
    )
  )

const present = (info: FileSystem.File.Info, sampledAt: number): Present => {
  // File systems can claim more than a number holds exactly; that much is too much in any case.
  const size = Option.getOrElse(ByteSize.toNumber(info.size), () => Number.MAX_SAFE_INTEGER)
  const mtime = Option.isSome(info.mtime) ? info.mtime.value.getTime() : undefined
  const node = Option.isSome(info.ino) ? `${info.dev}:${info.ino.value}` : undefined
  return {
    _tag: "Present",
    type: info.type,
    size,
    version: `${node ?? "?"}:${size}:${mtime ?? "?"}`,
    node,
    trusted: mtime !== undefined && sampledAt - mtime >= settleMillis
  }
}

/** Asks for metadata, following links. */
export const probe = (fs: FileSystem.FileSystem, path: string): Effect.Effect<Presence> =>
  Effect.flatMap(Clock.currentTimeMillis, (sampledAt) =>
    Effect.match(fs.stat(path), { onSuccess: (info) => present(info, sampledAt), onFailure: classify })
  )

/**
 * Like `probe`, but anything that is no regular file is absent (I-8). `sampledAt`: a moment before the question, epoch
 * milliseconds; one for many questions makes none of them more trusted than it is, without one none is.
 */
export const probeFile = (fs: FileSystem.FileSystem, path: string, sampledAt = -Infinity): Effect.Effect<Presence> =>
  Effect.match(fs.stat(path), {
    onSuccess: (info): Presence =>
      info.type === "File"
        ? present(info, sampledAt)
        : { _tag: "Absent", reason: `it is no regular file (${info.type})` },
    onFailure: classify
  })

/** The real path, or the failure as presence. */
export const realPath = (fs: FileSystem.FileSystem, path: string): Effect.Effect<string | Absent | Unavailable> =>
  Effect.match(fs.realPath(path), { onSuccess: (real): string | Absent | Unavailable => real, onFailure: classify })

const chunkBytes = 65_536

/** How much is set aside for a file because its metadata says so; a larger one gets more as it is read. Bytes. */
const believedBytes = 8 * 1_048_576

/** The most that is ever read of one file, whatever is configured: a JavaScript string holds hardly more. Bytes. */
export const largestFile = 256 * 1_048_576

const readAll = Effect.fnUntraced(function* (file: FileSystem.File, expected: number, cap: number) {
  let buffer = new Uint8Array(Math.min(expected, cap, believedBytes) + 1)
  let length = 0
  for (;;) {
    if (length === buffer.length) {
      if (length > cap) break
      const larger = new Uint8Array(Math.min(cap + 1, buffer.length + chunkBytes + (buffer.length >> 1)))
      larger.set(buffer)
      buffer = larger
    }
    const read = Number(yield* file.read(buffer.subarray(length)))
    length += read
    // A read that ends exactly where the metadata said the file ends has reached its end: no need to ask once more.
    if (read === 0 || (length === expected && length < buffer.length)) break
  }
  return length > cap
    ? ({ _tag: "Oversized", atLeast: length } as const)
    : ({ _tag: "Bytes", bytes: buffer.subarray(0, length) } as const)
})

/**
 * Opens a file for `use`. Interruption ends it at once and closes the file; when even the opening never returns, it is
 * abandoned, and the file is closed should it ever open.
 */
const withFile = <A>(
  fs: FileSystem.FileSystem,
  path: string,
  use: (file: FileSystem.File) => Effect.Effect<A, PlatformError>
): Effect.Effect<A | Absent | Unavailable> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback<A | Absent | Unavailable>((resume) => {
      let opened = false
      const reading = fs.open(path).pipe(
        Effect.tap(() => Effect.sync(() => (opened = true))),
        Effect.flatMap(use),
        Effect.scoped,
        Effect.match({ onSuccess: (result): A | Absent | Unavailable => result, onFailure: classify })
      )
      const fiber = Effect.runForkWith(context)(reading)
      fiber.addObserver((exit) =>
        resume(Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.failCause(exit.cause))
      )
      return Effect.suspend(() => (opened ? Fiber.interrupt(fiber) : Effect.sync(() => fiber.interruptUnsafe())))
    })
  )

/**
 * Reads a regular file of `expected` bytes, counting as it goes: stops with the first bytes past `cap`, whatever the
 * metadata said (I-10).
 */
export const readFile = (
  fs: FileSystem.FileSystem,
  path: string,
  expected: number,
  cap: number
): Effect.Effect<FileBytes> => withFile(fs, path, (file) => readAll(file, expected, cap))

const firstBytes = 4096

/**
 * Reads a regular file of `expected` bytes from its beginning until `attempt` makes something of what it has: it is given
 * more each time, and told when that is the whole file. Stops after `most` bytes, and then there is no `value`. When the
 * opening never returns, interrupting this does not either: for callers that do not wait for it.
 */
export const readBeginning = <A>(
  fs: FileSystem.FileSystem,
  path: string,
  expected: number,
  most: number,
  attempt: (bytes: Uint8Array, whole: boolean) => A | undefined
): Effect.Effect<{ readonly _tag: "Beginning"; readonly value: A | undefined } | Absent | Unavailable> =>
  fs.open(path).pipe(
    Effect.flatMap(
      Effect.fnUntraced(function* (file) {
        let buffer = new Uint8Array(Math.min(expected + 1, firstBytes, most))
        let length = 0
        for (;;) {
          const read = Number(yield* file.read(buffer.subarray(length)))
          length += read
          const whole = read === 0 || (length === expected && length < buffer.length)
          const value = attempt(buffer.subarray(0, length), whole)
          if (value !== undefined || whole || length === most) return { _tag: "Beginning", value } as const
          if (length < buffer.length) continue
          const larger = new Uint8Array(Math.min(most, Math.max(firstBytes, 4 * length)))
          larger.set(buffer)
          buffer = larger
        }
      })
    ),
    Effect.scoped,
    Effect.catch((error) => Effect.succeed(classify(error)))
  )

/** What a directory holds, in no particular order; links are not followed. */
export const listDirectory = (
  fs: FileSystem.FileSystem,
  path: string
): Effect.Effect<ReadonlyArray<FileSystem.DirectoryEntry> | Absent | Unavailable> =>
  Effect.match(fs.readDirectoryEntries(path), {
    onSuccess: (entries): ReadonlyArray<FileSystem.DirectoryEntry> | Absent | Unavailable => entries,
    onFailure: classify
  })

/** Like `probe`, but asks about a link itself, not about what it leads to. */
export const probeEntry = (fs: FileSystem.FileSystem, path: string): Effect.Effect<Presence> =>
  Effect.flatMap(Clock.currentTimeMillis, (sampledAt) =>
    Effect.match(fs.lstat(path), { onSuccess: (info) => present(info, sampledAt), onFailure: classify })
  )
