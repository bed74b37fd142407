/**
 * An index that grows directory by directory, breadth first (F-4). It asks no disk: whoever walks takes directories from it,
 * lists them in any order and side by side, and hands back what they hold. What comes out does not depend on that order.
 */
import { entering, extend, type IgnoreTexts, isIgnored, type Rules } from "../../pipeline/files/ignore.ts"
import { type Parent, PathIndex, rootParent } from "../../pipeline/files/pathIndex.ts"
import type { FileReferencesSettings } from "../../schemas/FileReference.ts"

/** What a name in a directory stands for. Links count as files, and everything that is neither is left out. */
export type EntryKind = "file" | "directory" | "other"

/** A directory's entries, in any order, and the texts of its ignore files. */
export interface Listed {
  readonly names: ReadonlyArray<string>
  readonly kinds: ReadonlyArray<EntryKind>
  readonly texts: IgnoreTexts
}

/** A directory to be listed. */
export interface Pending {
  /** Its place in the breadth-first order. */
  readonly order: number
  /** Its real, absolute path. */
  readonly absolute: string
  readonly parent: Parent
  readonly rules: Rules
}

export const joiner = (root: string): ((directory: string, name: string) => string) => {
  const separator = root.startsWith("/") ? "/" : "\\"
  return (directory, name) => (directory.endsWith(separator) ? directory + name : directory + separator + name)
}

export class Growth {
  readonly index = new PathIndex()
  readonly #settings: FileReferencesSettings
  readonly #excluded: ReadonlySet<string>
  readonly #join: (directory: string, name: string) => string
  readonly #queue: Array<Pending | undefined>
  readonly #arrived = new Map<number, Listed | undefined>()
  #taken = 0
  #settled = 0
  #full = false

  /** `root`: the real path of the workspace. `rules`: those that count in it from above. */
  constructor(root: string, rules: Rules, settings: FileReferencesSettings) {
    this.#settings = settings
    this.#excluded = new Set(settings.excludedNames)
    this.#join = joiner(root)
    this.#queue = [{ order: 0, absolute: root, parent: rootParent, rules }]
  }

  /** The next directory to list, if one is known. */
  next(): Pending | undefined {
    return this.#full ? undefined : (this.#queue[this.#taken++] ?? this.#nothingYet())
  }

  #nothingYet(): undefined {
    this.#taken = this.#queue.length
    return undefined
  }

  /** Every directory has been handed back, or there is no more room. */
  get done(): boolean {
    return this.#full || this.#settled === this.#queue.length
  }

  /** `maxEntries` has been reached. */
  get truncated(): boolean {
    return this.#full
  }

  /** Hands back a directory; without a listing it could not be listed, or is not what it was. */
  settle({ order }: Pending, listed: Listed | undefined): void {
    this.#arrived.set(order, listed)
    while (!this.#full && this.#arrived.has(this.#settled)) {
      const ready = this.#arrived.get(this.#settled)
      this.#arrived.delete(this.#settled)
      const pending = this.#queue[this.#settled]!
      this.#queue[this.#settled] = undefined
      this.#settled++
      if (ready !== undefined) this.#take(pending, ready)
    }
  }

  #take({ absolute, parent, rules: inherited }: Pending, { kinds, names, texts }: Listed): void {
    const rules = extend(inherited, texts, parent.path)
    const plain = rules.ignore.length === 0 && rules.gitignore.length === 0
    const directories: Array<string> = []
    const files: Array<string> = []
    for (let at = 0; at < names.length; at++) {
      const kind = kinds[at]!
      const name = names[at]!
      if (kind === "other" || this.#excluded.has(name)) continue
      if (!plain && isIgnored(rules, parent.path + name, name, kind === "directory")) continue
      if (kind === "directory") directories.push(name)
      else files.push(name)
    }
    // Which entries there is room for must not depend on how the disk orders them; how files are ordered matters only then.
    const room = this.#settings.maxEntries - this.index.size
    if (directories.length > 1) directories.sort()
    const tight = directories.length + files.length >= room
    if (tight) files.sort()
    const isDirectory = new Set(tight ? directories : [])
    for (const name of tight ? merged(directories, files).slice(0, room) : directories) {
      if (tight && !isDirectory.has(name)) {
        this.index.add(parent, name, false)
        continue
      }
      const below = this.index.add(parent, name, true)
      this.#queue.push({
        order: this.#queue.length,
        absolute: this.#join(absolute, name),
        parent: below,
        rules: plain ? rules : entering(rules, parent.path + name, name)
      })
    }
    if (!tight) for (const name of files) this.index.add(parent, name, false)
    if (this.index.size >= this.#settings.maxEntries) this.#full = true
  }
}

/** A name occurs once in its directory, so it is in one of the two. */
const merged = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...left, ...right].sort()
