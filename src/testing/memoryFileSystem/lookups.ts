/** System calls that only look: each answers or throws an `Errno`, and changes nothing. */
import type * as FileSystem from "effect/FileSystem"
import { during, raise, unlessFailed } from "./errno.ts"
import type { Caller, Node } from "./node.ts"
import { info, may, READ, WRITE } from "./node.ts"
import type { Tree } from "./tree.ts"
import { find, join, normalize } from "./tree.ts"

export const stat = (tree: Tree, caller: Caller, path: string): FileSystem.File.Info =>
  info(find(tree, caller, path).node)

export const lstat = (tree: Tree, caller: Caller, path: string): FileSystem.File.Info =>
  info(find(tree, caller, path, "keep").node)

export const access = (
  tree: Tree,
  caller: Caller,
  path: string,
  wanted: { readonly readable?: boolean | undefined; readonly writable?: boolean | undefined } | undefined
): void => {
  const { node } = find(tree, caller, path)
  if (!may(caller, node, (wanted?.readable ? READ : 0) | (wanted?.writable ? WRITE : 0))) raise("EACCES")
}

export const readLink = (tree: Tree, caller: Caller, path: string): string => {
  const { node } = find(tree, caller, path, "keep")
  return node.type === "SymbolicLink" ? node.target : raise("EINVAL")
}

/**
 * Node resolves links itself, in JavaScript: it tidies the path by its text first (so a trailing slash is dropped and `..`
 * goes up in the spelling), then asks for one prefix after the other. Its results and error codes differ from the
 * kernel's in exactly these corners, hence the same algorithm here.
 */
export const realPath = (tree: Tree, caller: Caller, path: string): string => {
  let resolved = "/"
  let pending = names(path)
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const prefix = join(resolved, name)
    const { node } = during("lstat", () => find(tree, caller, prefix, "keep"))
    if (node.type !== "SymbolicLink") {
      resolved = prefix
      continue
    }
    during("stat", () => find(tree, caller, prefix))
    pending = [...pending, ...names(node.target.startsWith("/") ? node.target : join(resolved, node.target))]
    resolved = "/"
  }
  return resolved
}

/** Names and nodes of a directory, newest entry first: never sorted, so that code which relies on an order is found out. */
export const entries = (tree: Tree, caller: Caller, path: string): Array<readonly [name: string, node: Node]> => {
  const { node } = find(tree, caller, path)
  if (node.type !== "Directory") return raise("ENOTDIR")
  if (!may(caller, node, READ)) raise("EACCES")
  return [...node.entries].reverse()
}

/**
 * Everything below a directory, as relative paths. Links to directories are followed, as Node does, so a link to an
 * ancestor repeats itself until the kernel's limit stops it.
 */
export const deepEntries = (tree: Tree, caller: Caller, path: string): Array<string> => {
  const found: Array<string> = []
  const pending = [""]
  for (let prefix = pending.pop(); prefix !== undefined; prefix = pending.pop()) {
    const directory = prefix === "" ? path : join(path, prefix)
    for (const [name] of entries(tree, caller, directory)) {
      const relative = prefix === "" ? name : join(prefix, name)
      found.push(relative)
      if (unlessFailed(() => find(tree, caller, join(path, relative)).node.type === "Directory", false)) {
        pending.push(relative)
      }
    }
  }
  return found
}

/** The names in a path tidied by its text, last one first. */
const names = (path: string) =>
  normalize(path)
    .split("/")
    .filter((name) => name !== "")
    .reverse()
