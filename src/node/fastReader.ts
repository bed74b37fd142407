/** Directories of a real disk, listed without a question per entry: the fast reader of Node (C-8, F-4). */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { FastReader } from "../layers/files/fastReader.ts"
import type { EntryKind, Listed } from "../layers/files/growth.ts"
import { joiner } from "../layers/files/growth.ts"
import { largestIgnoreFile } from "../layers/files/reading.ts"
import { underlying } from "./fileSystem.ts"

/**
 * Functions of the service that are made anew for every instance: made of the others, or of the watcher around it. All
 * others are the platform's own, one for all, and a wrapper that confines, counts or breaks anything replaces some of them.
 */
const madeAnew = new Set(["exists", "glob", "readFileString", "sink", "stream", "watch", "writeFileString"])

const own = (service: FileSystem.FileSystem): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(service).filter(([name, value]) => typeof value === "function" && !madeAnew.has(name))

/** Whether a file system is the plain one, or that with local disks asked directly. */
const isPlain = (plain: FileSystem.FileSystem): ((service: FileSystem.FileSystem) => boolean) => {
  const functions = own(plain)
  return (service) => {
    const entries = (underlying(service) ?? service) as unknown as Readonly<Record<string, unknown>>
    return functions.every(([name, value]) => entries[name] === value)
  }
}

const kindOf = (entry: fs.Dirent): EntryKind =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "file" : "other"

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

type Callback = Parameters<FastReader["list"]>[2]

interface Asked {
  readonly directory: string
  readonly wanted: boolean
  readonly callback: Callback
}

interface Read extends Asked {
  readonly entries: ReadonlyArray<fs.Dirent>
}

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/**
 * Whether directories that have just been read are where they say: no link itself, and the directory around it really has
 * its name. Brothers share the second, dearer question.
 */
const makeConfirm = () => {
  const parents = new Map<string, boolean>()
  return (directory: string): boolean => {
    const parent = path.dirname(directory)
    const known = parents.get(parent) ?? attempt(() => fs.realpathSync.native(parent)) === parent
    parents.set(parent, known)
    return known && attempt(() => fs.lstatSync(directory).isDirectory()) === true
  }
}

const hand = ({ callback, directory, entries, wanted }: Read): void => {
  const names: Array<string> = []
  const kinds: Array<EntryKind> = []
  let gitignore = false
  let ignore = false
  for (const entry of entries) {
    const { name } = entry
    names.push(name)
    kinds.push(kindOf(entry))
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
}

/** How long the event loop is kept at a time, in milliseconds. */
const slice = 5

/**
 * Directories are read synchronously, as many as fit into a slice of time, between two turns of the event loop: handing each
 * one to the thread pool and back costs more than reading it. What is interrupted between two slices leaves nothing under
 * way. The price: a disk that does not answer at all holds up the process.
 */
const makeList = (): FastReader["list"] => {
  let queue: Array<Asked> = []
  let scheduled = false
  const work = (): void => {
    const started = performance.now()
    const taken: Array<Read | Asked> = []
    for (const asked of queue) {
      const entries = attempt(() => fs.readdirSync(asked.directory, { withFileTypes: true }))
      taken.push(entries === undefined ? asked : { ...asked, entries })
      if (performance.now() - started >= slice) break
    }
    queue = queue.slice(taken.length)
    scheduled = queue.length > 0
    if (scheduled) setImmediate(work)
    const confirm = makeConfirm()
    const confirmed = taken.map((one) => "entries" in one && confirm(one.directory))
    for (const [at, one] of taken.entries()) {
      if (confirmed[at] === true && "entries" in one) hand(one)
      else one.callback(undefined)
    }
  }
  return (directory, wanted, callback) => {
    queue.push({ directory, wanted, callback })
    if (scheduled) return
    scheduled = true
    setImmediate(work)
  }
}

/** Provides the fast reader of Node, which stands for the `FileSystem` of `@effect/platform-node` and for no other. */
export const layer: Layer.Layer<never> = Layer.effect(
  FastReader,
  Effect.map(FileSystem.FileSystem, (plain): FastReader => ({
    standsFor: isPlain(plain),
    list: makeList(),
    concurrency: 256
  }))
).pipe(Layer.provide(NodeFileSystem.layer), (layer) => layer as Layer.Layer<never>)
