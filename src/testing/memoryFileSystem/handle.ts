/** An open file. It holds the inode, not the name: deleting or replacing the path does not touch what it reads. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import type { Opened, OpenFlags } from "./changes.ts"
import { resized } from "./changes.ts"
import type { Disk } from "./disk.ts"
import { attempt } from "./disk.ts"
import type { Asked } from "./errno.ts"
import { badArgument, raise } from "./errno.ts"
import type { FileNode } from "./node.ts"
import { info } from "./node.ts"
import type { Place } from "./tree.ts"
import { setData } from "./tree.ts"

export class Handle implements FileSystem.File {
  readonly [FileSystem.FileTypeId]: typeof FileSystem.FileTypeId = FileSystem.FileTypeId
  readonly fd: number
  readonly #disk: Disk
  /** The path it was opened by, for faults and counters. */
  readonly #key: string
  readonly #opened: Opened
  readonly #flags: OpenFlags
  #position = 0n
  #closed = false
  /** Whether the wait that a fault demands of the first read is over. */
  #waited = false

  constructor(disk: Disk, key: string, opened: Opened, flags: OpenFlags) {
    this.#disk = disk
    this.#key = key
    this.#opened = opened
    this.#flags = flags
    this.fd = disk.nextDescriptor++
    disk.openFiles++
  }

  close(): void {
    this.#closed = true
    this.#disk.openFiles--
  }

  get stat() {
    return this.#call("stat", "fstat", () => info(this.#opened.node))
  }

  get sync() {
    return this.#call("sync", "fsync", () => {})
  }

  seek(offset: bigint, from: FileSystem.SeekMode) {
    return Effect.suspend(() => {
      const position = from === "start" ? offset : this.#position + offset
      if (position < 0n) return Effect.fail(badArgument("seek", "Cannot seek before the start of the file"))
      this.#position = position
      return Effect.succeed(position)
    })
  }

  read(buffer: Uint8Array, options?: FileSystem.File.ReadOptions) {
    return Effect.map(this.#read("read", buffer.length, options?.position), (bytes) => {
      buffer.set(bytes)
      return bytes.length
    })
  }

  readAlloc(size: number, options?: FileSystem.File.ReadOptions) {
    return Effect.suspend(() => {
      if (!Number.isInteger(size) || size < 0) {
        return Effect.fail(badArgument("readAlloc", "size must be a non-negative integer"))
      }
      return Effect.map(this.#read("readAlloc", size, options?.position), (bytes) =>
        bytes.length === 0 ? Option.none() : Option.some(bytes)
      )
    })
  }

  /** Everything up to the end, reported as `asked`. */
  readAll(asked: Asked): Effect.Effect<Uint8Array, PlatformError> {
    return this.#readAs(asked, Number.MAX_SAFE_INTEGER, undefined)
  }

  truncate(length = 0) {
    return attempt(this.#disk, this.#asked("truncate", "ftruncate"), (tree, caller) => {
      if (!this.#flags.write) raise(this.#closed ? "EBADF" : "EINVAL")
      const file = this.#file()
      setData(tree, caller, file, resized(file.node.data, length))
      if (!this.#flags.append && this.#position > BigInt(length)) this.#position = BigInt(length)
    })
  }

  write(buffer: Uint8Array) {
    return this.writeAs(this.#asked("write"), buffer)
  }

  writeAll(buffer: Uint8Array) {
    return Effect.asVoid(this.writeAs(this.#asked("writeAll", "write"), buffer))
  }

  /** Writes all of `buffer`, reported as `asked`. */
  writeAs(asked: Asked, buffer: Uint8Array): Effect.Effect<number, PlatformError> {
    return attempt(this.#disk, asked, (tree, caller) => {
      if (!this.#flags.write) raise("EBADF")
      const file = this.#file()
      if (buffer.length === 0) return 0
      const { data } = file.node
      const position = this.#flags.append ? data.length : Number(this.#position)
      const written = resized(data, Math.max(data.length, position + buffer.length))
      written.set(buffer, position)
      setData(tree, caller, file, written)
      if (!this.#flags.append) this.#position = BigInt(position + buffer.length)
      return buffer.length
    })
  }

  #read(method: string, length: number, position: bigint | undefined) {
    return position !== undefined && position < 0n
      ? Effect.fail(badArgument(method, "Cannot read before the start of the file"))
      : this.#readAs(this.#asked(method, "read"), length, position)
  }

  #readAs(asked: Asked, length: number, position: bigint | undefined): Effect.Effect<Uint8Array, PlatformError> {
    return Effect.andThen(
      this.#wait,
      attempt(this.#disk, asked, () => {
        if (!this.#flags.read) raise("EBADF")
        const { data } = this.#file().node
        const start = position ?? this.#position
        const bytes = data.slice(...clamp(start, length, data.length))
        if (position === undefined) this.#position = start + BigInt(bytes.length)
        this.#disk.counters.add("bytesRead", this.#key, bytes.length)
        return bytes
      })
    )
  }

  get #wait(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.#waited
        ? Effect.void
        : Effect.tap(this.#disk.faults.wait(this.#key, "read"), () =>
            Effect.sync(() => {
              this.#waited = true
            })
          )
    )
  }

  #call<A>(method: string, syscall: string, run: () => A) {
    return attempt(this.#disk, this.#asked(method, syscall), () => {
      if (this.#closed) raise("EBADF")
      return run()
    })
  }

  #asked(method: string, syscall = method): Asked {
    return { method, syscall, subject: this.fd }
  }

  #file(): Place & { readonly node: FileNode } {
    const { node } = this.#opened
    if (this.#closed) raise("EBADF")
    return node.type === "File" ? { ...this.#opened, node } : raise("EISDIR")
  }
}

const clamp = (start: bigint, length: number, end: number): [number, number] => {
  const from = start > BigInt(end) ? end : Number(start)
  return [from, Math.min(end, from + length)]
}
