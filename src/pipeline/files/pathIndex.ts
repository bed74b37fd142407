/**
 * The paths of a workspace, laid out for searching: parallel arrays, and an order in which the first matches are the best.
 */
import type { FileCandidate } from "../../schemas/FileReference.ts"
import { isHidden } from "./query.ts"

const directoryFlag = 1
const hiddenFlag = 2

// oxlint-disable-next-line no-control-regex
const plainText = /^[\u0000-\u007f]*$/

/** `name` as it is compared: composed (NFC). */
export const composed = (text: string): string => (plainText.test(text) ? text : text.normalize("NFC"))

const bitOf = Int32Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return 1 << (code - 97)
  if (code >= 48 && code <= 57) return 1 << 26
  if (code === 46) return 1 << 27
  return code === 45 || code === 95 ? 1 << 28 : 1 << 29
})

/** Which letters a folded text has: a text can only hold another one that has no letter more. */
export const lettersOf = (folded: string): number => {
  let letters = 0
  for (let at = 0; at < folded.length; at++) {
    const code = folded.charCodeAt(at)
    letters |= code < 128 ? bitOf[code]! : 1 << 29
  }
  return letters
}

/** The names of one directory are added below this. */
export interface Parent {
  /** `""` for the root; ends in `/`. As on the disk, composed, and folded to lower case. */
  readonly path: string
  readonly cased: string
  readonly folded: string
  readonly letters: number
  readonly hidden: boolean
}

export const rootParent: Parent = { path: "", cased: "", folded: "", letters: 0, hidden: false }

export class PathIndex {
  /** As on the disk, root-relative. */
  readonly paths: Array<string> = []
  /** Composed, as they are compared when case counts, and folded, when it does not; mostly the very same strings. */
  readonly cased: Array<string> = []
  readonly folded: Array<string> = []
  readonly letters: Array<number> = []
  readonly #flags: Array<number> = []
  #order: Int32Array | undefined

  get size(): number {
    return this.paths.length
  }

  /** Adds an entry, and returns what its own entries are added below. */
  add(parent: Parent, name: string, directory: boolean): Parent {
    const casedName = composed(name)
    const foldedName = casedName.toLowerCase()
    const path = parent.path + name
    const cased = parent.cased === parent.path && casedName === name ? path : parent.cased + casedName
    const folded = parent.folded === parent.cased && foldedName === casedName ? cased : parent.folded + foldedName
    const letters = parent.letters | lettersOf(foldedName)
    const hidden = parent.hidden || isHidden(name)
    this.paths.push(path)
    this.cased.push(cased)
    this.folded.push(folded)
    this.letters.push(letters)
    this.#flags.push((directory ? directoryFlag : 0) | (hidden ? hiddenFlag : 0))
    this.#order = undefined
    return directory ? inside({ path, cased, folded, letters, hidden }) : rootParent
  }

  /** Removes a path and everything below it. */
  remove(path: string): void {
    const below = `${path}/`
    let kept = 0
    for (let at = 0; at < this.paths.length; at++) {
      const other = this.paths[at]!
      if (other === path || other.startsWith(below)) continue
      for (const column of [this.paths, this.cased, this.folded, this.letters, this.#flags] as Array<Array<unknown>>) {
        column[kept] = column[at]
      }
      kept++
    }
    for (const column of [this.paths, this.cased, this.folded, this.letters, this.#flags]) column.length = kept
    this.#order = undefined
  }

  /** The kind of an entry; `undefined`: it is not here. */
  kindOf(path: string): FileCandidate["kind"] | undefined {
    const at = this.paths.indexOf(path)
    return at < 0 ? undefined : this.candidate(at).kind
  }

  isHidden(at: number): boolean {
    return (this.#flags[at]! & hiddenFlag) !== 0
  }

  candidate(at: number): FileCandidate {
    return { path: this.paths[at]!, kind: this.isDirectory(at) ? "directory" : "file" }
  }

  isDirectory(at: number): boolean {
    return (this.#flags[at]! & directoryFlag) !== 0
  }

  /** Whether two entries differ in nothing but their spelling, as far as the order goes. */
  sameRank(left: number, right: number): boolean {
    return this.isDirectory(left) === this.isDirectory(right) && this.paths[left]!.length === this.paths[right]!.length
  }

  /** All entries, directories first, then the shorter paths: a counting sort, since lengths are small numbers. */
  get order(): Int32Array {
    if (this.#order !== undefined) return this.#order
    const size = this.paths.length
    let longest = 0
    for (const path of this.paths) if (path.length > longest) longest = path.length
    const starts = new Int32Array(2 * (longest + 1) + 1)
    const slot = (at: number): number => (this.isDirectory(at) ? 0 : longest + 1) + this.paths[at]!.length
    for (let at = 0; at < size; at++) starts[slot(at) + 1]!++
    for (let at = 1; at < starts.length; at++) starts[at]! += starts[at - 1]!
    const order = new Int32Array(size)
    for (let at = 0; at < size; at++) order[starts[slot(at)]!++] = at
    this.#order = order
    return order
  }
}

const inside = (parent: Parent): Parent => {
  const path = `${parent.path}/`
  const cased = parent.cased === parent.path ? path : `${parent.cased}/`
  const folded = parent.folded === parent.cased ? cased : `${parent.folded}/`
  return { ...parent, path, cased, folded }
}
