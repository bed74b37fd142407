/** The disk's own side: what changes it behind the back of the code under test, makes it fail, and counts its requests. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { chmod, makeDirectory, open, openFlags, remove, rename } from "./changes.ts"
import type { FileContent, Seed } from "./content.ts"
import { seedOf } from "./content.ts"
import type { Disk, OnOpen } from "./disk.ts"
import { blaming, raise, unlessFailed } from "./errno.ts"
import type { Fault, FaultOperation } from "./faults.ts"
import type { Caller, Node, SpecialType } from "./node.ts"
import { utf8 } from "./node.ts"
import type { Tree } from "./tree.ts"
import { attach, find, join, makeLink, makeSpecial, normalize, parentOf, setData, walk } from "./tree.ts"

/** How {@link Controls.write} writes. */
export interface WriteOptions {
  /** Leaves no trace in `stat`: reported size, inode and modification time stay. Of no effect on a file that is new. */
  readonly sameStat?: boolean | undefined
  /** Permission bits, such as `0o600`. */
  readonly mode?: number | undefined
}

/**
 * The control side of a memory file system.
 *
 * The changes are the disk's own: no permission or fault holds them back, they are not counted as requests, and they
 * make the parent directories they need. A change that makes no sense (writing to a directory, say) is a mistake in the
 * test and dies. Relative paths start at the root.
 *
 * Faults, hooks and counters go by path as the code under test spelled it, made absolute and tidied by its text (`.`,
 * `..`, doubled and trailing slashes); a link and its target are two paths.
 */
export interface Controls {
  /**
   * Writes a file, through symbolic links. An existing file keeps its inode, and its permissions unless `mode` is given;
   * its modification time becomes the clock's, unless `sameStat`.
   */
  readonly write: (path: string, content: string | Uint8Array, options?: WriteOptions) => Effect.Effect<void>
  /** Makes a directory and its parents. */
  readonly mkdir: (path: string) => Effect.Effect<void>
  /** Deletes a file, link or directory with everything below it; fine if there is none. */
  readonly delete: (path: string) => Effect.Effect<void>
  /** Makes a symbolic link, in place of whatever was at `path`. The target is stored as given. */
  readonly link: (path: string, target: string) => Effect.Effect<void>
  /** Gives a file a second name, in place of whatever was at `path`. */
  readonly hardLink: (existing: string, path: string) => Effect.Effect<void>
  /** Puts something that is not a file in place of whatever was at `path`. Opening a FIFO never returns (but can be interrupted), opening the others fails. */
  readonly special: (path: string, type: SpecialType) => Effect.Effect<void>
  /** Sets permission bits. They are checked as for an ordinary user who owns everything. */
  readonly chmod: (path: string, mode: number) => Effect.Effect<void>
  /** Renames as POSIX does, atomically and over an existing file. */
  readonly rename: (from: string, to: string) => Effect.Effect<void>
  /** Makes `stat` report a size, in bytes, whatever the file's content is or becomes; `undefined`: the truth again. A link is not followed. */
  readonly reportSize: (path: string, size: number | undefined) => Effect.Effect<void>

  /**
   * Runs `hook` right after each opening of `path`, before anything is read: the place to grow, shrink or delete a file
   * between a caller's `stat` and its read. An effect it returns is run too, so `() => controls.delete(path)` works.
   * One hook a path; `undefined` takes it away.
   */
  readonly onOpen: (path: string, hook: OnOpen | undefined) => Effect.Effect<void>
  /**
   * Makes requests for `path` go wrong until healed. A failing `read` fails when opening; one that hangs or is late does
   * so at the first read of the open file, so that it has a handle to lose. Requests that hang already do not come back
   * by healing.
   */
  readonly fault: (path: string, operation: FaultOperation, as: Fault) => Effect.Effect<void>
  /** Ends all faults of a path, or of all paths. */
  readonly heal: (path?: string) => Effect.Effect<void>

  /** How often `path` was opened for content, successfully or not. */
  readonly reads: (path: string) => Effect.Effect<number>
  /** How many metadata questions `path` got: `stat`, `lstat`, `access`, `exists`. Resolving it is not one. */
  readonly probes: (path: string) => Effect.Effect<number>
  /** How many bytes were handed out of `path`. */
  readonly bytesRead: (path: string) => Effect.Effect<number>
  /** How often the directory `path` was listed. A recursive listing is one. */
  readonly lists: (path: string) => Effect.Effect<number>
  /** All paths that were opened for content, with their counts. */
  readonly allReads: Effect.Effect<Record<string, number>>
  /** All paths that were probed, with their counts. */
  readonly allProbes: Effect.Effect<Record<string, number>>
  /** How often the service was called, whatever for; working with an open file is no request of its own. */
  readonly requests: Effect.Effect<number>
  /** Sets all counters to zero; open handles stay. */
  readonly resetCounters: Effect.Effect<void>
  /** How many files, streams and watches are open now. */
  readonly openHandles: Effect.Effect<number>
}

export const makeControls = (disk: Disk): Controls => {
  const change = (name: string, path: string, run: (tree: Tree, caller: Caller, path: string) => void) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const caller: Caller = { now: Math.floor(now), privileged: true }
      blaming(name, path, () => run(disk.tree, caller, normalize(path)))
    })
  const sync = (run: () => void) => Effect.sync(run)

  return {
    write: (path, content, options) =>
      change("write", path, (tree, caller, path) => write(tree, caller, path, content, options)),
    mkdir: (path) =>
      change("mkdir", path, (tree, caller, path) => makeDirectory(tree, caller, path, { recursive: true })),
    delete: (path) =>
      change("delete", path, (tree, caller, path) => {
        if (unlessFailed(() => walk(tree, caller, path, "entry").node, undefined) !== undefined)
          clear(tree, caller, path)
      }),
    link: (path, target) =>
      change("link", path, (tree, caller, path) => replace(tree, caller, path, makeLink(tree, caller, target))),
    hardLink: (existing, path) =>
      change("hardLink", path, (tree, caller, path) => {
        const { node } = find(tree, caller, normalize(existing), "keep")
        replace(tree, caller, path, node.type === "Directory" ? raise("EPERM") : node)
      }),
    special: (path, type) =>
      change("special", path, (tree, caller, path) => replace(tree, caller, path, makeSpecial(tree, caller, type))),
    chmod: (path, mode) => change("chmod", path, (tree, caller, path) => chmod(tree, caller, path, mode)),
    rename: (from, to) =>
      change("rename", from, (tree, caller, from) => {
        makeParents(tree, caller, normalize(to))
        rename(tree, caller, from, normalize(to))
      }),
    reportSize: (path, size) =>
      change("reportSize", path, (tree, caller, path) => {
        find(tree, caller, path, "keep").node.claimedSize = size
      }),

    onOpen: (path, hook) =>
      sync(() => {
        if (hook === undefined) disk.onOpen.delete(normalize(path))
        else disk.onOpen.set(normalize(path), hook)
      }),
    fault: (path, operation, as) => sync(() => disk.faults.set(normalize(path), operation, as)),
    heal: (path) => sync(() => disk.faults.heal(path === undefined ? undefined : normalize(path))),

    reads: (path) => Effect.sync(() => disk.counters.get("reads", normalize(path))),
    probes: (path) => Effect.sync(() => disk.counters.get("probes", normalize(path))),
    bytesRead: (path) => Effect.sync(() => disk.counters.get("bytesRead", normalize(path))),
    lists: (path) => Effect.sync(() => disk.counters.get("lists", normalize(path))),
    allReads: Effect.sync(() => disk.counters.all("reads")),
    allProbes: Effect.sync(() => disk.counters.all("probes")),
    requests: Effect.sync(() => disk.counters.requests),
    resetCounters: sync(() => disk.counters.reset()),
    openHandles: Effect.sync(() => disk.openFiles + disk.watchers.size)
  }
}

/** Puts the initial files onto an empty disk, in the order given. */
export const seed = (disk: Disk, now: number, files: Readonly<Record<string, FileContent>>): void => {
  const { tree } = disk
  const caller: Caller = { now, privileged: true }
  for (const [key, content] of Object.entries(files)) {
    const seed = seedOf(key, content)
    blaming("seed", key, () => place(tree, caller, normalize(key), seed))
  }
}

const place = (tree: Tree, caller: Caller, path: string, seed: Seed): void => {
  if (seed._tag === "Directory") return makeDirectory(tree, caller, path, { recursive: true })
  if (seed._tag === "Link") replace(tree, caller, path, makeLink(tree, caller, seed.target))
  else write(tree, caller, path, seed.data)
  find(tree, caller, path, seed._tag === "Link" ? "keep" : "follow").node.claimedSize = seed.reportSize
}

/** With a trailing slash, what stands in the way is "not a directory". */
const makeParents = (tree: Tree, caller: Caller, path: string) =>
  makeDirectory(tree, caller, join(parentOf(path), ""), { recursive: true })

const write = (
  tree: Tree,
  caller: Caller,
  path: string,
  content: string | Uint8Array,
  options?: WriteOptions
): void => {
  makeParents(tree, caller, path)
  const before = walk(tree, caller, path, "follow").node
  const kept =
    options?.sameStat && before?.type === "File"
      ? { size: before.keptSize ?? before.data.length, mtime: before.mtime }
      : undefined
  const opened = open(tree, caller, path, openFlags("a"))
  if (typeof opened === "symbol" || opened.node.type !== "File") return raise("EINVAL")
  const place = { ...opened, node: opened.node }
  setData(tree, caller, place, typeof content === "string" ? utf8(content) : content.slice())
  if (options?.mode !== undefined) place.node.permissions = options.mode & 0o777
  if (kept === undefined) return
  place.node.keptSize = kept.size
  place.node.mtime = kept.mtime
}

/** Whatever is at `path` gives way to `node`. */
const replace = (tree: Tree, caller: Caller, path: string, node: Node): void => {
  makeParents(tree, caller, path)
  clear(tree, caller, path)
  const { directory, name } = walk(tree, caller, path, "entry")
  attach(tree, caller, directory, name, node)
}

const clear = (tree: Tree, caller: Caller, path: string): void => {
  remove(tree, caller, path, { recursive: true, force: true })
}
