/**
 * `npm run fuzz -- [--minutes N] [--seed S] [--target NAME…]`: inputs made of those in `test/fuzz/corpus`, for everything that reads
 * what others wrote. Those that reach new code are built upon. What breaks a promise is written to `test/fuzz/corpus`, where the
 * tests try it again.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as util from "node:util"
import { corpusDirectory, fuzz } from "../test/fuzz/fuzzer.ts"
import { targets } from "../test/fuzz/targets.ts"

const { values } = util.parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string" },
    target: { type: "string", multiple: true }
  }
})

const mistake = (what: string): never => {
  console.error(what)
  process.exit(2)
}

const seed = Number(values.seed ?? Date.now() % 1_000_000_007)
const minutes = Number(values.minutes)
if (!Number.isInteger(seed)) mistake("--seed takes a whole number")
if (!(minutes > 0)) mistake("--minutes takes a number above 0")
const names = targets.map(({ name }) => name)
const unknown = (values.target ?? []).filter((name) => !names.includes(name))
if (unknown.length > 0) mistake(`there is no target ${unknown.join(", ")}; there are ${names.join(", ")}`)
const chosen = values.target === undefined ? targets : targets.filter(({ name }) => values.target!.includes(name))

for (const target of chosen) {
  const until = performance.now() + (minutes * 60_000) / chosen.length
  const { blocks, findings, kept, slowest, tried } = await fuzz(target, seed, () => performance.now() < until)
  console.log(
    `${target.name}: ${tried} inputs, ${kept} kept, ${blocks} blocks reached, the slowest took ${slowest.toFixed(0)} ms`
  )
  for (const { error, input } of findings) {
    const name = `found-${crypto.createHash("sha256").update(input).digest("hex").slice(0, 8)}`
    fs.writeFileSync(path.join(corpusDirectory, target.name, name), input)
    console.error(`${target.name}: ${error}\nwith the ${input.length} bytes of test/fuzz/corpus/${target.name}/${name}`)
    process.exitCode = 1
  }
}
console.log(`seed ${seed}`)
