/**
 * File references in a workspace of 100,000 files: the first query, which walks it with ignore rules on, and every later one.
 * The floor of a walk is that of fdir, which knows no ignore files.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { fdir } from "fdir"
import * as assert from "node:assert/strict"
import * as childProcess from "node:child_process"
import * as FileReferences from "../../src/FileReferences.ts"
import { layer as fastReader } from "../../src/node/fastReader.ts"
import { filesRepository } from "../fixtures.ts"
import type { Bench } from "../lib/bench.ts"
import { compare } from "../lib/compare.ts"
import * as peers from "../peers/files.ts"

const count = 100_000
const wanted = "component-99999"

const open = (cwd: string, fast: boolean) => {
  const references = FileReferences.layerWorkspace({ cwd, maxEntries: 1_000_000 })
  const around = fast ? Layer.merge(NodeFileSystem.layer, fastReader) : NodeFileSystem.layer
  const runtime = ManagedRuntime.make(Layer.provide(references, around))
  const search = async (query: string): Promise<ReadonlyArray<string>> => {
    const found = await runtime.runPromise(FileReferences.FileReferences.use((service) => service.list(query)))
    return found.candidates.map(({ path }) => path)
  }
  return { search, dispose: () => runtime.dispose() }
}

const walk = async (cwd: string, fast: boolean) => {
  const { dispose, search } = open(cwd, fast)
  const found = await search(wanted)
  await dispose()
  return found
}

const git = (cwd: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const args = ["ls-files", "-co", "--exclude-standard"]
    const child = childProcess.spawn("git", args, { cwd, stdio: ["ignore", "pipe", "inherit"] })
    let bytes = 0
    child.stdout.on("data", (chunk: Buffer) => (bytes += chunk.length))
    child.on("error", reject)
    child.on("close", () => resolve(bytes))
  })

/** What somebody types: names, parts, things that are not there, and letters in order. */
const queries = [
  "c",
  "component",
  "component-4242",
  "mod7",
  "part19",
  "json",
  "cmp77ts",
  "zzz",
  "tnenopmoc",
  "Component",
  "pkg3.css",
  "component-99999.py"
]

const bench: Bench = async function* (name) {
  const root = filesRepository(count)
  const check = (found: ReadonlyArray<string>) => assert.ok(found[0]?.includes(wanted), `found ${found[0]}`)
  const cold = {
    n: count,
    peers: {
      dsh: { run: () => peers.dsh(root).search(wanted), check },
      gemini: { run: async () => (await peers.gemini(root)).search(wanted), check },
      "git ls-files": { run: () => git(root), check: (bytes: number) => assert.ok(bytes > count * 20) }
    },
    floor: {
      run: () =>
        new fdir()
          .withRelativePaths()
          .exclude((directory) => directory === ".git")
          .crawl(root)
          .withPromise(),
      check: (paths: ReadonlyArray<string>) => assert.ok(paths.length >= count)
    },
    target: { ratio: 1.5 },
    minRounds: 11,
    duration: 20_000
  }
  yield await compare({ ...cold, name: `${name}-cold`, ours: { run: () => walk(root, true), check } })
  yield await compare({
    ...cold,
    name: `${name}-cold-portable`,
    target: { ratio: 4 },
    ours: { run: () => walk(root, false), check }
  })

  const ours = open(root, true)
  const others = { dsh: peers.dsh(root), gemini: await peers.gemini(root) }
  for (const search of [ours, others.dsh, others.gemini]) await search.search(wanted)
  const next = ({ search }: peers.Searcher) => {
    let at = 0
    // Somebody who types asks something new each time; one peer remembers what it has answered.
    return { run: () => search(`${queries[at++ % queries.length]!}${at < queries.length ? "" : at % 97}`) }
  }
  yield await compare({
    name: `${name}-warm`,
    n: count,
    ours: next(ours),
    peers: { dsh: next(others.dsh), gemini: next(others.gemini) },
    target: { p95Us: 5000 },
    minRounds: 60,
    duration: 20_000
  })
  await ours.dispose()
}

export default bench
