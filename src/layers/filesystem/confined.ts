/** A file system that ends at its trusted roots (C-8). */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Paths from "../../pipeline/paths.ts"
import { InvalidRoot } from "../../schemas/Confinement.ts"
import { denied, failedAs, told } from "./confinedErrors.ts"
import { makeFiles } from "./confinedFiles.ts"
import { makePlaces, type Place, type Places } from "./confinedPlaces.ts"
import { makeTrees } from "./confinedTrees.ts"

const rootOf = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, root: string) {
  const invalid = (reason: string) => new InvalidRoot({ root, reason })
  if (root.includes("\0") || !Paths.isAbsolute(root)) return yield* invalid("it is no absolute path")
  const everywhere = makePlaces(fs, [Paths.ancestors(root).at(-1) ?? "/"])
  const unresolved = (error: PlatformError) =>
    invalid(failedAs("NotFound")(error) ? "it does not exist" : `it cannot be resolved (${error.reason._tag})`)
  const { missing, path } = yield* Effect.mapError(everywhere.follow(root), unresolved)
  if (missing.length > 0) return yield* invalid("it does not exist")
  const { type } = yield* Effect.mapError(fs.stat(path), unresolved)
  return type === "Directory" ? path : yield* invalid("it is no directory")
})

/** Events that tell of what lies inside; and of a link, that it is there, never whether what it leads to is. */
const watchBelow = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  { entry, follow }: Places,
  { asked, path }: Place,
  options: FileSystem.WatchOptions | undefined
) {
  const { type } = yield* fs.lstat(path)
  const base = type === "Directory" ? path : Paths.parent(path)
  return fs.watch(asked, options).pipe(
    Stream.filterMapEffect(
      Effect.fnUntraced(function* (event) {
        const at = Paths.isAbsolute(event.path) ? event.path : `${base}/${event.path}`
        const held = yield* Effect.result(entry(at))
        if (Result.isFailure(held)) return Result.failVoid
        const leads = yield* Effect.result(follow(at))
        const isLinkOut = Result.isFailure(leads) && failedAs("PermissionDenied")(leads.failure)
        return Result.succeed(isLinkOut && event._tag === "Remove" ? { ...event, _tag: "Create" as const } : event)
      })
    )
  )
}, Stream.unwrap)

const confine = (fs: FileSystem.FileSystem, roots: ReadonlyArray<string>): FileSystem.FileSystem => {
  const places = makePlaces(fs, roots)
  const { changeable, entry, follow, steady, still } = places
  const files = makeFiles(fs, places)

  /** A method that has one path, and fails under its name. */
  const on =
    <Args extends ReadonlyArray<unknown>, A, R>(
      method: string,
      run: (path: string, ...args: Args) => Effect.Effect<A, PlatformError, R>
    ) =>
    (path: string, ...args: Args): Effect.Effect<A, PlatformError, R> =>
      told(method, path)(Effect.suspend(() => run(path, ...args)))

  /** Acts on what a path leads to. */
  const through = <Args extends ReadonlyArray<unknown>>(
    method: string,
    act: (path: string, ...args: Args) => Effect.Effect<void, PlatformError>
  ) => on(method, (path, ...args: Args) => Effect.flatMap(follow(path), ({ asked }) => act(asked, ...args)))

  const lstat = on("lstat", (path) => steady(entry(path), ({ asked }) => fs.lstat(asked)))
  const readDirectoryEntries = on("readDirectoryEntries", (path) =>
    steady(follow(path), ({ asked }) => fs.readDirectoryEntries(asked))
  )
  const chmod = through("chmod", fs.chmod)
  const utimes = through("utimes", fs.utimes)
  const remove = on("remove", (path, options?: Parameters<typeof fs.remove>[1]) =>
    Effect.flatMap(changeable(path), ({ asked }) => fs.remove(asked, options))
  )
  const copyFile = on("copyFile", files.copyFile)

  const readLink = on(
    "readLink",
    Effect.fnUntraced(function* (path) {
      const text = yield* steady(entry(path), ({ asked }) => fs.readLink(asked))
      // Where a link leads that leads out is not to be known. One that leads nowhere does not lead out.
      const leads = yield* Effect.result(follow(path))
      return Result.isFailure(leads) && failedAs("PermissionDenied")(leads.failure) ? yield* Effect.fail(denied) : text
    })
  )
  const symlink = on(
    "symlink",
    Effect.fnUntraced(function* (path: string, target: string) {
      const { asked, directory } = yield* changeable(path)
      const absolute = target.startsWith("/") || (!directory.startsWith("/") && Paths.isAbsolute(target))
      yield* Effect.mapError(follow(absolute || target === "" ? target : `${directory}/${target}`), () => denied)
      yield* fs.symlink(target, asked)
    })
  )
  const trees = makeTrees(fs, places, {
    lstat,
    readLink,
    symlink: (target, path) => symlink(path, target),
    remove,
    copyFile,
    utimes,
    chmod,
    readDirectoryEntries
  })
  const makeTemp = (
    method: string,
    make: FileSystem.FileSystem["makeTempFile"],
    options: Parameters<typeof make>[0]
  ): Effect.Effect<string, PlatformError> => told(method, options?.directory ?? "")(trees.makeTemp(make, options))

  return FileSystem.make({
    access: on("access", (path, options?: Parameters<typeof fs.access>[1]) =>
      steady(follow(path), ({ asked }) => fs.access(asked, options))
    ),
    chmod,
    chown: through("chown", fs.chown),
    copy: (from, to, options) => told("copy", from)(trees.copy(from, to, options)),
    copyFile,
    link: on(
      "link",
      Effect.fnUntraced(function* (from, to: string) {
        const source = yield* entry(from)
        // Some systems follow the link, and name what it leads to.
        if ((yield* fs.lstat(source.asked)).type === "SymbolicLink") yield* Effect.mapError(follow(from), () => denied)
        const target = yield* changeable(to)
        yield* fs.link(source.asked, target.asked)
      })
    ),
    lstat,
    makeDirectory: on("makeDirectory", trees.makeDirectory),
    makeTempDirectory: (options) => makeTemp("makeTempDirectory", fs.makeTempDirectory, options),
    makeTempDirectoryScoped: (options) =>
      Effect.acquireRelease(makeTemp("makeTempDirectoryScoped", fs.makeTempDirectory, options), (made) =>
        Effect.orDie(remove(made, { recursive: true, force: true }))
      ),
    makeTempFile: (options) => makeTemp("makeTempFile", fs.makeTempFile, options),
    makeTempFileScoped: (options) =>
      Effect.acquireRelease(
        Effect.flatMap(makeTemp("makeTempFileScoped", fs.makeTempFile, options), (made) =>
          // It has just been made there: this cannot fail, but for somebody who moves things.
          Effect.map(Effect.orDie(follow(options?.directory ?? "")), ({ path }) => [made, path] as const)
        ),
        ([made, directory]) => {
          // Node makes a directory for the file; others need not.
          const parent = Paths.parent(made)
          return Effect.orDie(remove(parent === directory ? made : parent, { recursive: true, force: true }))
        }
      ).pipe(
        Effect.map(([made]) => made),
        told("makeTempFileScoped", options?.directory ?? "")
      ),
    open: on("open", files.open),
    readDirectory: on("readDirectory", (path, options?: Parameters<typeof fs.readDirectory>[1]) =>
      options?.recursive === true
        ? trees.readDirectories(path)
        : steady(follow(path), ({ asked }) => fs.readDirectory(asked))
    ),
    readDirectoryEntries,
    readFile: on("readFile", files.readFile),
    readLink,
    realPath: on("realPath", (path) =>
      Effect.flatMap(follow(path), (place) =>
        place.missing.length === 0 ? Effect.succeed(place.path) : fs.realPath(place.path)
      )
    ),
    remove,
    rename: on(
      "rename",
      Effect.fnUntraced(function* (from, to: string) {
        const source = yield* changeable(from)
        const target = yield* changeable(to)
        for (const directory of [source.directory, target.directory]) {
          if (!(yield* still(directory)) && Result.isSuccess(yield* Effect.result(fs.lstat(directory))))
            return yield* Effect.fail(denied)
        }
        yield* fs.rename(source.asked, target.asked)
      })
    ),
    stat: on("stat", (path) => steady(follow(path), ({ asked }) => fs.lstat(asked))),
    symlink: (target, path) => symlink(path, target),
    truncate: on("truncate", files.truncate),
    utimes,
    watch: (path, options) =>
      told(
        "watch",
        path
      )(Effect.map(follow(path), (place) => watchBelow(fs, places, place, options))).pipe(Stream.unwrap),
    writeFile: on("writeFile", files.writeFile)
  })
}

/**
 * Limits the `FileSystem` it is given to what lies below `roots`, and provides the result as `FileSystem` (C-8).
 *
 * `roots` are absolute directories; each is resolved by real path when the layer is built. With none, everything is refused.
 * Fails with `InvalidRoot` for a root that is relative, does not exist, or is no directory.
 */
export const layer = (
  roots: ReadonlyArray<string>
): Layer.Layer<FileSystem.FileSystem, InvalidRoot, FileSystem.FileSystem> =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return confine(fs, yield* Effect.forEach(roots, (root) => rootOf(fs, root)))
    })
  )
