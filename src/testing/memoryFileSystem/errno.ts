/**
 * The errors of the simulated kernel, and how they become Effect's.
 *
 * Below this line the tree behaves like `node:fs`'s synchronous half: it throws an {@link Errno}, from however deep in a
 * path it was. One place, `request` in `fileSystem.ts`, turns that into the `PlatformError` that Node's `FileSystem`
 * would have failed with: same tag, same `method` and `pathOrDescriptor`, and a `cause` with the same `code`.
 */
import * as PlatformError from "effect/PlatformError"

const known: Record<string, readonly [errno: number, text: string, tag: PlatformError.SystemErrorTag]> = {
  EPERM: [-1, "operation not permitted", "PermissionDenied"],
  ENOENT: [-2, "no such file or directory", "NotFound"],
  EIO: [-5, "i/o error", "Unknown"],
  ENXIO: [-6, "no such device or address", "Unknown"],
  EBADF: [-9, "bad file descriptor", "Unknown"],
  EACCES: [-13, "permission denied", "PermissionDenied"],
  EBUSY: [-16, "resource busy or locked", "Busy"],
  EEXIST: [-17, "file already exists", "AlreadyExists"],
  ENOTDIR: [-20, "not a directory", "BadResource"],
  EISDIR: [-21, "illegal operation on a directory", "BadResource"],
  EINVAL: [-22, "invalid argument", "Unknown"],
  ENAMETOOLONG: [-36, "name too long", "Unknown"],
  ENOTEMPTY: [-39, "directory not empty", "Unknown"],
  ELOOP: [-40, "too many symbolic links encountered", "BadResource"],
  // Node's own, from its JavaScript around the system calls.
  ERR_FS_EISDIR: [-21, "Path is a directory", "Unknown"],
  ERR_FS_CP_EINVAL: [-22, "Invalid src or dest", "Unknown"],
  ERR_FS_CP_DIR_TO_NON_DIR: [-21, "Cannot overwrite non-directory with directory", "Unknown"],
  ERR_FS_CP_NON_DIR_TO_DIR: [-20, "Cannot overwrite directory with non-directory", "Unknown"],
  ERR_FS_CP_EEXIST: [-17, "Target already exists", "Unknown"],
  ERR_FS_CP_FIFO_PIPE: [-22, "Cannot copy a FIFO pipe", "Unknown"],
  ERR_FS_CP_SOCKET: [-22, "Cannot copy a socket file", "Unknown"],
  ERR_INVALID_ARG_VALUE: [-22, "The argument 'path' must be a string without null bytes", "Unknown"]
}

/** What failed, as Node's `ErrnoException` tells it; `path` and `dest` are as the caller spelled them. */
export class Errno extends Error {
  override readonly name = "Error"
  readonly code: string
  readonly errno: number
  readonly syscall: string | undefined
  readonly path: string | undefined
  readonly dest: string | undefined

  constructor(code: string, syscall?: string, path?: string, dest?: string) {
    const [errno, text] = known[code] ?? [-1, "unknown error"]
    const where = path === undefined ? "" : dest === undefined ? ` '${path}'` : ` '${path}' -> '${dest}'`
    super(`${code}: ${text}${syscall === undefined ? "" : `, ${syscall}`}${where}`)
    this.code = code
    this.errno = errno
    this.syscall = syscall
    this.path = path
    this.dest = dest
  }
}

/** Fails the running system call. */
export const raise = (code: string): never => {
  throw new Errno(code)
}

/** A part of an operation that Node reports under a system call of its own, such as the `lstat` inside `rm`. */
export const during = <A>(syscall: string, run: () => A): A => {
  try {
    return run()
  } catch (thrown) {
    throw thrown instanceof Errno && thrown.syscall === undefined ? new Errno(thrown.code, syscall) : thrown
  }
}

/** What is done to the disk itself: a failure names it and its path, and is the test author's to repair. */
export const blaming = <A>(name: string, path: string, run: () => A): A => {
  try {
    return run()
  } catch (thrown) {
    throw thrown instanceof Errno ? new Errno(thrown.code, name, path) : thrown
  }
}

/** The answer of a system call whose failure, with `code` or with any, is an answer too. */
export const unlessFailed = <A>(run: () => A, failed: A, code?: string): A => {
  try {
    return run()
  } catch (thrown) {
    if (thrown instanceof Errno && (code === undefined || thrown.code === code)) return failed
    throw thrown
  }
}

/** Who asked for what: everything an error tells besides its code. */
export interface Asked {
  readonly method: string
  readonly syscall: string | undefined
  /** The path as spelled, or the descriptor of an open file. */
  readonly subject: string | number
  /** The second path of `rename`, `link`, `copyFile` and so on. */
  readonly other?: string | undefined
}

/** The `PlatformError` for an error code. */
export const failure = (asked: Asked, code: string, syscall = asked.syscall): PlatformError.PlatformError =>
  PlatformError.systemError({
    _tag: known[code]?.[2] ?? "Unknown",
    module: "FileSystem",
    method: asked.method,
    pathOrDescriptor: asked.subject,
    syscall,
    cause: new Errno(code, syscall, typeof asked.subject === "string" ? asked.subject : undefined, asked.other)
  })

/** The `PlatformError` for what the tree threw. Anything but an {@link Errno} is a bug here, and stays a defect. */
export const fromThrown =
  (asked: Asked) =>
  (thrown: unknown): PlatformError.PlatformError => {
    if (!(thrown instanceof Errno)) throw thrown
    return failure(asked, thrown.code, thrown.syscall)
  }

/** The `PlatformError` for an argument that never reaches the kernel. */
export const badArgument = (method: string, description: string): PlatformError.PlatformError =>
  PlatformError.badArgument({ module: "FileSystem", method, description })
