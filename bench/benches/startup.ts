/** Start a process that imports the library, and the command: beside ones that import just the Effect modules in use. */
import * as assert from "node:assert/strict"
import * as path from "node:path"
import { chain } from "../fixtures.ts"
import type { Bench } from "../lib/bench.ts"
import { build, dist, effectModules, importing, node } from "../lib/built.ts"
import { compare } from "../lib/compare.ts"

const files = 7

const bench: Bench = async function* (name) {
  build()
  const tree = chain(files, 4096)
  const processes = [
    { name: "import", n: 1, args: importing(["effect-agent-context/AgentInstructions"]), shows: "" },
    { name: "show", n: files, args: [path.join(dist, "cli/main.js"), "show", tree.leaf], shows: tree.leafHeading }
  ]
  for (const { args, n, name: variant, shows } of processes) {
    const start = (its: ReadonlyArray<string>, text = "") => ({
      run: () => node(its),
      check: ({ status, stdout }: ReturnType<typeof node>) => {
        assert.equal(status, 0)
        assert.ok(stdout.includes(text))
      }
    })
    yield await compare({
      name: `${name}-${variant}`,
      n,
      ours: start(args, shows),
      peers: { "its effect": start(importing(effectModules(args))) },
      floor: start(["--eval", ""]),
      target: { ratio: 1.3 },
      minRounds: 21,
      duration: 12_000
    })
  }
}

export default bench
