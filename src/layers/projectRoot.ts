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

/** A question that may be asked side by side with others, and what it leaves to be asked in order. */
type Question = Effect.Effect<Effect.Effect<Answer>>

/**
 * The nearest directory at or above `cwd` that holds one of `markers`, files and directories alike; `cwd` itself when
 * none does. A probe that fails for another reason than confirmed absence fails the search, unless a nearer directory is
 * the root: neither an ancestor's project nor "no rules" may be concluded from it.
 *
 * The first few directories are asked one by one, so that as a rule nothing above the root is bothered; from there on twice
 * as many each time, side by side: however deep, the way up takes a handful of rounds. Nothing above a directory that
 * settles it is waited for. With `listings`, directories are asked what they hold, in such rounds from the start, and only
 * one that may hold a marker is asked for it.
 */
export const findRoot = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  cwd: string,
  markers: ReadonlyArray<string>,
  listings?: (directory: string) => Effect.Effect<Listing>
): Effect.fn.Return<string, ProjectRootUnavailable> {
  if (markers.length === 0) return cwd
  const question = (directory: string): Question =>
    listings === undefined
      ? Effect.map(ask(fs, directory, markers, undefined), Effect.succeed)
      : Effect.map(listings(directory), (mayHold) => ask(fs, directory, markers, mayHold))
  const directories = Paths.ancestors(cwd)
  let size = 1
  for (let from = 0; from < directories.length; from += size) {
    if (from >= (listings === undefined ? oneByOne : 1)) size *= 2
    const round = directories.slice(from, from + size)
    const settled = yield* nearest(round.map(question))
    if (settled === undefined) continue
    return settled.answer === "root" ? round[settled.index]! : yield* settled.answer
  }
  return cwd
})

/** The first answer in order that is not "not the root"; the questions behind it are given up. */
const nearest = Effect.fnUntraced(function* (questions: ReadonlyArray<Question>) {
  const [first, ...others] = questions
  const fibers = yield* Effect.forEach(others, (question) => Effect.forkChild(question, { startImmediately: true }))
  for (const [index, question] of [first!, ...fibers.map(Fiber.join)].entries()) {
    const answer = yield* yield* question
    if (answer === "not the root") continue
    yield* Fiber.interruptAll(fibers)
    return { index, answer }
  }
  return undefined
})
