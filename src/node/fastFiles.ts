/**
 * Many files of a real disk, asked about with Node's own calls: a thousand heads in a few milliseconds (C-8, S-22).
 *
 * Handing a file to the thread pool and back takes several times as long as reading it. So files on local disks are read
 * synchronously, in slices of time between which everything else has its turn. A disk that may not answer — a network's, or one
 * that is not known to be local — is asked through the pool, where it holds up nobody but its caller.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { FastReader } from "../layers/files/fastReader.ts"
import { type FastFile, FastFiles, type FastStat, type Stop } from "../layers/skills/fastFiles.ts"
import { localDisk } from "./localDisk.ts"
import * as fastReader from "./fastReader.ts"

/** How many files are asked about at the same time, through the pool. */
const concurrency = 32

/** How long the event loop is kept at a time, in milliseconds. */
const slice = 5

/**
 * File systems that answer from memory or from a disk of this machine, by the number that Linux knows them by: ext, XFS, Btrfs,
 * tmpfs, ramfs, overlay, F2FS, ZFS, bcachefs, JFS, SquashFS, FAT, exFAT. Elsewhere numbers say nothing.
 */
const localTypes = new Set(
  process.platform === "linux"
    ? [
        0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
        0x3153464a, 0x73717368, 0x4d44, 0x2011bab0
      ]
    : []
)

/** Runs `ask` for every index below `count`, a few at a time. */
const sideBySide = (
  count: number,
  ask: (index: number, slot: number, next: () => void) => void,
  done: () => void
): Stop => {
  let stopped = false
  let next = 0
  let finished = 0
  const advance = (slot: number): void => {
    if (stopped || next === count) return
    const index = next++
    ask(index, slot, () => {
      finished += 1
      if (finished === count && !stopped) done()
      else advance(slot)
    })
  }
  if (count === 0) done()
  for (let slot = 0; slot < concurrency; slot++) advance(slot)
  return () => {
    stopped = true
  }
}

/**
 * Times as numbers still tell a quarter of a microsecond apart, and a version is only trusted when its file is seconds old; as big
 * integers they would cost a tenth of everything.
 */
const toStat = (stat: fs.Stats): FastStat | undefined =>
  stat.isFile()
    ? { size: stat.size, mtime: stat.mtimeMs, ctime: stat.ctimeMs, device: stat.dev, inode: stat.ino }
    : undefined

/** Runs `ask` for all of `indexes`, as many at once as fit into a slice of time, until it is stopped. */
const inSlices = (
  indexes: ReadonlyArray<number>,
  ask: (index: number) => void,
  isStopped: () => boolean,
  done: () => void
): void => {
  let next = 0
  const work = (): void => {
    const started = performance.now()
    while (next < indexes.length && !isStopped()) {
      ask(indexes[next++]!)
      if (performance.now() - started >= slice) break
    }
    if (isStopped()) return
    if (next < indexes.length) setImmediate(work)
    else done()
  }
  work()
}

/**
 * Which of `roots` lie on a disk of this machine. Calls back later. One that links lead to is asked through the pool, for they may
 * lead to a disk that does not answer.
 */
const findLocal = (roots: ReadonlyArray<string>, done: (local: ReadonlySet<string>) => void): void => {
  const local = new Set(roots.filter(localDisk.isHere))
  const others = localTypes.size === 0 ? [] : roots.filter((root) => !local.has(root))
  let open = others.length
  if (open === 0) return void setImmediate(() => done(local))
  for (const root of others) {
    fs.statfs(root, (error, stat) => {
      if (error === null && localTypes.has(stat.type)) local.add(root)
      open -= 1
      if (open === 0) done(local)
    })
  }
}

/** Asks about each file once: `atOnce` where that is safe, unless it says that it has no answer, else by `ask`. */
const each = (
  files: ReadonlyArray<FastFile>,
  atOnce: (index: number) => boolean,
  ask: (index: number, slot: number, next: () => void) => void,
  done: () => void
): Stop => {
  let stopped = false
  let stop: Stop | undefined
  const roots = new Set<string>()
  for (const { root } of files) if (root !== undefined) roots.add(root)
  findLocal([...roots], (local) => {
    if (stopped) return
    const direct: Array<number> = []
    const rest: Array<number> = []
    for (let index = 0; index < files.length; index++) {
      const { root } = files[index]!
      if (root !== undefined && local.has(root)) direct.push(index)
      else rest.push(index)
    }
    inSlices(
      direct,
      (index) => {
        if (!atOnce(index)) rest.push(index)
      },
      () => stopped,
      () => {
        stop = sideBySide(rest.length, (at, slot, next) => ask(rest[at]!, slot, next), done)
      }
    )
  })
  return () => {
    stopped = true
    stop?.()
  }
}

const stats: FastFiles["stats"] = (files, done) => {
  const found = Array.from<FastStat | undefined>({ length: files.length })
  return each(
    files,
    (index) => {
      const stat = attempt(() => fs.lstatSync(files[index]!.path, { throwIfNoEntry: false }))
      // A link may lead anywhere.
      if (stat?.isSymbolicLink() === true) return false
      found[index] = stat && toStat(stat)
      return true
    },
    (index, _, next) =>
      fs.stat(files[index]!.path, (error, stat) => {
        found[index] = error === null ? toStat(stat) : undefined
        next()
      }),
    () => done(found)
  )
}

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

// What has become a pipe meanwhile must not block.
const flags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)
const flagsWithoutLink = flags | (fs.constants.O_NOFOLLOW ?? 0)

/** Opens what is no link; `null`: it is one. */
const openDirect = (path: string): number | undefined | null => {
  try {
    return fs.openSync(path, flagsWithoutLink)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ELOOP" ? null : undefined
  }
}

/** Of an open file: the kernel has just been there, so it answers at once. */
const statOf = (file: number): FastStat | undefined => attempt(() => toStat(fs.fstatSync(file)))

/** Closing what was only read waits for nothing; the way through the pool would take longer than reading did. */
const close = (file: number): void => {
  try {
    fs.closeSync(file)
  } catch {
    // The descriptor is gone all the same, and what was read is read.
  }
}

const heads: FastFiles["heads"] = (files, length, use, done) => {
  const buffers: Array<Buffer> = []
  const bufferOf = (slot: number): Buffer => (buffers[slot] ??= Buffer.allocUnsafe(length))
  let stopped = false
  const stop = each(
    files,
    (index) => {
      const file = openDirect(files[index]!.path)
      if (file === null) return false
      if (file === undefined) return true
      const buffer = bufferOf(0)
      let stat: FastStat | undefined
      let read = 0
      try {
        stat = toStat(fs.fstatSync(file))
        if (stat !== undefined) read = fs.readSync(file, buffer, 0, length, 0)
      } catch {
        stat = undefined
      }
      close(file)
      if (stat !== undefined) use(index, stat, buffer, read)
      return true
    },
    (index, slot, next) =>
      fs.open(files[index]!.path, flags, (error, file) => {
        if (error !== null) return next()
        const stat = stopped ? undefined : statOf(file)
        const end = (): void => {
          close(file)
          next()
        }
        if (stat === undefined) return end()
        const buffer = bufferOf(slot)
        fs.read(file, buffer, 0, length, 0, (error, read) => {
          if (error === null && !stopped) use(index, stat, buffer, read)
          end()
        })
      }),
    done
  )
  return () => {
    stopped = true
    stop()
  }
}

/** Provides the fast files of Node, which stand for the `FileSystem` of `@effect/platform-node` and for no other. */
export const layer: Layer.Layer<never> = Layer.effect(
  FastFiles,
  Effect.map(FastReader, (reader) => reader && { standsFor: reader.standsFor, stats, heads })
).pipe(Layer.provide(fastReader.layer), (layer) => layer as Layer.Layer<never>)
