/**
 * List 100 and 1,000 skills: cold, in a registry of its own each time; warm; and for a new session over the host's registry,
 * which asks for metadata and reads nothing.
 *
 * gray-matter and skills-ref know no registry. They are given the names of the directories and read one after the other, as
 * skills-ref itself does when it lists; reading everything side by side makes them twice as fast.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
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
import * as FastFiles from "../../src/node/fastFiles.ts"
import { home, skills } from "../fixtures.ts"
import type { Bench } from "../lib/bench.ts"
import { compare } from "../lib/compare.ts"
import * as dsh from "../peers/dshSkills.ts"

const layer = Layer.fresh(
  SkillsFileSystem.layer().pipe(
    Layer.provideMerge(SkillRegistry.layer),
    Layer.provide([NodeFileSystem.layer, FastFiles.layer])
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

const grayMatter = async (root: string): Promise<Named> => {
  const found: Array<Named[number]> = []
  for (const directory of directories(root)) {
    // Without options it would remember what it has parsed before.
    const { data } = matter(await fs.promises.readFile(path.join(directory, "SKILL.md"), "utf8"), {})
    found.push({ name: String(data["name"]) })
  }
  return found
}

const skillsRef = async (root: string): Promise<Named> => {
  const found: Array<Named[number]> = []
  for (const directory of directories(root)) found.push(await readProperties(directory))
  return found
}

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
        "skills-ref": { run: () => skillsRef(root), check }
      },
      floor: { run: () => bare(root), check },
      target: { ratio: n === 1000 ? 0.5 : 1 }
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
      target: { ratio: n === 1000 ? 0.25 : 0.5 }
    })
    await host.dispose()
  }
}

export default bench
