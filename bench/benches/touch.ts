/** From a tool's result to the message that waits for the next step: nested rules at depth 1, 10 and 50. */
import * as assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Chain, home, nested } from "../fixtures.ts"
import { type Agent, makeAgent } from "../lib/agent.ts"
import type { Bench } from "../lib/bench.ts"
import { compare } from "../lib/compare.ts"
import * as dsh from "../peers/dshAgent.ts"
import * as gemini from "../peers/gemini.ts"

const bytes = 1024
const maxBytes = 65_536

/** What every implementation has to do: look for the rules of each directory, and read them. */
const bare = async ({ leaf, root }: Chain): Promise<string> => {
  const directories = [leaf]
  while (path.dirname(directories.at(-1)!) !== root) directories.push(path.dirname(directories.at(-1)!))
  const texts = await Promise.all(
    directories.map(async (directory) => {
      await fs.promises.stat(path.join(directory, "AGENTS.md"))
      return fs.promises.readFile(path.join(directory, "AGENTS.md"), "utf8")
    })
  )
  return texts.join("\n")
}

const bench: Bench = async function* (name) {
  const dshAgent = await dsh.mount(home(), maxBytes)
  for (const depth of [1, 10, 50]) {
    const tree = nested(depth, bytes)
    const file = path.join(tree.leaf, "file.ts")
    let ours: Agent | undefined
    let theirs = dshAgent(tree.root)
    yield await compare({
      name,
      n: depth,
      ours: {
        prepare: async () => {
          await ours?.close()
          ours = await makeAgent(tree.root, maxBytes)
          await ours.run(ours.enter)
        },
        run: () => ours!.run(ours!.touch(file)),
        check: (pending: ReadonlyArray<unknown>) => assert.equal(pending.length, 1)
      },
      peers: {
        dsh: {
          prepare: async () => {
            theirs = dshAgent(tree.root)
            theirs.enter(await theirs.preStep())
          },
          run: () => theirs.touch(file)
        },
        gemini: { run: () => gemini.touch(file, tree.root), check: (files) => assert.equal(files, depth) }
      },
      floor: { run: () => bare(tree) },
      target: { ratio: 1 }
    })
    await (ours as Agent | undefined)?.close()
  }
}

export default bench
