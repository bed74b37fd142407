/** Many files looked at the fast way: their metadata, and what they begin with (S-22, S-25). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Head, type Malformed, plainHead, readHead } from "../../pipeline/skills/frontmatter.ts"
import { type Present, settleMillis } from "../filesystem/probe.ts"
import type { FastFile, FastFiles, FastStat } from "./fastFiles.ts"

/** What a fast look at a file has found. Without `head` it has not been read, or takes reading more of it. */
export interface Looked {
  readonly present: Present
  readonly head?: Head | Malformed | undefined
}

/** How much of a file is read the fast way; hardly any frontmatter is longer. Bytes. */
const headBytes = 4096

/** Metadata as they came: what they say as texts is made only when it is asked for. */
class FastPresent implements Present {
  readonly _tag = "Present"
  readonly type = "File"
  readonly trusted: boolean
  readonly #stat: FastStat

  constructor(stat: FastStat, sampledAt: number) {
    this.#stat = stat
    this.trusted = sampledAt - stat.mtime >= settleMillis
  }

  get size(): number {
    return this.#stat.size
  }

  get node(): string {
    return `${this.#stat.device}:${this.#stat.inode}`
  }

  get version(): string {
    const { ctime, mtime, size } = this.#stat
    return `${this.node}:${size}:${mtime}:${ctime}`
  }

  get inode(): number {
    return this.#stat.inode
  }

  equals(now: FastPresent): boolean {
    const { ctime, device, inode, mtime, size } = this.#stat
    const other = now.#stat
    return (
      inode === other.inode &&
      mtime === other.mtime &&
      ctime === other.ctime &&
      size === other.size &&
      device === other.device
    )
  }
}

/** Whether the metadata of two looks are the same. */
export const isUnchanged = (before: Present, now: Present): boolean =>
  before instanceof FastPresent && now instanceof FastPresent ? before.equals(now) : before.version === now.version

/** Equal for equal files; different ones can have one as well, on different devices. */
export const nodeHint = (present: Present): string | number | undefined =>
  present instanceof FastPresent ? present.inode : present.node

const stats = (
  fast: FastFiles,
  files: ReadonlyArray<FastFile>,
  sampledAt: number
): Effect.Effect<ReadonlyArray<Looked | undefined>> =>
  Effect.callback((resume) => {
    const stop = fast.stats(files, (stats) =>
      resume(
        Effect.succeed(
          stats.map((stat) => (stat === undefined ? undefined : { present: new FastPresent(stat, sampledAt) }))
        )
      )
    )
    return Effect.sync(stop)
  })

const heads = (
  fast: FastFiles,
  files: ReadonlyArray<FastFile>,
  sampledAt: number
): Effect.Effect<ReadonlyArray<Looked | undefined>> =>
  Effect.callback((resume) => {
    const looked = Array.from<Looked | undefined>({ length: files.length })
    const use = (index: number, stat: FastStat, buffer: Buffer, read: number): void => {
      const head = plainHead(buffer, read) ?? readHead(buffer.subarray(0, read), read < headBytes && read === stat.size)
      looked[index] = { present: new FastPresent(stat, sampledAt), head }
    }
    const stop = fast.heads(files, headBytes, use, () => resume(Effect.succeed(looked)))
    return Effect.sync(stop)
  })

/** Looks at every file, and reads those that are not `remembered`. `undefined`: the fast way has no answer. */
export const lookFast = Effect.fnUntraced(function* <Place>(
  fast: FastFiles,
  places: ReadonlyArray<Place>,
  fileOf: (place: Place) => FastFile,
  remembered: (place: Place) => boolean
): Effect.fn.Return<ReadonlyArray<Looked | undefined>> {
  const sampledAt = yield* Clock.currentTimeMillis
  const known = places.map(remembered)
  const seen: Array<FastFile> = []
  const unseen: Array<FastFile> = []
  for (let index = 0; index < places.length; index++)
    (known[index] === true ? seen : unseen).push(fileOf(places[index]!))
  const [old, fresh] = yield* Effect.all([stats(fast, seen, sampledAt), heads(fast, unseen, sampledAt)], {
    concurrency: 2
  })
  let [nextOld, nextFresh] = [0, 0]
  return known.map((flag) => (flag ? old[nextOld++] : fresh[nextFresh++]))
})

/** Reads files that were looked at before. */
export const readFast = (
  fast: FastFiles,
  files: ReadonlyArray<FastFile>
): Effect.Effect<ReadonlyArray<Looked | undefined>> =>
  Effect.flatMap(Clock.currentTimeMillis, (sampledAt) => heads(fast, files, sampledAt))
