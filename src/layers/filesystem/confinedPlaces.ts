/**
 * Where a path leads, by real path and as of now: inside of the trusted roots, or refused (C-8).
 *
 * Node answers `realPath` by removing `..` as text before it looks at links, and says nothing about what does not exist yet.
 * The kernel goes link by link. So `realPath` is asked first, and where it has no answer or is the wrong one to ask, the way is
 * walked as the kernel walks it.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Paths from "../../pipeline/paths.ts"
import { badArgument, denied, failedAs, failure } from "./confinedErrors.ts"

/** How a path was ended, which makes a difference to the kernel. */
type Ending = "" | "/" | "/."

/** Where a path leads when every link is followed. */
export interface Place {
  /** Absolute, below a root, and without a link on the way; names that do not exist yet included. */
  readonly path: string
  /** What to hand on: `path`, ended as the caller ended it. */
  readonly asked: string
  /** The last directory on the way that exists, or `path` if it does. */
  readonly existing: string
  /** The names below `existing` that do not exist. */
  readonly missing: ReadonlyArray<string>
  /** What is missing is the target of a link. */
  readonly dangling: boolean
  /** How the last link on the way was ended that nothing came behind. */
  readonly ending: Ending
}

/** An entry of a directory: the last name of a path is not followed. */
export interface Entry {
  /** By real path. Below a root, or the directory above it. */
  readonly directory: string
  /** Absolute, below a root, or a root itself. */
  readonly path: string
  readonly asked: string
}

interface Spelled {
  readonly text: string
  readonly ending: Ending
}

export interface Places {
  readonly inside: (path: string) => boolean
  readonly follow: (path: string) => Effect.Effect<Place, PlatformError>
  readonly entry: (path: string) => Effect.Effect<Entry, PlatformError>
  /** An entry that may come, go or be replaced: the directory that holds it is inside, so it is no root. */
  readonly changeable: (path: string) => Effect.Effect<Entry, PlatformError>
  /** Whether a path that was real still is. */
  readonly still: (path: string) => Effect.Effect<boolean>
  /** Looks at where `find` leads, and makes sure afterwards that it has led there all the time. */
  readonly steady: <P extends Place | Entry, A>(
    find: Effect.Effect<P, PlatformError>,
    look: (place: P) => Effect.Effect<A, PlatformError>
  ) => Effect.Effect<A, PlatformError>
}

/** As many links as Linux follows. */
const mostLinks = 40

/** How often something that moves meanwhile is looked at again. */
export const attempts = 3

const names = (path: string): Array<string> => path.split("/").filter((name) => name !== "" && name !== ".")

const join = (directory: string, rest: ReadonlyArray<string>): string => rest.reduce(Paths.child, directory)

/** Places below `roots`, which are real paths. */
export const makePlaces = (fs: FileSystem.FileSystem, roots: ReadonlyArray<string>): Places => {
  const windows = roots.some((root) => !root.startsWith("/"))
  const inside = (path: string) => roots.some((root) => Paths.within(root, path) !== undefined)
  const leadsInside = (directory: string) => roots.some((root) => Paths.within(directory, root) !== undefined)
  const still = (path: string) => Effect.map(Effect.option(fs.realPath(path)), Option.contains(path))

  const spelled = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Spelled, PlatformError> {
    if (path.includes("\0")) return yield* Effect.fail(badArgument("a path without null bytes is needed"))
    if (path === "") return yield* Effect.fail(denied)
    const base = (windows ? Paths.isAbsolute(path) : path.startsWith("/")) ? undefined : yield* fs.realPath(".")
    if (!windows) {
      const whole = base === undefined ? path : `${base}/${path}`
      const text = whole.slice(0, unended(whole))
      return { text: text === "" ? "/" : text, ending: ending(path.at(-1) === "/", text !== whole) }
    }
    // Windows drops dots and spaces at the end of a name, after which it may be `..`.
    if (path.split(/[\\/]/).some((name) => /^[. ]{2,}$/.test(name) && name !== "..")) return yield* Effect.fail(denied)
    // It also removes `..` as text, before anything is looked at.
    return { text: Paths.resolve(base ?? roots[0] ?? "C:\\", path), ending: ending(/[\\/]$/.test(path), false) }
  })

  /** Where a walk along an absolute path begins: at a root that it names, else at the very top. */
  const begin = Effect.fnUntraced(function* (path: string) {
    const root = roots.find((root) => path === root || path.startsWith(root === "/" ? root : `${root}/`))
    if (root !== undefined && (yield* still(root))) return { at: root, rest: names(path.slice(root.length)) }
    const top = Paths.ancestors(path).at(-1) ?? "/"
    return { at: top, rest: windows ? path.slice(top.length).split("\\") : names(path) }
  })

  const walk = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Omit<Place, "asked">, PlatformError> {
    const start = yield* begin(path)
    let at = start.at
    let pending = [...start.rest].reverse()
    let directory = true
    let links = 0
    let strayed = false
    let linked = Infinity
    let ending: Ending = ""
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (!directory) return yield* Effect.fail(inside(at) ? failure("BadResource", "ENOTDIR") : denied)
      if (name === "..") {
        // Whether a directory exists that has nothing to do with the roots is not to be found out by going through it.
        if (!inside(at) && !leadsInside(at)) return yield* Effect.fail(denied)
        at = Paths.parent(at)
        continue
      }
      const next = Paths.child(at, name)
      const info = yield* Effect.result(fs.lstat(next))
      if (Result.isFailure(info)) {
        if (!inside(next) || !inside(at)) return yield* Effect.fail(denied)
        if (!failedAs("NotFound")(info.failure) || pending.includes("..")) return yield* Effect.fail(info.failure)
        const missing = [name, ...pending.toReversed()]
        return { path: join(at, missing), existing: at, missing, dangling: pending.length >= linked, ending }
      }
      if (info.success.type !== "SymbolicLink") {
        at = next
        directory = info.success.type === "Directory"
        continue
      }
      strayed ||= !inside(next)
      const target = yield* Effect.mapError(fs.readLink(next), (error) => (strayed ? denied : error))
      if (++links > mostLinks) return yield* Effect.fail(strayed ? denied : failure("BadResource", "ELOOP"))
      if (pending.length < linked) linked = pending.length
      if (pending.length === 0) ending ||= endingOf(target)
      const absolute = target.startsWith("/") || (windows && Paths.isAbsolute(target))
      const onwards = absolute ? yield* begin(target) : { at, rest: target.split(windows ? /[\\/]/ : "/") }
      at = onwards.at
      pending = [...pending, ...onwards.rest.filter((name) => name !== "" && name !== ".").reverse()]
    }
    if (!inside(at)) return yield* Effect.fail(denied)
    return { path: at, existing: at, missing: [], dangling: false, ending }
  })

  const followed = Effect.fnUntraced(function* (text: string) {
    if (windows || !names(text).includes("..")) {
      const real = yield* Effect.option(fs.realPath(text))
      if (Option.isSome(real)) {
        const path = real.value
        if (!inside(path)) return yield* Effect.fail(denied)
        return { path, existing: path, missing: [], dangling: false, ending: "" as const }
      }
    }
    return yield* walk(text)
  })

  const follow: Places["follow"] = (path) =>
    Effect.flatMap(spelled(path), ({ ending, text }) =>
      Effect.map(followed(text), (place) => ({ ...place, asked: ended(place.path, ending || place.ending) }))
    )

  const entry = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Entry, PlatformError> {
    const { ending, text } = yield* spelled(path)
    const separator = Math.max(text.lastIndexOf("/"), windows ? text.lastIndexOf("\\") : -1)
    const name = text.slice(separator + 1)
    if (name === "" || name === "..") {
      const { path } = yield* followed(text)
      return { directory: Paths.parent(path), path, asked: ended(path, "/.") }
    }
    // Ended so, a path is what a link at its end leads to.
    const whole = ending === "" ? undefined : yield* followed(text)
    const above = yield* Effect.result(followed(windows ? Paths.parent(text) : text.slice(0, separator) || "/"))
    if (Result.isFailure(above)) {
      // What holds a root is outside. The root itself is not, and can be looked at, under whatever name.
      const place = yield* Effect.mapError(followed(text), () => above.failure)
      if (!roots.includes(place.path)) return yield* Effect.fail(above.failure)
      return { directory: Paths.ancestors(place.path).at(-1) ?? "/", path: place.path, asked: place.path }
    }
    const directory = above.success.path
    const at = Paths.child(directory, name)
    if (!inside(at)) return yield* Effect.fail(denied)
    if (whole === undefined || whole.missing.length > 0 || whole.path === at)
      return { directory, path: at, asked: ended(at, ending) }
    return { directory: Paths.parent(whole.path), path: whole.path, asked: ended(at, ending) }
  })

  const steady: Places["steady"] = Effect.fnUntraced(function* (find, look) {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const place = yield* find
      const seen = yield* Effect.result(look(place))
      const held = "existing" in place ? place.existing : place.directory
      // Nobody answers for the directory above a root.
      if (!inside(held) || (yield* still(held))) return yield* Effect.fromResult(seen)
    }
    return yield* Effect.fail(denied)
  })

  const changeable = (path: string) =>
    Effect.filterOrFail(
      entry(path),
      ({ directory }) => inside(directory),
      () => denied
    )

  return { inside, follow, entry, changeable, still, steady }
}

/** How much of a path there is without the slashes and dots that end it. */
const unended = (path: string): number => {
  let length = path.length
  while (path[length - 1] === "/" || (path[length - 1] === "." && path[length - 2] === "/")) length -= 1
  return length
}

const endingOf = (path: string): Ending => (path.endsWith("/") ? "/" : path.endsWith("/.") ? "/." : "")

const ending = (slash: boolean, shortened: boolean): Ending => (slash ? "/" : shortened ? "/." : "")

const ended = (path: string, ending: Ending): string =>
  ending === "" || path === "/" ? path : `${path}${path.startsWith("/") ? ending : ending.replace("/", "\\")}`
