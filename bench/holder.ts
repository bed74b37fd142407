/**
 * Holds one search over one workspace, asks it, and prints what that has cost in memory: `{ retained, peak }` in bytes. Run with
 * `--expose-gc`. `retained`: the heap and what hangs on it, after a collection, beyond what a tiny workspace takes; `peak`: the
 * largest size of the process.
 */
import * as assert from "node:assert/strict"
import { holders } from "./lib/holders.ts"

const [name, small, root, wanted, ...queries] = process.argv.slice(2) as [string, string, string, string]

const settled = async (): Promise<number> => {
  for (let round = 0; round < 4; round++) {
    await new Promise((next) => setTimeout(next, 20))
    globalThis.gc!()
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const hold = holders[name]!
// Code is loaded and compiled over a workspace of a few files first.
const tiny = await hold(small)
for (const query of queries) await tiny.search(query)
const before = await settled()
const search = await hold(root)
assert.ok((await search.search(wanted))[0]?.includes(wanted))
for (const query of queries) await search.search(query)
const retained = (await settled()) - before
// Still in use, so nobody has collected it.
assert.ok((await search.search(wanted)).length > 0)
process.stdout.write(JSON.stringify({ retained, peak: process.resourceUsage().maxRSS * 1024 }))
process.exit()
