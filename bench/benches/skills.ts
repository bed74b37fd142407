/**
 * List 100 and 1,000 skills: cold, in a registry of its own each time; warm; and for a new session over the host's registry,
 * which asks for metadata and reads nothing.
 *
 * gray-matter and skills-ref know no registry; they are given the names of the directories. Each is there as its own users call
 * it — `matter.read` of one file after the other, `readProperties` awaited in a loop, as skills-ref lists — and in the other ways
 * that somebody might choose who wants it faster. The fastest of all is the one to beat.
 */
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import matter from "gray-matter"
import * as assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { readProperties } from "skills-ref"
import { parseDocument } from "yaml"
import * as SkillRegistry from "../../src/SkillRegistry.ts"
import * as SkillsFileSystem from "../../src/SkillsFileSystem.ts"
import * as AgentContextNode from "../../src/node.ts"
import * as FastFiles from "../../src/node/fastFiles.ts"
import { home, skills } from "../fixtures.ts"
import type { Bench } from "../lib/bench.ts"
import { compare } from "../lib/compare.ts"
import * as dsh from "../peers/dshSkills.ts"

const layer = Layer.fresh(
  SkillsFileSystem.layer().pipe(
    Layer.provideMerge(SkillRegistry.layer),
    Layer.provide([AgentContextNode.layerFileSystem, FastFiles.layer])
  )
)
const mount = () => ManagedRuntime.make(layer)
const list = (cwd: string, revalidate = false) =>
  SkillRegistry.SkillRegistry.use((registry) => registry.list({ cwd, revalidate }))

type Named = ReadonlyArray<{ readonly name: string }>

const directories = (root: string): ReadonlyArray<string> => {
  const parent = path.join(root, ".agents/skills")
  return fs.readdirSync(parent).map((name) => path.join(parent, name))
}

const file = (directory: string): string => path.join(directory, "SKILL.md")

// Without options it would remember what it has parsed before.
const nameIn = ({ data }: { readonly data: Readonly<Record<string, unknown>> }) => ({ name: String(data["name"]) })

/** The reading is gray-matter's own, and waits for the disk. */
const grayMatter = (root: string): Named =>
  directories(root).map((directory) => nameIn(matter.read(file(directory), {})))

const readGrayMatter = async (directory: string) =>
  nameIn(matter(await fs.promises.readFile(file(directory), "utf8"), {}))

const oneByOne = async (root: string, read: (directory: string) => Promise<Named[number]>): Promise<Named> => {
  const found: Array<Named[number]> = []
  for (const directory of directories(root)) found.push(await read(directory))
  return found
}

const atOnce = (root: string, read: (directory: string) => Promise<Named[number]>): Promise<Named> =>
  Promise.all(directories(root).map(read))

/** Reading whole files, one after the other, and parsing what stands between the fences. */
const bare = (root: string): Named =>
  directories(root).map((directory) => {
    const [, head = ""] = fs.readFileSync(path.join(directory, "SKILL.md"), "utf8").split("---\n", 2)
    return { name: String(parseDocument(head).get("name")) }
  })

const bench: Bench = async function* (name) {
  const user = home()
  for (const n of [100, 1000]) {
    const root = skills(n)
    const check = (found: Named) => {
      assert.equal(found.length, n)
      assert.ok(found.some(({ name }) => name === `skill-${String(n - 1).padStart(4, "0")}`))
    }
    yield await compare({
      name: `${name}-cold`,
      n,
      ours: {
        run: async () => {
          const runtime = mount()
          const found = await runtime.runPromise(list(root))
          await runtime.dispose()
          return found
        },
        check
      },
      peers: {
        dsh: { run: async () => (await dsh.mount(user)).list(root), check },
        "gray-matter": { run: () => grayMatter(root), check },
        "gray-matter, awaited": { run: () => oneByOne(root, readGrayMatter), check },
        "gray-matter, at once": { run: () => atOnce(root, readGrayMatter), check },
        "skills-ref": { run: () => oneByOne(root, readProperties), check },
        "skills-ref, at once": { run: () => atOnce(root, readProperties), check }
      },
      floor: { run: () => bare(root), check },
      // A registry of its own takes as long as reading some forty files synchronously.
      target: { ratio: n === 1000 ? 0.5 : 1.5 }
    })
    const host = mount()
    const mounted = await dsh.mount(user)
    yield await compare({
      name: `${name}-warm`,
      n,
      ours: { run: () => host.runPromise(list(root)), check },
      peers: { dsh: { run: () => mounted.list(root), check } },
      target: { us: 60 }
    })
    yield await compare({
      name: `${name}-session`,
      n,
      ours: { run: () => host.runPromise(list(root, true)), check },
      peers: {
        dsh: { run: async () => (await dsh.mount(user)).list(root), check },
        "gray-matter": { run: () => grayMatter(root), check }
      },
      target: { ratio: 1 }
    })
    await host.dispose()
  }
}

export default bench
