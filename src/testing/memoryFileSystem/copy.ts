/** Node's recursive `cp`, with the options that Effect's `copy` gives it. */
import { blocked, copyFile, isWithin, makeDirectory } from "./changes.ts"
import { during, raise, unlessFailed } from "./errno.ts"
import type { Caller, DirectoryNode, Node } from "./node.ts"
import { may, READ } from "./node.ts"
import type { Place, Tree } from "./tree.ts"
import { attach, detach, find, makeLink, normalize, parentOf, requireChangeable, walk } from "./tree.ts"

export interface CopyOptions {
  readonly overwrite?: boolean | undefined
  readonly preserveTimestamps?: boolean | undefined
}

export const copy = (
  tree: Tree,
  caller: Caller,
  from: string,
  to: string,
  options: CopyOptions
): void | typeof blocked => {
  const source = during("lstat", () => find(tree, caller, from, "keep")).node
  const existing = during("lstat", () => unlessFailed(() => walk(tree, caller, to, "keep").node, undefined, "ENOENT"))
  const parent = parentOf(to)
  during("cp", () => {
    if (existing === source) raise("ERR_FS_CP_EINVAL")
    requireSameKind(source, existing)
    if (isWithin(nearestDirectory(tree, caller, parent), source)) raise("ERR_FS_CP_EINVAL")
  })
  during("mkdir", () => makeDirectory(tree, caller, parent, { recursive: true }))
  return copyEntry(tree, caller, normalize(from), normalize(to), options)
}

/** A directory can only be copied onto a directory, anything else only onto anything else. */
const requireSameKind = (source: Node, existing: Node | undefined): void => {
  if (existing === undefined || (source.type === "Directory") === (existing.type === "Directory")) return
  raise(source.type === "Directory" ? "ERR_FS_CP_DIR_TO_NON_DIR" : "ERR_FS_CP_NON_DIR_TO_DIR")
}

/** The lowest directory on the way to `path` that is there already. */
const nearestDirectory = (tree: Tree, caller: Caller, path: string): DirectoryNode => {
  const node = unlessFailed(() => walk(tree, caller, path, "follow").node, undefined, "ENOENT")
  if (node === undefined) return nearestDirectory(tree, caller, parentOf(path))
  return node.type === "Directory" ? node : raise("ENOTDIR")
}

const copyEntry = (
  tree: Tree,
  caller: Caller,
  from: string,
  to: string,
  options: CopyOptions
): void | typeof blocked => {
  const { node } = during("lstat", () => find(tree, caller, from, "keep"))
  const target = during("lstat", () => walk(tree, caller, to, "keep"))
  const existing = target.node
  during("cp", () => requireSameKind(node, existing))
  switch (node.type) {
    case "Directory":
      return copyDirectory(tree, caller, node, from, to, options)
    case "SymbolicLink":
      return copyLink(tree, caller, node.target, from, target)
    case "FIFO":
      return during("cp", () => raise("ERR_FS_CP_FIFO_PIPE"))
    case "Socket":
      return during("cp", () => raise("ERR_FS_CP_SOCKET"))
    default: {
      if (existing !== undefined && !options.overwrite) return
      if (existing !== undefined) removeTarget(tree, caller, target)
      const result = during("copyfile", () => copyFile(tree, caller, from, to))
      if (options.preserveTimestamps) keepTimes(find(tree, caller, to).node, node)
      return result
    }
  }
}

const copyDirectory = (
  tree: Tree,
  caller: Caller,
  node: DirectoryNode,
  from: string,
  to: string,
  options: CopyOptions
): void | typeof blocked => {
  if (!may(caller, node, READ)) during("opendir", () => raise("EACCES"))
  const isNew = walk(tree, caller, to, "keep").node === undefined
  if (isNew) during("mkdir", () => makeDirectory(tree, caller, to))
  for (const name of node.entries.keys()) {
    if (copyEntry(tree, caller, normalize(`${from}/${name}`), normalize(`${to}/${name}`), options) === blocked) {
      return blocked
    }
  }
  if (isNew) find(tree, caller, to).node.permissions = node.permissions
}

/** A link is copied as a link; a relative target is made absolute, so that the copy still points at the same place. */
const copyLink = (tree: Tree, caller: Caller, target: string, from: string, place: Place): void => {
  if (place.node !== undefined) {
    if (place.node.type !== "SymbolicLink") during("symlink", () => raise("EEXIST"))
    removeTarget(tree, caller, place)
  }
  during("symlink", () => requireChangeable(caller, place.directory))
  const absolute = target.startsWith("/") ? target : normalize(`${parentOf(from)}/${target}`)
  attach(tree, caller, place.directory, place.name, makeLink(tree, caller, absolute))
}

const removeTarget = (tree: Tree, caller: Caller, place: Place): void => {
  during("unlink", () => requireChangeable(caller, place.directory))
  if (place.node !== undefined) detach(tree, caller, { ...place, node: place.node })
}

const keepTimes = (copied: Node, original: Node): void => {
  copied.atime = original.atime
  copied.mtime = original.mtime
}
