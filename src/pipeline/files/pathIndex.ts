/** The paths of a workspace, laid out for searching: each entry is its name and the entry of its directory. */
import type { FileCandidate } from "../../schemas/FileReference.ts"
import { lettersOf, NameTable } from "./nameTable.ts"
import { isHidden } from "./query.ts"

const directoryFlag = 1
const hiddenFlag = 2

/** No path is as long as this. */
const behindDirectories = 1 << 29

/** What the names of one directory are added below. */
export interface Parent {
  /** As on the disk; `""` for the root, ends in `/`. */
  readonly path: string
  /** The directory's own entry; the root has none. */
  readonly at: number
  readonly letters: number
  readonly hidden: boolean
}

export const rootParent: Parent = { path: "", at: -1, letters: 0, hidden: false }

export class PathIndex {
  /** As on the disk. A directory comes before what lies in it. */
  readonly #names: Array<string> = []
  /** For each entry the entry of its directory, -1 in the root. */
  readonly parents: Array<number> = []
  /** The letters of the whole path. */
  readonly letters: Array<number> = []
  /** Directories first, then the shorter paths. */
  readonly ranks: Array<number> = []
  readonly #flags: Array<number> = []
  /** Paths of directories, each with its `/`; of nothing else. */
  readonly #directories: Array<string> = []
  #folded = new NameTable(true)
  #cased: NameTable | undefined

  get size(): number {
    return this.#names.length
  }

  /** Adds an entry, and returns what its own entries are added below. */
  add(parent: Parent, name: string, directory: boolean): Parent {
    const at = this.#names.length
    const letters = parent.letters | lettersOf(name)
    const hidden = parent.hidden || isHidden(name)
    this.#names.push(name)
    this.parents.push(parent.at)
    this.letters.push(letters)
    this.ranks.push(parent.path.length + name.length + (directory ? 0 : behindDirectories))
    this.#flags.push((directory ? directoryFlag : 0) | (hidden ? hiddenFlag : 0))
    const path = directory ? `${parent.path}${name}/` : ""
    this.#directories.push(path)
    if (!directory) return rootParent
    return { path, at, letters, hidden }
  }

  /** What the entries of a directory are added below; `undefined`: there is no such directory here. */
  parentOf(directory: string): Parent | undefined {
    if (directory === ".") return rootParent
    const at = this.#find(directory)
    return at === undefined || !this.isDirectory(at)
      ? undefined
      : { path: `${directory}/`, at, letters: this.letters[at]!, hidden: this.isHidden(at) }
  }

  /** Removes a path and everything below it. */
  remove(path: string): void {
    const target = this.#find(path)
    if (target === undefined) return
    const columns: ReadonlyArray<Array<unknown>> = [
      this.#names,
      this.letters,
      this.ranks,
      this.#flags,
      this.#directories
    ]
    const moved = new Int32Array(this.size)
    let kept = 0
    for (let at = 0; at < moved.length; at++) {
      const parent = this.parents[at]!
      const gone = at === target || (parent >= 0 && moved[parent]! < 0)
      moved[at] = gone ? -1 : kept
      if (gone) continue
      for (const column of columns) column[kept] = column[at]
      this.parents[kept] = parent < 0 ? parent : moved[parent]!
      kept++
    }
    for (const column of [...columns, this.parents]) column.length = kept
    this.#folded = new NameTable(true)
    this.#cased = undefined
  }

  #find(path: string): number | undefined {
    let parent = -1
    for (const name of path.split("/")) {
      let at = parent + 1
      while (at < this.size && (this.parents[at] !== parent || this.#names[at] !== name)) at++
      if (at >= this.size) return undefined
      parent = at
    }
    return parent
  }

  /** The kind of an entry; `undefined`: it is not here. */
  kindOf(path: string): FileCandidate["kind"] | undefined {
    const at = this.#find(path)
    return at === undefined ? undefined : this.candidate(at).kind
  }

  isHidden(at: number): boolean {
    return (this.#flags[at]! & hiddenFlag) !== 0
  }

  isDirectory(at: number): boolean {
    return (this.#flags[at]! & directoryFlag) !== 0
  }

  #directoryOf(at: number): string {
    const parent = this.parents[at]!
    return parent < 0 ? "" : this.#directories[parent]!
  }

  candidate(at: number): FileCandidate {
    return { path: this.#directoryOf(at) + this.#names[at]!, kind: this.isDirectory(at) ? "directory" : "file" }
  }

  /** The names as they are compared, when case counts and when it does not. */
  table(cased: boolean): NameTable {
    if (!cased) return this.#folded.follow(this.#names)
    this.#cased ??= new NameTable(false)
    return this.#cased.follow(this.#names)
  }

  /** Of two entries of the same rank, the directories alone tell which is first. */
  apart(left: number, right: number): boolean {
    const [above, other] = [this.#directoryOf(left), this.#directoryOf(right)]
    return !above.startsWith(other) && !other.startsWith(above)
  }

  /** By rank, then code units. */
  compare(left: number, right: number): number {
    const ranks = this.ranks[left]! - this.ranks[right]!
    if (ranks !== 0) return ranks
    if (this.parents[left] === this.parents[right]) return byCodeUnits(this.#names[left]!, this.#names[right]!)
    const [above, other] = [this.#directoryOf(left), this.#directoryOf(right)]
    return this.apart(left, right)
      ? byCodeUnits(above, other)
      : byCodeUnits(above + this.#names[left]!, other + this.#names[right]!)
  }
}

export const byCodeUnits = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
