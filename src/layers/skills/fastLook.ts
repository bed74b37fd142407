/** Many files looked at the fast way: their metadata, and what they begin with (S-22, S-25). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Head, type Malformed, readHead } from "../../pipeline/skills/frontmatter.ts"
import { type Present, settleMillis } from "../filesystem/probe.ts"
import type { FastFile, FastFiles, FastStat } from "./fastFiles.ts"

/** What a fast look at a file has found. Without `head` it has not been read, or takes reading more of it. */
export interface Looked {
  readonly present: Present
  readonly head?: Head | Malformed
}

/** How much of a file is read the fast way; hardly any frontmatter is longer. Bytes. */
const headBytes = 4096

const toPresent = ({ mtime, node, size, version }: FastStat, sampledAt: number): Present => ({
  _tag: "Present",
  type: "File",
  size,
  version,
  node,
  trusted: sampledAt - mtime >= settleMillis
})

const stats = (
  fast: FastFiles,
  files: ReadonlyArray<FastFile>,
  sampledAt: number
): Effect.Effect<ReadonlyArray<Looked | undefined>> =>
  Effect.callback((resume) => {
    const stop = fast.stats(files, (stats) =>
      resume(
        Effect.succeed(stats.map((stat) => (stat === undefined ? undefined : { present: toPresent(stat, sampledAt) })))
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
    const use = (index: number, stat: FastStat, bytes: Uint8Array): void => {
      const head = readHead(bytes, bytes.length < headBytes && bytes.length === stat.size)
      const present = toPresent(stat, sampledAt)
      looked[index] = head === undefined ? { present } : { present, head }
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
  const some = (flag: boolean) => places.filter((_, index) => known[index] === flag).map(fileOf)
  const [old, fresh] = yield* Effect.all([stats(fast, some(true), sampledAt), heads(fast, some(false), sampledAt)], {
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
