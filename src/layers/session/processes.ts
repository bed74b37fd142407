/**
 * Whether the process that left a mark somewhere still runs. Nothing else asks the operating system about processes.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/**
 * One process. `started` tells it from a later one that got the same `pid`: the boot of the machine and the start
 * inside it, where the platform says so (Linux). A `pid` of 0 stands for a host without process ids.
 */
export interface ProcessMark {
  readonly pid: number
  readonly started?: string
}

interface HostProcess {
  readonly pid: number
  readonly kill: (pid: number, signal: 0) => unknown
}

const host = (): HostProcess | undefined => (globalThis as { readonly process?: HostProcess }).process

/** Signal 0 is never delivered. A refusal for lack of permission says that somebody is there. */
const answers = (pid: number): boolean => {
  const process = host()
  if (process === undefined || pid === 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { readonly code?: unknown }).code !== "ESRCH"
  }
}

interface Status {
  readonly ended: boolean
  readonly started: string
}

const read = (fs: FileSystem.FileSystem, path: string) => Effect.option(fs.readFileString(path))

const statusOf = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, pid: number) {
  const stat = yield* read(fs, `/proc/${pid}/stat`)
  const boot = yield* read(fs, "/proc/sys/kernel/random/boot_id")
  if (Option.isNone(stat) || Option.isNone(boot)) return undefined
  // The second field is the command's name in parentheses, which may hold blanks and parentheses itself.
  const fields = stat.value.slice(stat.value.lastIndexOf(")") + 2).split(" ")
  const state = fields[0]
  const status: Status = { ended: state === "Z" || state === "X", started: `${boot.value.trim()}/${fields[19]}` }
  return status
})

/** The mark of this process. */
export const ownMark = Effect.fnUntraced(function* (fs: FileSystem.FileSystem): Effect.fn.Return<ProcessMark> {
  const pid = host()?.pid ?? 0
  const status = yield* statusOf(fs, pid)
  return { pid, ...(status === undefined ? {} : { started: status.started }) }
})

/** Whether the marked process runs. Where it cannot be told, it is taken to run. */
export const isRunning = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  mark: ProcessMark
): Effect.fn.Return<boolean> {
  if (!answers(mark.pid)) return false
  const status = yield* statusOf(fs, mark.pid)
  if (status === undefined) return true
  return !status.ended && (mark.started === undefined || mark.started === status.started)
})
