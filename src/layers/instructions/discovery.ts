/**
 * One look at the disk: which candidates there are, and the texts that may be told (I-3 to I-13, I-52).
 *
 * Probes run side by side and so do reads, bounded; results are put together in message order. A file is read only if
 * its text can matter: an unchanged told file is not, and neither is one that the caller's plan has no use for.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { candidateLists, type Place, userLists } from "../../pipeline/instructions/chain.ts"
import type { CandidateState, ObservedDirectory, ObservedList } from "../../pipeline/instructions/observed.ts"
import * as Paths from "../../pipeline/paths.ts"
import { probeFile, realPath } from "../filesystem/probe.ts"
import {
  absentState,
  type Deciding,
  type Look,
  type LookRequest,
  read,
  settlePlace,
  unavailableState
} from "./candidates.ts"

export type { LookRequest } from "./candidates.ts"

const placeConcurrency = 16
const probeConcurrency = 32
const readConcurrency = 16

/** Real identities, asked for only where two candidates share device and inode (I-6). */
const identities = Effect.fnUntraced(function* (request: Look, all: ReadonlyArray<Deciding>) {
  const byNode = new Map<string, Array<string>>()
  for (const { found } of all) {
    const node = found?.present.node
    if (node === undefined) continue
    const paths = byNode.get(node)
    if (paths === undefined) byNode.set(node, [found!.path])
    else paths.push(found!.path)
  }
  const shared = [...byNode.values()].filter((paths) => paths.length > 1).flat()
  const real = yield* Effect.forEach(shared, (path) => realPath(request.fs, path), { concurrency: probeConcurrency })
  return new Map(
    shared.flatMap((path, index) => (typeof real[index] === "string" ? [[path, real[index]] as const] : []))
  )
})

/** The directories as far as they are known. What has not been read is there with its reported size. */
const directoriesOf = (
  all: ReadonlyArray<Deciding>,
  real: ReadonlyMap<string, string>,
  shadowed?: ReadonlyArray<ReadonlyArray<CandidateState>>
): ReadonlyArray<ObservedDirectory> => {
  const directories = new Map<Place, { readonly place: Deciding["place"]; readonly lists: Array<ObservedList> }>()
  for (const [index, { content, found, list, place, states }] of all.entries()) {
    const present: ReadonlyArray<CandidateState> =
      found === undefined
        ? []
        : [
            {
              _tag: "present",
              content: content ?? { _tag: "size", bytes: found.present.size },
              real: real.get(found.path)
            }
          ]
    const candidates = [...states, ...present, ...(shadowed?.[index] ?? [])].map((state, position) => {
      const name = list.names[position]!
      return { name, path: Paths.child(place.absolute, name), state }
    })
    const directory = directories.get(place)
    if (directory === undefined) directories.set(place, { place, lists: [{ slot: list.slot, candidates }] })
    else directory.lists.push({ slot: list.slot, candidates })
  }
  return [...directories.values()].map(({ place, lists }) => ({ ...place, lists }))
}

/**
 * Fills in the contents that are still missing, in rounds: what has to be compared, what the plan asks for, and the texts
 * that turn out to be needed, until there are no more. Returns the real identities.
 */
const readContents = Effect.fnUntraced(function* (request: Look, all: Array<Deciding>) {
  let real = yield* identities(request, all)
  for (;;) {
    const unread = Array.from(all.keys()).filter(
      (index) => all[index]!.found !== undefined && all[index]!.content === undefined
    )
    const round =
      unread.length > 0 ? planned(request, all, unread, directoriesOf(all, real)) : withoutText(request, all, real)
    if (round.length === 0) return real
    const done = yield* Effect.forEach(round, (index) => read(request, all[index]!), { concurrency: readConcurrency })
    for (const [position, deciding] of done.entries()) all[round[position]!] = deciding
    // One that vanished after its probe has handed over to a later name.
    if (done.some(({ content, found }) => found !== undefined && content === undefined))
      real = yield* identities(request, all)
  }
})

/** Of the unread files, those to be read now. */
const planned = (
  request: Look,
  all: ReadonlyArray<Deciding>,
  unread: ReadonlyArray<number>,
  known: ReadonlyArray<ObservedDirectory>
): ReadonlyArray<number> => {
  const wanted = request.plan?.(known)
  return unread.filter((index) => {
    const { found, place } = all[index]!
    const path = found!.path
    // A told file has to be compared, and files of one directory with each other, whether they fit or not.
    const compared = () =>
      request.toldDigest(path) !== undefined ||
      all.some((other, position) => position !== index && other.place === place && other.found !== undefined)
    return wanted === undefined || wanted.has(path) || compared()
  })
}

/** Of the files that a trusted version stands for, those whose text is needed. */
const withoutText = (
  request: Look,
  all: ReadonlyArray<Deciding>,
  real: ReadonlyMap<string, string>
): ReadonlyArray<number> => {
  const known = Array.from(all.keys()).filter((index) => all[index]!.content?._tag === "digest")
  if (known.length === 0) return []
  const missing = request.missing(directoriesOf(all, real))
  return known.filter((index) => missing.has(all[index]!.found!.path))
}

const shadowedStates = Effect.fnUntraced(function* (request: Look, { found, list, place, states }: Deciding) {
  const decided = states.length + (found === undefined ? 0 : 1)
  const winner = list.names[decided - 1]!
  const rest = list.names.slice(decided).map((name) => Paths.child(place.absolute, name))
  const presences = yield* Effect.forEach(rest, (path) => probeFile(request.fs, path, request.sampledAt))
  return presences.map((presence): CandidateState =>
    presence._tag === "Absent"
      ? absentState(presence)
      : presence._tag === "Unavailable"
        ? unavailableState(presence)
        : { _tag: "shadowed", by: winner }
  )
})

/** Looks at every place; never fails. Interrupting it leaves nothing open and nothing running. */
export const look = Effect.fnUntraced(function* (
  request: LookRequest
): Effect.fn.Return<ReadonlyArray<ObservedDirectory>> {
  const lists = candidateLists(request.settings)
  const look: Look = { ...request, sampledAt: yield* Clock.currentTimeMillis, ahead: request.settings.maxBytes }
  // From the most specific place on, so that what is read ahead is what is most likely to be kept.
  const settled = yield* Effect.forEach(
    request.places.toReversed(),
    (place) => settlePlace(look, place, place.owner === "user" ? userLists : lists),
    { concurrency: placeConcurrency }
  )
  const all = settled.toReversed().flat()
  const real = yield* readContents(look, all)
  if (!request.shadowed) return directoriesOf(all, real)
  const shadowed = yield* Effect.forEach(all, (deciding) => shadowedStates(look, deciding), {
    concurrency: probeConcurrency
  })
  return directoriesOf(all, real, shadowed)
})
