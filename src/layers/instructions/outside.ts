/** Which files of a report come from outside the project: a link has led there. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Paths from "../../pipeline/paths.ts"
import type { FileReport } from "../../schemas/Instructions.ts"
import { realPath } from "../filesystem/probe.ts"

const concurrency = 16

/** Marks the project's own entries whose real path is not below the real root. The user's own file belongs to no project. */
export const markOutside = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  root: string,
  report: ReadonlyArray<FileReport>
): Effect.fn.Return<ReadonlyArray<FileReport>> {
  const base = yield* realPath(fs, root)
  if (typeof base !== "string") return report
  return yield* Effect.forEach(
    report,
    (entry) =>
      entry.scope.owner === "user" || entry.outcome === "absent"
        ? Effect.succeed(entry)
        : Effect.map(realPath(fs, entry.path), (real) =>
            typeof real === "string" && Paths.within(base, real) === undefined
              ? { ...entry, outside: true as const }
              : entry
          ),
    { concurrency }
  )
})
