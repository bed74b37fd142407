/** Two walkers, one result; and git as a witness for the ignore rules. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { FastReader } from "../../../src/layers/files/fastReader.ts"
import type { Growth } from "../../../src/layers/files/growth.ts"
import { walk } from "../../../src/layers/files/walk.ts"
import { rulesAbove } from "../../../src/layers/files/workspace.ts"
import { layer as fastReader } from "../../../src/node/fastReader.ts"
import { fileReferencesDefaults, type FileReferencesSettings } from "../../../src/schemas/FileReference.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "walk-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
)

/** Files with their content; a trailing slash makes a directory, `-> target` a link. */
const fill = (root: string, tree: Readonly<Record<string, string>>) => {
  for (const [name, content] of Object.entries(tree)) {
    const whole = path.join(root, name)
    fs.mkdirSync(name.endsWith("/") ? whole : path.dirname(whole), { recursive: true })
    if (name.endsWith("/")) continue
    if (content.startsWith("-> ")) fs.symlinkSync(content.slice(3), whole)
    else fs.writeFileSync(whole, content)
  }
}

/** As a user whom permissions bind, also where the tests run as root; `root` becomes theirs. */
const asSomebody = (root: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      if (process.getuid?.() !== 0) return false
      fs.chownSync(root, 65_534, 65_534)
      for (const name of fs.readdirSync(root)) fs.chownSync(path.join(root, name), 65_534, 65_534)
      process.seteuid!(65_534)
      return true
    }),
    (wasRoot) =>
      Effect.sync(() => {
        if (wasRoot) process.seteuid!(0)
        for (const name of fs.readdirSync(root)) fs.chmodSync(path.join(root, name), 0o700)
      })
  )

const entries = ({ index }: Growth) =>
  Array.from({ length: index.size }, (_, at) => index.candidate(at))
    .map(({ kind, path }) => (kind === "directory" ? `${path}/` : path))
    .sort()

const settingsWith = (settings: Partial<FileReferencesSettings>): FileReferencesSettings => ({
  ...fileReferencesDefaults,
  ...settings
})

/** What both walkers find, which has to be the same. */
const walked = Effect.fnUntraced(function* (root: string, given: Partial<FileReferencesSettings> = {}) {
  const settings = settingsWith(given)
  const plain = yield* FileSystem.FileSystem
  const reader = yield* FastReader
  assert.isTrue(reader?.standsFor(plain))
  const rules = yield* rulesAbove(plain, root, settings)
  const fast = yield* walk(plain, reader, root, rules, settings)
  const portable = yield* walk(plain, undefined, root, rules, settings)
  assert.deepStrictEqual(entries(fast), entries(portable))
  assert.strictEqual(fast.truncated, portable.truncated)
  return { entries: entries(fast), truncated: fast.truncated }
})

const live = Layer.merge(NodeFileSystem.layer, fastReader)
const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  childProcess.execFileSync("git", args, { cwd, encoding: "utf8" })

/** As git sees it: every file that is not ignored. */
const asGit = (root: string) => {
  const out = git(root, "-c", "core.excludesFile=/dev/null", "ls-files", "-co", "--exclude-standard", "-z")
  return [...new Set(out.split("\0").filter((name) => name !== ""))].sort()
}
const filesOf = (names: ReadonlyArray<string>) => names.filter((name) => !name.endsWith("/"))

describe("[F-4] both walkers", () => {
  it.live("find the same, as git does: nested rules, negations, links, dot directories", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      git(root, "init", "-q")
      fill(root, {
        ".gitignore":
          "\ufeff# comment\r\ndist/\n*.log\n!keep.log\n/only-here\ndeep/**/gone\nbuild*\n!build.md\n[ab].tmp\n\\#hash\nspace\\ \ntrail   \nfoo/bar\n**/any/thing\n!re/\n",
        "dist/x.js": "",
        "src/dist/y.js": "",
        "x.log": "",
        "keep.log": "",
        "only-here": "",
        "src/only-here": "",
        "deep/a/b/gone/x": "",
        "deep/gone": "",
        "deep/a/stays": "",
        "builder/x": "",
        "build.md": "",
        "a.tmp": "",
        "c.tmp": "",
        "#hash": "",
        "space ": "",
        trail: "",
        "foo/bar/x": "",
        "x/foo/bar": "",
        "x/any/thing/y": "",
        "packages/app/.gitignore": "!dist/\n*.map\n!/x.log\nlocal\n",
        "packages/app/dist/z.js": "",
        "packages/app/dist/z.map": "",
        "packages/app/dist/z.log": "",
        "packages/app/x.log": "",
        "packages/app/sub/x.log": "",
        "packages/local": "",
        "packages/app/local/x": "",
        ".github/workflows/ci.yml": "",
        ".env": "",
        "link-in": "-> src",
        "link-out": "-> /etc",
        "link-file": "-> keep.log",
        "cycle/again": "-> ..",
        loop: "-> loop",
        nowhere: "-> gone",
        "caf\u00e9.md": "",
        "cafe\u0301.md": "",
        "😀/ü": "",
        "C:\\x": "",
        " leading": "",
        "line\nbreak": ""
      })
      const { entries } = yield* walked(root)
      assert.deepStrictEqual(filesOf(entries), asGit(root))
      assert.include(entries, "packages/app/dist/z.js")
      assert.include(entries, "link-out")
      assert.include(entries, "cycle/again")
      assert.notInclude(entries, "packages/app/dist/z.map")
    }).pipe(Effect.provide(live))
  )

  it.live(
    "agree with git on random trees and rules",
    () =>
      Effect.gen(function* () {
        let seed = 7
        const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below
        const pick = <A>(from: ReadonlyArray<A>): A => from[random(from.length)]!
        const names = ["a", "b", "ab", "a.b", "b.a", ".a", "aa", "a b"]
        const rules = [
          "a",
          "b/",
          "/a",
          "!a",
          "!b/",
          "a*",
          "*a",
          "*.b",
          "!*.a",
          "a/b",
          "**/b",
          "a/**",
          "!a/b",
          "?",
          "[ab]",
          "!/b/",
          "a/*",
          ".*",
          "*",
          "!*/",
          "a\\ b",
          "**/a/**/b"
        ]
        for (let round = 0; round < 80; round++) {
          const root = yield* temporary
          git(root, "init", "-q")
          const directories = [""]
          for (let at = 0; at < 25; at++) {
            const name = path.join(pick(directories), pick(names))
            const whole = path.join(root, name)
            if (fs.existsSync(whole)) continue
            if (random(3) > 0) {
              fs.mkdirSync(whole)
              directories.push(name)
            } else fs.writeFileSync(whole, "")
          }
          for (const directory of directories) {
            if (random(3) > 0 && directory !== "") continue
            const lines = Array.from({ length: 1 + random(4) }, () => pick(rules))
            fs.writeFileSync(path.join(root, directory, ".gitignore"), `${lines.join("\n")}\n`)
          }
          const { entries } = yield* walked(root)
          const rulesThere = directories
            .map((directory) => path.join(root, directory, ".gitignore"))
            .filter((file) => fs.existsSync(file))
            .map((file) => `${file}:\n${fs.readFileSync(file, "utf8")}`)
          assert.deepStrictEqual(filesOf(entries), asGit(root), rulesThere.join("\n"))
        }
      }).pipe(Effect.provide(live)),
    60_000
  )

  it.live(".ignore has the last word, at any depth, and rules can be turned off", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      fill(root, {
        ".gitignore": "dist/\n*.map\n",
        ".ignore": "!dist/\n*.gen\n",
        "dist/x.js": "",
        "dist/x.map": "",
        "sub/.gitignore": "!y.gen\n",
        "sub/y.gen": "",
        "node_modules/m/index.js": ""
      })
      assert.deepStrictEqual((yield* walked(root)).entries, [
        ".gitignore",
        ".ignore",
        "dist/",
        "dist/x.js",
        "sub/",
        "sub/.gitignore"
      ])
      const { entries } = yield* walked(root, { respectIgnoreFiles: false, excludedNames: ["sub"] })
      assert.deepStrictEqual(entries, [
        ".gitignore",
        ".ignore",
        "dist/",
        "dist/x.js",
        "dist/x.map",
        "node_modules/",
        "node_modules/m/",
        "node_modules/m/index.js"
      ])
    }).pipe(Effect.provide(live))
  )

  it.live("rules above the workspace count up to the project's root, but not against the workspace itself", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      fill(root, {
        "outer/.git/HEAD": "",
        "outer/.gitignore": "*.log\n/packages/app/only\ndist/\n",
        ".gitignore": "*\n",
        "outer/packages/.ignore": "x.ts\n",
        "outer/packages/app/x.ts": "",
        "outer/packages/app/y.ts": "",
        "outer/packages/app/y.log": "",
        "outer/packages/app/only": "",
        "outer/packages/app/sub/only": "",
        "outer/dist/in/z.js": "",
        "outer/dist/in/z.log": ""
      })
      assert.deepStrictEqual((yield* walked(path.join(root, "outer/packages/app"))).entries, [
        "sub/",
        "sub/only",
        "y.ts"
      ])
      assert.deepStrictEqual((yield* walked(path.join(root, "outer/dist/in"))).entries, ["z.js"])
    }).pipe(Effect.provide(live))
  )

  it.live(
    "depth, breadth, and the entries there is room for",
    () =>
      Effect.gen(function* () {
        const root = yield* temporary
        const deep = Array.from({ length: 300 }, (_, at) => `d${at}`).join("/")
        fill(root, { [`${deep}/leaf.ts`]: "" })
        fs.mkdirSync(path.join(root, "wide"))
        for (let at = 0; at < 2000; at++) fs.writeFileSync(path.join(root, "wide", `f${at}`), "")
        const whole = yield* walked(root)
        assert.strictEqual(whole.entries.length, 300 + 1 + 1 + 2000)
        assert.isFalse(whole.truncated)
        const some = yield* walked(root, { maxEntries: 10 })
        assert.isTrue(some.truncated)
        const firstWide = Array.from({ length: 2000 }, (_, at) => `wide/f${at}`)
          .sort()
          .slice(0, 7)
        assert.deepStrictEqual(some.entries, ["d0/", "d0/d1/", "wide/", ...firstWide].sort())
        assert.isTrue((yield* walked(root, { maxEntries: 2302 })).truncated)
      }).pipe(Effect.provide(live)),
    30_000
  )

  it.live("leave out pipes, and do not open an ignore file that is one", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      fill(root, { "a.ts": "", "sub/b.ts": "", "linked/.gitignore": "-> ../all", all: "*\n", "linked/c.ts": "" })
      childProcess.execFileSync("mkfifo", [path.join(root, "pipe"), path.join(root, "sub/.gitignore")])
      assert.deepStrictEqual((yield* walked(root)).entries, [
        "a.ts",
        "all",
        "linked/",
        "linked/.gitignore",
        "linked/c.ts",
        "sub/",
        "sub/b.ts"
      ])
    }).pipe(Effect.provide(live))
  )

  it.live(
    "100,000 files, half of them in one directory",
    () =>
      Effect.gen(function* () {
        const root = yield* temporary
        const touch = (name: string) => fs.closeSync(fs.openSync(path.join(root, name), "w"))
        for (const [directory, count] of [
          ["wide", 50_000],
          ...Array.from({ length: 200 }, (_, at) => [`d${at}`, 250])
        ]) {
          fs.mkdirSync(path.join(root, `${directory}`))
          for (let at = 0; at < Number(count); at++) touch(`${directory}/file-${at}.${at % 10 === 0 ? "log" : "ts"}`)
        }
        fs.writeFileSync(path.join(root, ".gitignore"), "*.log\n!file-0.log\n")
        const { entries, truncated } = yield* walked(root, { maxEntries: 200_000 })
        assert.isFalse(truncated)
        // Nine of ten, and of each directory its first.
        assert.strictEqual(entries.length, 1 + 201 + 90_000 + 201)
      }).pipe(Effect.provide(live)),
    60_000
  )

  it.live("skip what may not be read", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      fill(root, { "closed/x": "", "open/y": "" })
      fs.chmodSync(path.join(root, "closed"), 0)
      yield* asSomebody(root)
      assert.throws(() => fs.readdirSync(path.join(root, "closed")))
      assert.deepStrictEqual((yield* walked(root)).entries, ["closed/", "open/", "open/y"])
    }).pipe(Effect.provide(live))
  )
})

describe("[C-8] the fast reader stands for", () => {
  it.live("the platform's own file system, however often it is built, and for nothing that wraps it", () =>
    Effect.gen(function* () {
      const plain = yield* FileSystem.FileSystem
      const reader = (yield* FastReader)!
      const again = yield* Effect.provide(FileSystem.FileSystem, Layer.fresh(NodeFileSystem.layer))
      assert.isTrue(reader.standsFor(plain))
      assert.isTrue(reader.standsFor(again))
      for (const name of [
        "readDirectoryEntries",
        "stat",
        "lstat",
        "realPath",
        "open",
        "readFile",
        "access",
        "readLink"
      ] as const) {
        const wrapper = { ...plain, [name]: () => Effect.die(new Error("asked")) } as FileSystem.FileSystem
        assert.isFalse(reader.standsFor(FileSystem.FileSystem.of(wrapper)), name)
      }
      assert.isFalse(reader.standsFor(FileSystem.makeNoop({})))
    }).pipe(Effect.provide(live))
  )

  it.live("and is not used where it does not: a wrapper is asked for every directory", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      fill(root, { "a/b/c.ts": "" })
      const plain = yield* FileSystem.FileSystem
      const asked: Array<string> = []
      const wrapper = FileSystem.FileSystem.of({
        ...plain,
        readDirectoryEntries: (directory) => {
          asked.push(path.relative(root, directory))
          return plain.readDirectoryEntries(directory)
        }
      })
      const reader = yield* FastReader
      yield* walk(wrapper, reader, root, { ignore: [], gitignore: [] }, settingsWith({}))
      assert.deepStrictEqual(asked, ["", "a", "a/b"])
    }).pipe(Effect.provide(live))
  )

  it.live("a link that takes a directory's place during the walk leads nowhere", () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const outside = yield* temporary
      fill(outside, { "secret.ts": "" })
      fill(root, { "a/b/inner.ts": "", "z/other.ts": "" })
      const reader = (yield* FastReader)!
      const swap = () => {
        fs.rmSync(path.join(root, "a"), { recursive: true, force: true })
        fs.symlinkSync(outside, path.join(root, "a"))
      }
      let swapped = false
      const sly = {
        ...reader,
        list: ((directory, wanted, callback) => {
          if (!swapped && directory.endsWith("/a")) {
            swapped = true
            swap()
          }
          reader.list(directory, wanted, callback)
        }) satisfies typeof reader.list
      }
      const growth = yield* walk(
        yield* FileSystem.FileSystem,
        sly,
        root,
        { ignore: [], gitignore: [] },
        settingsWith({})
      )
      assert.isTrue(swapped)
      assert.deepStrictEqual(entries(growth), ["a/", "z/", "z/other.ts"])
    }).pipe(Effect.provide(live))
  )
})
