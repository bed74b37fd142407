/** From touched paths to the directories whose instructions they bring into play (I-40, I-41). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Paths from "../../pipeline/paths.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { ToolExecution } from "../../services/ContextSupply.ts"
import { realPath } from "../filesystem/probe.ts"

/** No file has a longer path anywhere: what a model has written there names none. Code units, of which each is a byte or more. */
const longestPath = 4096

/** The path a successful execution has touched, as its argument spells it. */
export const touchedPaths = (
  tools: Readonly<Record<string, string>>,
  execution: ToolExecution
): ReadonlyArray<string> => {
  const key = Object.hasOwn(tools, execution.name) ? tools[execution.name] : undefined
  if (key === undefined || execution.outcome !== "ok") return []
  const { arguments: given } = execution
  const path =
    typeof given === "object" && given !== null && Object.hasOwn(given, key)
      ? (given as Record<string, unknown>)[key]
      : undefined
  return typeof path === "string" && path !== "" && path.length <= longestPath && !path.includes("\0") ? [path] : []
}

/** Where real paths are compared: of the working directory and of the project root. */
interface Real {
  readonly cwd: string
  readonly root: string
}

/** Root-relative directories strictly below `cwd`, down to each touched file's own; or what could not be resolved. */
export interface Touched {
  readonly directories: ReadonlyArray<string>
  /** Paths to be touched again, since where they lead could not be told. */
  readonly unresolved: ReadonlyArray<string>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const concurrency = 16

/**
 * The real path of `directory`; of one that is not there, that of the nearest above it that is. What is below a directory
 * that is not there is not there either, so a long way up is halved instead of walked.
 */
const nearestReal = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, directory: string) {
  let nearest = yield* realPath(fs, directory)
  if (typeof nearest === "string" || nearest._tag === "Unavailable") return nearest
  const up = Paths.ancestors(directory)
  let absent = 0
  let standing = up.length
  // As a rule the next one is there: small steps first.
  let step = 1
  while (absent + 1 < standing) {
    const at = absent + Math.min(step, (standing - absent) >> 1)
    const answer = yield* realPath(fs, up[at]!)
    if (typeof answer !== "string" && answer._tag === "Absent") {
      absent = at
      step *= 2
    } else {
      standing = at
      nearest = answer
    }
  }
  return nearest
})

/** Prepares the question for one working directory; its real paths are asked for once, when first needed. */
export const makeTouchedDirectories = (cwd: string) => {
  let known: Real | undefined

  const real = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, root: string) {
    if (known !== undefined) return known
    const [realCwd, realRoot] = yield* Effect.all([realPath(fs, cwd), realPath(fs, root)], { concurrency: 2 })
    const settled = (path: string, answer: typeof realCwd) =>
      typeof answer === "string" ? answer : answer._tag === "Absent" ? path : undefined
    const [here, base] = [settled(cwd, realCwd), settled(root, realRoot)]
    if (here === undefined || base === undefined) return undefined
    if (typeof realCwd === "string" && typeof realRoot === "string") known = { cwd: here, root: base }
    return { cwd: here, root: base }
  })

  /** The directories below the real `cwd` that lead to `directory`, shown by their real root-relative paths. */
  const leading = (at: Real, root: string, directory: string): ReadonlyArray<string> => {
    const below = Paths.within(at.cwd, directory)
    if (below === undefined || below === ".") return []
    const base = Paths.within(at.root, at.cwd) ?? Paths.within(root, cwd) ?? "."
    const whole = base === "." ? below : `${base}/${below}`
    return Paths.descend(base, whole).slice(1)
  }

  return Effect.fnUntraced(function* (
    fs: FileSystem.FileSystem,
    root: string,
    paths: ReadonlyArray<string>
  ): Effect.fn.Return<Touched> {
    if (paths.length === 0) return { directories: [], unresolved: [], diagnostics: [] }
    const holding = [...new Set(paths.map((path) => Paths.parent(Paths.resolve(cwd, path))))]
    const at = yield* real(fs, root)
    if (at === undefined) {
      return { directories: [], unresolved: paths, diagnostics: [unresolved(cwd, "its real path cannot be told")] }
    }
    const resolved = yield* Effect.forEach(holding, (directory) => nearestReal(fs, directory), { concurrency })
    return {
      directories: [
        ...new Set(resolved.flatMap((answer) => (typeof answer === "string" ? leading(at, root, answer) : [])))
      ],
      unresolved: resolved.flatMap((answer, index) =>
        typeof answer !== "string" && answer._tag === "Unavailable" ? [Paths.child(holding[index]!, "-")] : []
      ),
      diagnostics: resolved.flatMap((answer, index) =>
        typeof answer !== "string" && answer._tag === "Unavailable" ? [unresolved(holding[index]!, answer.reason)] : []
      )
    }
  })
}

const unresolved = (path: string, reason: string): Diagnostic => ({
  tag: "CandidateUnavailable",
  path,
  message: `Instructions below ${path} are not looked for now: ${reason}`
})
