/**
 * Absolute paths as text: joined, normalised and compared without asking a disk.
 *
 * POSIX paths and Windows paths (a drive letter or a UNC share) are told apart by their beginning; results keep the
 * separator of their input, root-relative paths always use `/`.
 */

const windows = /^(?:[A-Za-z]:[\\/]|\\\\[^\\/]+[\\/]+[^\\/]+)/

interface Split {
  /** `/`, `C:\` or `\\server\share\`. */
  readonly root: string
  readonly separator: "/" | "\\"
  readonly segments: ReadonlyArray<string>
}

const resolveSegments = (text: string, pattern: string | RegExp): ReadonlyArray<string> => {
  const segments: Array<string> = []
  for (const segment of text.split(pattern)) {
    if (segment === "" || segment === ".") continue
    if (segment === "..") segments.pop()
    else segments.push(segment)
  }
  return segments
}

const split = (path: string): Split => {
  const drive = windows.exec(path)?.[0]
  if (drive === undefined) return { root: "/", separator: "/", segments: resolveSegments(path, "/") }
  const [start, ...names] = drive.startsWith("\\")
    ? ["\\\\", ...drive.split(/[\\/]+/).slice(1)]
    : ["", drive.slice(0, 2)]
  return {
    root: `${start}${names.join("\\")}\\`,
    separator: "\\",
    segments: resolveSegments(path.slice(drive.length), /[\\/]/)
  }
}

const unsplit = (parts: Split, length = parts.segments.length): string =>
  parts.root + parts.segments.slice(0, length).join(parts.separator)

/** Whether `path` is absolute. */
export const isAbsolute = (path: string): boolean => path.startsWith("/") || windows.test(path)

/**
 * `path` from `base` (absolute), with `.`, `..` and doubled separators resolved as text. The base says what a separator
 * is: below a POSIX directory `C:\x` is a plain name, and from a Windows directory `/x` lies on its drive. Only the base
 * `/` takes a path of either kind.
 */
export const resolve = (base: string, path: string): string => {
  const parts = split(base)
  if (windows.test(path) && (parts.separator === "\\" || base === "/")) return unsplit(split(path))
  const rooted = path.startsWith("/") || (parts.separator === "\\" && path.startsWith("\\"))
  return unsplit(split((rooted ? parts.root : unsplit(parts) + parts.separator) + path))
}

/** The entry `name` of `directory`, an absolute path that this module has made. `name` holds no separator. */
export const child = (directory: string, name: string): string =>
  directory.startsWith("/")
    ? directory === "/"
      ? `/${name}`
      : `${directory}/${name}`
    : directory.endsWith("\\")
      ? `${directory}${name}`
      : `${directory}\\${name}`

/** `path` and every directory above it, nearest first. */
export const ancestors = (path: string): ReadonlyArray<string> => {
  const parts = split(path)
  return Array.from({ length: parts.segments.length + 1 }, (_, index) => unsplit(parts, parts.segments.length - index))
}

/** The directory that holds `path`; the root holds itself. */
export const parent = (path: string): string => {
  const parts = split(path)
  return unsplit(parts, Math.max(0, parts.segments.length - 1))
}

/** `path` relative to `base` with `/`: `.` for the same place, `undefined` outside of it. */
export const within = (base: string, path: string): string | undefined => {
  const outer = split(base)
  const inner = split(path)
  if (outer.root.toLowerCase() !== inner.root.toLowerCase() || outer.segments.length > inner.segments.length)
    return undefined
  if (!outer.segments.every((segment, index) => segment === inner.segments[index])) return undefined
  return inner.segments.slice(outer.segments.length).join("/") || "."
}

/** The directories from `base` (relative, `.` for itself) down to `directory`, both included, broad to specific. */
export const descend = (base: string, directory: string): ReadonlyArray<string> => {
  const segments = directory === "." ? [] : directory.split("/")
  const skip = base === "." ? 0 : base.split("/").length
  return Array.from(
    { length: segments.length - skip + 1 },
    (_, index) => segments.slice(0, skip + index).join("/") || "."
  )
}

/** A name below a root-relative directory. */
export const below = (directory: string, name: string): string => (directory === "." ? name : `${directory}/${name}`)
