/** The paths of a workspace, laid out for searching: each entry is its name and the entry of its directory. */
import type { FileCandidate } from "../../schemas/FileReference.ts"
import { resized } from "./flatTexts.ts"
import { digitsOf, folded, lettersOf, type NameReader, NameTable } from "./nameTable.ts"
import { isHidden } from "./query.ts"

const directoryFlag = 1
const hiddenFlag = 2

/** No path is as long as this. */
const behindDirectories = 1 << 29

/** What the names of one directory are added below. */
export interface Parent {
  /** As on the disk; `""` for the root, ends in `/`. */
  readonly path: string
  /** The directories of an index are counted as they come; the root is 0. */
  readonly number: number
  readonly letters: number
  readonly digits: number
  readonly hidden: boolean
}

export const rootParent: Parent = { path: "", number: 0, letters: 0, digits: 0, hidden: false }

/** Holds no string and no object for a file: of a large workspace that would be most of what an index weighs. */
export class PathIndex {
  readonly #names = new NameTable()
  /** The paths of directories by their numbers, each with its `/`. */
  #directories = [rootParent.path]
  #size = 0
  #parents = new Int32Array(256)
  #letters = new Int32Array(256)
  #digits = new Uint16Array(256)
  #ranks = new Int32Array(256)
  #flags = new Uint8Array(256)

  get size(): number {
    return this.#size
  }

  /** For each entry the number of its directory, which comes before it. */
  get parents(): Int32Array {
    return this.#parents
  }

  /** The letters of the whole path. */
  get letters(): Int32Array {
    return this.#letters
  }

  /** The digits of the whole path. */
  get digits(): Uint16Array {
    return this.#digits
  }

  /** Directories first, then the shorter paths. */
  get ranks(): Int32Array {
    return this.#ranks
  }

  /** How many directories there are, the root included. */
  get directoryCount(): number {
    return this.#directories.length
  }

  /** Adds an entry, and returns what its own entries are added below. */
  add(parent: Parent, name: string, directory: boolean): Parent {
    const at = this.#size++
    if (at === this.#flags.length) this.#resize(at + (at >> 1))
    const letters = parent.letters | this.#names.add(name)
    const digits = parent.digits | digitsOf(name)
    const hidden = parent.hidden || isHidden(name)
    this.#parents[at] = parent.number
    this.#letters[at] = letters
    this.#digits[at] = digits
    this.#ranks[at] = parent.path.length + name.length + (directory ? 0 : behindDirectories)
    this.#flags[at] = (directory ? directoryFlag : 0) | (hidden ? hiddenFlag : 0)
    if (!directory) return rootParent
    const path = `${parent.path}${name}/`
    return { path, number: this.#directories.push(path) - 1, letters, digits, hidden }
  }

  #resize(room: number): void {
    this.#parents = resized(this.#parents, room)
    this.#letters = resized(this.#letters, room)
    this.#digits = resized(this.#digits, room)
    this.#ranks = resized(this.#ranks, room)
    this.#flags = resized(this.#flags, room)
  }

  /** Gives back the room that nothing has been put into. */
  trim(): void {
    this.#resize(this.#size)
    this.#names.trim()
  }

  /** What the entries of a directory are added below; `undefined`: there is no such directory here. */
  parentOf(directory: string): Parent | undefined {
    if (directory === ".") return rootParent
    const path = `${directory}/`
    const number = this.#directories.indexOf(path)
    if (number < 0) return undefined
    const names = directory.split("/")
    const letters = names.reduce((letters, name) => letters | lettersOf(folded(name)), 0)
    return { path, number, letters, digits: digitsOf(path), hidden: names.some(isHidden) }
  }

  /** Removes a path and everything below it. */
  remove(path: string): void {
    const target = this.#find(path)
    if (target === undefined) return
    const [parents, letters, digits] = [this.#parents, this.#letters, this.#digits]
    const [ranks, flags] = [this.#ranks, this.#flags]
    const directories = [rootParent.path]
    /** The new numbers of directories; -1: it is gone. */
    const numbers = new Int32Array(this.#directories.length)
    const kept = new Uint8Array(this.#size)
    let directory = 0
    let size = 0
    for (let at = 0; at < kept.length; at++) {
      const parent = numbers[parents[at]!]!
      const stays = at !== target && parent >= 0
      if (this.isDirectory(at)) {
        directory++
        numbers[directory] = stays ? directories.push(this.#directories[directory]!) - 1 : -1
      }
      if (!stays) continue
      kept[at] = 1
      parents[size] = parent
      letters[size] = letters[at]!
      digits[size] = digits[at]!
      ranks[size] = ranks[at]!
      flags[size] = flags[at]!
      size++
    }
    this.#names.keep((at) => kept[at] === 1)
    this.#directories = directories
    this.#size = size
  }

  #find(path: string): number | undefined {
    const name = path.lastIndexOf("/") + 1
    const directory = this.#directories.indexOf(path.slice(0, name))
    const isIt = this.#names.finder(path.slice(name))
    for (let at = 0; at < this.#size; at++) {
      if (this.#parents[at] === directory && isIt(at)) return at
    }
    return undefined
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
    return this.#directories[this.#parents[at]!]!
  }

  candidate(at: number): FileCandidate {
    return { path: this.#directoryOf(at) + this.#names.name(at), kind: this.isDirectory(at) ? "directory" : "file" }
  }

  /** The names as they are compared, when case counts and when it does not. */
  reader(cased: boolean): NameReader {
    return this.#names.reader(cased)
  }

  /** Of two entries of the same rank, the directories alone tell which is first. */
  apart(left: number, right: number): boolean {
    const [above, other] = [this.#directoryOf(left), this.#directoryOf(right)]
    return !above.startsWith(other) && !other.startsWith(above)
  }

  /** By rank, then code units. */
  compare(left: number, right: number): number {
    const ranks = this.#ranks[left]! - this.#ranks[right]!
    if (ranks !== 0) return ranks
    const [above, other] = [this.#directoryOf(left), this.#directoryOf(right)]
    if (above === other) return byCodeUnits(this.#names.name(left), this.#names.name(right))
    return this.apart(left, right)
      ? byCodeUnits(above, other)
      : byCodeUnits(above + this.#names.name(left), other + this.#names.name(right))
  }
}

export const byCodeUnits = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
