/**
 * Which paths lie on a disk of this machine, so that asking about them waits for nobody: no link on the way, which may lead
 * anywhere, and no mount of a network.
 *
 * The kernel's own table of mounts tells, since even asking a dead mount what it is would wait for it. Only Linux has one;
 * elsewhere nothing is known to be local.
 */
import * as fs from "node:fs"

/** File systems that answer from memory or from a disk of this machine. */
const localTypes = new Set(
  ("bcachefs btrfs erofs exfat ext2 ext3 ext4 f2fs jfs overlay ramfs rootfs squashfs tmpfs vfat " + "xfs zfs").split(
    " "
  )
)

const unescape = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** Mount points of a `mountinfo` table, and whether what is mounted there is local. Of several at one point the last counts. */
export const parseMounts = (table: string): ReadonlyMap<string, boolean> => {
  const mounts = new Map<string, boolean>()
  for (const line of table.split("\n")) {
    const fields = line.split(" ")
    const point = fields[4]
    const type = fields[fields.indexOf("-", 6) + 1]
    if (point !== undefined && type !== undefined) mounts.set(unescape(point), localTypes.has(type))
  }
  return mounts
}

/** How long a table of mounts is believed, in milliseconds. */
const believed = 1000

const makeMounts = (read: () => string) => {
  let readAt = -Infinity
  let table = ""
  let mounts: ReadonlyMap<string, boolean> = new Map()
  return (now: number): ReadonlyMap<string, boolean> => {
    if (now - readAt < believed) return mounts
    readAt = now
    const latest = read()
    if (latest !== table) mounts = parseMounts((table = latest))
    return mounts
  }
}

const readMounts = (): string => {
  try {
    return process.platform === "linux" ? fs.readFileSync("/proc/self/mountinfo", "utf8") : ""
  } catch {
    return ""
  }
}

/** What is not written as the kernel goes: relative, with empty, `.` or `..` parts, with a final slash or a NUL. */
const roundabout = /^[^/]|^$|\/(?:\.{0,2}\/|\.{0,2}$)|\0/

/** How long the event loop is kept at a time, in milliseconds. */
const slice = 5

/** What is known within one turn of the event loop. */
interface Turn {
  readonly began: number
  readonly mounts: ReadonlyMap<string, boolean>
  readonly directories: Map<string, Verdict>
}

/** `here`: a directory on a local disk, reached through such. `elsewhere`: anything that cannot be answered here. */
type Verdict = "here" | "absent" | "elsewhere"

/** Questions to local disks that are answered at once. */
export interface LocalDisk {
  /**
   * What is at `path` itself: its metadata, `absent`, or `elsewhere` when it has to be asked for in another way. Remembers the
   * directories on the way until the event loop has gone round once.
   */
  readonly entry: (path: string) => fs.BigIntStats | "absent" | "elsewhere"
  /** Whether `path` is a directory on a local disk, with no link on the way to it. */
  readonly isHere: (path: string) => boolean
  /** Whether this turn of the event loop has taken long enough. */
  readonly isBusy: () => boolean
  /** Calls back in the next turn. */
  readonly nextTurn: (then: () => void) => void
}

/** Local disks by a table of mounts, that of the kernel unless another is given. */
export const makeLocalDisk = (read: () => string = readMounts): LocalDisk => {
  const mountsAt = makeMounts(read)
  let turn: Turn | undefined
  const current = (): Turn => {
    if (turn !== undefined) return turn
    setImmediate(() => (turn = undefined))
    const began = performance.now()
    return (turn = { began, mounts: mountsAt(began), directories: new Map() })
  }

  const question = (path: string): fs.BigIntStats | "absent" | "elsewhere" => {
    try {
      return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? "absent"
    } catch {
      return "elsewhere"
    }
  }

  const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")))

  const judge = (directory: string, { directories, mounts }: Turn): Verdict => {
    // From the nearest directory that is known downwards.
    const unknown: Array<string> = []
    let at = directory
    let verdict = directories.get(at)
    while (verdict === undefined) {
      unknown.push(at)
      if (at === "/") verdict = mounts.get("/") === true ? "here" : "elsewhere"
      else verdict = directories.get((at = parentOf(at)))
    }
    for (const next of unknown.toReversed()) {
      if (verdict === "here" && next !== "/") {
        const found = mounts.get(next) === false ? "elsewhere" : question(next)
        verdict = typeof found === "string" ? found : found.isDirectory() ? "here" : "elsewhere"
      }
      directories.set(next, verdict)
    }
    return verdict
  }

  return {
    entry: (path) => {
      if (roundabout.test(path)) return "elsewhere"
      const turn = current()
      const verdict = judge(parentOf(path), turn)
      if (verdict !== "here") return verdict
      return turn.mounts.get(path) === false ? "elsewhere" : question(path)
    },
    isHere: (path) => {
      const found = roundabout.test(path) ? "elsewhere" : judge(path, current())
      return found === "here"
    },
    isBusy: () => turn !== undefined && performance.now() - turn.began > slice,
    nextTurn: (then) => void setImmediate(then)
  }
}

/** The disks of this machine. What is known of them is the kernel's, so all may share it. */
export const localDisk: LocalDisk = makeLocalDisk()
