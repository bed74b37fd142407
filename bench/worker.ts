/** Measures the benchmark that it is given the name of, and sends each measurement to its parent. */
import type { Bench } from "./lib/bench.ts"

const name = process.argv[2]!
const { default: bench }: { readonly default: Bench } = await import(`./benches/${name}.ts`)

for await (const measurement of bench(name)) {
  await new Promise((sent) => process.send!(measurement, undefined, undefined, sent))
}
// The peers may have left something running, which nobody is going to wait for.
process.exit()
