/** Paths that the user names: taken from where the command runs. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { probe } from "../layers/filesystem/probe.ts"
import { fail } from "./output.ts"

/** A path taken from where the command runs. */
export const absolute = Effect.fnUntraced(function* (path: string) {
  const { resolve } = yield* Path.Path
  return yield* Effect.catchDefect(
    Effect.sync(() => resolve(path)),
    () => fail(`"${path}" cannot be resolved: the current directory is gone; change to one that exists.`)
  )
})

/** The directory to look from, which has to exist. */
export const existing = Effect.fnUntraced(function* (directory: string) {
  const path = yield* absolute(directory)
  const presence = yield* probe(yield* FileSystem.FileSystem, path)
  if (presence._tag === "Absent") return yield* fail(`There is no directory ${path}; name one that exists.`)
  if (presence._tag === "Unavailable") {
    return yield* fail(`${path} cannot be looked at: ${presence.reason}; name a directory that you may read.`)
  }
  return presence.type === "Directory" ? path : yield* fail(`${path} is no directory; name the one it lies in.`)
})
