/** The walk over a workspace: two ways to ask the disk, one result (F-4). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { Rules } from "../../pipeline/files/ignore.ts"
import type { FileReferencesSettings } from "../../schemas/FileReference.ts"
import type { FastReader } from "./fastReader.ts"
import { Growth, type Pending } from "./growth.ts"
import { listWithTexts } from "./reading.ts"

/** How many directories are asked for side by side through Effect's `FileSystem`. */
const concurrency = 16

/** Through Effect's `FileSystem`, whatever it is. */
const walkPortably = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  growth: Growth,
  respectIgnoreFiles: boolean
) {
  while (!growth.done) {
    const batch: Array<Pending> = []
    for (let next = growth.next(); next !== undefined; next = growth.next()) {
      batch.push(next)
      if (batch.length === concurrency) break
    }
    const listed = yield* Effect.forEach(batch, ({ absolute }) => listWithTexts(fs, absolute, respectIgnoreFiles), {
      concurrency: "unbounded"
    })
    for (const [at, pending] of batch.entries()) growth.settle(pending, listed[at])
  }
})

/** Through the platform. Interruption asks for nothing more; what is under way is forgotten. */
const walkFast = (reader: FastReader, growth: Growth, respectIgnoreFiles: boolean): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    let running = 0
    let stopped = false
    const advance = (): void => {
      if (stopped) return
      if (growth.done) {
        stopped = true
        return resume(Effect.void)
      }
      while (running < reader.concurrency) {
        const next = growth.next()
        if (next === undefined) return
        running++
        reader.list(next.absolute, respectIgnoreFiles, (listed) => {
          running--
          if (stopped) return
          growth.settle(next, listed)
          advance()
        })
      }
    }
    advance()
    return Effect.sync(() => {
      stopped = true
    })
  })

/** Walks the workspace at `root`, a real path, where `rules` count from above. */
export const walk = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  reader: FastReader | undefined,
  root: string,
  rules: Rules,
  settings: FileReferencesSettings
): Effect.fn.Return<Growth> {
  const growth = new Growth(root, rules, settings)
  yield* reader?.standsFor(fs) === true
    ? walkFast(reader, growth, settings.respectIgnoreFiles)
    : walkPortably(fs, growth, settings.respectIgnoreFiles)
  growth.index.trim()
  return growth
})
