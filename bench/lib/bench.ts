/** What a benchmark is. Every file in `benches/` exports one as its default; the file's name is the benchmark's. */
import type { Stats } from "./timer.ts"

/** One line of the table. Ratios are of medians: ours to the fastest of `peers`. */
export interface Measurement {
  readonly name: string
  readonly n: number
  /** What is measured: microseconds, unless it says otherwise. */
  readonly unit?: "bytes"
  readonly ours: Stats
  readonly peers: Readonly<Record<string, Stats>>
  /** What no implementation could avoid. */
  readonly floor?: Stats
  readonly target: Target
}

/** The largest ratio that is good enough, or the longest time in microseconds: of the median, or of all but the slowest twentieth. */
export type Target = { readonly ratio: number } | { readonly us: number } | { readonly p95Us: number }

/** Measures, line by line. `name` tells a variant from the benchmark that it is one of. */
export type Bench = (name: string) => AsyncGenerator<Measurement>

/** The runner pins the process of such a benchmark to one core. */
export const onOneCore = (name: string): boolean => name.endsWith("-1core")
