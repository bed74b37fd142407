/** A file system that ends at its roots: nothing outside is read, changed or learned of; inside, nothing is different. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import type { Scope } from "effect/Scope"
import { layer as confined } from "../../../src/layers/filesystem/confined.ts"
import { make } from "../../../src/testing/memoryFileSystem.ts"
import * as FastReader from "../../../src/layers/files/fastReader.ts"
import * as NodeFastReader from "../../../src/node/fastReader.ts"
import * as NodeFastFiles from "../../../src/node/fastFiles.ts"
import { FastFiles } from "../../../src/layers/skills/fastFiles.ts"

const over = (fs: FileSystem.FileSystem, ...roots: ReadonlyArray<string>) =>
  Effect.provide(
    FileSystem.FileSystem,
    Layer.fresh(confined(roots)).pipe(Layer.provide(Layer.succeed(FileSystem.FileSystem, fs)))
  )

const tag = <A, R>(effect: Effect.Effect<A, PlatformError, R>) =>
  Effect.map(Effect.result(effect), (result) => (result._tag === "Failure" ? result.failure.reason._tag : "fine"))

/** Every function of the service, leading out once for every path it takes. */
const leadingOut: Record<
  Exclude<keyof FileSystem.FileSystem, "~effect/FileSystem">,
  (
    fs: FileSystem.FileSystem,
    out: string,
    inside: string
  ) => ReadonlyArray<Effect.Effect<unknown, PlatformError, Scope>>
> = {
  access: (fs, out) => [fs.access(out)],
  chmod: (fs, out) => [fs.chmod(out, 0o600)],
  chown: (fs, out) => [fs.chown(out, -1, -1)],
  copy: (fs, out, inside) => [fs.copy(out, inside), fs.copy(inside, out), fs.copy(inside, `${out}.new`)],
  copyFile: (fs, out, inside) => [fs.copyFile(out, inside), fs.copyFile(inside, out)],
  exists: (fs, out) => [fs.exists(out)],
  glob: (fs, out) => [fs.glob("**", { root: out })],
  link: (fs, out, inside) => [fs.link(out, `${inside}.new`), fs.link(inside, `${out}.new`)],
  lstat: (fs, out) => [fs.lstat(out)],
  makeDirectory: (fs, out) => [fs.makeDirectory(`${out}.d`), fs.makeDirectory(`${out}.d/e`, { recursive: true })],
  makeTempDirectory: (fs, out) => [fs.makeTempDirectory({ directory: out }), fs.makeTempDirectory()],
  makeTempDirectoryScoped: (fs, out) => [fs.makeTempDirectoryScoped({ directory: out }), fs.makeTempDirectoryScoped()],
  makeTempFile: (fs, out) => [fs.makeTempFile({ directory: out }), fs.makeTempFile()],
  makeTempFileScoped: (fs, out) => [fs.makeTempFileScoped({ directory: out }), fs.makeTempFileScoped()],
  open: (fs, out) =>
    (["r", "r+", "w", "wx", "w+", "wx+", "a", "ax", "a+", "ax+"] as const).flatMap((flag) => [
      fs.open(out, { flag }),
      fs.open(out, { flag, noFollow: true }),
      fs.open(`${out}.new`, { flag })
    ]),
  readDirectory: (fs, out) => [fs.readDirectory(out), fs.readDirectory(out, { recursive: true })],
  readDirectoryEntries: (fs, out) => [fs.readDirectoryEntries(out)],
  readFile: (fs, out) => [fs.readFile(out)],
  readFileString: (fs, out) => [fs.readFileString(out)],
  readLink: (fs, out) => [fs.readLink(out)],
  realPath: (fs, out) => [fs.realPath(out)],
  remove: (fs, out) => [fs.remove(out), fs.remove(out, { recursive: true, force: true })],
  rename: (fs, out, inside) => [fs.rename(out, inside), fs.rename(inside, out)],
  sink: (fs, out) => [Stream.run(Stream.make(new Uint8Array(1)), fs.sink(out))],
  stat: (fs, out) => [fs.stat(out)],
  stream: (fs, out) => [Stream.runDrain(fs.stream(out))],
  symlink: (fs, out, inside) => [fs.symlink(out, `${inside}.new`), fs.symlink(inside, `${out}.new`)],
  truncate: (fs, out) => [fs.truncate(out)],
  utimes: (fs, out) => [fs.utimes(out, 0, 0)],
  watch: (fs, out) => [Stream.runDrain(fs.watch(out))],
  writeFile: (fs, out) => [fs.writeFile(out, new Uint8Array(1)), fs.writeFile(`${out}.new`, new Uint8Array(1))],
  writeFileString: (fs, out) => [fs.writeFileString(out, "x"), fs.writeFileString(out, "x", { flag: "a" })]
}

/** Functions that only ask where a path leads, and so may be asked about outside. */
const resolving = new Set(["realPath", "lstat", "readLink"])

/** What a file system below is asked for, apart from where paths lead. */
const spied = (fs: FileSystem.FileSystem, asked: Array<string>): FileSystem.FileSystem =>
  FileSystem.FileSystem.of(
    Object.fromEntries(
      Object.entries(fs).map(([name, value]) => [
        name,
        typeof value !== "function" || resolving.has(name)
          ? value
          : (...args: ReadonlyArray<unknown>) => {
              asked.push(`${name} ${args.filter((arg) => typeof arg === "string").join(" ")}`)
              return (value as (...args: ReadonlyArray<unknown>) => unknown)(...args)
            }
      ])
    ) as unknown as FileSystem.FileSystem
  )

describe("[C-8] every function", () => {
  it.effect("[C-8] of the service is known here: one that is new needs a test of where it leads", () =>
    Effect.gen(function* () {
      const plain = yield* FileSystem.FileSystem
      const fs = yield* over(plain, "/")
      assert.sameMembers(
        Object.keys(plain).filter((key) => !key.startsWith("~")),
        Object.keys(leadingOut)
      )
      assert.sameMembers(Object.keys(fs), Object.keys(plain))
      // None is handed through as it is.
      for (const [name, value] of Object.entries(plain)) {
        if (typeof value === "function")
          assert.notStrictEqual((fs as unknown as Record<string, unknown>)[name], value, name)
      }
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  const outs = {
    "a file outside": "/out/secret",
    "a directory outside": "/out",
    "what does not exist outside": "/out/no/such",
    "a directory above the root": "/work",
    "the top": "/",
    "a neighbour whose name begins alike": "/work/roots/file",
    "a way out by ..": "/work/root/../../out/secret",
    "a way out by .. from a link": "/work/root/in/../../../out/secret",
    "a link out": "/work/root/link",
    "a link out, with a slash": "/work/root/linkdir/",
    "something below a link out": "/work/root/linkdir/secret",
    "nothing below a link out": "/work/root/linkdir/none",
    "a chain of links out": "/work/root/chain",
    "a dangling link out": "/work/root/dangling",
    "nothing at all": "",
    "a path relative to outside": "out/secret",
    "a file's .. outside": "/out/secret/../../work/root/file",
    "nothing's .. outside": "/out/none/../../work/root/file"
  }
  // Entries of their own, which may be looked at and taken away.
  const entries = new Set(["lstat", "remove", "rename"])

  it.effect.each(Object.entries(leadingOut))("[C-8] %s does not lead out", ([name, ways]) =>
    Effect.gen(function* () {
      for (const [what, out] of Object.entries(outs)) {
        const { controls, fileSystem } = yield* make({
          "/out/secret": "secret",
          "/work/roots/file": "alike",
          "/work/root/file": "inside",
          "/work/root/sub/": null,
          "/work/root/in": { link: "sub" },
          "/work/root/link": { link: "/out/secret" },
          "/work/root/linkdir": { link: "../../out" },
          "/work/root/chain": { link: "/work/root/link" },
          "/work/root/dangling": { link: "/out/none" }
        })
        const isLink = ["/work/root/link", "/work/root/chain", "/work/root/dangling"].includes(out)
        const before = yield* fileSystem.readDirectory("/out")
        const asked: Array<string> = []
        const fs = yield* over(spied(fileSystem, asked), "/work/root")
        asked.length = 0
        const inside = "/work/root/file"
        for (const [at, way] of ways(fs, out, inside).entries()) {
          const exit = yield* tag(Effect.scoped(way))
          const label = `${name} ${at}: ${what}`
          // As the target of a link, this is relative to the link.
          if (name === "symlink" && at === 0 && what === "a path relative to outside") continue
          if (isLink && (entries.has(name) || exit === "fine")) continue
          assert.oneOf(exit, isLink || out === "/work/root/linkdir/" ? expectedAtLink : ["PermissionDenied"], label)
        }
        for (const request of asked) assert.notMatch(request, / \/(out|$| )|roots/, what)
        assert.deepStrictEqual(yield* fileSystem.readDirectory("/out"), before, what)
        assert.strictEqual(yield* fileSystem.readFileString("/out/secret"), "secret", what)
        assert.strictEqual(yield* fileSystem.readFileString("/work/roots/file"), "alike", what)
        assert.strictEqual(yield* controls.openHandles, 0)
      }
    })
  )
})

/** A link itself is inside: a new name next to it is fine, a second one is not. */
const expectedAtLink = ["PermissionDenied", "AlreadyExists", "BadResource", "NotFound", "Unknown"]

describe("[C-8] roots", () => {
  const files = { "/a/file": "x", "/a/b/": null, "/l": { link: "/a" }, "/x": { link: "/x" } } as const
  const root = Effect.fnUntraced(function* (...roots: ReadonlyArray<string>) {
    const { fileSystem } = yield* make(files)
    return yield* Effect.match(over(fileSystem, ...roots), {
      onSuccess: () => "fine",
      onFailure: (error) => error.message.replace(/^.*: /, "")
    })
  })
  it.effect("[C-8] are directories, given absolutely", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* root("/a"), "fine")
      assert.strictEqual(yield* root("/a", "/a/b"), "fine")
      assert.strictEqual(yield* root("/"), "fine")
      assert.strictEqual(yield* root("/l"), "fine")
      assert.strictEqual(yield* root("/l/../a/"), "fine")
      assert.strictEqual(yield* root(), "fine")
      assert.strictEqual(yield* root("a"), "it is no absolute path")
      assert.strictEqual(yield* root(""), "it is no absolute path")
      assert.strictEqual(yield* root("."), "it is no absolute path")
      assert.strictEqual(yield* root("/a\0"), "it is no absolute path")
      assert.strictEqual(yield* root("/a", "/none"), "it does not exist")
      assert.strictEqual(yield* root("/a/file"), "it is no directory")
      assert.strictEqual(yield* root("/a/file/"), "it is no directory")
      assert.strictEqual(yield* root("/x"), "it cannot be resolved (BadResource)")
    })
  )
  it.effect("[C-8] are what they were when the layer was built", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* make({ ...files, "/out/file": "secret" })
      const fs = yield* over(fileSystem, "/l")
      assert.strictEqual(yield* fs.readFileString("/l/file"), "x")
      assert.strictEqual((yield* fs.lstat("/l")).type, "Directory")
      yield* controls.link("/l", "/out")
      assert.strictEqual(yield* tag(fs.readFileString("/l/file")), "PermissionDenied")
      assert.strictEqual(yield* fs.readFileString("/a/file"), "x")
      yield* controls.link("/a", "/out")
      assert.strictEqual(yield* tag(fs.readFileString("/a/file")), "PermissionDenied")
      assert.strictEqual(yield* tag(fs.writeFileString("/a/new", "")), "PermissionDenied")
      yield* controls.delete("/a")
      assert.strictEqual(yield* tag(fs.makeDirectory("/a")), "PermissionDenied")
      assert.strictEqual(yield* tag(fs.makeDirectory("/a/b/c", { recursive: true })), "PermissionDenied")
    })
  )
  it.effect("[C-8] stay: they can be filled and emptied, not made, moved or removed", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* make(files)
      const fs = yield* over(fileSystem, "/a")
      for (const path of ["/a", "/a/", "/a/.", "/a/b/..", "/l", "/l/.", "//a"]) {
        assert.strictEqual(yield* tag(fs.remove(path, { recursive: true })), "PermissionDenied", path)
        assert.strictEqual(yield* tag(fs.rename(path, "/a/c")), "PermissionDenied", path)
        assert.strictEqual(yield* tag(fs.rename("/a/b", path)), "PermissionDenied", path)
        assert.strictEqual(yield* tag(fs.makeDirectory(path)), "AlreadyExists", path)
        assert.strictEqual(yield* tag(fs.makeDirectory(path, { recursive: true })), "fine", path)
        assert.strictEqual((yield* fs.stat(path)).type, "Directory")
        assert.strictEqual((yield* fs.lstat(path)).type, "Directory")
      }
      yield* fs.copy("/a/b", "/a/copied")
      yield* fs.remove("/a/b", { recursive: true })
      assert.sameMembers(yield* fs.readDirectory("/a"), ["file", "copied"])
    })
  )
  it.effect("[C-8] may be confined once more, and what is missing below them is missing", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* make(files)
      const fs = yield* Effect.flatMap(over(fileSystem, "/a"), (outer) => over(outer, "/a/b"))
      assert.strictEqual(yield* tag(fs.readFile("/a/file")), "PermissionDenied")
      assert.strictEqual(yield* tag(fs.readFile("/a/b/../file")), "PermissionDenied")
      assert.isFalse(yield* fs.exists("/a/b/none"))
      yield* fs.makeDirectory("/a/b/c/d", { recursive: true })
      yield* fs.writeFileString("/a/b/c/../c/d/new", "x")
      assert.strictEqual(yield* fs.readFileString("/a/b/c/d/new"), "x")
      const narrow = yield* over(fileSystem, "/a/b")
      const { reason } = yield* Effect.flip(over(narrow, "/a"))
      assert.strictEqual(String(reason), "it cannot be resolved (PermissionDenied)")
    })
  )
})

describe("[C-8] the faster readers", () => {
  it.live("[C-8] do not stand for a confined file system, not even for one that is confined to everything", () =>
    Effect.gen(function* () {
      const plain = yield* FileSystem.FileSystem
      const fs = yield* over(plain, "/")
      const reader = yield* Effect.provide(FastReader.FastReader, NodeFastReader.layer)
      const files = yield* Effect.provide(FastFiles, NodeFastFiles.layer)
      assert.deepStrictEqual([reader?.standsFor(plain), files?.standsFor(plain)], [true, true])
      assert.deepStrictEqual([reader?.standsFor(fs), files?.standsFor(fs)], [false, false])
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
