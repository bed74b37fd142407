/**
 * Node's `FileSystem` without the way through the thread pool where a question can be answered at once (C-8).
 *
 * Handing a question to the pool and back takes ten to twenty times as long as the answer of a local disk, and the error that
 * says that a file is not there takes as long again. So metadata, real paths, lists of directories and what is read of files are
 * asked for directly where the path lies on a disk of this machine and leads over no link, in slices of time between which
 * everything else has its turn. All the rest — other disks, links, other failures than absence, whatever writes — is the
 * platform's own `FileSystem`.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import * as fs from "node:fs"
import { entryOf, fileOf, infoOf } from "./fileHandle.ts"
import { type LocalDisk, localDisk } from "./localDisk.ts"

/** An error that carries no stack: it says what is where, and is made for most names that are asked for. */
const withoutStack = <A>(make: () => A): A => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = limit
  }
}

const notFound = (method: string, syscall: string, path: string): PlatformError.PlatformError =>
  withoutStack(() =>
    PlatformError.systemError({
      _tag: "NotFound",
      module: "FileSystem",
      method,
      pathOrDescriptor: path,
      syscall,
      cause: Object.assign(new Error(`ENOENT: no such file or directory, ${syscall} '${path}'`), {
        errno: -2,
        code: "ENOENT",
        syscall,
        path
      })
    })
  )

/** Waits for the next turn of the event loop if this one has taken long enough. */
const inTurn = <A, E, R>(disk: LocalDisk, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() =>
    disk.isBusy()
      ? Effect.flatMap(
          Effect.callback<void>((resume) => disk.nextTurn(() => resume(Effect.void))),
          () => self
        )
      : self
  )

// What has become a link or a pipe meanwhile is not followed, and does not block.
const reading = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return withoutStack(run)
  } catch {
    return undefined
  }
}

const underlyings = new WeakMap<FileSystem.FileSystem, FileSystem.FileSystem>()

/** The file system beneath one that was made here; a wrapper around it is not one. */
export const underlying = (service: FileSystem.FileSystem): FileSystem.FileSystem | undefined =>
  underlyings.get(service)

/** `plain`, with local disks asked directly. */
export const makeFileSystem = (plain: FileSystem.FileSystem, disk: LocalDisk = localDisk): FileSystem.FileSystem => {
  /** Answers for what is at `path`, or leaves it to the platform, absence too where there is no `syscall` to name. */
  const ask = <A>(
    path: string,
    method: string,
    syscall: string | undefined,
    answer: (stat: fs.BigIntStats) => A | undefined,
    otherwise: Effect.Effect<A, PlatformError.PlatformError>
  ): Effect.Effect<A, PlatformError.PlatformError> =>
    inTurn(
      disk,
      Effect.suspend(() => {
        const found = disk.entry(path)
        if (found === "absent") return syscall === undefined ? otherwise : Effect.fail(notFound(method, syscall, path))
        const answered = found === "elsewhere" ? undefined : answer(found)
        return answered === undefined ? otherwise : Effect.succeed(answered)
      })
    )

  const unlessLink = (stat: fs.BigIntStats) => (stat.isSymbolicLink() ? undefined : stat)

  /** Opening ends with a descriptor that is certain to be closed. */
  const open: FileSystem.FileSystem["open"] = (path, options) => {
    if ((options?.flag ?? "r") !== "r") return plain.open(path, options)
    return inTurn(
      disk,
      Effect.suspend(() => {
        const found = disk.entry(path)
        if (found === "absent") return Effect.fail(notFound("open", "open", path))
        if (found === "elsewhere" || !found.isFile()) return plain.open(path, options)
        const opened = Effect.acquireRelease(
          Effect.sync(() => attempt(() => fs.openSync(path, reading))),
          (descriptor) => Effect.sync(() => descriptor !== undefined && attempt(() => fs.closeSync(descriptor)))
        )
        return Effect.flatMap(opened, (descriptor) =>
          descriptor === undefined ? plain.open(path, options) : Effect.succeed(fileOf(descriptor))
        )
      })
    )
  }

  const direct = FileSystem.make({
    ...plain,
    stat: (path) => ask(path, "stat", "stat", (stat) => unlessLink(stat) && infoOf(stat), plain.stat(path)),
    lstat: (path) => ask(path, "lstat", "lstat", infoOf, plain.lstat(path)),
    realPath: (path) => ask(path, "realPath", undefined, (stat) => unlessLink(stat) && path, plain.realPath(path)),
    readDirectoryEntries: (path) =>
      ask(
        path,
        "readDirectoryEntries",
        "scandir",
        (stat) =>
          stat.isDirectory() ? attempt(() => fs.readdirSync(path, { withFileTypes: true }))?.map(entryOf) : undefined,
        plain.readDirectoryEntries(path)
      ),
    open
  })
  underlyings.set(direct, plain)
  return direct
}

/** Node's file system, with local disks asked directly. */
export const layer: Layer.Layer<FileSystem.FileSystem> = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (plain) => makeFileSystem(plain))
).pipe(Layer.provide(NodeFileSystem.layer))
