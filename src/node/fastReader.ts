/** Directories of a real disk, listed without a question per entry: the fast reader of Node (C-8, F-4). */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { FastReader } from "../layers/files/fastReader.ts"
import type { EntryKind, Listed } from "../layers/files/growth.ts"
import { joiner } from "../layers/files/growth.ts"
import { largestIgnoreFile } from "../layers/files/reading.ts"

/**
 * Functions of the service that are made anew for every instance: made of the others, or of the watcher around it. All
 * others are the platform's own, one for all, and a wrapper that confines, counts or breaks anything replaces some of them.
 */
const madeAnew = new Set(["exists", "glob", "readFileString", "sink", "stream", "watch", "writeFileString"])

const own = (service: FileSystem.FileSystem): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(service).filter(([name, value]) => typeof value === "function" && !madeAnew.has(name))

const isPlain = (plain: FileSystem.FileSystem): ((service: FileSystem.FileSystem) => boolean) => {
  const functions = own(plain)
  return (service) => {
    const entries = service as unknown as Readonly<Record<string, unknown>>
    return functions.every(([name, value]) => entries[name] === value)
  }
}

const kindOf = (entry: fs.Dirent): EntryKind =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "file" : "other"

/** Whether `directory` is where it says; the kernel has just been there, so it answers at once. */
const isReal = (directory: string): boolean => {
  try {
    return fs.realpathSync.native(directory) === directory
  } catch {
    return false
  }
}

/** The text of an ignore file that has not become something else meanwhile: a link, or a pipe that would block. */
const readText = (path: string, callback: (text: string | undefined) => void): void => {
  fs.lstat(path, (error, stat) => {
    if (error !== null || !stat.isFile() || stat.size > largestIgnoreFile) return callback(undefined)
    fs.open(
      path,
      fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0),
      (error, file) => {
        if (error !== null) return callback(undefined)
        const buffer = Buffer.alloc(largestIgnoreFile + 1)
        const end = (length: number | undefined): void =>
          fs.close(file, () =>
            callback(
              length === undefined || length > largestIgnoreFile
                ? undefined
                : decoder.decode(buffer.subarray(0, length))
            )
          )
        const more = (length: number): void =>
          fs.read(file, buffer, length, buffer.length - length, null, (error, read) => {
            if (error !== null) return end(undefined)
            if (read === 0 || length + read === buffer.length) return end(length + read)
            more(length + read)
          })
        more(0)
      }
    )
  })
}

const decoder = new TextDecoder()

const list: FastReader["list"] = (directory, wanted, callback) => {
  fs.readdir(directory, { withFileTypes: true }, (error, entries) => {
    if (error !== null || !isReal(directory)) return callback(undefined)
    const names: Array<string> = []
    const kinds: Array<EntryKind> = []
    let gitignore = false
    let ignore = false
    for (const entry of entries) {
      const { name } = entry
      const kind = kindOf(entry)
      names.push(name)
      kinds.push(kind)
      if (name === ".gitignore") gitignore = wanted
      else if (name === ".ignore") ignore = wanted
    }
    const listed = (texts: Listed["texts"]): void => callback({ names, kinds, texts })
    if (!gitignore && !ignore) return listed({})
    const join = joiner(directory)
    const text = (there: boolean, name: string, then: (text: string | undefined) => void): void =>
      there ? readText(join(directory, name), then) : then(undefined)
    text(gitignore, ".gitignore", (gitignoreText) =>
      text(ignore, ".ignore", (ignoreText) => listed({ gitignore: gitignoreText, ignore: ignoreText }))
    )
  })
}

/** Provides the fast reader of Node, which stands for the `FileSystem` of `@effect/platform-node` and for no other. */
export const layer: Layer.Layer<never> = Layer.effect(
  FastReader,
  Effect.map(FileSystem.FileSystem, (plain): FastReader => ({ standsFor: isPlain(plain), list, concurrency: 32 }))
).pipe(Layer.provide(NodeFileSystem.layer), (layer) => layer as Layer.Layer<never>)
