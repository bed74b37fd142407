/** Skills in memory and on a real disk: the same tree, found and lost alike. And a user who may not read everything. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { layer } from "../../../src/layers/skills/fileSystem.ts"
import { layer as registryLayer } from "../../../src/layers/skills/registry.ts"
import * as FastFiles from "../../../src/node/fastFiles.ts"
import { SkillRegistry } from "../../../src/services/SkillRegistry.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"
import { skillFile } from "./disk.ts"

// Other kernels have other codes in the corners.
const onLinux = it.live.skipIf(process.platform !== "linux")

const workshop = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "skills-")))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
)

const tree = (root: string): Readonly<Record<string, string | null | { readonly link: string }>> => {
  const skills = `${root}/.agents/skills`
  return {
    [`${root}/.git/`]: null,
    [`${skills}/good/SKILL.md`]: skillFile("good"),
    [`${skills}/good/scripts/run.sh`]: "",
    [`${skills}/flat.md`]: skillFile("flat"),
    [`${skills}/crlf/SKILL.md`]: skillFile("crlf").replaceAll("\n", "\r\n"),
    [`${skills}/broken/SKILL.md`]: "---\nname: [\n---\n",
    [`${skills}/empty.md`]: "",
    [`${skills}/plain/notes.txt`]: "",
    [`${skills}/.hidden/SKILL.md`]: skillFile("hidden"),
    [`${skills}/SKILL.md/`]: null,
    [`${skills}/folder/SKILL.md/`]: null,
    [`${root}/shared/linked/SKILL.md`]: skillFile("linked"),
    [`${root}/shared/file.md`]: skillFile("file"),
    [`${skills}/linked`]: { link: `${root}/shared/linked` },
    [`${skills}/relative`]: { link: "../../shared/linked" },
    [`${skills}/file.md`]: { link: "../../shared/file.md" },
    [`${skills}/inner/SKILL.md`]: { link: "../../../shared/file.md" },
    [`${skills}/dangling`]: { link: "nowhere" },
    [`${skills}/dangling.md`]: { link: "nowhere.md" },
    [`${skills}/self`]: { link: "self" },
    [`${skills}/ping.md`]: { link: "pong.md" },
    [`${skills}/pong.md`]: { link: "ping.md" },
    [`${skills}/loop/SKILL.md`]: { link: "SKILL.md" },
    [`${skills}/up`]: { link: ".." },
    [`${skills}/text.txt`]: { link: "flat.md" },
    [`${root}/.dsh/skills`]: { link: "../.agents/skills" },
    [`${root}/home/skills`]: "a file",
    [`${root}/agents/skills`]: { link: "skills" }
  }
}

const lookAt = (root: string) =>
  Effect.gen(function* () {
    const registry = yield* SkillRegistry
    const { complete, diagnostics, skills } = yield* registry.snapshot({ cwd: root })
    const bodies = yield* Effect.forEach([...skills.map(({ name }) => name), "broken"], (name) =>
      registry.get(name, { cwd: root }).pipe(
        Effect.match({
          onSuccess: ({ content, files, resourceBase }) => ({ content, files, resourceBase }),
          onFailure: ({ message, reason }) => ({ tag: reason._tag, message })
        })
      )
    )
    return { complete, diagnostics, skills, bodies }
  }).pipe(
    Effect.provide(
      Layer.fresh(Layer.provideMerge(layer({ home: `${root}/home`, agentsHome: `${root}/agents` }), registryLayer))
    )
  )

describe("parity", () => {
  onLinux("[S-21] [S-24] memory and disk, the fast way too, hold the same skills", () =>
    Effect.gen(function* () {
      const root = yield* workshop
      for (const [name, content] of Object.entries(tree(root))) {
        fs.mkdirSync(path.dirname(name), { recursive: true })
        if (content === null) fs.mkdirSync(name, { recursive: true })
        else if (typeof content === "string") fs.writeFileSync(name, content)
        else fs.symlinkSync(content.link, name)
      }
      childProcess.spawnSync("mkfifo", [`${root}/.agents/skills/pipe.md`])
      const { controls, fileSystem } = yield* Memory.make(tree(root))
      yield* controls.special(`${root}/.agents/skills/pipe.md`, "FIFO")
      const real = yield* Effect.provide(lookAt(root), NodeFileSystem.layer)
      const memory = yield* Effect.provideService(lookAt(root), FileSystem.FileSystem, fileSystem)
      assert.deepStrictEqual(memory, real)
      assert.deepStrictEqual(yield* Effect.provide(lookAt(root), [NodeFileSystem.layer, FastFiles.layer]), real)
      assert.deepStrictEqual(
        real.skills.map(({ name }) => name),
        ["crlf", "file", "flat", "good", "linked"]
      )
      // The home of the agents is a link that leads to itself: what is there cannot be told.
      assert.isFalse(real.complete)
    })
  )
})

describe("as a user who is not root", () => {
  onLinux("[S-24] an unreadable file and an unreadable directory are named, and siblings load", () =>
    Effect.gen(function* () {
      const root = yield* workshop
      const skills = `${root}/.agents/skills`
      fs.chmodSync(root, 0o755)
      for (const name of ["open", "secret", "closed"]) {
        fs.mkdirSync(`${skills}/${name}`, { recursive: true })
        fs.writeFileSync(`${skills}/${name}/SKILL.md`, skillFile(name))
      }
      fs.mkdirSync(`${root}/home/skills`, { recursive: true })
      fs.chmodSync(`${skills}/secret/SKILL.md`, 0o000)
      fs.chmodSync(`${skills}/closed`, 0o000)
      fs.chmodSync(`${root}/home/skills`, 0o000)
      const { stderr, stdout } = childProcess.spawnSync(
        process.execPath,
        [path.join(import.meta.dirname, "asNobody.ts"), root],
        { encoding: "utf8" }
      )
      assert.strictEqual(stderr, "")
      const { complete, diagnostics, skills: found } = JSON.parse(stdout)
      assert.deepStrictEqual(found, ["open"])
      assert.isFalse(complete)
      assert.deepStrictEqual(diagnostics, [
        ["SkillUnreadable", `${skills}/closed/SKILL.md`],
        ["SkillUnreadable", `${skills}/secret/SKILL.md`],
        ["SkillUnreadable", `${root}/home/skills`]
      ])
    })
  )
})
