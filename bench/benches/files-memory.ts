/** What holding the index of 100,000 files takes, after its first answer and a few more; each in a process of its own. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { filesRepository } from "../fixtures.ts"
import type { Bench, Measurement } from "../lib/bench.ts"
import { holders } from "../lib/holders.ts"
import { statsOf } from "../lib/timer.ts"

const rounds = 5
const queries = ["c", "component", "mod7", "part19", "json", "cmp77ts", "zzz", "Component", "pkg3.css"]

interface Held {
  readonly retained: number
  readonly peak: number
}

const hold = (name: string, small: string, root: string, wanted: string): Held => {
  const holder = path.join(import.meta.dirname, "../holder.ts")
  const { status, stdout } = childProcess.spawnSync(
    process.execPath,
    ["--expose-gc", holder, name, small, root, wanted, ...queries],
    { encoding: "utf8", stdio: ["ignore", "pipe", 2] }
  )
  if (status !== 0) throw new Error(`${name} could not be held`)
  return JSON.parse(stdout.slice(stdout.lastIndexOf("{"))) as Held
}

const bench: Bench = async function* (name) {
  for (const n of [10_000, 100_000]) {
    const root = filesRepository(n)
    const small = filesRepository(10)
    const wanted = `component-${n - 1}`
    const held: Record<string, Array<Held>> = {}
    for (let round = 0; round < rounds; round++)
      for (const subject of Object.keys(holders)) (held[subject] ??= []).push(hold(subject, small, root, wanted))
    // Of a small index the largest size of the process is that of an empty one.
    for (const what of n < 100_000 ? (["retained"] as const) : (["retained", "peak"] as const)) {
      const { ours, ...peers } = Object.fromEntries(
        Object.entries(held).map(([subject, all]) => [subject, statsOf(all.map((one) => one[what]))])
      )
      yield {
        name: `${name}-${what}`,
        n,
        unit: "bytes",
        ours: ours!,
        peers,
        target: { ratio: 1 }
      } satisfies Measurement
    }
  }
}

export default bench
