/** Effect's `FileSystem` over a simulated disk. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import * as changes from "./changes.ts"
import { copy } from "./copy.ts"
import type { Disk, Request } from "./disk.ts"
import { admit, askedBy, attempt, perform } from "./disk.ts"
import { badArgument, raise } from "./errno.ts"
import { Handle } from "./handle.ts"
import * as lookups from "./lookups.ts"
import { may, READ } from "./node.ts"
import { baseName, find, join, normalize } from "./tree.ts"

type Impl = Parameters<typeof FileSystem.make>[0]
type OpenOptions = Parameters<FileSystem.FileSystem["open"]>[1]
type TempOptions = Parameters<FileSystem.FileSystem["makeTempFile"]>[0]

export const makeFileSystem = (disk: Disk): FileSystem.FileSystem => {
  const run = <A>(request: Request, call: Parameters<typeof perform<A>>[2]) => perform(disk, request, call)
  const probe = { operation: "stat", counter: "probes" } as const
  const listing = { syscall: "scandir", operation: "list", counter: "lists" } as const

  const openHandle = (
    method: string,
    path: string,
    options: OpenOptions
  ): Effect.Effect<Handle, PlatformError, Scope> =>
    Effect.suspend(() => {
      const flags = changes.openFlags(options?.flag ?? "r")
      const request: Request = {
        method,
        syscall: "open",
        path,
        ...(flags.read && ({ operation: "read", counter: "reads" } as const))
      }
      const key = normalize(path)
      const acquire = attempt(disk, askedBy(request), (tree, caller) => {
        const opened = changes.open(tree, caller, path, flags, options)
        return opened === changes.blocked ? opened : new Handle(disk, key, opened, flags)
      })
      const release = (handle: Handle | typeof changes.blocked) =>
        Effect.sync(() => (handle === changes.blocked ? undefined : handle.close()))
      return admit(disk, request).pipe(
        Effect.andThen(Effect.acquireRelease(acquire, release)),
        // Blocking inside the acquisition, as Node does, could not be interrupted, and the test would hang with it.
        Effect.flatMap((handle) => (handle === changes.blocked ? Effect.never : Effect.as(opened(key), handle)))
      )
    })

  const opened = (key: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const change = disk.onOpen.get(key)?.()
      return Effect.isEffect(change) ? change : Effect.void
    })

  const tempDirectory = (method: string, options: TempOptions) => {
    const directory = normalize(options?.directory ?? "/tmp")
    const prefix = options?.prefix ? normalize(join(directory, options.prefix)) : join(directory, "")
    const request: Request = { method, syscall: "mkdtemp", path: directory }
    const make = attempt(disk, askedBy(request), (tree, caller) => {
      // Real systems come with one; it is made when asked for, so that it shows up in no other test's listing.
      if (options?.directory === undefined) {
        changes.makeDirectory(tree, { ...caller, privileged: true }, directory, { recursive: true })
      }
      return changes.makeTempDirectory(tree, caller, prefix)
    })
    return { admitted: admit(disk, request), make }
  }

  const makeTempDirectory = (method: string, options: TempOptions) => {
    const { admitted, make } = tempDirectory(method, options)
    return Effect.andThen(admitted, make)
  }

  const makeTempDirectoryScoped = (method: string, options: TempOptions) => {
    const { admitted, make } = tempDirectory(method, options)
    const release = (path: string) =>
      Effect.orDie(
        run({ method, syscall: "rm", path }, (tree, caller) =>
          changes.remove(tree, caller, path, { recursive: true, force: true })
        )
      )
    return Effect.andThen(admitted, Effect.acquireRelease(make, release))
  }

  const makeFileIn = (options: TempOptions) => (directory: string) => {
    const path = `${directory}/file${options?.suffix ?? ""}`
    return Effect.as(writeFile(path, new Uint8Array()), path)
  }

  /** Node asks for the type first, so a missing path is reported by `stat`. */
  const watch = (queue: Queue.Enqueue<FileSystem.WatchEvent>, path: string, options?: FileSystem.WatchOptions) => {
    const request: Request = { method: "stat", path }
    const acquire = attempt(disk, askedBy(request), (tree, caller) => {
      const { node } = find(tree, caller, path)
      if (!may(caller, node, READ)) raise("EACCES")
      return disk.watchers.add({
        node,
        name: baseName(normalize(path)),
        recursive: options?.recursive ?? false,
        tell: (event) => Queue.offerUnsafe(queue, event)
      })
    })
    return admit(disk, request).pipe(
      Effect.andThen(Effect.acquireRelease(acquire, (watcher) => Effect.sync(() => disk.watchers.remove(watcher)))),
      Effect.andThen(Effect.sync(() => options?.onReady?.()))
    )
  }

  const writeFile: Impl["writeFile"] = (path, data, options) =>
    Effect.scoped(
      Effect.flatMap(openHandle("writeFile", path, { ...options, flag: options?.flag ?? "w" }), (handle) =>
        Effect.asVoid(handle.writeAs({ method: "writeFile", syscall: "write", subject: path }, data))
      )
    )

  return FileSystem.make({
    access: (path, options) =>
      run({ ...probe, method: "access", path }, (tree, caller) => lookups.access(tree, caller, path, options)),
    chmod: (path, mode) => run({ method: "chmod", path }, (tree, caller) => changes.chmod(tree, caller, path, mode)),
    chown: (path, uid, gid) =>
      run({ method: "chown", path }, (tree, caller) => changes.chown(tree, caller, path, uid, gid)),
    copy: (from, to, options) =>
      run({ method: "copy", syscall: "cp", path: from, other: to }, (tree, caller) =>
        copy(tree, caller, from, to, options ?? {})
      ),
    copyFile: (from, to) =>
      run({ method: "copyFile", syscall: "copyfile", path: from, other: to }, (tree, caller) =>
        changes.copyFile(tree, caller, from, to)
      ),
    link: (existing, path) =>
      run({ method: "link", path: existing, other: path }, (tree, caller) =>
        changes.link(tree, caller, existing, path)
      ),
    lstat: (path) => run({ ...probe, method: "lstat", path }, (tree, caller) => lookups.lstat(tree, caller, path)),
    makeDirectory: (path, options) =>
      run({ method: "makeDirectory", syscall: "mkdir", path }, (tree, caller) =>
        changes.makeDirectory(tree, caller, path, options)
      ),
    makeTempDirectory: (options) => makeTempDirectory("makeTempDirectory", options),
    makeTempDirectoryScoped: (options) => makeTempDirectoryScoped("makeTempDirectoryScoped", options),
    makeTempFile: (options) => Effect.flatMap(makeTempDirectory("makeTempFile", options), makeFileIn(options)),
    makeTempFileScoped: (options) =>
      Effect.flatMap(makeTempDirectoryScoped("makeTempFileScoped", options), makeFileIn(options)),
    open: (path, options) => openHandle("open", path, options),
    readDirectory: (path, options) =>
      run({ ...listing, method: "readDirectory", path }, (tree, caller) =>
        options?.recursive
          ? lookups.deepEntries(tree, caller, path)
          : lookups.entries(tree, caller, path).map(([name]) => name)
      ),
    readDirectoryEntries: (path) =>
      run({ ...listing, method: "readDirectoryEntries", path }, (tree, caller) =>
        lookups.entries(tree, caller, path).map(([name, { type }]) => ({ name, type }))
      ),
    readFile: (path) =>
      Effect.scoped(
        Effect.flatMap(openHandle("readFile", path, undefined), (handle) =>
          handle.readAll({ method: "readFile", syscall: "read", subject: path })
        )
      ),
    readLink: (path) =>
      run({ method: "readLink", syscall: "readlink", path }, (tree, caller) => lookups.readLink(tree, caller, path)),
    realPath: (path) =>
      run({ method: "realPath", syscall: "realpath", path, operation: "realPath" }, (tree, caller) =>
        lookups.realPath(tree, caller, path)
      ),
    remove: (path, options) =>
      run({ method: "remove", syscall: "rm", path }, (tree, caller) => changes.remove(tree, caller, path, options)),
    rename: (from, to) =>
      run({ method: "rename", path: from, other: to }, (tree, caller) => changes.rename(tree, caller, from, to)),
    stat: (path) => run({ ...probe, method: "stat", path }, (tree, caller) => lookups.stat(tree, caller, path)),
    symlink: (target, path) =>
      run({ method: "symlink", path, subject: target, other: path }, (tree, caller) =>
        changes.symlink(tree, caller, target, path)
      ),
    truncate: (path, length) =>
      run({ method: "truncate", path }, (tree, caller) => changes.truncate(tree, caller, path, length ?? 0)),
    utimes: (path, atime, mtime) =>
      Effect.suspend(() => {
        const times = [atime, mtime].map((time) => Math.floor(time instanceof Date ? time.getTime() : time * 1000))
        if (!times.every(Number.isFinite)) return Effect.fail(badArgument("utime", "A time must be finite"))
        return run({ method: "utime", path }, (tree, caller) =>
          changes.utimes(tree, caller, path, times[0]!, times[1]!)
        )
      }),
    watch: (path, options) => Stream.callback((queue) => watch(queue, path, options)),
    writeFile
  })
}
