/** Where the tools may go: below the session's directory, by name and by real path. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Paths from "../pipeline/paths.ts"

/** No file has a longer path anywhere. Code units, of which each is a byte or more. */
const longestPath = 4096

/** A path as the model is told of it: what it has written itself need not come back in full. */
export const shownPath = (path: string): string =>
  JSON.stringify(path.length > longestShown ? `${path.slice(0, longestShown)}…` : path)

const longestShown = 200

const outside = (path: string, cwd: string) =>
  `${shownPath(path)} lies outside of ${cwd}, where this tool works. Give a path below it.`

/** What went wrong with a file, in words the model can act on. */
export const explained =
  (path: string) =>
  <A, R>(self: Effect.Effect<A, PlatformError, R>): Effect.Effect<A, string, R> =>
    Effect.mapError(self, ({ reason }) => {
      const shown = shownPath(path)
      const { cause } = reason
      const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
      if (code === "ENOTDIR") return `${shown} is not a directory, or leads through a file. List its directory to see.`
      if (code === "ELOOP") return `${shown} leads through links that lead to each other.`
      if (reason._tag === "NotFound") return `${shown} does not exist. List its directory to see what does.`
      if (reason._tag === "PermissionDenied") return `${shown} may not be accessed.`
      return `${shown} cannot be accessed: ${reason.message}`
    })

/**
 * The absolute path, after a check that neither its name nor its links lead out of `cwd`; of what is not there yet, that of the nearest
 * directory that is. A link without a target is refused, since writing would follow it. The check and the use are two moments: it
 * holds against a model, not against another process that moves links meanwhile.
 */
export const confine = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  cwd: string,
  path: string
): Effect.fn.Return<string, string> {
  if (path.length > longestPath) return yield* Effect.fail(`${shownPath(path)} is too long for a path.`)
  const resolved = Paths.resolve(cwd, path)
  if (path.includes("\0") || Paths.within(cwd, resolved) === undefined) return yield* Effect.fail(outside(path, cwd))
  const realCwd = yield* explained(cwd)(fs.realPath(cwd))
  for (const at of Paths.ancestors(resolved)) {
    const real = yield* fs.realPath(at).pipe(
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(undefined)),
      explained(path)
    )
    if (real !== undefined) {
      return Paths.within(realCwd, real) === undefined ? yield* Effect.fail(outside(path, cwd)) : resolved
    }
    const isLink = yield* Effect.match(fs.readLink(at), { onSuccess: () => true, onFailure: () => false })
    if (isLink) return yield* Effect.fail(`${shownPath(path)} leads through a link whose target does not exist.`)
  }
  return yield* Effect.fail(outside(path, cwd))
})
