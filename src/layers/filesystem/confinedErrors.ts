/** How a confined file system fails: like the one below it, under its own caller's path, and without a word about outside. */
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"

/** Refused: it is outside, or cannot be told to be inside. The same for what exists and for what does not. */
export const denied: PlatformError.PlatformError = PlatformError.systemError({
  _tag: "PermissionDenied",
  module: "FileSystem",
  method: "confined",
  description: "it does not lie below the trusted roots"
})

/** A failure that the kernel would give, found on the way. */
export const failure = (_tag: PlatformError.SystemErrorTag, code: string): PlatformError.PlatformError =>
  PlatformError.systemError({
    _tag,
    module: "FileSystem",
    method: "confined",
    cause: Object.assign(new Error(code), { code })
  })

/** An argument that is refused before anything is asked. */
export const badArgument = (description: string): PlatformError.PlatformError =>
  PlatformError.badArgument({ module: "FileSystem", method: "confined", description })

/** Whether it failed for this reason. */
export const failedAs =
  (tag: PlatformError.SystemErrorTag | "BadArgument") =>
  (error: PlatformError.PlatformError): boolean =>
    error.reason._tag === tag

/** Puts a failure into the words of the method and the path that were asked for: what was asked below is nobody's business. */
export const told =
  (method: string, path: string) =>
  <A, R>(self: Effect.Effect<A, PlatformError.PlatformError, R>): Effect.Effect<A, PlatformError.PlatformError, R> =>
    Effect.mapError(self, ({ reason }) =>
      reason._tag === "BadArgument"
        ? PlatformError.badArgument({
            module: "FileSystem",
            method,
            description: reason.description,
            cause: reason.cause
          })
        : PlatformError.systemError({
            _tag: reason._tag,
            module: "FileSystem",
            method,
            description: reason.description,
            syscall: reason.syscall,
            pathOrDescriptor: path,
            cause: reason.cause
          })
    )
