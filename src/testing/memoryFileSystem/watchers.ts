/** Who watches which node, and what each is told. Directories are watched by inode, as inotify does, not by name. */
import type * as FileSystem from "effect/FileSystem"
import type { DirectoryNode, Node } from "./node.ts"

export interface Watcher {
  readonly node: Node
  /** How events about the watched node itself call it: the last component of the path it was watched by. */
  readonly name: string
  readonly recursive: boolean
  readonly tell: (event: FileSystem.WatchEvent) => void
}

type Tag = FileSystem.WatchEvent["_tag"]

export class Watchers {
  readonly #watchers = new Set<Watcher>()

  get size(): number {
    return this.#watchers.size
  }

  add(watcher: Watcher): Watcher {
    this.#watchers.add(watcher)
    return watcher
  }

  remove(watcher: Watcher): void {
    this.#watchers.delete(watcher)
  }

  /** Something happened to an entry of a directory. */
  entry(tag: Tag, directory: DirectoryNode, name: string): void {
    for (const watcher of this.#watchers) {
      const path = relativePath(watcher, directory, name)
      if (path !== undefined) watcher.tell({ _tag: tag, path })
    }
  }

  /** Something happened to a node that may itself be watched. */
  self(tag: Tag, node: Node): void {
    for (const watcher of this.#watchers) {
      if (watcher.node === node) watcher.tell({ _tag: tag, path: watcher.name })
    }
  }
}

/** How a watcher calls an entry: relative to its own directory; `undefined` if the entry is not below it. */
const relativePath = (watcher: Watcher, directory: DirectoryNode, name: string): string | undefined => {
  let path = name
  for (let at = directory; at !== watcher.node; at = at.parent) {
    if (!watcher.recursive || at === at.parent) return undefined
    path = `${at.name}/${path}`
  }
  return path
}
