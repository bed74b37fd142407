/** Which blocks of the sources have run, by V8's own count. */
import { Session } from "node:inspector"
import type { Profiler } from "node:inspector"

export interface Coverage {
  /** How many blocks have run since the last time that no earlier call has seen. */
  readonly fresh: () => number
  /** How many are known by now. */
  readonly known: () => number
  readonly stop: () => void
}

/** Counts blocks of what lies in `src`. One at a time in a process. */
export const startCoverage = (): Coverage => {
  const session = new Session()
  session.connect()
  // A session of the same thread answers before `post` returns.
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  const seen = new Set<string>()
  const take = (): ReadonlyArray<Profiler.ScriptCoverage> => {
    let scripts: ReadonlyArray<Profiler.ScriptCoverage> = []
    session.post("Profiler.takePreciseCoverage", (_, answer) => (scripts = answer.result))
    return scripts
  }
  return {
    fresh: () => {
      const before = seen.size
      for (const { functions, scriptId, url } of take()) {
        if (!url.includes("/src/") || url.includes("/node_modules/")) continue
        for (const { ranges } of functions)
          for (const { count, endOffset, startOffset } of ranges)
            // How often tells nothing new beyond once, a few times, many times.
            if (count > 0)
              seen.add(`${scriptId} ${startOffset} ${endOffset} ${Math.min(3, Math.floor(Math.log2(count) / 2))}`)
      }
      return seen.size - before
    },
    known: () => seen.size,
    stop: () => {
      session.post("Profiler.stopPreciseCoverage")
      session.disconnect()
    }
  }
}
