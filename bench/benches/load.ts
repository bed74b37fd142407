/** Load what a new agent is told: a chain of 7 and of 51 files, 4 KiB each, within 64 KiB, as an application does it. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import * as AgentInstructions from "../../src/AgentInstructions.ts"
import * as AgentContextNode from "../../src/node.ts"
import { chain, type Chain, home } from "../fixtures.ts"
import { type Bench, onOneCore } from "../lib/bench.ts"
import { compare } from "../lib/compare.ts"
import * as dsh from "../peers/dsh.ts"
import * as gemini from "../peers/gemini.ts"

const bytes = 4096
const maxBytes = 65_536
const names = ["AGENTS.md", "AGENTS.local.md", "CLAUDE.local.md"]

/** Every question that has to be asked, and nothing else: probes side by side, then the files that fit, side by side. */
const bare = async ({ leaf, root }: Chain): Promise<string> => {
  const directories = [leaf]
  while (directories.at(-1) !== root) directories.push(path.dirname(directories.at(-1)!))
  const probes = directories.flatMap((directory) => [".git", ...names].map((name) => path.join(directory, name)))
  const paths = [path.join(home(), ".dsh/AGENTS.md"), ...probes]
  const found = await Promise.all(
    paths.map(async (file) => {
      try {
        return { file, stat: await fs.promises.stat(file) }
      } catch {
        return undefined
      }
    })
  )
  let room = maxBytes
  const wanted: Array<string> = []
  for (const probe of found) {
    if (probe?.stat.isFile() !== true || probe.stat.size > room) continue
    room -= probe.stat.size
    wanted.push(probe.file)
  }
  return (await Promise.all(wanted.map((file) => fs.promises.readFile(file, "utf8")))).join("\n")
}

const bench: Bench = async function* (name) {
  // As on Node; or with every question through the thread pool, as Effect's file system asks them.
  const portable = name.endsWith("-portable")
  const runtime = ManagedRuntime.make(portable ? NodeFileSystem.layer : AgentContextNode.layerFileSystem)
  const user = home()
  for (const { files, target } of [
    { files: 7, target: 0.5 },
    { files: 51, target: 0.3 }
  ]) {
    const tree = chain(files, bytes)
    const check = (text: string) => {
      assert.ok(text.includes(tree.leafHeading), "the most specific file is there")
      assert.ok(Buffer.byteLength(text) > Math.min(files * bytes, maxBytes - 2 * bytes), "as much as fits is there")
    }
    const load = AgentInstructions.load({ cwd: tree.leaf, maxBytes })
    yield await compare({
      name,
      n: files,
      ours: { run: async () => (await runtime.runPromise(load)).text, check },
      peers: {
        dsh: { run: () => dsh.load(tree.leaf, user, maxBytes), check },
        gemini: { run: () => gemini.load(tree.leaf), check }
      },
      floor: { run: () => bare(tree), check },
      target: { ratio: portable || onOneCore(name) ? 1 : target }
    })
  }
  await runtime.dispose()
}

export default bench
