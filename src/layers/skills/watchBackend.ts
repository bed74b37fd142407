/**
 * How Node watches a directory, without keeping its process alive for it. Only Node's own `FileSystem` asks for a backend, when
 * it is told to watch; any other, and any that wraps it, goes its own way (C-8).
 */
// oxlint-disable-next-line house/imports
import { watch } from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

const failed = (path: string, cause: unknown): PlatformError.PlatformError =>
  PlatformError.systemError({ _tag: "Unknown", module: "FileSystem", method: "watch", pathOrDescriptor: path, cause })

export const watchBackend: FileSystem.WatchBackend["Service"] = {
  register: (path, _, options) =>
    Option.some(
      Stream.callback<FileSystem.WatchEvent, PlatformError.PlatformError>((queue) =>
        Effect.acquireRelease(
          Effect.try({
            try: () =>
              watch(path, { persistent: false, recursive: options?.recursive ?? false }, (_, name) => {
                // Whether it came or went is not asked: whoever is interested looks.
                Queue.offerUnsafe(queue, { _tag: "Update", path: name ?? "" })
              })
                .on("error", (error) => Queue.failCauseUnsafe(queue, Cause.fail(failed(path, error))))
                .on("close", () => Queue.endUnsafe(queue)),
            catch: (cause) => failed(path, cause)
          }),
          (watcher) => Effect.sync(() => watcher.close())
        ).pipe(Effect.tap(() => Effect.sync(() => options?.onReady?.())))
      )
    )
}
