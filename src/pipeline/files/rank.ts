/**
 * The best matches of a text among the paths of a workspace (F-5).
 *
 * Five classes — exact base name, its beginning, inside of it, anywhere in the path, as a subsequence of the path — and in each
 * directories before files, shorter before longer, then code units. Nothing but the root-relative path counts.
 */
import type { FileCandidate, FileCompletion } from "../../schemas/FileReference.ts"
import { composed, lettersOf, type PathIndex } from "./pathIndex.ts"
import type { Search } from "./query.ts"

const exact = 0
const baseBegins = 1
const baseHolds = 2
const pathHolds = 3
const classes = 4

/** The class of a path that holds the needle at `at`, first. A needle has no `/`. */
const classOf = (path: string, needle: string, at: number): number => {
  const base = path.lastIndexOf("/") + 1
  const inBase = at >= base ? at : path.indexOf(needle, base)
  if (inBase < 0) return pathHolds
  if (inBase > base) return baseHolds
  return path.length - base === needle.length ? exact : baseBegins
}

/** Whether the needle's characters stand in a text in their order. */
const isSubsequence = (text: string, characters: ReadonlyArray<string>): boolean => {
  let from = 0
  for (const character of characters) {
    const at = text.indexOf(character, from)
    if (at < 0) return false
    from = at + character.length
  }
  return true
}

/** The best of what is offered in the index's order; of equals in that order, the first by code units. */
class Best {
  readonly entries: Array<number> = []
  readonly #index: PathIndex
  readonly #limit: number

  constructor(index: PathIndex, limit: number) {
    this.#index = index
    this.#limit = limit
  }

  get full(): boolean {
    return this.entries.length >= this.#limit
  }

  /** `false`: neither this one nor any that follows can be among the best. */
  offer(entry: number): boolean {
    const { entries } = this
    const { paths } = this.#index
    const last = entries.at(-1)
    if (this.full && (last === undefined || !this.#index.sameRank(last, entry))) return false
    const path = paths[entry]!
    let place = entries.length
    while (place > 0 && this.#index.sameRank(entries[place - 1]!, entry) && paths[entries[place - 1]!]! > path) place--
    if (place >= this.#limit) return true
    entries.splice(place, 0, entry)
    if (entries.length > this.#limit) entries.pop()
    return true
  }
}

/** The best `limit` matches. A capital letter in the text makes case count. */
export const search = (index: PathIndex, { hidden, text }: Search, limit: number): FileCompletion => {
  const cased = composed(text)
  const folded = cased.toLowerCase()
  const needle = cased === folded ? folded : cased
  const texts = cased === folded ? index.folded : index.cased
  const letters = lettersOf(folded)
  const { order } = index
  const possible = (entry: number): boolean =>
    (index.letters[entry]! & letters) === letters && (hidden || !index.isHidden(entry))

  const best = Array.from({ length: classes }, () => new Best(index, limit))
  let found = 0
  for (const entry of order) {
    if (!possible(entry)) continue
    const path = texts[entry]!
    const at = path.indexOf(needle)
    if (at < 0) continue
    found++
    best[classOf(path, needle, at)]!.offer(entry)
  }

  // With enough of the better classes, nobody will see a subsequence; whether there is more is known already.
  if (found <= limit) {
    const subsequences = new Best(index, limit - found)
    const characters = Array.from(needle)
    for (const entry of order) {
      if (!possible(entry)) continue
      const path = texts[entry]!
      if (!isSubsequence(path, characters) || path.includes(needle)) continue
      found++
      if (!subsequences.offer(entry)) break
    }
    best.push(subsequences)
  }
  const entries = best.flatMap(({ entries }) => entries).slice(0, limit)
  return { candidates: entries.map((entry) => index.candidate(entry)), truncated: found > limit }
}

const byCodeUnits = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

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
