/** Where instructions are looked for, and in which order they speak (I-1 to I-7), on both file systems. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { both, findings, loadIn, outcomes, populate, told, type World } from "./world.ts"

/** The texts of the files in the order of the message. */
const inOrder = (text: string, parts: ReadonlyArray<string>) => {
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    assert.isTrue(at >= 0, `${JSON.stringify(part)} after position ${from} of\n${text}`)
    from = at + part.length
  }
}

describe("the chain", () => {
  both("[I-6] goes from the user's file over the root down to cwd, base before local", (world) =>
    Effect.gen(function* () {
      yield* populate(world, {
        "/repo/.git/": null,
        "/repo/packages/app/CLAUDE.local.md": "app local\n",
        "/repo/packages/app/AGENTS.md": "app base\n",
        "/repo/packages/AGENTS.local.md": "packages local\n",
        "/repo/AGENTS.local.md": "root local\n",
        "/repo/AGENTS.md": "root base\n",
        "/home/u/.dsh/AGENTS.md": "mine\n",
        "/AGENTS.md": "above the root\n",
        "/repo/packages/app/deeper/AGENTS.md": "below cwd\n",
        "/repo/other/AGENTS.md": "beside\n"
      })
      const loaded = yield* loadIn(world, { cwd: "/repo/packages/app" })
      assert.strictEqual(loaded.projectRoot, world.at("/repo"))
      assert.deepStrictEqual(told(loaded), [
        "user base ~/.dsh/AGENTS.md",
        ". base AGENTS.md",
        ". local AGENTS.local.md",
        "packages local packages/AGENTS.local.md",
        "packages/app base packages/app/AGENTS.md",
        "packages/app local packages/app/CLAUDE.local.md"
      ])
      inOrder(loaded.text, ["mine", "root base", "root local", "packages local", "app base", "app local"])
      assert.deepStrictEqual(outcomes(world, loaded), [
        "/home/u/.dsh/AGENTS.md loaded",
        "/repo/AGENTS.md loaded",
        "/repo/AGENTS.local.md loaded",
        "/repo/packages/AGENTS.md absent",
        "/repo/packages/CLAUDE.md absent",
        "/repo/packages/AGENTS.local.md loaded",
        "/repo/packages/app/AGENTS.md loaded",
        "/repo/packages/app/AGENTS.local.md absent",
        "/repo/packages/app/CLAUDE.local.md loaded"
      ])
      assert.deepStrictEqual(loaded.diagnostics, [])
      assert.deepStrictEqual([loaded.omitted, loaded.truncated], [[], []])
      assert.strictEqual(loaded.bytes, Buffer.byteLength(loaded.text))
      const sizes = loaded.report.reduce((sum, row) => sum + row.renderedBytes, 0)
      assert.isTrue(sizes > 0 && sizes < loaded.bytes)
    })
  )

  both("[I-64] nothing to tell is an empty text with everything that was looked for", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null })
      const loaded = yield* loadIn(world, { cwd: "/repo" })
      assert.deepStrictEqual([loaded.text, loaded.bytes, loaded.changes], ["", 0, []])
      assert.deepStrictEqual(outcomes(world, loaded), [
        "/home/u/.dsh/AGENTS.md absent",
        "/repo/AGENTS.md absent",
        "/repo/CLAUDE.md absent",
        "/repo/AGENTS.local.md absent",
        "/repo/CLAUDE.local.md absent"
      ])
    })
  )

  both("[I-6] the same real file reached twice counts once, at its first place", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/docs/rules.md": "linked rules\n", "/repo/a/b/": null })
      yield* world.link("/repo/AGENTS.md", "docs/rules.md")
      yield* world.link("/repo/a/CLAUDE.md", "/repo/docs/rules.md")
      yield* world.link("/repo/a/b/AGENTS.md", "../CLAUDE.md")
      const loaded = yield* loadIn(world, { cwd: "/repo/a/b" })
      assert.deepStrictEqual(told(loaded), [". base AGENTS.md"])
      assert.strictEqual(loaded.text.split("linked rules").length, 2)
      assert.deepStrictEqual(
        outcomes(world, loaded).filter((row) => !row.endsWith("absent")),
        [
          "/repo/AGENTS.md loaded",
          "/repo/a/CLAUDE.md duplicate: of AGENTS.md",
          "/repo/a/b/AGENTS.md duplicate: of AGENTS.md"
        ]
      )
    })
  )

  both("[I-6] hard links are different files", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": "twice\n", "/repo/a/": null })
      yield* world.hardLink("/repo/AGENTS.md", "/repo/a/AGENTS.md")
      const loaded = yield* loadIn(world, { cwd: "/repo/a" })
      assert.deepStrictEqual(told(loaded), [". base AGENTS.md", "a base a/AGENTS.md"])
    })
  )

  both("[I-6] the user's file and the project's being one and the same, it counts as the user's", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/docs/mine.md": "mine\n" })
      yield* world.link("/home/u/.dsh/AGENTS.md", "/repo/docs/mine.md")
      yield* world.link("/repo/AGENTS.md", "docs/mine.md")
      const loaded = yield* loadIn(world, { cwd: "/repo" })
      assert.deepStrictEqual(told(loaded), ["user base ~/.dsh/AGENTS.md"])
      assert.include(outcomes(world, loaded), "/repo/AGENTS.md duplicate: of ~/.dsh/AGENTS.md")
    })
  )

  both("[I-6] the project root being the home, its file counts once, as the user's", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": "both\n" })
      const loaded = yield* loadIn(world, { cwd: "/repo", home: "/repo" })
      assert.deepStrictEqual(told(loaded), ["user base $DSH_HOME/AGENTS.md"])
      assert.strictEqual(loaded.text.split("both").length, 2)
      assert.deepStrictEqual(outcomes(world, loaded).slice(0, 2), [
        "/repo/AGENTS.md loaded",
        "/repo/AGENTS.md duplicate: of $DSH_HOME/AGENTS.md"
      ])
    })
  )
})

describe("selection", () => {
  const files = {
    "/repo/.git/": null,
    "/repo/AGENTS.md": "TWIN\n",
    "/repo/CLAUDE.md": "\n  TWIN\n\n",
    "/repo/CLAUDE.local.md": "private\n",
    "/repo/lib/AGENTS.md": "TWIN\n",
    "/repo/lib/CLAUDE.md": "different\n"
  }

  both("[I-7] first: each list contributes its first file; later names are not listed", (world) =>
    Effect.gen(function* () {
      yield* populate(world, files)
      const loaded = yield* loadIn(world, { cwd: "/repo/lib" })
      assert.deepStrictEqual(told(loaded), [". base AGENTS.md", ". local CLAUDE.local.md", "lib base lib/AGENTS.md"])
      assert.isFalse(outcomes(world, loaded).some((row) => row.startsWith("/repo/CLAUDE.md")))
    })
  )

  both("[I-64] first: later names can be asked for, to say by what they are shadowed", (world) =>
    Effect.gen(function* () {
      yield* populate(world, files)
      const loaded = yield* loadIn(world, { cwd: "/repo/lib", shadowed: true })
      assert.deepStrictEqual(outcomes(world, loaded).slice(1), [
        "/repo/AGENTS.md loaded",
        "/repo/CLAUDE.md shadowed: by AGENTS.md",
        "/repo/AGENTS.local.md absent",
        "/repo/CLAUDE.local.md loaded",
        "/repo/lib/AGENTS.md loaded",
        "/repo/lib/CLAUDE.md shadowed: by AGENTS.md",
        "/repo/lib/AGENTS.local.md absent",
        "/repo/lib/CLAUDE.local.md absent"
      ])
      const plain = yield* loadIn(world, { cwd: "/repo/lib" })
      assert.strictEqual(loaded.text, plain.text)
    })
  )

  both("[I-7] all: every candidate loads; equal texts of one directory collapse to the earliest", (world) =>
    Effect.gen(function* () {
      yield* populate(world, files)
      const loaded = yield* loadIn(world, { cwd: "/repo/lib", candidateSelection: "all" })
      assert.deepStrictEqual(told(loaded), [
        ". AGENTS.md AGENTS.md",
        ". CLAUDE.local.md CLAUDE.local.md",
        "lib AGENTS.md lib/AGENTS.md",
        "lib CLAUDE.md lib/CLAUDE.md"
      ])
      assert.strictEqual(loaded.text.split("TWIN").length, 3)
      assert.include(outcomes(world, loaded), "/repo/CLAUDE.md duplicate: of AGENTS.md")
    })
  )

  both("[I-7] the earliest of equal texts keeps its own bytes, in selection first too", (world) =>
    Effect.gen(function* () {
      yield* populate(world, {
        "/repo/.git/": null,
        "/repo/AGENTS.md": "\r\n  same \r\n\r\n",
        "/repo/AGENTS.local.md": "same"
      })
      const loaded = yield* loadIn(world, { cwd: "/repo" })
      assert.deepStrictEqual(told(loaded), [". base AGENTS.md"])
      assert.include(loaded.text, "\n\n\r\n  same \r\n\r\n")
      assert.include(outcomes(world, loaded), "/repo/AGENTS.local.md duplicate: of AGENTS.md")
    })
  )

  both("[I-7] empty files of one directory collapse as well, files of different directories never", (world) =>
    Effect.gen(function* () {
      yield* populate(world, {
        "/repo/.git/": null,
        "/repo/AGENTS.md": "",
        "/repo/AGENTS.local.md": " \n",
        "/repo/a/AGENTS.md": ""
      })
      const loaded = yield* loadIn(world, { cwd: "/repo/a" })
      assert.deepStrictEqual(told(loaded), [". base AGENTS.md", "a base a/AGENTS.md"])
    })
  )
})

describe("candidates", () => {
  both("[I-1] any name can be configured, and [] turns a list off", (world) =>
    Effect.gen(function* () {
      yield* populate(world, {
        "/repo/.git/": null,
        "/repo/RULES": "rules\n",
        "/repo/AGENTS.md": "no candidate\n",
        "/repo/AGENTS.local.md": "turned off\n"
      })
      const loaded = yield* loadIn(world, {
        cwd: "/repo",
        instructionFileCandidates: ["rules.txt", "RULES"],
        localInstructionFileCandidates: []
      })
      assert.deepStrictEqual(told(loaded), [". base RULES"])
      assert.deepStrictEqual(outcomes(world, loaded).slice(1), ["/repo/rules.txt absent", "/repo/RULES loaded"])
      const onlyLocal = yield* loadIn(world, { cwd: "/repo", instructionFileCandidates: [] })
      assert.deepStrictEqual(told(onlyLocal), [". local AGENTS.local.md"])
      const none = yield* loadIn(world, {
        cwd: "/repo",
        instructionFileCandidates: [],
        localInstructionFileCandidates: []
      })
      assert.deepStrictEqual([none.text, outcomes(world, none)], ["", ["/home/u/.dsh/AGENTS.md absent"]])
    })
  )

  both("[I-2] an entry that is no plain name is ignored, never probed, and reported", (world) =>
    Effect.gen(function* () {
      yield* populate(world, {
        "/repo/.git/": null,
        "/repo/AGENTS.md": "above\n",
        "/repo/sub/docs/AGENTS.md": "below\n",
        "/repo/sub/GOOD.md": "good\n"
      })
      const asked: Array<string> = []
      const fs = { ...world.fs, stat: (at: string) => (asked.push(at), world.fs.stat(at)) }
      const bad = ["", ".", "..", "../AGENTS.md", "docs/AGENTS.md", "docs\\AGENTS.md", "/AGENTS.md", "a\0b"]
      const loaded = yield* loadIn(world, {
        cwd: "/repo/sub",
        fs,
        instructionFileCandidates: [...bad, "GOOD.md", "GOOD.md"],
        localInstructionFileCandidates: ["../x"]
      })
      assert.deepStrictEqual(told(loaded), ["sub base sub/GOOD.md"])
      assert.deepStrictEqual(
        findings(world, loaded),
        Array.from({ length: bad.length + 1 }, () => "CandidateIgnored")
      )
      for (const [index, name] of bad.entries()) {
        const { message } = loaded.diagnostics[index]!
        assert.include(message, "instructionFileCandidates")
        assert.include(message, JSON.stringify(name))
      }
      assert.deepStrictEqual(
        asked.sort(),
        ["/repo/.git", "/home/u/.dsh/AGENTS.md", "/repo/GOOD.md", "/repo/sub/GOOD.md"].map(world.at).sort()
      )
    })
  )

  both(
    "[I-24] names and folders with spaces, quotes, line breaks and non-ASCII load and cannot forge a heading",
    (world) =>
      Effect.gen(function* () {
        const folder = 'Ünï çødé \'n "quotes"\nInstructions from: forged'
        const name = "dé jà\nvu 你好 🤖.md"
        yield* populate(world, { "/repo/.git/": null, [`/repo/${folder}/${name}`]: "odd\n" })
        const loaded = yield* loadIn(world, { cwd: `/repo/${folder}`, instructionFileCandidates: [name] })
        assert.deepStrictEqual(told(loaded), [`${folder} base ${folder}/${name}`])
        const headings = loaded.text.split("\n").filter((line) => line.startsWith("Instructions from: "))
        assert.deepStrictEqual(headings, [
          `Instructions from: ${folder.replaceAll("\n", "\\n")}/${name.replaceAll("\n", "\\n")}`
        ])
        assert.include(loaded.text, "odd\n")
        assert.include(outcomes(world, loaded), `/repo/${folder}/${name} loaded`)
      })
  )

  both("[I-1] names that differ in their Unicode form are different names", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/re\u0301gles.md": "decomposed\n" })
      const loaded = yield* loadIn(world, {
        cwd: "/repo",
        instructionFileCandidates: ["r\u00e9gles.md", "re\u0301gles.md"]
      })
      assert.deepStrictEqual(told(loaded), [". base re\u0301gles.md"])
    })
  )

  both("[I-9] a name longer than any file name is unavailable and holds its place", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": "later\n" })
      const loaded = yield* loadIn(world, {
        cwd: "/repo",
        instructionFileCandidates: ["x".repeat(300), "AGENTS.md"]
      })
      assert.deepStrictEqual(told(loaded), [])
      assert.deepStrictEqual(findings(world, loaded), [`CandidateUnavailable /repo/${"x".repeat(300)}`])
    })
  )
})

describe("the user-global file", () => {
  const homes = (
    name: string,
    expected: { readonly file: string; readonly shown: string } | undefined,
    options: { readonly home?: string; readonly env?: Readonly<Record<string, string>> }
  ) =>
    both(`[I-3] ${name}`, (world) =>
      Effect.gen(function* () {
        const places = ["/home/u", "/home/u/.dsh", "/home/u/deep/dsh", "/srv/dsh", "/repo/~other", "/repo/here"]
        yield* populate(world, { "/repo/.git/": null })
        for (const place of places) {
          yield* populate(world, {
            [`${place}/AGENTS.md`]: `text of ${place}\n`,
            [`${place}/CLAUDE.md`]: "no\n",
            [`${place}/AGENTS.local.md`]: "no overlay\n"
          })
        }
        const loaded = yield* loadIn(world, { cwd: "/repo", ...options })
        const rows = loaded.report.filter(({ scope }) => scope.owner === "user")
        assert.deepStrictEqual(told(loaded), expected === undefined ? [] : [`user base ${expected.shown}/AGENTS.md`])
        assert.deepStrictEqual(
          rows.map(({ outcome, path, shown }) => [path, shown, outcome]),
          expected === undefined
            ? []
            : [[world.at(`${expected.file}/AGENTS.md`), `${expected.shown}/AGENTS.md`, "loaded"]]
        )
        if (expected === undefined) return
        assert.include(loaded.text, `Instructions from: ${expected.shown}/AGENTS.md\n\ntext of ${expected.file}\n`)
        assert.notInclude(loaded.text, "overlay")
        if (world.kind === "real") assert.notInclude(loaded.text, world.at("/"))
      })
    )

  const standard = { file: "/home/u/.dsh", shown: "~/.dsh" }
  homes("is ~/.dsh/AGENTS.md, without overlay or other names", standard, {})
  homes(
    "$DSH_HOME moves it and hides its real path",
    { file: "/srv/dsh", shown: "$DSH_HOME" },
    {
      env: { HOME: "/home/u", DSH_HOME: "/srv/dsh" }
    }
  )
  homes("a blank $DSH_HOME is unset", standard, { env: { HOME: "/home/u", DSH_HOME: "  \t" } })
  homes("an empty $DSH_HOME is unset", standard, { env: { HOME: "/home/u", DSH_HOME: "" } })
  homes(
    "the configured home wins over $DSH_HOME",
    { file: "/srv/dsh", shown: "$DSH_HOME" },
    {
      home: "/srv/dsh",
      env: { HOME: "/home/u", DSH_HOME: "/home/u/deep/dsh" }
    }
  )
  homes("the default place said explicitly is shown as the default", standard, { home: "~/.dsh" })
  homes("~/… expands", { file: "/home/u/deep/dsh", shown: "$DSH_HOME" }, { home: "~/deep/dsh" })
  homes("~\\… expands", standard, { home: "~\\.dsh" })
  homes(
    "~ alone expands, in $DSH_HOME too",
    { file: "/home/u", shown: "$DSH_HOME" },
    {
      env: { HOME: "/home/u", DSH_HOME: "~" }
    }
  )
  homes("~other does not expand", { file: "/repo/~other", shown: "$DSH_HOME" }, { home: "~other" })
  homes("a relative home is taken from cwd", { file: "/repo/here", shown: "$DSH_HOME" }, { home: "here" })
  homes("USERPROFILE stands in for HOME", standard, { env: { USERPROFILE: "/home/u" } })
  homes("without any home there is none", undefined, { env: {} })
})

describe("the project root", () => {
  const rooted = (
    name: string,
    files: Parameters<typeof populate>[1],
    cwd: string,
    root: string,
    markers?: ReadonlyArray<string>
  ) =>
    both(`[I-4] ${name}`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, files)
        const loaded = yield* loadIn(world, { cwd, ...(markers === undefined ? {} : { projectRootMarkers: markers }) })
        assert.strictEqual(loaded.projectRoot, world.at(root))
        assert.notInclude(loaded.text, "outside")
        assert.include(loaded.text, "inside")
      })
    )

  rooted(
    "a .git file marks a root: worktrees, submodules",
    {
      "/main/.git/": null,
      "/main/AGENTS.md": "outside\n",
      "/main/wt/.git": "gitdir: /main/.git/worktrees/wt\n",
      "/main/wt/AGENTS.md": "inside\n",
      "/main/wt/src/": null
    },
    "/main/wt/src",
    "/main/wt"
  )
  rooted(
    "cwd itself can be the root",
    { "/a/.git/": null, "/a/AGENTS.md": "inside\n", "/AGENTS.md": "outside\n" },
    "/a",
    "/a"
  )
  rooted(
    "without a marker anywhere cwd is the root",
    { "/srv/AGENTS.md": "outside\n", "/srv/a/AGENTS.md": "inside\n" },
    "/srv/a",
    "/srv/a",
    [".no-such-marker"]
  )
  rooted(
    "any of several markers counts, the nearest directory wins",
    {
      "/out/.git/": null,
      "/out/AGENTS.md": "outside\n",
      "/out/in/package.json": "{}",
      "/out/in/AGENTS.md": "inside\n",
      "/out/in/deep/er/": null
    },
    "/out/in/deep/er",
    "/out/in",
    [".git", "package.json"]
  )
  rooted(
    "[] turns markers off, cwd is the root",
    { "/out/.git/": null, "/out/AGENTS.md": "outside\n", "/out/in/AGENTS.md": "inside\n" },
    "/out/in",
    "/out/in",
    []
  )
  both("[I-4] a link counts as what it leads to; a dangling one is absent", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/out/.git/": null, "/out/in/x/": null, "/out/in/deep/": null, "/elsewhere/": null })
      yield* world.link("/out/in/.git", "nowhere")
      const dangling = yield* loadIn(world, { cwd: "/out/in/deep" })
      assert.strictEqual(dangling.projectRoot, world.at("/out"))
      yield* world.link("/out/in/x/.git", "/elsewhere")
      const linked = yield* loadIn(world, { cwd: "/out/in/x" })
      assert.strictEqual(linked.projectRoot, world.at("/out/in/x"))
    })
  )

  both("[I-4] a cwd that is not there, or is a file, still belongs to its project", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": "inside\n", "/repo/file": "x" })
      for (const cwd of ["/repo/gone/deeper", "/repo/file", "/repo/file/below"]) {
        const loaded = yield* loadIn(world, { cwd })
        assert.strictEqual(loaded.projectRoot, world.at("/repo"))
        assert.deepStrictEqual(told(loaded), [". base AGENTS.md"])
        assert.deepStrictEqual(loaded.diagnostics, [])
      }
    })
  )

  both("[I-4] dots and doubled slashes in cwd mean what they say", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": "root\n", "/repo/a/AGENTS.md": "a\n" })
      const loaded = yield* loadIn(world, { cwd: "/repo//a/./b/../" })
      assert.deepStrictEqual(told(loaded), [". base AGENTS.md", "a base a/AGENTS.md"])
    })
  )

  const refused = (name: string, prepare: (world: World) => Effect.Effect<void>, place: string, reason: string) =>
    both(`[I-5] ${name}`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, {
          "/out/.git/": null,
          "/out/AGENTS.md": "outside\n",
          "/out/repo/AGENTS.md": "inside\n",
          "/home/u/.dsh/AGENTS.md": "mine\n"
        })
        yield* prepare(world)
        const asked: Array<string> = []
        const fs = { ...world.fs, stat: (at: string) => (asked.push(at), world.fs.stat(at)) }
        const error = yield* Effect.flip(loadIn(world, { cwd: "/out/repo/sub", fs }))
        assert.strictEqual(error._tag, "ProjectRootUnavailable")
        if (error._tag !== "ProjectRootUnavailable") return
        assert.strictEqual(error.path, world.at(place))
        assert.include(error.reason, reason)
        assert.include(error.message, error.path)
        assert.include(error.message, error.reason)
        // Nothing above the failing probe is consulted, and no candidate either.
        assert.isFalse(asked.includes(world.at("/out/.git")), "the search went on")
        assert.deepStrictEqual(
          asked.filter((at) => at.endsWith(".md")),
          []
        )
      })
    )

  refused(
    "a marker that is a link loop stops the search",
    (world) => world.link("/out/repo/.git", ".git"),
    "/out/repo/.git",
    "symbolic links"
  )
  refused(
    "a cwd below a link loop stops the search at its first probe",
    (world) => Effect.andThen(world.link("/out/repo/sub", "other"), world.link("/out/repo/other", "sub")),
    "/out/repo/sub/.git",
    "symbolic links"
  )
})
