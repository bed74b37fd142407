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

/** How many directories above the working directory are listed in one round: the root is hardly ever further away. */
const usualDepth = 6

/** What one directory says: it is the root, it is not, or that cannot be told. */
type Answer = "root" | "not the root" | ProjectRootUnavailable

const ask = (
  fs: FileSystem.FileSystem,
  directory: string,
  markers: ReadonlyArray<string>,
  listing: Listing
): Effect.Effect<Answer> => {
  const [marker, ...others] = markers
  if (marker === undefined) return Effect.succeed("not the root")
  if (listing?.(marker) === "absent") return ask(fs, directory, others, listing)
  const path = Paths.child(directory, marker)
  return Effect.flatMap(probe(fs, path), (presence): Effect.Effect<Answer> => {
    if (presence._tag === "Present") return Effect.succeed("root")
    return presence._tag === "Absent"
      ? ask(fs, directory, others, listing)
      : Effect.succeed(new ProjectRootUnavailable({ path, reason: presence.reason }))
  })
}

/** What a directory looks like before it is asked for a marker itself, and what it says then. */
interface Impression {
  readonly looksLikeRoot: boolean
  readonly answer: Effect.Effect<Answer>
}

/** The root, or what looks like it. */
export interface Found {
  readonly root: string
  /** Whether it really is, where only a listing has said so: may be asked for while the project is looked at already. */
  readonly confirm: Effect.Effect<boolean, ProjectRootUnavailable> | undefined
}

const isRoot = (answer: Answer): Effect.Effect<boolean, ProjectRootUnavailable> =>
  typeof answer === "string" ? Effect.succeed(answer === "root") : Effect.fail(answer)

/** The first in order that is the root or looks like it; those behind it are given up. */
const nearest = Effect.fnUntraced(function* (impressions: ReadonlyArray<Effect.Effect<Impression>>) {
  const [first, ...others] = impressions
  const fibers = yield* Effect.forEach(others, (impression) => Effect.forkChild(impression, { startImmediately: true }))
  for (const [index, impression] of [first!, ...fibers.map(Fiber.join)].entries()) {
    const { answer, looksLikeRoot } = yield* impression
    const confirm = Effect.flatMap(answer, isRoot)
    if (!looksLikeRoot && !(yield* confirm)) continue
    yield* Fiber.interruptAll(fibers)
    return { index, confirm: looksLikeRoot ? confirm : undefined }
  }
  return undefined
})

/** The nearest directory that is the root or looks like it, going up in rounds; `cwd` itself when there is none. */
const search = Effect.fnUntraced(function* (
  cwd: string,
  impression: (directory: string) => Effect.Effect<Impression>,
  rounds: (from: number, before: number) => number
): Effect.fn.Return<Found, ProjectRootUnavailable> {
  const directories = Paths.ancestors(cwd)
  let size = 1
  for (let from = 0; from < directories.length; from += size) {
    size = rounds(from, size)
    const round = directories.slice(from, from + size)
    const found = yield* nearest(round.map(impression))
    if (found !== undefined) return { root: round[found.index]!, confirm: found.confirm }
  }
  return { root: cwd, confirm: undefined }
})

/**
 * The nearest directory at or above `cwd` that holds one of `markers`, files and directories alike; `cwd` itself when
 * none does. A probe that fails for another reason than confirmed absence fails the search, unless a nearer directory is
 * the root: neither an ancestor's project nor "no rules" may be concluded from it.
 *
 * The first few directories are asked one by one, so that as a rule nothing above the root is bothered; from there on twice
 * as many each time, side by side: however deep, the way up takes a handful of rounds. Nothing above a directory that
 * settles it is waited for.
 */
export const findRoot = (
  fs: FileSystem.FileSystem,
  cwd: string,
  markers: ReadonlyArray<string>
): Effect.Effect<string, ProjectRootUnavailable> =>
  markers.length === 0
    ? Effect.succeed(cwd)
    : Effect.map(
        search(
          cwd,
          (directory) =>
            Effect.map(ask(fs, directory, markers, undefined), (answer) => ({
              looksLikeRoot: false,
              answer: Effect.succeed(answer)
            })),
          (from, before) => (from < oneByOne ? 1 : 2 * before)
        ),
        (found) => found.root
      )

/**
 * Like `findRoot`, but by what directories list: the working directory, then the usual way up in one round. Only one that
 * may hold a marker is asked for it: afterwards, if its listing shows one.
 */
export const supposeRoot = (
  fs: FileSystem.FileSystem,
  cwd: string,
  markers: ReadonlyArray<string>,
  listings: (directory: string) => Effect.Effect<Listing>
): Effect.Effect<Found, ProjectRootUnavailable> =>
  markers.length === 0
    ? Effect.succeed({ root: cwd, confirm: undefined })
    : search(
        cwd,
        (directory) =>
          Effect.map(listings(directory), (listing) => ({
            looksLikeRoot: markers.some((marker) => listing?.(marker) === "present"),
            answer: ask(fs, directory, markers, listing)
          })),
        (from, before) => (from === 0 ? 1 : from === 1 ? usualDepth : 2 * before)
      )
