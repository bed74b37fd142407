/**
 * The best matches of a text among the paths of a workspace (F-5).
 *
 * Five classes — exact base name, its beginning, inside of it, anywhere in the path, as a subsequence of the path — and in each
 * directories before files, shorter before longer, then code units. Nothing but the root-relative path counts.
 */
import type { FileCandidate, FileCompletion } from "../../schemas/FileReference.ts"
import { type Codes, codesOf } from "./flatTexts.ts"
import { composed, digitsOf, lettersOf } from "./nameTable.ts"
import { byCodeUnits, type PathIndex } from "./pathIndex.ts"
import type { Search } from "./query.ts"

const exact = 0
const baseBegins = 1
const baseHolds = 2
const pathHolds = 3
const inOrder = 4
const classes = 5

/** The best of what is offered, in any order. */
class Best {
  readonly #entries: Array<number> = []
  readonly #index: PathIndex
  readonly #ranks: Int32Array
  readonly #parents: Int32Array
  readonly #limit: number
  /** With `limit` that are better, one that is not better than this is none of the best. */
  #worst = -1
  #worstRank = Infinity
  /** A directory in which no entry of the worst's rank is better. */
  #behind: number | undefined

  constructor(index: PathIndex, limit: number) {
    this.#index = index
    this.#ranks = index.ranks
    this.#parents = index.parents
    this.#limit = limit
  }

  /** Whether it is known that an entry is none of the best. */
  excludes(entry: number): boolean {
    const rank = this.#ranks[entry]!
    return rank > this.#worstRank || (rank === this.#worstRank && this.#parents[entry] === this.#behind)
  }

  offer(entry: number): void {
    if (this.excludes(entry)) return
    if (this.#ranks[entry] === this.#worstRank && this.#index.compare(entry, this.#worst) > 0) {
      if (this.#index.apart(entry, this.#worst)) this.#behind = this.#parents[entry]
      return
    }
    this.#entries.push(entry)
    if (this.#entries.length >= 2 * this.#limit + 64) this.#prune()
  }

  #prune(): void {
    this.#entries.sort((left, right) => this.#index.compare(left, right))
    if (this.#entries.length > this.#limit) this.#entries.length = this.#limit
    const worst = this.#entries.length === this.#limit ? this.#entries.at(-1) : undefined
    if (worst === undefined) return
    this.#behind = undefined
    this.#worst = worst
    this.#worstRank = this.#ranks[worst]!
  }

  get entries(): ReadonlyArray<number> {
    this.#prune()
    return this.#entries
  }
}

/** How far the needle may move when this code unit stands below its end. Some share a place, which has the shortest way. */
const skipsOf = (needle: Uint16Array): Int32Array => {
  const skips = new Int32Array(128).fill(needle.length)
  for (let at = 0; at < needle.length - 1; at++) skips[needle[at]! & 127] = needle.length - 1 - at
  return skips
}

/** Where the needle stands in a name, first; -1: nowhere. (Horspool's search.) */
const placeOf = (codes: Codes, from: number, end: number, needle: Uint16Array, skips: Int32Array): number => {
  const ahead = needle.length - 1
  const final = needle[ahead]!
  for (let at = from + ahead; at < end;) {
    const code = codes[at]!
    if (code === final) {
      // From its end, where names that have their beginning in common differ.
      let left = ahead - 1
      while (left >= 0 && codes[at - ahead + left] === needle[left]) left--
      if (left < 0) return at - ahead - from
    }
    at += skips[code & 127]!
  }
  return -1
}

const isPair = (first: number, second: number): boolean => (first & 0xfc00) === 0xd800 && (second & 0xfc00) === 0xdc00

/**
 * How much of the needle stands in its order in a path, if `done` of it does in the path of its directory: taking each
 * character as early as possible loses nothing. The halves of a character are not torn apart. Where `all` of it has to stand,
 * a name is given up as soon as it is too short for the rest.
 */
const progress = (codes: Codes, from: number, end: number, needle: Uint16Array, done: number, all: boolean): number => {
  let had = done
  if (had === needle.length) return had
  let wanted = needle[had]
  let stop = all ? end - needle.length + had + 1 : end
  for (let at = from; at < stop; at++) {
    if (codes[at] !== wanted) continue
    let width = 1
    if (isPair(wanted!, needle[had + 1]!)) {
      if (at + 1 >= end || codes[at + 1] !== needle[had + 1]) continue
      width = 2
    }
    had += width
    at += width - 1
    if (had === needle.length) return had
    if (all) stop += width
    wanted = needle[had]
  }
  return had
}

const none: FileCompletion = { candidates: [], truncated: false }

/**
 * The best `limit` matches. A capital letter in the text makes case count. The text has no `/`: what holds it holds it in the
 * name of one entry, and everything below a directory that does holds it, too.
 */
export const search = (index: PathIndex, { hidden, text }: Search, limit: number): FileCompletion => {
  const cased = composed(text)
  const folded = cased.toLowerCase()
  const needle = codesOf(cased === folded ? folded : cased)
  if (needle.length === 0) return none
  const skips = skipsOf(needle)
  const caseCounts = cased !== folded
  const names = index.reader(caseCounts)
  const letters = lettersOf(folded)
  const digits = digitsOf(folded)
  const { digits: digitsIn, letters: lettersIn, parents, size } = index
  const best = Array.from({ length: classes }, () => new Best(index, limit))
  /** By their numbers, the directories whose path holds it; and how much of it stands in its order in the paths of all. */
  const holdsAbove = new Uint8Array(index.directoryCount)
  const hadAbove = new Int32Array(index.directoryCount)
  let found = 0
  let ordered = 0
  let directory = 0
  for (let entry = 0; entry < size; entry++) {
    const isDirectory = index.isDirectory(entry)
    if (isDirectory) directory++
    if (!hidden && index.isHidden(entry)) continue
    const possible = (lettersIn[entry]! & letters) === letters && (digitsIn[entry]! & digits) === digits
    // A directory is looked at for the sake of what lies below it, too.
    if (!possible && !(isDirectory && found <= limit)) continue
    const parent = parents[entry]!
    names.read(entry)
    const place = possible ? placeOf(names.codes, names.from, names.end, needle, skips) : -1
    if (place >= 0 || holdsAbove[parent] === 1) {
      found++
      if (isDirectory) {
        holdsAbove[directory] = 1
        hadAbove[directory] = needle.length
      }
      const whole = names.end - names.from === needle.length
      best[place < 0 ? pathHolds : place > 0 ? baseHolds : whole ? exact : baseBegins]!.offer(entry)
      continue
    }
    // With enough of the better classes, nobody will see a subsequence; whether there is more is known already.
    if (found > limit) continue
    if (!isDirectory && found + ordered > limit && best[inOrder]!.excludes(entry)) continue
    const had = progress(names.codes, names.from, names.end, needle, hadAbove[parent]!, !isDirectory)
    if (isDirectory) hadAbove[directory] = had
    if (had !== needle.length) continue
    ordered++
    best[inOrder]!.offer(entry)
  }
  const entries = best.flatMap(({ entries }) => entries).slice(0, limit)
  return { candidates: entries.map((entry) => index.candidate(entry)), truncated: found + ordered > limit }
}

/** The entries of a directory whose names begin with `rest` (F-3): directories first, then code units. */
export const listing = (entries: ReadonlyArray<FileCandidate>, rest: string, limit: number): FileCompletion => {
  const wanted = composed(rest)
  const folded = wanted.toLowerCase()
  const matching = entries.filter(({ path }) => {
    const name = composed(path.slice(path.lastIndexOf("/") + 1))
    return (wanted === folded ? name.toLowerCase() : name).startsWith(wanted)
  })
  matching.sort((a, b) => byCodeUnits(a.kind, b.kind) || byCodeUnits(a.path, b.path))
  return { candidates: matching.slice(0, limit), truncated: matching.length > limit }
}
