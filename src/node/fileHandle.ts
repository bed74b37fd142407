/** An open regular file of a local disk, for reading: Effect's `File` without the way through the thread pool. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import * as fs from "node:fs"

/** More than this is not read at once, in bytes: it would keep the event loop for too long. */
const largestAtOnce = 1_048_576

const typeOf = (entry: fs.BigIntStats | fs.Dirent): FileSystem.File.Type =>
  entry.isFile()
    ? "File"
    : entry.isDirectory()
      ? "Directory"
      : entry.isSymbolicLink()
        ? "SymbolicLink"
        : entry.isBlockDevice()
          ? "BlockDevice"
          : entry.isCharacterDevice()
            ? "CharacterDevice"
            : entry.isFIFO()
              ? "FIFO"
              : entry.isSocket()
                ? "Socket"
                : "Unknown"

/** An entry of a directory as Effect has it. */
export const entryOf = (entry: fs.Dirent): FileSystem.DirectoryEntry => ({ name: entry.name, type: typeOf(entry) })

const uint64 = (value: bigint): bigint => BigInt.asUintN(64, value)

/** Metadata as Effect has it. */
export const infoOf = (stat: fs.BigIntStats): FileSystem.File.Info => ({
  type: typeOf(stat),
  mtime: Option.some(stat.mtime),
  atime: Option.some(stat.atime),
  birthtime: Option.some(stat.birthtime),
  dev: uint64(stat.dev),
  rdev: Option.some(uint64(stat.rdev)),
  ino: Option.some(uint64(stat.ino)),
  mode: Number(stat.mode),
  nlink: Option.some(uint64(stat.nlink)),
  uid: Option.some(Number(stat.uid)),
  gid: Option.some(Number(stat.gid)),
  size: ByteSize.bytes(stat.size),
  blksize: Option.some(ByteSize.bytes(stat.blksize)),
  blocks: Option.some(stat.blocks)
})

const tags: Readonly<Record<string, PlatformError.SystemErrorTag>> = {
  EACCES: "PermissionDenied",
  EPERM: "PermissionDenied",
  EISDIR: "BadResource",
  EBUSY: "Busy"
}

const failed = (method: string, descriptor: number, cause: NodeJS.ErrnoException): PlatformError.PlatformError =>
  PlatformError.systemError({
    _tag: tags[cause.code ?? ""] ?? "Unknown",
    module: "FileSystem",
    method,
    pathOrDescriptor: descriptor,
    ...(cause.syscall === undefined ? {} : { syscall: cause.syscall }),
    cause
  })

const badArgument = (method: string, description: string): PlatformError.PlatformError =>
  PlatformError.badArgument({ module: "FileSystem", method, description })

const attempt = <A>(method: string, descriptor: number, run: () => A): Effect.Effect<A, PlatformError.PlatformError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (cause) {
      return Effect.fail(failed(method, descriptor, cause as NodeJS.ErrnoException))
    }
  })

const readThroughPool = (method: string, descriptor: number, buffer: Uint8Array, position: bigint) =>
  Effect.callback<number, PlatformError.PlatformError>((resume) =>
    fs.read(descriptor, buffer, 0, buffer.length, position, (cause, read) =>
      resume(cause === null ? Effect.succeed(read) : Effect.fail(failed(method, descriptor, cause)))
    )
  )

class LocalFile implements FileSystem.File {
  readonly [FileSystem.FileTypeId]: typeof FileSystem.FileTypeId = FileSystem.FileTypeId
  readonly fd: number
  private position = 0n
  constructor(descriptor: number) {
    this.fd = descriptor
  }
  get stat() {
    return attempt("stat", this.fd, () => infoOf(fs.fstatSync(this.fd, { bigint: true })))
  }
  get sync() {
    return attempt("sync", this.fd, () => fs.fsyncSync(this.fd))
  }
  seek(offset: bigint, from: FileSystem.SeekMode) {
    return Effect.suspend(() => {
      const position = from === "start" ? offset : this.position + offset
      if (position < 0n) return Effect.fail(badArgument("seek", "Cannot seek before the start of the file"))
      return Effect.succeed((this.position = position))
    })
  }
  read(buffer: Uint8Array, options?: FileSystem.File.ReadOptions) {
    return this.readInto("read", buffer, options?.position)
  }
  readAlloc(size: number, options?: FileSystem.File.ReadOptions) {
    return Effect.suspend(() => {
      if (!Number.isInteger(size) || size < 0)
        return Effect.fail(badArgument("readAlloc", "size must be a non-negative integer"))
      const buffer = new Uint8Array(size)
      return Effect.map(this.readInto("readAlloc", buffer, options?.position), (read) =>
        read === 0 ? Option.none() : Option.some(read === size ? buffer : buffer.slice(0, read))
      )
    })
  }
  truncate(length?: number) {
    return attempt("truncate", this.fd, () => fs.ftruncateSync(this.fd, length))
  }
  write(buffer: Uint8Array) {
    return attempt("write", this.fd, () => fs.writeSync(this.fd, buffer))
  }
  writeAll(buffer: Uint8Array) {
    return buffer.length === 0 ? Effect.void : attempt("writeAll", this.fd, () => void fs.writeSync(this.fd, buffer))
  }
  private readInto(method: string, buffer: Uint8Array, explicit: bigint | undefined) {
    return Effect.suspend(() => {
      const position = explicit ?? this.position
      if (position < 0n) return Effect.fail(badArgument(method, "Cannot read before the start of the file"))
      const reading =
        buffer.length > largestAtOnce
          ? readThroughPool(method, this.fd, buffer, position)
          : attempt(method, this.fd, () => fs.readSync(this.fd, buffer, 0, buffer.length, position))
      return Effect.map(reading, (read) => {
        if (explicit === undefined) this.position = position + BigInt(read)
        return read
      })
    })
  }
}

/** The file of an open descriptor; closing is left to whoever opened it. What writes fails, as it does for every file that is open for reading. */
export const fileOf = (descriptor: number): FileSystem.File => new LocalFile(descriptor)
