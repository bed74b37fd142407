/** Trees of a confined file system, one checked entry after the other: no link is followed into or out of them (C-8). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Paths from "../../pipeline/paths.ts"
import { badArgument, denied, failedAs, failure } from "./confinedErrors.ts"
import { isSame } from "./confinedFiles.ts"
import type { Places } from "./confinedPlaces.ts"

/** What trees are made of: the confined functions, so that each entry is checked at the time of its use. */
type Steps = Pick<
  FileSystem.FileSystem,
  "lstat" | "readLink" | "symlink" | "remove" | "copyFile" | "utimes" | "chmod" | "readDirectoryEntries"
>

type CopyOptions = NonNullable<Parameters<FileSystem.FileSystem["copy"]>[2]>
type MakeOptions = NonNullable<Parameters<FileSystem.FileSystem["makeDirectory"]>[1]>
type TempOptions = NonNullable<Parameters<FileSystem.FileSystem["makeTempFile"]>[0]>

/** Absent is an answer here. */
const ifThere = <A>(self: Effect.Effect<A, PlatformError>): Effect.Effect<Option.Option<A>, PlatformError> =>
  Effect.catchIf(Effect.asSome(self), failedAs("NotFound"), () => Effect.succeedNone)

/** A temporary name: something that becomes part of a name, and of nothing else. */
const isNamePart = (part: string): boolean => part !== "." && part !== ".." && !/[/\\\0]/.test(part)

export const makeTrees = (fs: FileSystem.FileSystem, places: Places, steps: Steps) => {
  const { entry, follow, inside, still } = places

  const readDirectories = Effect.fnUntraced(function* (path: string) {
    const found: Array<string> = []
    const pending = [""]
    for (let prefix = pending.pop(); prefix !== undefined; prefix = pending.pop()) {
      const directory = prefix === "" ? path : `${path}/${prefix}`
      for (const { name, type } of yield* steps.readDirectoryEntries(directory)) {
        const relative = prefix === "" ? name : `${prefix}/${name}`
        found.push(relative)
        const kind = type === "Unknown" ? (yield* steps.lstat(`${path}/${relative}`)).type : type
        if (kind === "Directory") pending.push(relative)
      }
    }
    return found
  })

  const makeDirectories = Effect.fnUntraced(function* (path: string, mode: number | undefined) {
    const { asked, dangling, existing, missing } = yield* follow(path)
    if (missing.length === 0) return yield* fs.makeDirectory(asked, { recursive: true, mode })
    if (dangling) return yield* Effect.fail(failure("NotFound", "ENOENT"))
    let at = existing
    for (const name of missing) {
      if (!(yield* still(at))) return yield* Effect.fail(denied)
      at = Paths.child(at, name)
      yield* fs.makeDirectory(at, { mode }).pipe(
        Effect.catchIf(failedAs("AlreadyExists"), (error) =>
          // Made by somebody else meanwhile.
          Effect.flatMap(fs.lstat(at), ({ type }) => (type === "Directory" ? Effect.void : Effect.fail(error)))
        )
      )
    }
  })

  const makeDirectory = Effect.fnUntraced(function* (path: string, options?: MakeOptions) {
    if (options?.recursive) return yield* makeDirectories(path, options.mode)
    const at = yield* entry(path)
    if (!inside(at.directory)) return yield* Effect.fail(failure("AlreadyExists", "EEXIST"))
    yield* fs.makeDirectory(at.asked, { mode: options?.mode })
  })

  const makeTemp = Effect.fnUntraced(function* (
    make: (options: TempOptions) => Effect.Effect<string, PlatformError>,
    { directory, prefix = "", suffix = "" }: TempOptions = {}
  ) {
    if (![prefix, suffix].every(isNamePart)) return yield* Effect.fail(badArgument("a prefix or suffix is no path"))
    // Where the system's own directory for such things lies is not known here; it is hardly a trusted root.
    if (directory === undefined) return yield* Effect.fail(denied)
    const { path } = yield* follow(directory)
    const made = yield* make({ directory: path, prefix, suffix })
    return inside(made) && (yield* still(made)) ? made : yield* Effect.fail(denied)
  })

  /** Before anything is copied: no link of the tree leads out. */
  const requireLinksInside = Effect.fnUntraced(function* (path: string) {
    const pending = [path]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const { type } = yield* steps.lstat(at)
      if (type === "SymbolicLink") yield* steps.readLink(at)
      else if (type === "Directory") {
        for (const { name } of yield* steps.readDirectoryEntries(at)) pending.push(Paths.child(at, name))
      }
    }
  })

  const requireSameKind = (source: FileSystem.File.Info, target: Option.Option<FileSystem.File.Info>) =>
    Option.isNone(target) || (source.type === "Directory") === (target.value.type === "Directory")
      ? Effect.void
      : Effect.fail(
          source.type === "Directory"
            ? failure("Unknown", "ERR_FS_CP_DIR_TO_NON_DIR")
            : failure("Unknown", "ERR_FS_CP_NON_DIR_TO_DIR")
        )

  const copyLink = Effect.fnUntraced(function* (
    from: string,
    to: string,
    existing: Option.Option<FileSystem.File.Info>
  ) {
    const target = yield* steps.readLink(from)
    if (Option.isSome(existing)) {
      if (existing.value.type !== "SymbolicLink") return yield* Effect.fail(failure("AlreadyExists", "EEXIST"))
      yield* steps.remove(to)
    }
    // Like Node, a relative target is made absolute, so that the copy leads to the same place.
    yield* steps.symlink(Paths.isAbsolute(target) ? target : Paths.resolve(Paths.parent(from), target), to)
  })

  const copyEntry = (from: string, to: string, options: CopyOptions): Effect.Effect<void, PlatformError> =>
    Effect.gen(function* () {
      const source = yield* steps.lstat(from)
      const existing = yield* ifThere(steps.lstat(to))
      yield* requireSameKind(source, existing)
      if (source.type === "SymbolicLink") return yield* copyLink(from, to, existing)
      if (source.type === "FIFO") return yield* Effect.fail(failure("Unknown", "ERR_FS_CP_FIFO_PIPE"))
      if (source.type === "Socket") return yield* Effect.fail(failure("Unknown", "ERR_FS_CP_SOCKET"))
      if (source.type === "Directory") {
        if (Option.isNone(existing)) yield* makeDirectory(to)
        for (const { name } of yield* steps.readDirectoryEntries(from)) {
          yield* copyEntry(Paths.child(from, name), Paths.child(to, name), options)
        }
        if (Option.isNone(existing)) yield* steps.chmod(to, source.mode & 0o7777)
        return
      }
      if (Option.isSome(existing)) {
        if (!options.overwrite) return
        yield* steps.remove(to)
      }
      yield* steps.copyFile(from, to)
      if (options.preserveTimestamps && Option.isSome(source.atime) && Option.isSome(source.mtime))
        yield* steps.utimes(to, source.atime.value, source.mtime.value)
    })

  const copy = Effect.fnUntraced(function* (from: string, to: string, options: CopyOptions = {}) {
    const source = yield* entry(from)
    const info = yield* steps.lstat(source.asked)
    yield* requireLinksInside(source.path)
    const target = yield* entry(to)
    const existing = yield* ifThere(steps.lstat(target.path))
    if (Option.isSome(existing) && isSame(existing.value, info))
      return yield* Effect.fail(failure("Unknown", "ERR_FS_CP_EINVAL"))
    yield* requireSameKind(info, existing)
    if (info.type === "Directory" && Paths.within(source.path, target.path) !== undefined)
      return yield* Effect.fail(failure("Unknown", "ERR_FS_CP_EINVAL"))
    if (inside(target.directory)) yield* makeDirectories(target.directory, undefined)
    // What holds a root is outside: a root can be copied into, but not be made or replaced.
    else if (Option.isNone(existing) || info.type !== "Directory") return yield* Effect.fail(denied)
    yield* copyEntry(source.path, target.path, options)
  })

  return { copy, makeDirectory, makeTemp, readDirectories }
}
