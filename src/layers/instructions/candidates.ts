/** One candidate list after another: which name decides it, and what its file holds (I-7 to I-11, I-52). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { CandidateList, Place, Settings } from "../../pipeline/instructions/chain.ts"
import type { CandidateState, Content, ObservedDirectory } from "../../pipeline/instructions/observed.ts"
import * as Paths from "../../pipeline/paths.ts"
import { sha1 } from "../../pipeline/digest.ts"
import { byteLength, decodeText } from "../../pipeline/utf8.ts"
import { type Absent, largestFile, type Present, probeFile, readFile, type Unavailable } from "../filesystem/probe.ts"
import type { Listing } from "../listings.ts"
import type { Memo } from "./memo.ts"

/** What to look at, and what is known already. */
export interface LookRequest {
  readonly fs: FileSystem.FileSystem
  readonly settings: Settings
  /** In message order. `chain`: part of the chain; everything else is nested. */
  readonly places: ReadonlyArray<Place & { readonly chain: boolean }>
  /** The digest told of the candidate at an absolute path, if any of its scope is. */
  readonly toldDigest: (path: string) => string | undefined
  readonly memo: Memo
  /** The whole state is going to be rendered: every text is needed, remembered or not. */
  readonly complete: boolean
  /** Asks a directory once what it holds, instead of for each name: for a look that nothing told depends on. */
  readonly listings: ((directory: string) => Effect.Effect<Listing>) | undefined
  /** Also probe the names after a winner, to report them as shadowed. */
  readonly shadowed: boolean
  /** Which files that were not read, as their trusted version says, have to be read all the same, given what is known. */
  readonly missing: (directories: ReadonlyArray<ObservedDirectory>) => ReadonlySet<string>
  /** Which unread files to read next, given what is known; nothing ends the reading. Without a plan everything is read. */
  readonly plan: ((directories: ReadonlyArray<ObservedDirectory>) => ReadonlySet<string>) | undefined
}

/** One look under way. */
export interface Look extends LookRequest {
  /** A moment before the first question, epoch milliseconds. */
  readonly sampledAt: number
  /** Bytes that may still be read before it is known what fits: files that could all be kept are read as they are found. */
  ahead: number
}

/** A list while it is being decided: the names that were settled, and the file that is there. */
export interface Deciding {
  readonly place: Place & { readonly chain: boolean }
  readonly list: CandidateList
  readonly states: Array<CandidateState>
  /** What is known of the directory without asking for each name. */
  readonly mayHold: Listing
  readonly found: { readonly path: string; readonly present: Present } | undefined
  readonly content: Content | undefined
}

export const absentState = (absent: Absent): CandidateState => ({ _tag: "absent", reason: absent.reason })

export const unavailableState = (unavailable: Unavailable): CandidateState => ({
  _tag: "unavailable",
  outcome: "unavailable",
  tag: unavailable.loop ? "LinkLoop" : "CandidateUnavailable",
  reason: unavailable.reason,
  bytes: 0
})

const oversizedState = (bytes: number, cap: number): CandidateState => ({
  _tag: "unavailable",
  outcome: "oversized",
  tag: "SourceOversized",
  reason: `it has ${bytes} bytes or more, the limit is ${cap}; shorten it or raise maxSourceBytes`,
  bytes
})

const binaryState = (bytes: number): CandidateState => ({
  _tag: "unavailable",
  outcome: "binary",
  tag: "SourceBinary",
  reason: "it holds NUL bytes and is no text",
  bytes
})

/** The most bytes a file may have. */
const capOf = (request: Look): number => Math.min(request.settings.maxSourceBytes, largestFile)

/** Probes a list from its next name on, up to the first name that is not absent (I-7, I-9). */
const decide = (request: Look, deciding: Deciding): Effect.Effect<Deciding> => {
  const { list, place, states } = deciding
  const name = list.names[states.length]
  if (name === undefined) return Effect.succeed({ ...deciding, found: undefined })
  if (deciding.mayHold?.(name) === "absent") {
    states.push(absentState({ _tag: "Absent", reason: undefined }))
    return decide(request, deciding)
  }
  const path = Paths.child(place.absolute, name)
  return Effect.flatMap(probeFile(request.fs, path, request.sampledAt), (presence) => {
    if (presence._tag === "Absent") {
      states.push(absentState(presence))
      return decide(request, deciding)
    }
    const cap = capOf(request)
    if (presence._tag === "Unavailable") states.push(unavailableState(presence))
    else if (presence.size > cap) states.push(oversizedState(presence.size, cap))
    else return Effect.succeed({ ...deciding, found: { path, present: presence } })
    return Effect.succeed({ ...deciding, found: undefined })
  })
}

/** Reads and decodes; leaves the list to be decided further when the file has gone since it was probed. */
export const read = (request: Look, deciding: Deciding): Effect.Effect<Deciding> => {
  const { path, present } = deciding.found!
  const cap = capOf(request)
  return Effect.flatMap(readFile(request.fs, path, present.size, cap), (result) => {
    const settle = (state: CandidateState) => {
      deciding.states.push(state)
      request.memo.delete(path)
      return Effect.succeed({ ...deciding, found: undefined })
    }
    if (result._tag === "Absent") {
      deciding.states.push(absentState(result))
      return decide(request, { ...deciding, found: undefined })
    }
    if (result._tag === "Unavailable") return settle(unavailableState(result))
    if (result._tag === "Oversized") return settle(oversizedState(result.atLeast, cap))
    const decoded = decodeText(result.bytes)
    if (decoded._tag === "Binary") return settle(binaryState(result.bytes.length))
    const { repaired, text } = decoded
    const digest = sha1(text)
    const trimmed = text.trim()
    const trimmedDigest = trimmed === text ? digest : sha1(trimmed)
    const bytes = byteLength(text)
    request.memo.set(path, { version: present.version, trusted: present.trusted, digest, trimmedDigest, bytes })
    return Effect.succeed({
      ...deciding,
      content: { _tag: "text", text, bytes, digest, trimmedDigest, repaired } as const
    })
  })
}

/**
 * What need not be read: an unchanged told file, and one that was not told as long as nothing but its identity matters —
 * it may be a duplicate of another one.
 */
const remembered = (request: Look, deciding: Deciding): Content | undefined => {
  const { path, present } = deciding.found!
  const known = request.memo.get(path)
  if (request.complete || known === undefined || !known.trusted || known.version !== present.version) return undefined
  const told = request.toldDigest(path)
  return told === undefined || told === known.digest
    ? { _tag: "digest", bytes: known.bytes, digest: known.digest, trimmedDigest: known.trimmedDigest }
    : undefined
}

/** Decides a list, and reads its file at once if that needs no plan. */
const settle = (request: Look, deciding: Deciding): Effect.Effect<Deciding> =>
  Effect.flatMap(decide(request, deciding), (decided) => {
    if (decided.found === undefined) return Effect.succeed(decided)
    const content = remembered(request, decided)
    if (content !== undefined) return Effect.succeed({ ...decided, content })
    const { size } = decided.found.present
    if (size > request.ahead) return Effect.succeed(decided)
    request.ahead -= size
    return read(request, decided)
  })

/** From how many names on one listing is asked for instead. */
const worthListing = 3

/**
 * Settles every list of a place. Most names of most directories are not there, and the answer that says so is the most
 * expensive one, so a listing saves more than it costs. It cannot say that a name is unavailable, though, and what was told
 * may hang on that (I-9): only a look that nothing told depends on takes its word.
 */
export const settlePlace = (
  request: Look,
  place: Deciding["place"],
  lists: ReadonlyArray<CandidateList>
): Effect.Effect<ReadonlyArray<Deciding>> => {
  const names = lists.reduce((count, list) => count + list.names.length, 0)
  const known =
    request.listings !== undefined && names >= worthListing
      ? request.listings(place.absolute)
      : Effect.succeed(undefined)
  return Effect.flatMap(known, (mayHold) =>
    Effect.forEach(
      lists,
      (list) => settle(request, { place, list, states: [], mayHold, found: undefined, content: undefined }),
      { concurrency: lists.length }
    )
  )
}
