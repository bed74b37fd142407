/** Where the project begins (I-4, I-5). */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import * as Paths from "../pipeline/paths.ts"
import { ProjectRootUnavailable } from "../schemas/Instructions.ts"
import { probe } from "./filesystem/probe.ts"
import type { Listing } from "./listings.ts"

/** How far up directories are asked one by one. */
const oneByOne = 4

/** What one directory says: it is the root, it is not, or that cannot be told. */
type Answer = "root" | "not the root" | ProjectRootUnavailable

const ask = (
  fs: FileSystem.FileSystem,
  directory: string,
  markers: ReadonlyArray<string>,
  mayHold: Listing
): Effect.Effect<Answer> => {
  const [marker, ...others] = markers
  if (marker === undefined) return Effect.succeed("not the root")
  if (mayHold?.(marker) === false) return ask(fs, directory, others, mayHold)
  const path = Paths.child(directory, marker)
  return Effect.flatMap(probe(fs, path), (presence): Effect.Effect<Answer> => {
    if (presence._tag === "Present") return Effect.succeed("root")
    return presence._tag === "Absent"
      ? ask(fs, directory, others, mayHold)
      : Effect.succeed(new ProjectRootUnavailable({ path, reason: presence.reason }))
  })
}

/**
 * The nearest directory at or above `cwd` that holds one of `markers`, files and directories alike; `cwd` itself when
 * none does. A probe that fails for another reason than confirmed absence fails the search, unless a nearer directory is
 * the root: neither an ancestor's project nor "no rules" may be concluded from it.
 *
 * The first few directories are asked one by one, so that as a rule nothing above the root is bothered; from there on twice
 * as many each time, side by side: however deep, the way up takes a handful of rounds. Nothing above a directory that
 * settles it is waited for. With `listings`, directories are asked what they hold instead of for each marker.
 */
export const findRoot = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  cwd: string,
  markers: ReadonlyArray<string>,
  listings: (directory: string) => Effect.Effect<Listing> = () => Effect.succeed(undefined)
): Effect.fn.Return<string, ProjectRootUnavailable> {
  if (markers.length === 0) return cwd
  const directories = Paths.ancestors(cwd)
  for (let from = 0, size = 1; from < directories.length; from += size, size = from < oneByOne ? 1 : size * 2) {
    const round = directories.slice(from, from + size)
    const settled = yield* nearest(
      round.map((directory) => Effect.flatMap(listings(directory), (mayHold) => ask(fs, directory, markers, mayHold)))
    )
    if (settled === undefined) continue
    return settled.answer === "root" ? round[settled.index]! : yield* settled.answer
  }
  return cwd
})

/** The first answer in order that is not "not the root"; the questions behind it are given up. */
const nearest = (questions: ReadonlyArray<Effect.Effect<Answer>>) =>
  Effect.gen(function* () {
    const [only] = questions
    if (questions.length === 1) {
      const answer = yield* only!
      return answer === "not the root" ? undefined : { index: 0, answer }
    }
    const fibers = yield* Effect.forEach(questions, (question) =>
      Effect.forkChild(question, { startImmediately: true })
    )
    for (const [index, fiber] of fibers.entries()) {
      const answer = yield* Fiber.join(fiber)
      if (answer === "not the root") continue
      yield* Fiber.interruptAll(fibers.slice(index + 1))
      return { index, answer }
    }
    return undefined
  })
