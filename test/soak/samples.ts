/** How much the process holds, and whether that grows. */
import * as fs from "node:fs"
import * as v8 from "node:v8"
import * as vm from "node:vm"

v8.setFlagsFromString("--expose-gc")
const gc = vm.runInNewContext("gc") as () => void

export interface Sample {
  /** Bytes of live objects, after garbage has been collected. */
  readonly heap: number
  /** Open descriptors; 0 where the system does not list them. */
  readonly descriptors: number
  /** What keeps Node's event loop alive, by type. */
  readonly resources: Readonly<Record<string, number>>
}

// Node makes these when they are first written to, and they are no leak then.
void [process.stdout, process.stderr]

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** To be taken while nothing is under way. */
export const sample = async (): Promise<Sample> => {
  // Finalizers run between two collections, and what they let go is collected by the second.
  for (let count = 0; count < 3; count++) {
    await turn()
    gc()
  }
  const resources: Record<string, number> = {}
  for (const type of process.getActiveResourcesInfo()) resources[type] = (resources[type] ?? 0) + 1
  // The listing itself holds one descriptor.
  const descriptors = fs.existsSync("/proc/self/fd") ? fs.readdirSync("/proc/self/fd").length - 1 : 0
  return { heap: process.memoryUsage().heapUsed, descriptors, resources }
}

/** What a heap may grow beside a twentieth: code is compiled and caches are filled long after a start. Bytes. */
const slack = 4 * 1_048_576

/** Samples that it takes to say of a heap that it grows: each collection leaves something else behind. */
const enough = 9

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** In words, what grows from the first third of the samples to the last; they were taken after the warm-up, in this order. */
export const growth = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const third = Math.ceil(samples.length / 3)
  const [first, last] = [samples.slice(0, third), samples.slice(-third)]
  if (samples.length < 2) return []
  const grown: Array<string> = []
  const most = (of: ReadonlyArray<Sample>, size: (sample: Sample) => number) => Math.max(...of.map(size))
  const handles = (name: string, size: (sample: Sample) => number) => {
    const [before, after] = [most(first, size), Math.min(...last.map(size))]
    if (after > before) grown.push(`${name} grew from ${before} to ${after}`)
  }
  handles("open descriptors", ({ descriptors }) => descriptors)
  for (const type of new Set(samples.flatMap(({ resources }) => Object.keys(resources))))
    handles(`active ${type}`, ({ resources }) => resources[type] ?? 0)
  const [before, after] = [median(first.map(({ heap }) => heap)), median(last.map(({ heap }) => heap))]
  if (samples.length >= enough && after > before * 1.05 + slack)
    grown.push(`the heap grew from ${before} to ${after} bytes`)
  return grown
}
