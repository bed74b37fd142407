/** The workspace on the disk: where it really is, which ignore files count where, and what stands at a path (F-3, F-4). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { entering, enteringRoot, extend, isIgnored, noRules, type Rules } from "../../pipeline/files/ignore.ts"
import { isHidden } from "../../pipeline/files/query.ts"
import * as Paths from "../../pipeline/paths.ts"
import type { FileReferencesSettings } from "../../schemas/FileReference.ts"
import { realPath } from "../filesystem/probe.ts"
import { findRoot } from "../projectRoot.ts"
import { readIgnoreTexts } from "./reading.ts"

/** The real path of `cwd`; `undefined`: there is no such directory, or nobody may ask. */
export const realRoot = (fs: FileSystem.FileSystem, cwd: string): Effect.Effect<string | undefined> =>
  Effect.map(realPath(fs, cwd), (real) => (typeof real === "string" ? real : undefined))

const everyName = () => true

const segmentsOf = (directory: string): ReadonlyArray<string> => (directory === "." ? [] : directory.split("/"))

/**
 * The rules that count in the workspace from above: the ignore files of the project's other directories. Only they are read
 * there, nothing is listed. Where the project begins cannot be told: none.
 */
export const rulesAbove = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  root: string,
  { respectIgnoreFiles }: FileReferencesSettings
): Effect.fn.Return<Rules> {
  if (!respectIgnoreFiles) return noRules
  const project = yield* Effect.orElseSucceed(findRoot(fs, root, [".git"]), () => root)
  const way = Paths.within(project, root)
  if (way === undefined || way === ".") return noRules
  const above = Paths.descend(".", way).slice(0, -1)
  const texts = yield* Effect.forEach(
    above,
    (directory) => readIgnoreTexts(fs, Paths.resolve(project, directory), everyName),
    {
      concurrency: 8
    }
  )
  let rules = noRules
  for (const [at, directory] of above.entries()) {
    const rest = segmentsOf(way).slice(segmentsOf(directory).length)
    rules = extend(rules, texts[at]!, "", `${rest.join("/")}/`)
  }
  return enteringRoot(rules)
})

/** How a directory stands with the rules: those inside of it, and whether it is excluded, ignored or hidden itself. */
export interface Standing {
  readonly rules: Rules
  /** Everything is shown inside (F-4). */
  readonly open: boolean
  /** It is in the index: hidden directories are, others that are open are not. */
  readonly indexed: boolean
}

/** What the rules say about `directory` (root-relative, real) and inside of it. */
export const standing = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  root: string,
  directory: string,
  settings: FileReferencesSettings
): Effect.fn.Return<Standing> {
  let rules = yield* rulesAbove(fs, root, settings)
  const directories = Paths.descend(".", directory)
  const texts = settings.respectIgnoreFiles
    ? yield* Effect.forEach(directories, (each) => readIgnoreTexts(fs, Paths.resolve(root, each), everyName), {
        concurrency: 8
      })
    : []
  let hidden = false
  let left = false
  for (const [at, each] of directories.entries()) {
    if (each !== ".") {
      const name = each.slice(each.lastIndexOf("/") + 1)
      hidden ||= isHidden(name)
      left ||= settings.excludedNames.includes(name) || isIgnored(rules, each, name, true)
      rules = entering(rules, each, name)
    }
    rules = extend(rules, texts[at] ?? {}, each === "." ? "" : `${each}/`)
  }
  return { rules, open: hidden || left, indexed: !left }
})
