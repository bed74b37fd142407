/** Skills on disk: where they are looked for, what is one, what is lost, and how often the disk is asked. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { layer } from "../../../src/layers/skills/fileSystem.ts"
import { layer as registryLayer } from "../../../src/layers/skills/registry.ts"
import { loadSkill } from "../../../src/layers/skills/tool.ts"
import type { SkillsConfig } from "../../../src/schemas/SkillsConfig.ts"
import { SkillRegistry } from "../../../src/services/SkillRegistry.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"
import { names, said, settle, skillFile, withDisk } from "./disk.ts"

const cwd = "/repo/packages/app"
const at = (root: string, name: string) => `${root}/${name}/SKILL.md`
const project = "/repo/.agents/skills"
const repo = { "/repo/.git/": null, "/repo/packages/app/": null } as const

describe("roots", () => {
  const everywhere = {
    ...repo,
    [at("/repo/.dsh/skills", "a")]: skillFile("a", "project-dsh"),
    [at(project, "a")]: skillFile("a", "project-agents"),
    [at(project, "b")]: skillFile("b", "project-agents"),
    [at("/extra", "b")]: skillFile("b", "custom"),
    [at("/extra", "c")]: skillFile("c", "custom"),
    [at("/home/u/.dsh/skills", "c")]: skillFile("c", "user-dsh"),
    [at("/home/u/.dsh/skills", "d")]: skillFile("d", "user-dsh"),
    [at("/home/u/.agents/skills", "d")]: skillFile("d", "user-agents"),
    [at("/home/u/.agents/skills", "e")]: skillFile("e", "user-agents"),
    [at("/bundle", "e")]: skillFile("e", "bundled"),
    [at("/bundle", "f")]: skillFile("f", "bundled"),
    [at("/repo/.claude/skills", "g")]: skillFile("g", "claude"),
    [at("/home/u/.dsh/skills/.system", "h")]: skillFile("h", "hidden")
  }
  const config: SkillsConfig = {
    roots: [{ path: "/extra" }, { path: ".claude/skills", rank: 50, source: "claude" }],
    bundledDirectory: "/bundle"
  }
  it.effect("[S-20] in order of rank, each with its source", () =>
    withDisk(
      everywhere,
      Effect.fnUntraced(function* ({ registry }) {
        const snapshot = yield* registry.snapshot({ cwd })
        assert.isTrue(snapshot.complete)
        assert.deepStrictEqual(
          snapshot.skills.map(({ description, name, rank, source }) => [name, rank, source, description === source]),
          [
            ["a", 100, "project-dsh", true],
            ["b", 200, "project-agents", true],
            ["c", 300, "custom", true],
            ["d", 400, "user-dsh", true],
            ["e", 500, "user-agents", true],
            ["f", 600, "bundled", true],
            ["g", 50, "claude", true]
          ]
        )
        assert.deepStrictEqual(
          snapshot.shadowed.map(({ name, source, why }) => [name, source, why]),
          [
            ["a", "project-agents", "rank"],
            ["b", "custom", "rank"],
            ["c", "user-dsh", "rank"],
            ["d", "user-agents", "rank"],
            ["e", "bundled", "rank"]
          ]
        )
      }),
      { config }
    )
  )
  it.effect("[S-20] [S-21] a file that is reached from several roots belongs to the one with the lowest rank", () =>
    withDisk(
      {
        ...repo,
        [at(project, "a")]: skillFile("a"),
        "/repo/.dsh/skills": { link: project },
        "/first": { link: project }
      },
      Effect.fnUntraced(function* ({ registry }) {
        const { shadowed, skills } = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual(
          skills.map(({ path, rank, source }) => [path, rank, source]),
          [["/first/a/SKILL.md", 50, "first"]]
        )
        assert.deepStrictEqual(shadowed, [])
      }),
      {
        config: {
          roots: [
            { path: "/last", rank: 700 },
            { path: "/first", rank: 50, source: "first" }
          ]
        }
      }
    )
  )
  it.effect("[S-20] without the default ones", () =>
    withDisk(
      everywhere,
      Effect.fnUntraced(function* ({ registry }) {
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["b", "c", "e", "f", "g"])
      }),
      { config: { ...config, includeDefaultRoots: false } }
    )
  )
  it.effect("[S-20] homes by environment and by configuration, ~ expanded, blank unset", () =>
    Effect.gen(function* () {
      const files = {
        ...repo,
        "/dsh/skills/a.md": skillFile("a"),
        "/agents/skills/b.md": skillFile("b"),
        "/home/u/x/skills/c.md": skillFile("c"),
        "/home/u/.dsh/skills/d.md": skillFile("d"),
        "/home/u/.agents/skills/e.md": skillFile("e"),
        "/home/u/more/f.md": skillFile("f"),
        "/repo/~/more/g.md": skillFile("g")
      }
      const found = (env: Record<string, string>, config: SkillsConfig = {}) =>
        withDisk(files, ({ registry }) => Effect.map(registry.snapshot({ cwd }), names), { env, config })
      const home = { HOME: "/home/u" }
      assert.deepStrictEqual(yield* found(home), ["d", "e"])
      assert.deepStrictEqual(yield* found({ ...home, DSH_HOME: "/dsh", DSH_AGENTS_HOME: "/agents" }), ["a", "b"])
      assert.deepStrictEqual(yield* found({ ...home, DSH_HOME: " ", DSH_AGENTS_HOME: "" }), ["d", "e"])
      assert.deepStrictEqual(yield* found({ ...home, DSH_HOME: "/dsh" }, { home: "~/x", agentsHome: "/nowhere" }), [
        "c"
      ])
      assert.deepStrictEqual(yield* found(home, { includeDefaultRoots: false, roots: [{ path: "~/more" }] }), ["f"])
      assert.deepStrictEqual(yield* found({}, { roots: [{ path: "~/more" }] }), [])
    })
  )
  it.effect("[S-20] a root that only the project would tell is missing with it, and the user's skills are there", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a"), [at("/home/u/.dsh/skills", "d")]: skillFile("d") },
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* disk.fault("/repo/packages/app/.git", "stat", "PermissionDenied")
        const snapshot = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual([names(snapshot), snapshot.complete], [["d"], false])
        assert.deepStrictEqual(said(snapshot), ["ProjectRootUnavailable - /repo/packages/app/.git:0"])
        yield* disk.heal()
        const healed = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual([names(healed), healed.complete], [["a", "d"], true])
      })
    )
  )
  it.effect("[S-24] missing roots, and files in their place, are empty and complete", () =>
    withDisk(
      { ...repo, "/repo/.agents": "a file", "/home/u/.dsh/skills": "a file" },
      Effect.fnUntraced(function* ({ registry }) {
        const snapshot = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual([names(snapshot), snapshot.complete, said(snapshot)], [[], true, []])
      })
    )
  )
  it.effect("[S-24] a root that cannot be read makes the listing incomplete and is named; others are listed", () =>
    withDisk(
      {
        ...repo,
        [at(project, "a")]: skillFile("a"),
        [at("/home/u/.dsh/skills", "d")]: skillFile("d"),
        "/loop": { link: "/loop" }
      },
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* disk.fault(project, "list", "Unknown")
        const snapshot = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual([names(snapshot), snapshot.complete], [["d"], false])
        assert.deepStrictEqual(said(snapshot), [
          "SkillUnreadable Unreadable /loop:1",
          `SkillUnreadable Unreadable ${project}:1`
        ])
      }),
      { config: { roots: [{ path: "/loop" }] } }
    )
  )
})

describe("layout", () => {
  it.effect("[S-21] directories and flat files, one level; dot names and node_modules skipped", () =>
    withDisk(
      {
        ...repo,
        [at(project, "dir")]: skillFile("dir"),
        [`${project}/flat.md`]: skillFile("flat"),
        [`${project}/notes.txt`]: "no skill",
        [`${project}/references/guide.txt`]: "no skill either",
        [at(`${project}/references`, "deep")]: skillFile("deep"),
        [at(project, ".hidden")]: skillFile("hidden"),
        [`${project}/.md`]: skillFile("dot"),
        [at(project, "node_modules")]: skillFile("modules"),
        [`${project}/dir/extra.md`]: skillFile("extra"),
        [`${project}/upper.MD`]: skillFile("upper")
      },
      Effect.fnUntraced(function* ({ registry }) {
        const snapshot = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual([names(snapshot), snapshot.complete, said(snapshot)], [["dir", "flat"], true, []])
        const [dir, flat] = snapshot.skills
        assert.deepStrictEqual(dir!.resourceBase, { kind: "directory", path: `${project}/dir` })
        assert.strictEqual(dir!.path, `${project}/dir/SKILL.md`)
        assert.deepStrictEqual(flat!.resourceBase, { kind: "directory", path: project })
      })
    )
  )
  it.effect("[S-21] links to directories and files are followed; one real file is one skill, at its first place", () =>
    withDisk(
      {
        ...repo,
        "/shared/pdf/SKILL.md": skillFile("pdf"),
        "/shared/zip.md": skillFile("zip"),
        "/shared/tar.md": skillFile("tar"),
        [`${project}/pdf`]: { link: "/shared/pdf" },
        [`${project}/zip.md`]: { link: "/shared/zip.md" },
        [`${project}/tar/SKILL.md`]: { link: "/shared/tar.md" },
        [`${project}/again`]: { link: "pdf" },
        "/home/u/.agents/skills": { link: project },
        "/home/u/.dsh/skills/pdf": { link: "/shared/pdf" }
      },
      Effect.fnUntraced(function* ({ registry }) {
        const snapshot = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual(names(snapshot), ["pdf", "tar", "zip"])
        assert.isTrue(snapshot.complete)
        assert.deepStrictEqual(snapshot.shadowed, [])
        // "again" comes before "pdf", and it is the same file.
        assert.strictEqual(snapshot.skills[0]!.path, `${project}/again/SKILL.md`)
        assert.deepStrictEqual(said(snapshot), [`SkillNameMismatch NameMismatch ${project}/again/SKILL.md:2`])
      })
    )
  )
  it.effect("[S-21] hard links are two files", () =>
    withDisk(
      { ...repo, [`${project}/a.md`]: skillFile("a") },
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* disk.hardLink(`${project}/a.md`, `${project}/b.md`)
        const snapshot = yield* registry.snapshot({ cwd })
        assert.strictEqual(snapshot.shadowed.length, 1)
      })
    )
  )
  it.effect("[S-21] the order of a directory does not matter", () =>
    Effect.gen(function* () {
      const order = ["b", "a", "d", "c"]
      const files = (names: ReadonlyArray<string>) => ({
        ...repo,
        ...Object.fromEntries(names.map((name) => [at(project, name), skillFile("same", name)]))
      })
      for (const names of [order, order.toReversed(), order.toSorted()]) {
        const winner = yield* withDisk(files(names), ({ registry }) => registry.snapshot({ cwd }))
        assert.strictEqual(winner.skills[0]!.description, "a")
      }
    })
  )
})

describe("what is lost", () => {
  it.effect(
    "[S-24] malformed entries are named with file, line and code; siblings load; the snapshot is complete",
    () =>
      withDisk(
        {
          ...repo,
          [at(project, "good")]: skillFile("good"),
          [at(project, "bad")]: "---\nname: bad\ndescription: [x\n---\n",
          [at(project, "open")]: "---\nname: open\n",
          [`${project}/README.md`]: "# no skill\n",
          [`${project}/loop`]: { link: "loop" },
          [`${project}/ping`]: { link: "pong" },
          [`${project}/pong`]: { link: "ping" },
          [`${project}/dangling`]: { link: "/nowhere" },
          [`${project}/self/SKILL.md`]: { link: "SKILL.md" },
          [`${project}/cut/SKILL.md`]: { link: "/nowhere" },
          [`${project}/dir/SKILL.md/`]: null,
          [`${project}/SKILL.md/x.txt`]: "a directory of that name"
        },
        Effect.fnUntraced(function* ({ disk, registry }) {
          yield* disk.special(`${project}/pipe.md`, "FIFO")
          yield* disk.special(`${project}/piped/SKILL.md`, "FIFO")
          const snapshot = yield* registry.snapshot({ cwd })
          assert.deepStrictEqual([names(snapshot), snapshot.complete], [["good"], true])
          assert.deepStrictEqual(said(snapshot), [
            `SkillMalformed DanglingLink ${project}/cut/SKILL.md:1`,
            `SkillMalformed DanglingLink ${project}/dangling:1`,
            `SkillMalformed InvalidYaml ${project}/bad/SKILL.md:4`,
            `SkillMalformed LinkLoop ${project}/loop:1`,
            `SkillMalformed LinkLoop ${project}/ping:1`,
            `SkillMalformed LinkLoop ${project}/pong:1`,
            `SkillMalformed LinkLoop ${project}/self/SKILL.md:1`,
            `SkillMalformed NoFile ${project}/SKILL.md:1`,
            `SkillMalformed NoFile ${project}/dir/SKILL.md:1`,
            `SkillMalformed NoFile ${project}/pipe.md:1`,
            `SkillMalformed NoFile ${project}/piped/SKILL.md:1`,
            `SkillMalformed NoFrontmatter ${project}/README.md:1`,
            `SkillMalformed UnclosedFrontmatter ${project}/open/SKILL.md:1`
          ])
          for (const { message, path } of snapshot.diagnostics) assert.include(message, path!)
        })
      )
  )
  for (const operation of ["stat", "read"] as const) {
    it.effect(
      `[S-24] an entry that cannot be read (${operation}) is named and makes the snapshot incomplete; siblings load`,
      () =>
        withDisk(
          { ...repo, [at(project, "a")]: skillFile("a"), [at(project, "b")]: skillFile("b") },
          Effect.fnUntraced(function* ({ disk, registry }) {
            yield* disk.fault(at(project, "a"), operation, "PermissionDenied")
            const snapshot = yield* registry.snapshot({ cwd })
            assert.deepStrictEqual([names(snapshot), snapshot.complete], [["b"], false])
            assert.deepStrictEqual(said(snapshot), [`SkillUnreadable Unreadable ${at(project, "a")}:1`])
            yield* disk.heal()
            assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a", "b"])
          })
        )
    )
  }
  it.effect("[S-24] a linked entry that cannot be told is unreadable as well", () =>
    withDisk(
      {
        ...repo,
        [`${project}/a`]: { link: "/shared/a" },
        "/shared/a/SKILL.md": skillFile("a"),
        [at(project, "b")]: skillFile("b")
      },
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* disk.fault(`${project}/a`, "stat", "Unknown")
        const snapshot = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual([names(snapshot), snapshot.complete], [["b"], false])
        assert.deepStrictEqual(said(snapshot), [`SkillUnreadable Unreadable ${project}/a:1`])
      })
    )
  )
  it.effect("[S-24] what goes while it is looked at is gone", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a"), [at(project, "b")]: skillFile("b") },
      Effect.fnUntraced(function* ({ disk, fs, registry }) {
        // It is there when it is asked for, and not when it is opened.
        const vanishing = FileSystem.make({
          ...fs,
          open: (path, options) =>
            path === at(project, "a")
              ? Effect.andThen(disk.delete(`${project}/a`), fs.open(path, options))
              : fs.open(path, options)
        })
        const snapshot = yield* registry.snapshot({ cwd }).pipe(Effect.provideService(FileSystem.FileSystem, vanishing))
        assert.deepStrictEqual([names(snapshot), snapshot.complete, said(snapshot)], [["b"], true, []])
      })
    )
  )
})

describe("how often the disk is asked", () => {
  it.effect("[S-22] only the head of a file is read", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a", "x", "y".repeat(500_000)) },
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* registry.snapshot({ cwd })
        assert.isAtMost(yield* disk.bytesRead(at(project, "a")), 4096)
        assert.strictEqual(yield* disk.openHandles, 0)
      })
    )
  )
  it.effect("[S-22] at most 64 KiB of it, whatever is reported", () =>
    withDisk(
      { ...repo, [at(project, "a")]: `---\nname: a\n${"# comment\n".repeat(50_000)}` },
      Effect.fnUntraced(function* ({ disk, registry }) {
        for (const size of [undefined, 3, 0, 10_000_000]) {
          yield* disk.reportSize(at(project, "a"), size)
          yield* disk.resetCounters
          const snapshot = yield* registry.snapshot({ cwd, revalidate: true })
          assert.deepStrictEqual(said(snapshot), [`SkillMalformed UnclosedFrontmatter ${at(project, "a")}:1`])
          assert.isAtMost(yield* disk.bytesRead(at(project, "a")), 65_536)
        }
      })
    )
  )
  it.effect("[S-22] a file that says it is small is read as far as it takes", () =>
    withDisk(
      { ...repo, [at(project, "a")]: { repeat: ["x", 1], reportSize: 1 } },
      Effect.fnUntraced(function* ({ disk, registry }) {
        for (const size of [0, 1, 5, 60, 4095, 4096, 4097]) {
          const text = skillFile("a", `d${"e".repeat(5000)}f`)
          yield* disk.write(at(project, "a"), text)
          yield* disk.reportSize(at(project, "a"), size)
          assert.deepStrictEqual(names(yield* registry.snapshot({ cwd, revalidate: true })), ["a"])
        }
      })
    )
  )
  it.effect("[S-5] a warm listing asks nothing; [S-25] a revalidation asks for metadata only", () =>
    withDisk(
      {
        ...repo,
        [at(project, "a")]: skillFile("a"),
        [`${project}/b.md`]: skillFile("b"),
        [`${project}/bad.md`]: "bad"
      },
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* registry.snapshot({ cwd })
        yield* disk.resetCounters
        yield* registry.snapshot({ cwd })
        assert.strictEqual(yield* disk.requests, 0)
        const snapshot = yield* registry.snapshot({ cwd, revalidate: true })
        assert.deepStrictEqual(yield* disk.allReads, {})
        assert.deepStrictEqual(names(snapshot), ["a", "b"])
        assert.deepStrictEqual(said(snapshot), [`SkillMalformed NoFrontmatter ${project}/bad.md:1`])
        // Another working directory of the same host shares what is known of the files.
        yield* registry.snapshot({ cwd: "/repo" })
        assert.deepStrictEqual(yield* disk.allReads, {})
      })
    )
  )
  it.effect("[S-25] a revalidation sees what was added, edited, renamed and removed", () =>
    withDisk(
      {
        ...repo,
        [at(project, "a")]: skillFile("a"),
        [at(project, "b")]: skillFile("b"),
        [`${project}/c/other.txt`]: ""
      },
      Effect.fnUntraced(function* ({ disk, registry }) {
        const look = Effect.map(registry.snapshot({ cwd, revalidate: true }), ({ skills }) =>
          skills.map(({ description, name }) => `${name}: ${description}`)
        )
        assert.deepStrictEqual(yield* look, ["a: about a", "b: about b"])
        yield* disk.write(at(project, "a"), skillFile("a", "edited"))
        yield* disk.delete(`${project}/b`)
        yield* disk.write(at(project, "c"), skillFile("c"))
        yield* disk.write(`${project}/d.md`, skillFile("d"))
        yield* settle
        assert.deepStrictEqual(yield* look, ["a: edited", "c: about c", "d: about d"])
        assert.strictEqual(yield* disk.reads(at(project, "c")), 1)
        yield* disk.write(at(project, "a"), skillFile("renamed"))
        assert.deepStrictEqual(yield* look, ["c: about c", "d: about d", "renamed: about renamed"])
      })
    )
  )
  it.effect("[S-25] a version that is too young is not trusted", () =>
    withDisk(
      repo,
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* disk.write(at(project, "a"), skillFile("a", "one"))
        const look = Effect.map(registry.snapshot({ cwd, revalidate: true }), ({ skills }) => skills[0]!.description)
        assert.strictEqual(yield* look, "one")
        yield* disk.write(at(project, "a"), skillFile("a", "two"), { sameStat: true })
        assert.strictEqual(yield* look, "two")
        yield* TestClock.adjust("2 seconds")
        yield* look
        yield* disk.resetCounters
        yield* look
        assert.deepStrictEqual(yield* disk.allReads, {})
      })
    )
  )
  it.effect("[S-25] what a tool has written is looked at, whatever its metadata say", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a", "one") },
      Effect.fnUntraced(function* ({ disk, registry, skills }) {
        const look = Effect.map(registry.snapshot({ cwd }), ({ skills }) =>
          skills.map(({ description }) => description)
        )
        const observe = skills.onToolResult(cwd)
        const call = (name: string, file_path: unknown, outcome = "ok") =>
          observe({ name, arguments: { file_path }, outcome: outcome as "ok", token: "t" })
        assert.deepStrictEqual(yield* look, ["one"])
        yield* disk.write(at(project, "a"), skillFile("a", "two"), { sameStat: true })
        call("write", at(project, "a"), "error")
        call("read", at(project, "a"))
        call("write", "/repo/README.md")
        call("write", 42)
        assert.deepStrictEqual(yield* look, ["one"])
        call("edit", "../../.agents/skills/a/SKILL.md")
        assert.deepStrictEqual(yield* look, ["two"])
        yield* disk.delete(`${project}/a`)
        assert.deepStrictEqual(yield* look, ["two"])
        yield* skills.invalidate
        assert.deepStrictEqual(yield* look, [])
      })
    )
  )
  it.effect("[S-25] a path touches roots by whatever way it leads there", () =>
    withDisk(
      {
        ...repo,
        "/shared/skills/a/SKILL.md": skillFile("a"),
        "/elsewhere/b/SKILL.md": skillFile("b"),
        "/home/u/.agents/skills": { link: "/shared/skills" },
        [`${project}/b`]: { link: "/elsewhere/b" }
      },
      Effect.fnUntraced(function* ({ registry, skills }) {
        const touches = (...paths: ReadonlyArray<string>) => skills.touchesRoots(cwd, paths)
        // Before anything is listed, what looks like a skill counts.
        assert.isTrue(touches(`${project}/x.md`))
        assert.isFalse(touches("/shared/skills/a/notes.txt"))
        yield* registry.snapshot({ cwd })
        assert.isTrue(touches("/shared/skills/a/notes.txt"))
        assert.isTrue(touches("/elsewhere/b/notes.txt"))
        assert.isTrue(touches("/extra/new.md"))
        assert.isTrue(touches("README.md", "../../.dsh/skills/new.md"))
        assert.isFalse(touches("README.md", "/repo/.agents/notes.md", "/shared/other.md"))
      }),
      { config: { roots: [{ path: "/extra" }] } }
    )
  )
})

describe("without a file system", () => {
  it.effect("[S-20] nothing is found and nothing is concluded, until there is one", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make({ ...repo, [at(project, "a")]: skillFile("a") })
      const snapshot = SkillRegistry.use((registry) =>
        Effect.gen(function* () {
          const before = yield* registry.snapshot({ cwd })
          assert.deepStrictEqual([names(before), before.complete, said(before)], [[], false, []])
          const found = Effect.provideService(registry.snapshot({ cwd }), FileSystem.FileSystem, fileSystem)
          assert.deepStrictEqual(names(yield* found), ["a"])
          assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), [])
          const error = yield* Effect.flip(registry.get("a", { cwd }))
          assert.strictEqual(error.reason._tag, "SkillUnavailable")
        })
      )
      yield* Effect.provide(snapshot, Layer.fresh(Layer.provideMerge(layer(), registryLayer)))
    })
  )
  it.effect("[C-6] [C-8] each caller sees its own", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a") },
      Effect.fnUntraced(function* ({ registry }) {
        const { fileSystem } = yield* Memory.make({ ...repo, [at(project, "b")]: skillFile("b") })
        const elsewhere = Effect.provideService(registry.snapshot({ cwd }), FileSystem.FileSystem, fileSystem)
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a"])
        assert.deepStrictEqual(names(yield* elsewhere), ["b"])
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a"])
        assert.deepStrictEqual(names(yield* elsewhere), ["b"])
      })
    )
  )
})

describe("interruption", () => {
  for (const [what, path, operation] of [
    ["a root", project, "list"],
    ["a marker", "/repo/packages/app/.git", "stat"],
    ["a file's metadata", at(project, "a"), "stat"],
    ["a file", at(project, "a"), "read"]
  ] as const) {
    it.effect(`[S-4] ${what} that never answers is given up with its caller, and with the deadline`, () =>
      withDisk(
        { ...repo, [at(project, "a")]: skillFile("a") },
        Effect.fnUntraced(function* ({ disk, registry }) {
          yield* disk.fault(path, operation, "hang")
          const given = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
          yield* Effect.yieldNow
          yield* Fiber.interrupt(given)
          assert.strictEqual(yield* disk.openHandles, 0)
          const late = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
          yield* TestClock.adjust("5 seconds")
          const snapshot = yield* Fiber.join(late)
          assert.deepStrictEqual([names(snapshot), snapshot.complete], [[], false])
          assert.strictEqual(yield* disk.openHandles, 0)
          yield* disk.heal()
          assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a"])
        })
      )
    )
  }
  it.effect("[S-6] so is a body", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a") },
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* registry.snapshot({ cwd })
        yield* disk.fault(at(project, "a"), "read", "hang")
        const controller = new AbortController()
        const fiber = yield* Effect.forkChild(registry.get("a", { cwd, signal: controller.signal }), {
          startImmediately: true
        })
        yield* Effect.yieldNow
        controller.abort()
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.strictEqual(yield* disk.openHandles, 0)
      })
    )
  )
})

describe("a body", () => {
  it.effect("[S-26] is what follows the closing fence, read anew each time", () =>
    withDisk(
      { ...repo, [at(project, "a")]: "---\r\nname: a\r\ndescription: x\r\n---  \r\n\r\ntop\r\n---\r\nrest" },
      Effect.fnUntraced(function* ({ disk, registry }) {
        const content = Effect.map(registry.get("a", { cwd }), ({ content }) => content)
        assert.strictEqual(yield* content, "\r\ntop\r\n---\r\nrest")
        yield* disk.write(at(project, "a"), "---\nname: a\ndescription: x\nlicense: 'it''s'\n---\nnew", {
          sameStat: true
        })
        assert.strictEqual(yield* content, "new")
        assert.strictEqual((yield* registry.get("a", { cwd })).license, "it's")
      })
    )
  )
  it.effect("[S-26] of a file that is too large is refused, by its metadata and while it is read", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a", "x", "y".repeat(2000)) },
      Effect.fnUntraced(function* ({ disk, registry }) {
        for (const size of [undefined, 10]) {
          yield* disk.reportSize(at(project, "a"), size)
          const { message, reason } = yield* Effect.flip(registry.get("a", { cwd }))
          assert.strictEqual(reason._tag, "SkillTooLarge")
          assert.include(message, "1000")
          // What is known to be too large is not even opened.
          if (size === undefined) assert.strictEqual(yield* disk.reads(at(project, "a")), 1)
        }
      }),
      { config: { maxSourceBytes: 1000 } }
    )
  )
  it.effect("[S-26] at the limit is loaded", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a") },
      ({ registry }) => Effect.map(registry.get("a", { cwd }), ({ name }) => assert.strictEqual(name, "a")),
      { config: { maxSourceBytes: skillFile("a").length } }
    )
  )
  const changes: ReadonlyArray<readonly [what: string, content: string | undefined, listed: ReadonlyArray<string>]> = [
    ["deleted", undefined, []],
    ["renamed in its frontmatter", skillFile("b"), ["b"]],
    ["broken", "---\nname: a\n", []],
    ["made binary", `${skillFile("a")}\0`, []]
  ]
  for (const [what, content, listed] of changes) {
    it.effect(
      `[S-6] of a skill that was ${what} since it was listed is unavailable, and the list is looked up anew`,
      () =>
        withDisk(
          { ...repo, [at(project, "a")]: skillFile("a") },
          Effect.fnUntraced(function* ({ disk, registry }) {
            assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a"])
            yield* content === undefined ? disk.delete(`${project}/a`) : disk.write(at(project, "a"), content)
            const { message, reason } = yield* Effect.flip(registry.get("a", { cwd }))
            assert.strictEqual(reason._tag, "SkillUnavailable")
            assert.include(message, `"a"`)
            assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), listed)
          })
        )
    )
  }
  it.effect("[S-6] that cannot be read now is unavailable, and the list stays", () =>
    withDisk(
      { ...repo, [at(project, "a")]: skillFile("a") },
      Effect.fnUntraced(function* ({ disk, registry }) {
        const before = yield* registry.snapshot({ cwd })
        yield* disk.fault(at(project, "a"), "read", "PermissionDenied")
        assert.strictEqual((yield* Effect.flip(registry.get("a", { cwd }))).reason._tag, "SkillUnavailable")
        assert.strictEqual(yield* registry.snapshot({ cwd }), before)
      })
    )
  )
  it.effect("[S-43] comes with the files beside it, bounded and in order", () =>
    withDisk(
      {
        ...repo,
        [at(project, "a")]: skillFile("a"),
        [`${project}/a/LICENSE`]: "",
        [`${project}/a/scripts/b.py`]: "",
        [`${project}/a/scripts/a.py`]: "",
        [`${project}/a/scripts/deep/c.py`]: "",
        [`${project}/a/.git/config`]: "",
        [`${project}/a/node_modules/x.js`]: "",
        [`${project}/flat.md`]: skillFile("flat"),
        [at(project, "many")]: skillFile("many"),
        [at(project, "alone")]: skillFile("alone"),
        ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${project}/many/${100 + index}.txt`, ""]))
      },
      Effect.fnUntraced(function* ({ disk, registry }) {
        const files = (name: string) => Effect.map(registry.get(name, { cwd }), ({ files }) => files)
        assert.deepStrictEqual(yield* files("a"), {
          paths: ["LICENSE", "scripts/a.py", "scripts/b.py"],
          truncated: true
        })
        const many = yield* files("many")
        assert.deepStrictEqual([many!.paths.length, many!.paths[49], many!.truncated], [50, "149.txt", true])
        assert.isUndefined(yield* files("flat"))
        assert.isUndefined(yield* files("alone"))
        const { text } = yield* loadSkill(registry, "a", { cwd })
        assert.include(text, `Base directory: ${project}/a\n`)
        assert.include(text, "Files:\n- LICENSE\n- scripts/a.py\n- scripts/b.py\n- … and more\n")
        // Where they cannot be listed, the skill loads without them.
        yield* disk.fault(`${project}/a`, "list", "PermissionDenied")
        assert.isUndefined(yield* files("a"))
      })
    )
  )
  it.effect("[S-43] looks into no more directories than it says, and says that there is more", () =>
    withDisk(
      {
        ...repo,
        [at(project, "wide")]: skillFile("wide"),
        ...Object.fromEntries(
          Array.from({ length: 500 }, (_, index) => [`${project}/wide/${100 + index}/`, null] as const)
        ),
        [`${project}/wide/100/a.txt`]: "",
        [at(project, "deep")]: skillFile("deep"),
        [`${project}/deep/a/b/c.txt`]: "",
        [at(project, "closed")]: skillFile("closed"),
        [`${project}/closed/a.txt`]: "",
        [`${project}/closed/b/c.txt`]: "",
        [at(project, "crowd")]: skillFile("crowd"),
        ...Object.fromEntries(Array.from({ length: 4096 }, (_, index) => [`${project}/crowd/a/.${index}`, ""])),
        [`${project}/crowd/b/c.txt`]: ""
      },
      Effect.fnUntraced(function* ({ disk, fs, registry }) {
        let listings = 0
        const counting = FileSystem.make({
          ...fs,
          readDirectoryEntries: (path: string) => {
            listings += 1
            return fs.readDirectoryEntries(path)
          }
        })
        const files = (name: string) => Effect.map(registry.get(name, { cwd }), ({ files }) => files)
        assert.deepStrictEqual(yield* files("wide"), { paths: ["100/a.txt"], truncated: true })
        listings = 0
        yield* Effect.provideService(files("wide"), FileSystem.FileSystem, counting)
        // The lookup of the name lists the roots; what is beside the skill is bounded.
        assert.isAtMost(listings, 32 + 8)
        assert.deepStrictEqual(yield* files("crowd"), { paths: [], truncated: true })
        assert.deepStrictEqual(yield* files("deep"), { paths: [], truncated: true })
        assert.include((yield* loadSkill(registry, "deep", { cwd })).text, "Files:\n- … and more\n")
        yield* disk.fault(`${project}/closed/b`, "list", "PermissionDenied")
        assert.deepStrictEqual(yield* files("closed"), { paths: ["a.txt"], truncated: true })
      })
    )
  )
})

describe("configuration", () => {
  it.effect("[S-20] is checked, and says what is allowed", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [config: unknown, key: string]> = [
        [{ maxSourceBytes: 0 }, "skills.maxSourceBytes"],
        [{ roots: [{ rank: 1 }] }, "skills.roots.0.path"],
        [{ catalogDescriptionMaxLength: 2 }, "skills.catalogDescriptionMaxLength"],
        [{ catalogMaxBytes: -1 }, "skills.catalogMaxBytes"],
        [{ userInvocation: "always" }, "skills.userInvocation"],
        [{ home: "" }, "skills.home"],
        [{ watch: "yes" }, "skills.watch"],
        [{ rooots: [] }, "skills.rooots"]
      ]
      for (const [config, key] of wrong) {
        const built = Layer.build(Layer.fresh(Layer.provide(layer(config as SkillsConfig), registryLayer)))
        const error = yield* Effect.flip(Effect.scoped(built))
        assert.strictEqual(error._tag, "InvalidConfiguration")
        assert.isTrue(error.message.startsWith(key), error.message)
      }
    })
  )
  it.effect("[S-1] two of them are one too many for a registry", () =>
    Effect.gen(function* () {
      const registry = yield* Layer.build(Layer.fresh(registryLayer))
      const build = Layer.build(Layer.fresh(Layer.provide(layer(), Layer.succeedContext(registry))))
      yield* build
      const error = yield* Effect.flip(build)
      assert.strictEqual(error._tag === "SkillRegistryError" && error.reason._tag, "DuplicateSkillProvider")
      assert.isTrue(Context.isContext(registry))
    })
  )
})
