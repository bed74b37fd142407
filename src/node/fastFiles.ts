/** Many files of a real disk, asked about with Node's own calls: a thousand heads in a few milliseconds (C-8, S-22). */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { FastReader } from "../layers/files/fastReader.ts"
import { FastFiles, type FastStat, type Stop } from "../layers/skills/fastFiles.ts"
import * as fastReader from "./fastReader.ts"

/** How many files are asked about at the same time. */
const concurrency = 32

/** Runs `ask` for every index below `count`, a few at a time; `done` comes later, even when there is nothing to ask. */
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
  if (count === 0) setImmediate(() => stopped || done())
  for (let slot = 0; slot < concurrency; slot++) advance(slot)
  return () => {
    stopped = true
  }
}

const toStat = (stat: fs.BigIntStats): FastStat | undefined => {
  if (!stat.isFile()) return undefined
  const { ctimeNs, dev, ino, mtimeMs, mtimeNs, size } = stat
  const node = `${dev}:${ino}`
  return { size: Number(size), mtime: Number(mtimeMs), node, version: `${node}:${size}:${mtimeNs}:${ctimeNs}` }
}

const stats: FastFiles["stats"] = (paths, done) => {
  const found = Array.from<FastStat | undefined>({ length: paths.length })
  return sideBySide(
    paths.length,
    (index, _, next) =>
      fs.stat(paths[index]!, { bigint: true }, (error, stat) => {
        found[index] = error === null ? toStat(stat) : undefined
        next()
      }),
    () => done(found)
  )
}

// What has become a pipe meanwhile must not block.
const flags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)

/** Of an open file: the kernel has just been there, so it answers at once. */
const statOf = (file: number): FastStat | undefined => {
  try {
    return toStat(fs.fstatSync(file, { bigint: true }))
  } catch {
    return undefined
  }
}

/** Closing what was only read waits for nothing; the way through the pool would take longer than reading did. */
const close = (file: number): void => {
  try {
    fs.closeSync(file)
  } catch {
    // The descriptor is gone all the same, and what was read is read.
  }
}

const heads: FastFiles["heads"] = (paths, length, use, done) => {
  const buffers: Array<Buffer> = []
  let stopped = false
  const stop = sideBySide(
    paths.length,
    (index, slot, next) =>
      fs.open(paths[index]!, flags, (error, file) => {
        if (error !== null) return next()
        const stat = stopped ? undefined : statOf(file)
        const end = (): void => {
          close(file)
          next()
        }
        if (stat === undefined) return end()
        const buffer = (buffers[slot] ??= Buffer.allocUnsafe(length))
        fs.read(file, buffer, 0, length, 0, (error, read) => {
          if (error === null && !stopped) use(index, stat, buffer.subarray(0, read))
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
