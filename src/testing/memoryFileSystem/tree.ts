/** The inode tree: making nodes, hanging them into directories, and walking a path through it as a kernel does. */
import { raise } from "./errno.ts"
import type { Caller, DirectoryNode, FileNode, LinkNode, Node, SpecialNode, SpecialType } from "./node.ts"
import { EXECUTE, may, utf8, WRITE } from "./node.ts"
import type { Watchers } from "./watchers.ts"

export interface Tree {
  readonly root: DirectoryNode
  readonly watchers: Watchers
  nextIno: number
}

/** Where a walk ended. `node` is absent when only the last name is missing; `slash`: the path asked for a directory. */
export interface Place {
  readonly directory: DirectoryNode
  readonly name: string
  readonly node: Node | undefined
  readonly slash: boolean
}
export type Found = Place & { readonly node: Node }

// == paths

/** The absolute path that `path` spells, by its text alone: links are not looked at. Relative paths start at the root. */
export const normalize = (path: string): string => {
  const parts: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return `/${parts.join("/")}`
}

export const parentOf = (path: string): string => normalize(`${path}/..`)

export const join = (directory: string, name: string): string =>
  directory.endsWith("/") ? directory + name : `${directory}/${name}`

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

export const isDot = (name: string): boolean => name === "." || name === ".."

// == nodes

export const makeTree = (now: number, watchers: Watchers): Tree => {
  const root = { ...inode(1, 0o755, now), links: 1, type: "Directory", entries: new Map(), name: "/" } as const
  return { root: Object.assign(root, { parent: root as unknown as DirectoryNode }), watchers, nextIno: 2 }
}

const inode = (ino: number, permissions: number, now: number) => ({
  ino,
  permissions,
  links: 0,
  atime: now,
  mtime: now,
  birthtime: now,
  claimedSize: undefined as number | undefined,
  keptSize: undefined as number | undefined
})

export const makeFile = (tree: Tree, caller: Caller, permissions: number, data = new Uint8Array()): FileNode => ({
  ...inode(tree.nextIno++, permissions, caller.now),
  type: "File",
  data
})

export const makeDirectoryNode = (tree: Tree, caller: Caller, permissions: number): DirectoryNode => ({
  ...inode(tree.nextIno++, permissions, caller.now),
  type: "Directory",
  entries: new Map(),
  parent: tree.root,
  name: ""
})

export const makeLink = (tree: Tree, caller: Caller, target: string): LinkNode => ({
  ...inode(tree.nextIno++, 0o777, caller.now),
  type: "SymbolicLink",
  target
})

export const makeSpecial = (tree: Tree, caller: Caller, type: SpecialType): SpecialNode => ({
  ...inode(tree.nextIno++, 0o644, caller.now),
  type
})

// == entries

/** Hangs `node` under a free name of `directory`. */
export const attach = (tree: Tree, caller: Caller, directory: DirectoryNode, name: string, node: Node): void => {
  insert(caller, directory, name, node)
  tree.watchers.entry("Create", directory, name)
}

/** Takes an entry out of its directory; open handles keep the inode. */
export const detach = (tree: Tree, caller: Caller, place: Found): void => {
  take(caller, place)
  tree.watchers.entry("Remove", place.directory, place.name)
  tree.watchers.self("Remove", place.node)
}

/** Moves an entry, over whatever has the new name. */
export const move = (tree: Tree, caller: Caller, from: Found, to: Place): void => {
  if (to.node !== undefined) {
    take(caller, { ...to, node: to.node })
    tree.watchers.self("Remove", to.node)
  }
  take(caller, from)
  tree.watchers.entry("Remove", from.directory, from.name)
  tree.watchers.self("Remove", from.node)
  attach(tree, caller, to.directory, to.name, from.node)
}

/** Tells watchers that the node at `place` changed, in content or in attributes. */
export const changed = (tree: Tree, place: Found): void => {
  const { node } = place
  // A directory has one name only, and a path may have reached it as "." or "..".
  const { directory, name } = node.type === "Directory" ? { directory: node.parent, name: node.name } : place
  if (directory.entries.get(name) === node) tree.watchers.entry("Update", directory, name)
  tree.watchers.self("Update", node)
}

/** Gives a file other content, as a write does. */
export const setData = (tree: Tree, caller: Caller, place: Place & { readonly node: FileNode }, data: Uint8Array) => {
  place.node.data = data
  place.node.mtime = caller.now
  place.node.keptSize = undefined
  changed(tree, place)
}

/** Entries may be made, removed and renamed in a directory that is writable and searchable. */
export const requireChangeable = (caller: Caller, directory: DirectoryNode): void => {
  if (!may(caller, directory, WRITE | EXECUTE)) raise("EACCES")
}

const insert = (caller: Caller, directory: DirectoryNode, name: string, node: Node) => {
  directory.entries.set(name, node)
  directory.mtime = caller.now
  node.links++
  if (node.type === "Directory") {
    node.parent = directory
    node.name = name
  }
}

const take = (caller: Caller, { directory, name, node }: Found) => {
  directory.entries.delete(name)
  directory.mtime = caller.now
  node.links--
}

// == walking

/**
 * What to do with a symbolic link that is the last component: `follow` it; follow it to a file that may have to be made
 * (`create`); `keep` it, as `lstat` does, unless a trailing slash asks for the directory behind it; or take it as an
 * `entry` to make or remove, where even a slash does not follow. `create` and `entry` leave the slash to the caller.
 */
export type Last = "follow" | "create" | "keep" | "entry"

const maxLinks = 40
const maxName = 255
const maxPath = 4095

/**
 * Resolves a path component by component. `..` is the parent of the directory actually reached, not of its spelling; a
 * component below anything but a searchable directory fails, and so does the 41st link.
 */
export const walk = (tree: Tree, caller: Caller, path: string, last: Last): Place => {
  if (path === "") raise("ENOENT")
  if (tooLong(path, maxPath)) raise("ENAMETOOLONG")
  const pending = components(path)
  let slash = path.endsWith("/")
  let directory = tree.root
  let name = "."
  let node: Node = tree.root
  let followed = 0
  const follows = last === "follow" || last === "create"
  while (pending.length > 0) {
    const component = pending.pop()!
    if (node.type !== "Directory") return raise("ENOTDIR")
    if (!may(caller, node, EXECUTE)) raise("EACCES")
    if (tooLong(component, maxName)) raise("ENAMETOOLONG")
    if (isDot(component)) {
      node = component === "." ? node : node.parent
      directory = node
      name = component
      continue
    }
    const child: Node | undefined = node.entries.get(component)
    directory = node
    name = component
    if (child === undefined) return pending.length === 0 ? { directory, name, node: child, slash } : raise("ENOENT")
    const isLast = pending.length === 0
    if (child.type === "SymbolicLink" && (!isLast || follows || (last === "keep" && slash))) {
      if (++followed > maxLinks) raise("ELOOP")
      slash ||= isLast && child.target.endsWith("/")
      if (child.target.startsWith("/")) {
        directory = node = tree.root
        name = "."
      }
      pending.push(...components(child.target))
      continue
    }
    node = child
  }
  if (slash && (last === "follow" || last === "keep") && node.type !== "Directory") raise("ENOTDIR")
  return { directory, name, node, slash }
}

/** A walk that must arrive at something. */
export const find = (tree: Tree, caller: Caller, path: string, last: Last = "follow"): Found => {
  const place = walk(tree, caller, path, last)
  return place.node === undefined ? raise("ENOENT") : { ...place, node: place.node }
}

/** The components of a path, last one first. */
const components = (path: string): Array<string> =>
  path
    .split("/")
    .filter((part) => part !== "")
    .reverse()

/** A limit counts bytes, and no character takes more than three a unit: most names need no encoding to be let through. */
const tooLong = (text: string, limit: number): boolean => text.length * 3 > limit && utf8(text).length > limit
