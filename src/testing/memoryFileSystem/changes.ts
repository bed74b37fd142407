/** System calls that change the tree: each answers or throws an `Errno`, with Linux's order of checks. */
import type * as FileSystem from "effect/FileSystem"
import { during, raise, unlessFailed } from "./errno.ts"
import type { Caller, DirectoryNode, FileNode, Node } from "./node.ts"
import { gid, masked, may, READ, uid, WRITE } from "./node.ts"
import type { Found, Place, Tree } from "./tree.ts"
import {
  attach,
  changed,
  detach,
  find,
  isDot,
  makeDirectoryNode,
  makeFile,
  makeLink,
  move,
  requireChangeable,
  setData,
  walk
} from "./tree.ts"

// == opening

export interface OpenFlags {
  readonly read: boolean
  readonly write: boolean
  readonly append: boolean
  readonly create: boolean
  readonly exclusive: boolean
  readonly truncate: boolean
}

export const openFlags = (flag: FileSystem.OpenFlag): OpenFlags => ({
  read: flag.startsWith("r") || flag.endsWith("+"),
  write: flag !== "r",
  append: flag.startsWith("a"),
  create: !flag.startsWith("r"),
  exclusive: flag.includes("x"),
  truncate: flag.startsWith("w")
})

/** What opening a FIFO comes to: nobody will ever open its other end. */
export const blocked: unique symbol = Symbol("blocked")

export type Opened = Place & { readonly node: FileNode | DirectoryNode }

export const open = (
  tree: Tree,
  caller: Caller,
  path: string,
  flags: OpenFlags,
  options?: { readonly mode?: number | undefined; readonly noFollow?: boolean | undefined }
): Opened | typeof blocked => {
  const isEntry = flags.exclusive || (flags.create && path.endsWith("/"))
  const following = options?.noFollow ? "keep" : flags.create ? "create" : "follow"
  const place = walk(tree, caller, path, isEntry ? "entry" : following)
  if (flags.create && place.slash) raise("EISDIR")
  if (place.node === undefined) {
    if (!flags.create) raise("ENOENT")
    requireChangeable(caller, place.directory)
    const node = makeFile(tree, caller, masked(options?.mode ?? 0o666))
    attach(tree, caller, place.directory, place.name, node)
    return { ...place, node }
  }
  if (flags.exclusive) raise("EEXIST")
  const { node } = place
  if (node.type === "SymbolicLink") return raise("ELOOP")
  if (node.type === "Directory" && flags.write) raise("EISDIR")
  if (!may(caller, node, (flags.read ? READ : 0) | (flags.write ? WRITE : 0))) raise("EACCES")
  if (node.type === "FIFO") return blocked
  if (node.type !== "File" && node.type !== "Directory") return raise("ENXIO")
  if (flags.truncate && node.type === "File") setData(tree, caller, { ...place, node }, new Uint8Array())
  return { ...place, node }
}

// == making entries

export const makeDirectory = (
  tree: Tree,
  caller: Caller,
  path: string,
  options?: { readonly recursive?: boolean | undefined; readonly mode?: number | undefined }
): void => {
  const permissions = masked(options?.mode ?? 0o777)
  if (options?.recursive) return makeDirectories(tree, caller, path, permissions)
  attachNew(tree, caller, path, (place) => [place, makeDirectoryNode(tree, caller, permissions)])
}

/** Each missing directory on the way. The codes for what stands in the way are Node's, which are not all `mkdir -p`'s. */
const makeDirectories = (tree: Tree, caller: Caller, path: string, permissions: number): void => {
  // Only a missing parent lets it look further up.
  unlessFailed(() => walk(tree, caller, path, "entry"), undefined, "ENOENT")
  const ends = [...path.matchAll(/[^/]+/g)].map((part) => part.index + part[0].length)
  if (ends.length === 0) find(tree, caller, path)
  for (const end of ends) {
    const prefix = path.slice(0, end)
    const isLast = end === ends.at(-1)
    const { directory, name, node } = walk(tree, caller, prefix, "follow")
    if (node?.type === "Directory") continue
    if (node !== undefined) raise(isLast && !path.endsWith("/") ? "EEXIST" : "ENOTDIR")
    if (walk(tree, caller, prefix, "entry").node !== undefined) raise(isLast ? "ENOENT" : "ENOTDIR")
    requireChangeable(caller, directory)
    attach(tree, caller, directory, name, makeDirectoryNode(tree, caller, permissions))
  }
}

export const symlink = (tree: Tree, caller: Caller, target: string, path: string): void => {
  if (target === "") raise("ENOENT")
  attachNew(tree, caller, path, (place) => [slashless(place), makeLink(tree, caller, target)])
}

/** A hard link. Like Linux, it does not follow a symbolic link, but names that link once more. */
export const link = (tree: Tree, caller: Caller, existing: string, path: string): void => {
  const { node } = find(tree, caller, existing, "keep")
  attachNew(tree, caller, path, (place) => [slashless(place), node.type === "Directory" ? raise("EPERM") : node])
}

const attachNew = (tree: Tree, caller: Caller, path: string, make: (place: Place) => readonly [Place, Node]): void => {
  const place = walk(tree, caller, path, "entry")
  if (place.node !== undefined) raise("EEXIST")
  requireChangeable(caller, place.directory)
  const [{ directory, name }, node] = make(place)
  attach(tree, caller, directory, name, node)
}

/** A trailing slash names a directory, which only `mkdir` makes. */
const slashless = (place: Place): Place => (place.slash ? raise("ENOENT") : place)

export const makeTempDirectory = (tree: Tree, caller: Caller, prefix: string): string => {
  // Counted, not random: a test that prints or compares the name sees the same one each time.
  let path: string
  for (let n = tree.nextIno; ; n++) {
    path = prefix + n.toString(36).padStart(6, "0")
    if (walk(tree, caller, path, "entry").node === undefined) break
  }
  attachNew(tree, caller, path, (place) => [place, makeDirectoryNode(tree, caller, 0o700)])
  return path
}

// == moving and removing entries

export const rename = (tree: Tree, caller: Caller, oldPath: string, newPath: string): void => {
  const from = walk(tree, caller, oldPath, "entry")
  const to = walk(tree, caller, newPath, "entry")
  if (isDot(from.name) || isDot(to.name)) raise("EBUSY")
  const { node } = from
  if (node === undefined) return raise("ENOENT")
  if (node.type !== "Directory" && (from.slash || to.slash)) raise("ENOTDIR")
  if (isWithin(to.directory, node)) raise("EINVAL")
  if (to.node !== undefined && isWithin(from.directory, to.node)) raise("ENOTEMPTY")
  requireChangeable(caller, from.directory)
  requireChangeable(caller, to.directory)
  if (to.node === node) return
  if (to.node !== undefined) {
    if (node.type === "Directory" && to.node.type !== "Directory") raise("ENOTDIR")
    if (node.type !== "Directory" && to.node.type === "Directory") raise("EISDIR")
    if (to.node.type === "Directory" && to.node.entries.size > 0) raise("ENOTEMPTY")
  }
  move(tree, caller, { ...from, node }, to)
}

/** Whether `directory` is `ancestor` or below it. */
export const isWithin = (directory: DirectoryNode, ancestor: Node): boolean => {
  for (let at = directory; ; at = at.parent) {
    if (at === ancestor) return true
    if (at === at.parent) return false
  }
}

export const remove = (
  tree: Tree,
  caller: Caller,
  path: string,
  options?: { readonly recursive?: boolean | undefined; readonly force?: boolean | undefined }
): void => {
  const find = () => during("lstat", () => walk(tree, caller, path, "entry"))
  const place = options?.force ? unlessFailed(find, undefined, "ENOENT") : find()
  const node = place?.node
  if (place === undefined || node === undefined)
    return options?.force ? undefined : during("lstat", () => raise("ENOENT"))
  if (place.slash && node.type !== "Directory") during("lstat", () => raise("ENOTDIR"))
  if (node.type === "Directory" && !options?.recursive) during("rm", () => raise("ERR_FS_EISDIR"))
  removeEntry(tree, caller, { ...place, node })
}

/** Children first, as far as permissions go: what was removed before a failure stays removed. */
const removeEntry = (tree: Tree, caller: Caller, place: Found): void => {
  const { directory, name, node } = place
  if (node.type === "Directory") {
    if (node.entries.size > 0 && !may(caller, node, READ)) during("scandir", () => raise("EACCES"))
    for (const [childName, child] of [...node.entries].reverse()) {
      removeEntry(tree, caller, { directory: node, name: childName, node: child, slash: false })
    }
  }
  during(node.type === "Directory" ? "rmdir" : "unlink", () => {
    if (name === "..") raise("ENOTEMPTY")
    if (name === ".") raise(node === tree.root ? "EBUSY" : "EINVAL")
    requireChangeable(caller, directory)
  })
  detach(tree, caller, place)
}

// == attributes and content

export const chmod = (tree: Tree, caller: Caller, path: string, mode: number): void => {
  const place = find(tree, caller, path)
  place.node.permissions = mode & 0o777
  changed(tree, place)
}

/** Only the superuser gives files away. */
export const chown = (tree: Tree, caller: Caller, path: string, user: number, group: number): void => {
  find(tree, caller, path)
  if ((user !== -1 && user !== uid) || (group !== -1 && group !== gid)) raise("EPERM")
}

/** Times in epoch milliseconds. */
export const utimes = (tree: Tree, caller: Caller, path: string, atime: number, mtime: number): void => {
  const place = find(tree, caller, path)
  place.node.atime = atime
  place.node.mtime = mtime
  changed(tree, place)
}

export const truncate = (tree: Tree, caller: Caller, path: string, length: number): void | typeof blocked => {
  const opened = during("open", () => open(tree, caller, path, openFlags("r+")))
  if (opened === blocked) return blocked
  const { node } = opened
  if (node.type === "File") setData(tree, caller, { ...opened, node }, resized(node.data, length))
}

/** The first `length` bytes, or all of them and zeros. */
export const resized = (data: Uint8Array, length: number): Uint8Array => {
  const result = new Uint8Array(Math.max(0, length))
  result.set(data.subarray(0, result.length))
  return result
}

export const copyFile = (tree: Tree, caller: Caller, from: string, to: string): void | typeof blocked => {
  const source = open(tree, caller, from, openFlags("r"))
  if (source === blocked) return blocked
  const target = open(tree, caller, to, { ...openFlags("w"), truncate: false })
  if (target === blocked) return blocked
  if (target.node === source.node || target.node.type !== "File") return
  target.node.permissions = source.node.permissions
  if (source.node.type === "File") return setData(tree, caller, { ...target, node: target.node }, source.node.data)
  // Only reading tells libuv that the source is a directory, and then it cleans up: whatever has the new name is gone.
  setData(tree, caller, { ...target, node: target.node }, new Uint8Array())
  detach(tree, caller, find(tree, caller, to, "entry"))
  raise("EISDIR")
}
