/** A file system whose open files fail, or wait, where a test says so. Everything else is the one it wraps. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"

/** What goes wrong from now on; changed while the test runs. */
export interface Faults {
  /** How many bytes of the next `writeAll` get through before the disk is full. */
  writeAfter?: number
  sync?: "fails"
  truncate?: "fails"
  /** Runs before each sync. */
  beforeSync?: Effect.Effect<void>
  /** What was asked of open files, in order. */
  readonly calls: Array<string>
}

const failure = (method: string, code: string) =>
  Effect.fail(
    PlatformError.systemError({
      _tag: "Unknown",
      module: "FileSystem",
      method,
      cause: Object.assign(new Error(code), { code })
    })
  )

const faultyFile = (file: FileSystem.File, faults: Faults): FileSystem.File => {
  const called = (name: string) => Effect.sync(() => faults.calls.push(name))
  return {
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    stat: Effect.suspend(() => file.stat),
    seek: (offset, from) => file.seek(offset, from),
    read: (buffer, options) => file.read(buffer, options),
    readAlloc: (size, options) => file.readAlloc(size, options),
    write: (bytes) => file.write(bytes),
    writeAll: (bytes) =>
      Effect.suspend(() => {
        const { writeAfter } = faults
        if (writeAfter === undefined) return file.writeAll(bytes)
        return Effect.andThen(file.writeAll(bytes.subarray(0, writeAfter)), failure("writeAll", "ENOSPC"))
      }).pipe(Effect.tap(() => called("write"))),
    sync: Effect.suspend(() =>
      Effect.andThen(
        faults.beforeSync ?? Effect.void,
        faults.sync === "fails" ? failure("sync", "EIO") : Effect.andThen(called("sync"), file.sync)
      )
    ),
    truncate: (length) =>
      Effect.suspend(() =>
        faults.truncate === "fails"
          ? failure("truncate", "EIO")
          : Effect.andThen(called("truncate"), file.truncate(length))
      )
  }
}

export const faultyDisk = (fs: FileSystem.FileSystem, faults: Faults): FileSystem.FileSystem =>
  FileSystem.FileSystem.of({
    ...fs,
    open: (path, options) => Effect.map(fs.open(path, options), (file) => faultyFile(file, faults))
  })
