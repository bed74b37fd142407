/** What a confined file system does with temporary files, trees, links, watches and odd paths. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { layer as confined } from "../../../src/layers/filesystem/confined.ts"
import { make } from "../../../src/testing/memoryFileSystem.ts"
import type { FileContent } from "../../../src/testing/memoryFileSystem.ts"

const over = (fs: FileSystem.FileSystem, ...roots: ReadonlyArray<string>) =>
  Effect.provide(
    FileSystem.FileSystem,
    Layer.fresh(confined(roots)).pipe(Layer.provide(Layer.succeed(FileSystem.FileSystem, fs)))
  )

const prepared = Effect.fnUntraced(function* (files: Readonly<Record<string, FileContent>>) {
  const memory = yield* make({ "/out/secret": "secret", ...files })
  return { ...memory, plain: memory.fileSystem, fs: yield* over(memory.fileSystem, "/r") }
})

const tag = <A, R>(effect: Effect.Effect<A, PlatformError, R>) =>
  Effect.map(Effect.result(effect), (result) => (result._tag === "Failure" ? result.failure.reason._tag : "fine"))

describe("[C-8] odd paths", () => {
  it.effect("[C-8] a path with a null byte is no argument, wherever it is", () =>
    Effect.gen(function* () {
      const { fs } = yield* prepared({ "/r/file": "x" })
      assert.strictEqual(yield* tag(fs.readFile("/r/file\0")), "BadArgument")
      assert.strictEqual(yield* tag(fs.stat("/out/secret\0")), "BadArgument")
      assert.strictEqual(yield* tag(fs.makeTempDirectory({ directory: "/r", prefix: "a\0" })), "BadArgument")
    })
  )
  it.effect("[C-8] separators and drives of Windows are part of a name elsewhere", () =>
    Effect.gen(function* () {
      const { fs } = yield* prepared({ "/r/a\\b": "name", "/r/C:\\x": "drive" })
      assert.strictEqual(yield* fs.readFileString("/r/a\\b"), "name")
      assert.strictEqual(yield* fs.readFileString("/r/C:\\x"), "drive")
      for (const path of ["C:\\r\\file", "\\r\\file", "\\\\?\\r", "..\\out\\secret", "C:/r/file"])
        assert.strictEqual(yield* tag(fs.readFile(path)), "PermissionDenied", path)
      assert.strictEqual(yield* tag(fs.readFile("/r/..\\..\\out\\secret")), "NotFound")
    })
  )
  it.effect("[C-8] the spelling counts, and so does every name", () =>
    Effect.gen(function* () {
      const { fs } = yield* prepared({ "/r/file": "x", "/R/file": "other", "/r /file": "other" })
      assert.strictEqual(yield* tag(fs.readFile("/R/file")), "PermissionDenied")
      assert.strictEqual(yield* tag(fs.readFile("/r /file")), "PermissionDenied")
      assert.strictEqual(yield* tag(fs.readFile("/r/FILE")), "NotFound")
    })
  )
  it.effect("[C-8] very long ones and very many links come to an end", () =>
    Effect.gen(function* () {
      const { fs } = yield* prepared({ "/r/loop": { link: "loop" }, "/r/self": { link: "." } })
      assert.strictEqual(yield* tag(fs.readFile(`/r${"/".repeat(200_000)}x`)), "NotFound")
      assert.strictEqual(yield* tag(fs.readFile(`/r/${"self/".repeat(45)}x`)), "BadResource")
      assert.strictEqual(yield* tag(fs.readFile("/r/loop")), "BadResource")
      assert.strictEqual(yield* tag(fs.writeFile("/r/loop", new Uint8Array())), "BadResource")
    })
  )
  it.effect("[C-8] the root / leaves everything inside", () =>
    Effect.gen(function* () {
      const { plain } = yield* prepared({ "/r/link": { link: "../out" } })
      const fs = yield* over(plain, "/")
      assert.strictEqual(yield* fs.readFileString("/../r/link/secret"), "secret")
      assert.strictEqual(yield* fs.readFileString("r/link/../out/secret"), "secret")
      yield* fs.writeFileString("/new", "x")
      assert.strictEqual(yield* plain.readFileString("/new"), "x")
    })
  )
  it.effect("[C-8] a link from one root to another stays inside", () =>
    Effect.gen(function* () {
      const { plain } = yield* prepared({ "/r/link": { link: "/out/secret" } })
      const fs = yield* over(plain, "/r", "/out")
      assert.strictEqual(yield* fs.readFileString("/r/link"), "secret")
      yield* fs.rename("/r/link", "/out/link")
      yield* fs.link("/out/secret", "/r/hard")
      assert.strictEqual(yield* fs.readFileString("/r/hard"), "secret")
    })
  )
  it.live("[C-8] a relative one counts from the current directory", () =>
    Effect.gen(function* () {
      const plain = yield* FileSystem.FileSystem
      const fs = yield* over(plain, process.cwd())
      assert.isTrue(yield* fs.exists("package.json"))
      assert.strictEqual(yield* fs.realPath("src/../package.json"), `${process.cwd()}/package.json`)
      assert.strictEqual(yield* tag(fs.exists("../package.json")), "PermissionDenied")
      assert.deepStrictEqual(yield* fs.glob("package.json"), ["package.json"])
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
  it.effect("[C-8] failures name the method and the path that were asked for", () =>
    Effect.gen(function* () {
      const { fs } = yield* prepared({ "/r/link": { link: "none" }, "/r/out": { link: "/out/secret" } })
      const told = (path: string) =>
        Effect.map(Effect.flip(fs.readFileString(path)), ({ reason }) =>
          reason._tag === "BadArgument" ? undefined : [reason._tag, reason.method, reason.pathOrDescriptor]
        )
      assert.deepStrictEqual(yield* told("/r/./link"), ["NotFound", "readFile", "/r/./link"])
      assert.deepStrictEqual(yield* told("/r/out"), ["PermissionDenied", "readFile", "/r/out"])
      // What exists and what does not cannot be told apart.
      const failure = (path: string) =>
        Effect.map(Effect.flip(fs.stat(path)), (error) => error.message.replace(path, ""))
      assert.strictEqual(yield* failure("/out/secret"), yield* failure("/out/none"))
      assert.strictEqual(yield* failure("/out/secret/x"), yield* failure("/none"))
    })
  )
})

describe("[C-8] temporary files", () => {
  it.effect("[C-8] are made inside, and go with their scope", () =>
    Effect.gen(function* () {
      const { fs, plain } = yield* prepared({ "/r/tmp/": null, "/r/link": { link: "tmp" } })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const file = yield* fs.makeTempFileScoped({ directory: "/r/link", prefix: "a", suffix: ".md" })
          const directory = yield* fs.makeTempDirectoryScoped({ directory: "/r/tmp", prefix: "b" })
          assert.match(file, /^\/r\/tmp\/a.*\.md$/)
          assert.match(directory, /^\/r\/tmp\/b/)
          yield* fs.writeFileString(`${directory}/x`, "x")
          assert.lengthOf(yield* plain.readDirectory("/r/tmp"), 2)
        })
      )
      assert.deepStrictEqual(yield* plain.readDirectory("/r/tmp"), [])
      assert.match(yield* fs.makeTempFile({ directory: "/r" }), /^\/r\//)
    })
  )
  it.effect("[C-8] of a file system that makes no directory for a file leave the one they were put into alone", () =>
    Effect.gen(function* () {
      const { plain } = yield* prepared({ "/r/tmp/kept": "x" })
      const flat = FileSystem.FileSystem.of({
        ...plain,
        makeTempFile: () => Effect.as(plain.writeFileString("/r/tmp/made", ""), "/r/tmp/made")
      })
      const fs = yield* over(flat, "/r")
      yield* Effect.scoped(fs.makeTempFileScoped({ directory: "/r/tmp" }))
      assert.deepStrictEqual(yield* plain.readDirectory("/r/tmp"), ["kept"])
    })
  )
  it.effect("[C-8] have no paths for a prefix or suffix, nor what a path would be tidied by", () =>
    Effect.gen(function* () {
      const { fs, plain } = yield* prepared({ "/r/": null })
      const before = yield* plain.readDirectory("/", { recursive: true })
      for (const part of ["/", "../x", "a/b", "..", ".", "a\\b", "..\\x"]) {
        assert.strictEqual(yield* tag(fs.makeTempDirectory({ directory: "/r", prefix: part })), "BadArgument", part)
        assert.strictEqual(yield* tag(fs.makeTempFile({ directory: "/r", prefix: part })), "BadArgument", part)
        assert.strictEqual(yield* tag(fs.makeTempFile({ directory: "/r", suffix: part })), "BadArgument", part)
      }
      assert.deepStrictEqual(yield* plain.readDirectory("/", { recursive: true }), before)
    })
  )
})

describe("[C-8] links", () => {
  const files = {
    "/r/file": "x",
    "/r/d/x": "x",
    "/r/in": { link: "file" },
    "/r/absolute": { link: "/r/d" },
    "/r/out": { link: "../out/secret" },
    "/r/far": { link: "out" },
    "/r/lost": { link: "none" }
  } as const
  it.effect("[C-8] that lead out can be seen, moved and removed, and neither followed nor read", () =>
    Effect.gen(function* () {
      const { fs, plain } = yield* prepared(files)
      assert.strictEqual((yield* fs.lstat("/r/out")).type, "SymbolicLink")
      assert.include(yield* fs.readDirectory("/r"), "out")
      assert.strictEqual(yield* tag(fs.readLink("/r/out")), "PermissionDenied")
      assert.strictEqual(yield* tag(fs.readLink("/r/far")), "PermissionDenied")
      assert.deepStrictEqual(
        yield* Effect.all([fs.readLink("/r/in"), fs.readLink("/r/absolute"), fs.readLink("/r/lost")]),
        ["file", "/r/d", "none"]
      )
      assert.strictEqual(yield* tag(fs.link("/r/out", "/r/again")), "PermissionDenied")
      yield* fs.rename("/r/out", "/r/d/out")
      yield* fs.remove("/r/d", { recursive: true })
      assert.strictEqual(yield* plain.readFileString("/out/secret"), "secret")
    })
  )
  it.effect("[C-8] that would lead out are not made, from wherever they would", () =>
    Effect.gen(function* () {
      const { fs } = yield* prepared(files)
      for (const target of [
        "/out",
        "/out/none",
        "../out",
        "out",
        "far",
        "absolute/../../out",
        "none/../../out",
        "/",
        ".."
      ])
        assert.strictEqual(yield* tag(fs.symlink(target, "/r/new")), "PermissionDenied", target)
      // Seen from below d, it is one level less.
      yield* fs.symlink("../file", "/r/d/new")
      assert.strictEqual(yield* tag(fs.symlink("../../out", "/r/absolute/out")), "PermissionDenied")
      yield* fs.symlink("later", "/r/new")
      yield* fs.writeFileString("/r/new", "made through a link")
      assert.strictEqual(yield* fs.readFileString("/r/later"), "made through a link")
    })
  )
  it.effect(
    "[C-8] are not followed by a listing of everything below, and a glob finds nothing behind those that lead out",
    () =>
      Effect.gen(function* () {
        const { fs } = yield* prepared({ ...files, "/r/d/up": { link: ".." }, "/r/leads": { link: "/out" } })
        assert.sameMembers(yield* fs.readDirectory("/r", { recursive: true }), [
          "file",
          "d",
          "d/x",
          "d/up",
          "in",
          "absolute",
          "out",
          "far",
          "lost",
          "leads"
        ])
        assert.strictEqual(yield* tag(fs.glob("leads/*", { root: "/r" })), "PermissionDenied")
        assert.deepStrictEqual(yield* fs.glob("*/x", { root: "/r" }), ["absolute/x", "d/x"])
        assert.strictEqual(yield* tag(fs.glob("../out/*", { root: "/r" })), "PermissionDenied")
      })
  )
  it.effect("[C-8] that lead out keep a tree from being copied, all of it", () =>
    Effect.gen(function* () {
      const { fs, plain } = yield* prepared({ "/r/t/a": "a", "/r/t/z/out": { link: "/out" }, "/r/t/z/z": "z" })
      assert.strictEqual(yield* tag(fs.copy("/r/t", "/r/copy")), "PermissionDenied")
      assert.isFalse(yield* plain.exists("/r/copy"))
      yield* fs.remove("/r/t/z/out")
      yield* fs.copy("/r/t", "/r/copy")
      assert.strictEqual(yield* fs.readFileString("/r/copy/z/z"), "z")
    })
  )
  it.effect("[C-8] a copy does not go through links that are there already", () =>
    Effect.gen(function* () {
      const { fs, plain } = yield* prepared({
        "/r/t/secret": "mine",
        "/r/t/in": { link: "secret" },
        "/r/t/d/secret": "mine",
        "/r/copy/d": { link: "/out" },
        "/r/file/secret": { link: "/out/secret" }
      })
      assert.strictEqual(yield* tag(fs.copy("/r/t", "/r/copy", { overwrite: true })), "Unknown")
      yield* fs.copy("/r/t", "/r/file", { overwrite: true, preserveTimestamps: true })
      assert.strictEqual(yield* plain.readFileString("/r/file/secret"), "mine")
      assert.strictEqual(yield* plain.readLink("/r/file/in"), "/r/t/secret")
      assert.strictEqual(yield* plain.readFileString("/out/secret"), "secret")
      assert.strictEqual(yield* tag(fs.copy("/r/t", "/r/t/d/deeper")), "Unknown")
      assert.strictEqual(yield* tag(fs.copy("/r/t", "/r/t")), "Unknown")
    })
  )
})

describe("[C-8] files", () => {
  it.effect("[C-8] that may be written and not read, are written", () =>
    Effect.gen(function* () {
      const { controls, fs, plain } = yield* prepared({ "/r/file": "a longer text" })
      yield* controls.chmod("/r/file", 0o200)
      yield* fs.writeFileString("/r/file", "short")
      assert.strictEqual(yield* tag(fs.readFile("/r/file")), "PermissionDenied")
      yield* controls.chmod("/r/file", 0o600)
      assert.strictEqual(yield* plain.readFileString("/r/file"), "short")
    })
  )
  it.effect("[C-8] are read to their end, whatever their size is said to be", () =>
    Effect.gen(function* () {
      const { controls, fs } = yield* prepared({ "/r/big": { repeat: ["0123456789", 30_000] } })
      for (const size of [undefined, 0, 7, 299_999, 10_000_000]) {
        yield* controls.reportSize("/r/big", size)
        assert.lengthOf(yield* fs.readFile("/r/big"), 300_000)
      }
      yield* fs.copyFile("/r/big", "/r/copy")
      assert.lengthOf(yield* fs.readFile("/r/copy"), 300_000)
      yield* fs.copyFile("/r/copy", "/r/copy")
      assert.lengthOf(yield* fs.readFile("/r/copy"), 300_000)
    })
  )
})

describe("[C-8] watching", () => {
  it.effect("[C-8] tells of what lies inside, and of links out only that they are there", () =>
    Effect.gen(function* () {
      const { plain } = yield* prepared({ "/r/file": "x", "/r/out": { link: "/out/none" }, "/r/dir": { link: "/out" } })
      const told: ReadonlyArray<FileSystem.WatchEvent> = [
        { _tag: "Update", path: "file" },
        { _tag: "Update", path: "dir/secret" },
        { _tag: "Remove", path: "out" },
        { _tag: "Remove", path: "gone" },
        { _tag: "Create", path: "../out/secret" },
        { _tag: "Update", path: "/out/secret" },
        { _tag: "Update", path: "" }
      ]
      const watching = FileSystem.FileSystem.of({ ...plain, watch: () => Stream.fromIterable(told) })
      const fs = yield* over(watching, "/r")
      assert.deepStrictEqual(yield* Stream.runCollect(fs.watch("/r")), [
        { _tag: "Update", path: "file" },
        { _tag: "Create", path: "out" },
        { _tag: "Remove", path: "gone" },
        { _tag: "Update", path: "" }
      ])
    })
  )
  it.live("[C-8] works on a disk", () =>
    Effect.gen(function* () {
      const plain = yield* FileSystem.FileSystem
      const at = yield* plain.realPath(yield* plain.makeTempDirectoryScoped())
      const fs = yield* over(plain, at)
      const ready = yield* Deferred.make<void>()
      const fiber = yield* fs
        .watch(at, { onReady: () => Deferred.doneUnsafe(ready, Effect.void) })
        .pipe(Stream.runHead, Effect.forkChild)
      yield* Deferred.await(ready)
      yield* fs.writeFileString(`${at}/file`, "x")
      const event = yield* Fiber.join(fiber)
      assert.strictEqual(event._tag === "Some" && event.value.path, "file")
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
