/**
 * Files of a confined file system, by handle: a path is checked, opened without following a last link, and what was opened is
 * compared with what was checked, before a byte is read, written or cut off (C-8).
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Scope from "effect/Scope"
import { denied, failedAs } from "./confinedErrors.ts"
import { attempts, type Places } from "./confinedPlaces.ts"

type OpenOptions = NonNullable<Parameters<FileSystem.FileSystem["open"]>[1]>

interface Opened {
  readonly file: FileSystem.File
  readonly info: FileSystem.File.Info
  readonly path: string
}

/** Where to open, as far as it could be checked before. */
interface Target {
  readonly path: string
  readonly asked: string
  /** What has to be where it was for the check to hold. */
  readonly held: string
  readonly info: FileSystem.File.Info | undefined
}

const bufferBytes = 65_536

/** How much is set aside for a file because its metadata says so. Bytes. */
const believedBytes = 8 * 1_048_576

/** What tells a file from all others, as far as the file system below says. */
const identity = ({ dev, ino, type }: FileSystem.File.Info): string =>
  `${type}:${dev}:${Option.getOrElse(ino, () => "?")}`

/** Whether it certainly is the same file. */
export const isSame = (one: FileSystem.File.Info, other: FileSystem.File.Info): boolean =>
  Option.isSome(one.ino) && identity(one) === identity(other)

/** Flags under which what is there already is opened: it is emptied only once it is known to be the right file. */
const keeping: Partial<Record<FileSystem.OpenFlag, FileSystem.OpenFlag>> = { w: "r+", "w+": "r+" }

/** Flags under which what is not there is made: never through a link, never in place of what has come meanwhile. */
const making: Partial<Record<FileSystem.OpenFlag, FileSystem.OpenFlag>> = { w: "wx", "w+": "wx+", a: "ax", "a+": "ax+" }

export const makeFiles = (fs: FileSystem.FileSystem, places: Places) => {
  const { changeable, entry, follow, inside, still } = places

  const find = Effect.fnUntraced(function* (path: string, flag: FileSystem.OpenFlag, noFollow: boolean) {
    const exclusive = flag.includes("x")
    if (exclusive || noFollow) {
      const {
        asked,
        directory,
        path: at
      } = yield* exclusive || making[flag] !== undefined ? changeable(path) : entry(path)
      const info = Option.getOrUndefined(yield* Effect.option(fs.lstat(at)))
      return { path: at, asked, held: directory, info } satisfies Target
    }
    const place = yield* follow(path)
    const info =
      place.missing.length > 0 ? undefined : Option.getOrUndefined(yield* Effect.option(fs.lstat(place.path)))
    return { path: place.path, asked: place.asked, held: place.existing, info } satisfies Target
  })

  /** Without a link at the end of the path, where the platform can say so. */
  const openBelow = (path: string, flag: FileSystem.OpenFlag, { mode, noFollow }: OpenOptions) =>
    fs
      .open(path, { flag, mode, noFollow: true })
      .pipe(
        Effect.catchIf(failedAs("BadArgument"), (error) =>
          noFollow ? Effect.fail(error) : fs.open(path, { flag, mode })
        )
      )

  const openTarget = ({ asked, info }: Target, flag: FileSystem.OpenFlag, options: OpenOptions) => {
    if (info === undefined) return openBelow(asked, making[flag] ?? flag, options)
    const kept = info.type !== "File" ? undefined : keeping[flag]
    if (kept === undefined) return openBelow(asked, flag, options)
    return openBelow(asked, kept, options).pipe(
      // A file that may be written and not read: once it is empty, its end is the beginning.
      Effect.catchIf(
        (error) => flag === "w" && failedAs("PermissionDenied")(error),
        () => openBelow(asked, "a", options)
      )
    )
  }

  const unmoved = Effect.fnUntraced(function* (path: string, info: FileSystem.File.Info) {
    const now = yield* Effect.option(fs.lstat(path))
    return Option.isSome(now) && identity(now.value) === identity(info) && (yield* still(path))
  })

  /** `undefined`: something has moved meanwhile, and what was opened is not to be used. */
  const openOnce = Effect.fnUntraced(function* (
    path: string,
    options: OpenOptions,
    empties: boolean
  ): Effect.fn.Return<Opened | undefined, PlatformError, Scope.Scope> {
    const flag = options.flag ?? "r"
    const noFollow = options.noFollow === true
    const target = yield* find(path, flag, noFollow)
    const opened = yield* Effect.result(openTarget(target, flag, { ...options, noFollow }))
    if (opened._tag === "Failure") {
      const overtaken =
        target.info === undefined && making[flag] !== undefined && failedAs("AlreadyExists")(opened.failure)
      if (overtaken || (inside(target.held) && !(yield* still(target.held)))) return undefined
      return yield* Effect.fail(opened.failure)
    }
    const file = opened.success
    const info = yield* file.stat
    if (target.info === undefined ? !flag.match(/[wa]/) : identity(target.info) !== identity(info)) return undefined
    if (!(yield* unmoved(target.path, info))) return undefined
    if (empties && flag.startsWith("w") && target.info?.type === "File") yield* file.truncate(0)
    return { file, info, path: target.path }
  })

  /** What does not hold is closed before it is tried again, and when this is interrupted. */
  const openChecked = (path: string, options: OpenOptions = {}, empties = true) =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore): Effect.fn.Return<Opened, PlatformError, Scope.Scope> {
        const scope = yield* Effect.scope
        for (let attempt = 0; attempt < attempts; attempt++) {
          const own = yield* Scope.fork(scope)
          const opened = yield* restore(openOnce(path, options, empties)).pipe(
            Scope.provide(own),
            Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
          )
          if (opened !== undefined) return opened
          yield* Scope.close(own, Exit.void)
        }
        return yield* Effect.fail(denied)
      })
    )

  const readFile = Effect.fnUntraced(function* (path: string) {
    const { file, info } = yield* openChecked(path)
    let buffer = new Uint8Array(
      Math.min(
        Option.getOrElse(ByteSize.toNumber(info.size), () => 0),
        believedBytes
      ) + 1
    )
    let length = 0
    for (;;) {
      const read = Number(yield* file.read(buffer.subarray(length)))
      length += read
      if (read === 0) return buffer.slice(0, length)
      if (length < buffer.length) continue
      const larger = new Uint8Array(buffer.length + bufferBytes + (buffer.length >> 1))
      larger.set(buffer)
      buffer = larger
    }
  }, Effect.scoped)

  const writeFile = Effect.fnUntraced(function* (path: string, data: Uint8Array, options?: OpenOptions) {
    const { file } = yield* openChecked(path, { ...options, flag: options?.flag ?? "w" })
    yield* file.writeAll(data)
  }, Effect.scoped)

  const truncate = Effect.fnUntraced(function* (path: string, length?: number) {
    const { file } = yield* openChecked(path, { flag: "r+" })
    yield* file.truncate(length)
  }, Effect.scoped)

  const copyFile = Effect.fnUntraced(function* (from: string, to: string) {
    const source = yield* openChecked(from)
    // A directory can be opened, and says what it is when it is read.
    let chunk = yield* source.file.readAlloc(bufferBytes)
    const target = yield* openChecked(to, { flag: "w", mode: source.info.mode & 0o777 }, false)
    if (target.path === source.path || isSame(target.info, source.info)) return
    if (target.info.type === "File") yield* target.file.truncate(0)
    for (; Option.isSome(chunk); chunk = yield* source.file.readAlloc(bufferBytes))
      yield* target.file.writeAll(chunk.value)
    const mode = source.info.mode & 0o7777
    if ((target.info.mode & 0o7777) !== mode && (yield* unmoved(target.path, target.info)))
      yield* Effect.ignore(fs.chmod(target.path, mode))
  }, Effect.scoped)

  return {
    open: (path: string, options?: OpenOptions) => Effect.map(openChecked(path, options), ({ file }) => file),
    readFile,
    writeFile,
    truncate,
    copyFile
  }
}
