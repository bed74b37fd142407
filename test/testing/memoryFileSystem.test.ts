import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Controls, FaultOperation, FileContent } from "../../src/testing/memoryFileSystem.ts"
import { layer, make, MemoryFileSystem } from "../../src/testing/memoryFileSystem.ts"

/** A test over a file system with `files`. */
const over =
  <Eff extends Effect.Effect<unknown, unknown, Scope>>(
    files: Readonly<Record<string, FileContent>>,
    test: (fs: FileSystem.FileSystem, memory: Controls) => Generator<Eff, void, never>
  ) =>
  () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const memory = yield* MemoryFileSystem
      yield* Effect.gen(() => test(fs, memory))
    }).pipe(Effect.provide(layer(files)))

/** Runs an effect in the background, as far as it gets. */
const start = <A, E>(effect: Effect.Effect<A, E, Scope>) =>
  Effect.forkChild(Effect.exit(Effect.scoped(effect)), { startImmediately: true })

const code = (error: PlatformError) => (error.reason.cause as { readonly code?: string } | undefined)?.code
const mtime = (info: FileSystem.File.Info) => Option.getOrThrow(info.mtime).getTime()
const defect = <A, E>(exit: Exit.Exit<A, E>) =>
  Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? String(Cause.squash(exit.cause)) : "no defect"
const bytes = (text: string) => new TextEncoder().encode(text)

describe("the files at the start", () => {
  it.effect(
    "are text, bytes, repeated text, base64, links and directories, with the parents they need",
    over(
      {
        "/a/text": "tëxt",
        "/a/object": { text: "object" },
        "/a/bytes": Uint8Array.of(0, 255),
        "/a/repeat": { repeat: ["ab", 3] },
        "/a/base64": { base64: "//4=" },
        "/a/link": { link: "text" },
        "/a/dangling": { link: "nowhere" },
        "/d/deep/": null
      },
      function* (fs) {
        assert.strictEqual(yield* fs.readFileString("/a/text"), "tëxt")
        assert.strictEqual(yield* fs.readFileString("/a/object"), "object")
        assert.deepStrictEqual(yield* fs.readFile("/a/bytes"), Uint8Array.of(0, 255))
        assert.strictEqual(yield* fs.readFileString("/a/repeat"), "ababab")
        assert.deepStrictEqual(yield* fs.readFile("/a/base64"), Uint8Array.of(255, 254))
        assert.strictEqual(yield* fs.readLink("/a/link"), "text")
        assert.strictEqual(yield* fs.realPath("/a/link"), "/a/text")
        assert.strictEqual(yield* fs.readLink("/a/dangling"), "nowhere")
        assert.strictEqual((yield* fs.stat("/d/deep")).type, "Directory")
        assert.deepStrictEqual(yield* fs.readDirectory("/d/deep"), [])
      }
    )
  )

  it.effect(
    "can have another size than they report",
    over(
      {
        "/liar": { repeat: ["x", 5000], reportSize: 3 },
        "/link": { link: "liar", reportSize: 9 }
      },
      function* (fs, memory) {
        assert.strictEqual((yield* fs.stat("/liar")).size, 3n)
        assert.strictEqual((yield* fs.lstat("/link")).size, 9n)
        assert.strictEqual((yield* fs.readFile("/liar")).length, 5000)
        yield* memory.write("/liar", "12345")
        assert.strictEqual((yield* fs.stat("/liar")).size, 3n)
        yield* memory.reportSize("/liar", undefined)
        assert.strictEqual((yield* fs.stat("/liar")).size, 5n)
        yield* memory.reportSize("/liar", 10 ** 12)
        const file = yield* fs.open("/liar")
        assert.strictEqual((yield* file.stat).size, 1_000_000_000_000n)
      }
    )
  )

  it.effect("are as old as the layer, by Effect's clock", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_234_567)
      const { fileSystem } = yield* make({ "/d/file": "x" })
      yield* TestClock.adjust("1 hour")
      const info = yield* fileSystem.stat("/d/file")
      assert.deepStrictEqual(
        [info.mtime, info.atime, info.birthtime].map((time) => Option.getOrThrow(time).getTime()),
        [1_234_567, 1_234_567, 1_234_567]
      )
      assert.strictEqual(mtime(yield* fileSystem.stat("/d")), 1_234_567)
    })
  )

  it.effect.each<readonly [string, unknown]>([
    ["/directory", null],
    ["/file/", "text"],
    ["/unknown", { contents: "x" }],
    ["/base64", { base64: "%%%%" }]
  ])("die when they make no sense: %s", ([path, content]) =>
    Effect.map(Effect.exit(make({ [path]: content as FileContent })), (exit) =>
      assert.notStrictEqual(defect(exit), "no defect")
    )
  )

  it.effect("die where they cannot be, and say where", () =>
    Effect.map(Effect.exit(make({ "/a": "x", "/a/b": "y" })), (exit) =>
      assert.strictEqual(defect(exit), "Error: ENOTDIR: not a directory, seed '/a/b'")
    )
  )

  it.effect("belong to one file system", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* make({ "/a": "1" }), yield* make({ "/a": "2" })]
      yield* one.controls.write("/a", "3")
      assert.strictEqual(yield* two.fileSystem.readFileString("/a"), "2")
      assert.strictEqual(yield* one.controls.requests, 0)
    })
  )

  it.effect("are provided with their controls by a layer", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([MemoryFileSystem, MemoryFileSystem])
      assert.strictEqual(one, two)
      yield* FileSystem.FileSystem.use((fs) => fs.readFileString("/a"))
      assert.strictEqual(yield* one.reads("/a"), 1)
    }).pipe(Effect.provide(Layer.fresh(layer({ "/a": "1" }))))
  )
})

describe("changes behind the back", () => {
  it.effect(
    "write keeps the inode and moves the modification time",
    over({ "/a": "one" }, function* (fs, memory) {
      const before = yield* fs.stat("/a")
      yield* TestClock.adjust("5 seconds")
      yield* memory.write("/a", "three")
      const after = yield* fs.stat("/a")
      assert.deepStrictEqual(after.ino, before.ino)
      assert.strictEqual(mtime(after), mtime(before) + 5000)
      assert.strictEqual(after.size, 5n)
      assert.strictEqual(yield* fs.readFileString("/a"), "three")
      assert.deepStrictEqual(after.birthtime, before.birthtime)
    })
  )

  it.effect(
    "write with sameStat leaves no trace until the next write",
    over({ "/a": "one" }, function* (fs, memory) {
      const before = yield* fs.stat("/a")
      yield* TestClock.adjust("5 seconds")
      yield* memory.write("/a", "changed", { sameStat: true })
      const { blocks: _, ...after } = yield* fs.stat("/a")
      const { blocks: __, ...expected } = before
      assert.deepStrictEqual(after, expected)
      assert.strictEqual(yield* fs.readFileString("/a"), "changed")
      yield* memory.write("/a", "again!!", { sameStat: true })
      assert.strictEqual((yield* fs.stat("/a")).size, 3n)
      yield* memory.write("/a", "four")
      assert.strictEqual((yield* fs.stat("/a")).size, 4n)
      assert.strictEqual(mtime(yield* fs.stat("/a")), mtime(before) + 5000)
    })
  )

  it.effect(
    "sameStat on a reported size keeps the true one underneath",
    over(
      {
        "/a": { text: "12345", reportSize: 2 }
      },
      function* (fs, memory) {
        yield* memory.write("/a", "1", { sameStat: true })
        assert.strictEqual((yield* fs.stat("/a")).size, 2n)
        yield* memory.reportSize("/a", undefined)
        assert.strictEqual((yield* fs.stat("/a")).size, 5n)
      }
    )
  )

  it.effect(
    "sameStat on a new file is an ordinary write",
    over({}, function* (fs, memory) {
      yield* TestClock.adjust("7 millis")
      yield* memory.write("/new/file", "abc", { sameStat: true, mode: 0o600 })
      const info = yield* fs.stat("/new/file")
      assert.deepStrictEqual([info.size, mtime(info), info.mode & 0o777], [3n, 7, 0o600])
    })
  )

  it.effect(
    "write takes its own copy, goes through links, and ignores permissions",
    over(
      {
        "/a": "one",
        "/link": { link: "a" },
        "/dangling": { link: "d/new" },
        "/d/": null
      },
      function* (fs, memory) {
        const content = bytes("two")
        yield* memory.chmod("/a", 0)
        yield* memory.chmod("/d", 0)
        yield* memory.write("/link", content)
        yield* memory.write("/dangling", "made")
        yield* memory.write("/d/other", "made")
        content[0] = 0
        yield* memory.chmod("/a", 0o600)
        yield* memory.chmod("/d", 0o700)
        assert.strictEqual(yield* fs.readFileString("/a"), "two")
        assert.strictEqual(yield* fs.readFileString("/d/new"), "made")
        assert.strictEqual(yield* fs.readFileString("/d/other"), "made")
        assert.strictEqual((yield* fs.lstat("/link")).type, "SymbolicLink")
      }
    )
  )

  it.effect(
    "delete takes everything below, not what a link points at, and does not mind absence",
    over(
      {
        "/d/a": "1",
        "/d/sub/b": "2",
        "/link": { link: "d" },
        "/file": "3"
      },
      function* (fs, memory) {
        yield* memory.delete("/link")
        assert.isTrue(yield* fs.exists("/d/a"))
        yield* memory.delete("/d")
        yield* memory.delete("/d")
        yield* memory.delete("/none/at/all")
        yield* memory.delete("/file/below")
        assert.deepStrictEqual(yield* fs.readDirectory("/"), ["file"])
      }
    )
  )

  it.effect(
    "links and special files take the place of what was there",
    over({ "/d/a": "1", "/b": "2" }, function* (fs, memory) {
      yield* memory.link("/d", "b")
      assert.strictEqual(yield* fs.readFileString("/d"), "2")
      yield* memory.link("/new/link", "/b")
      assert.strictEqual(yield* fs.realPath("/new/link"), "/b")
      yield* memory.hardLink("/b", "/new/link")
      yield* memory.hardLink("/b", "/b")
      const [one, two] = [yield* fs.lstat("/b"), yield* fs.lstat("/new/link")]
      assert.deepStrictEqual([one.ino, one.nlink], [two.ino, Option.some(2n)])
      for (const type of ["FIFO", "Socket", "BlockDevice", "CharacterDevice"] as const) {
        yield* memory.special("/d", type)
        assert.strictEqual((yield* fs.stat("/d")).type, type)
      }
      assert.deepStrictEqual(
        (yield* fs.readDirectoryEntries("/")).find(({ name }) => name === "d")?.type,
        "CharacterDevice"
      )
    })
  )

  it.effect(
    "rename is atomic and over an existing file",
    over({ "/a": "new", "/b": "old" }, function* (fs, memory) {
      const before = yield* fs.stat("/a")
      const open = yield* fs.open("/b")
      yield* memory.rename("/a", "/b")
      assert.deepStrictEqual((yield* fs.stat("/b")).ino, before.ino)
      assert.deepStrictEqual(yield* open.readAlloc(9), Option.some(bytes("old")))
      yield* memory.rename("/b", "/far/away/c")
      assert.strictEqual(yield* fs.readFileString("/far/away/c"), "new")
    })
  )

  it.effect(
    "a directory is as new as its last entry",
    over({ "/d/a": "1", "/d/sub/": null }, function* (fs, memory) {
      yield* TestClock.adjust(10)
      yield* memory.write("/d/a", "2")
      assert.strictEqual(mtime(yield* fs.stat("/d")), 0)
      yield* memory.write("/d/b", "2")
      assert.strictEqual(mtime(yield* fs.stat("/d")), 10)
      yield* TestClock.adjust(10)
      yield* memory.delete("/d/b")
      assert.strictEqual(mtime(yield* fs.stat("/d")), 20)
      assert.strictEqual(mtime(yield* fs.stat("/d/sub")), 0)
    })
  )

  it.effect(
    "nonsense dies, and says where",
    over({ "/d/": null, "/f": "" }, function* (_, memory) {
      const mistakes: Record<string, Effect.Effect<void>> = {
        "EISDIR: illegal operation on a directory, write '/d'": memory.write("/d", "x"),
        "ENOTDIR: not a directory, write '/f/x'": memory.write("/f/x", "x"),
        "EEXIST: file already exists, mkdir '/f'": memory.mkdir("/f"),
        "ENOENT: no such file or directory, chmod '/none'": memory.chmod("/none", 0),
        "ENOENT: no such file or directory, rename '/none'": memory.rename("/none", "/x"),
        "ENOENT: no such file or directory, hardLink '/x'": memory.hardLink("/none", "/x"),
        "ENOENT: no such file or directory, reportSize '/none'": memory.reportSize("/none", 1)
      }
      for (const [message, mistake] of Object.entries(mistakes)) {
        assert.strictEqual(defect(yield* Effect.exit(mistake)), `Error: ${message}`)
      }
    })
  )
})

describe("metadata", () => {
  it.effect(
    "has an inode a file, and everything else that Node has",
    over(
      {
        "/d/a": "12345",
        "/d/b": "",
        "/link": { link: "d/ä" }
      },
      function* (fs) {
        const infos = yield* Effect.forEach(["/", "/d", "/d/a", "/d/b", "/link"], fs.lstat)
        assert.strictEqual(new Set(infos.map(({ ino }) => Option.getOrThrow(ino))).size, 5)
        assert.strictEqual(new Set(infos.map(({ dev }) => dev)).size, 1)
        assert.deepStrictEqual(
          infos.map(({ mode }) => mode.toString(8)),
          ["40755", "40755", "100644", "100644", "120777"]
        )
        assert.deepStrictEqual(
          infos.map(({ size }) => size as bigint),
          [4096n, 4096n, 5n, 0n, 4n]
        )
        assert.deepStrictEqual(
          infos.map(({ nlink }) => Option.getOrThrow(nlink)),
          [3n, 2n, 1n, 1n, 1n]
        )
        for (const info of infos) {
          const optional: ReadonlyArray<Option.Option<unknown>> = [
            info.uid,
            info.gid,
            info.rdev,
            info.blksize,
            info.blocks
          ]
          assert.isTrue(optional.every(Option.isSome))
        }
      }
    )
  )

  it.effect(
    "access asks for the bits it was asked for",
    over({ "/a": "" }, function* (fs, memory) {
      const answers = Effect.forEach(
        [{}, { readable: true }, { writable: true }, { readable: true, writable: true }],
        (wanted) => Effect.match(fs.access("/a", wanted), { onFailure: code, onSuccess: () => "ok" })
      )
      assert.deepStrictEqual(yield* answers, ["ok", "ok", "ok", "ok"])
      yield* memory.chmod("/a", 0o444)
      assert.deepStrictEqual(yield* answers, ["ok", "ok", "EACCES", "EACCES"])
      yield* memory.chmod("/a", 0o200)
      assert.deepStrictEqual(yield* answers, ["ok", "EACCES", "ok", "EACCES"])
      yield* memory.chmod("/", 0)
      assert.deepStrictEqual(yield* answers, ["EACCES", "EACCES", "EACCES", "EACCES"])
    })
  )

  it.effect("what was read is the reader's own", () => {
    const given = Uint8Array.of(1, 2)
    return Effect.gen(function* () {
      const { fileSystem: fs } = yield* make({ "/a": given })
      given[0] = 9
      const file = yield* fs.open("/a")
      for (const read of [fs.readFile("/a"), Effect.map(file.readAlloc(2), Option.getOrThrow)]) {
        const seen = yield* read
        assert.deepStrictEqual([...seen], [1, 2])
        seen[0] = 9
      }
      assert.deepStrictEqual([...(yield* fs.readFile("/a"))], [1, 2])
    })
  })

  it.effect(
    "listings are newest first, whatever the names",
    over({ "/d/b": "", "/d/a": "", "/d/c/": null }, function* (fs, memory) {
      assert.deepStrictEqual(yield* fs.readDirectory("/d"), ["c", "a", "b"])
      yield* memory.write("/d/a", "again")
      yield* memory.write("/d/c/x", "")
      assert.deepStrictEqual(yield* fs.readDirectory("/d"), ["c", "a", "b"])
      yield* memory.delete("/d/b")
      yield* memory.write("/d/b", "")
      assert.deepStrictEqual(
        (yield* fs.readDirectoryEntries("/d")).map(({ name }) => name),
        ["b", "c", "a"]
      )
      assert.deepStrictEqual(yield* fs.readDirectory("/d", { recursive: true }), ["b", "c", "a", "c/x"])
    })
  )

  it.effect(
    "relative paths start at the root",
    over({ "/d/a": "x" }, function* (fs, memory) {
      assert.strictEqual(yield* fs.readFileString("d/a"), "x")
      assert.strictEqual(yield* fs.realPath("./d/../d/a"), "/d/a")
      assert.strictEqual(yield* memory.reads("d//a/"), 1)
    })
  )

  it.effect(
    "times set by hand stay",
    over({ "/a": "x" }, function* (fs, memory) {
      yield* TestClock.adjust("1 minute")
      yield* fs.utimes("/a", 1.5, new Date(2500))
      const info = yield* fs.stat("/a")
      assert.deepStrictEqual([Option.getOrThrow(info.atime).getTime(), mtime(info)], [1500, 2500])
      yield* fs.writeFileString("/a", "y")
      assert.strictEqual(mtime(yield* fs.stat("/a")), 60_000)
      yield* memory.write("/a", "z", { sameStat: true })
      yield* fs.copy("/a", "/b", { preserveTimestamps: true })
      yield* TestClock.adjust("1 minute")
      yield* fs.copy("/a", "/c", { preserveTimestamps: true })
      yield* fs.copy("/a", "/d")
      const copied = yield* Effect.forEach(["/b", "/c", "/d"], (path) => Effect.map(fs.stat(path), mtime))
      assert.deepStrictEqual(copied, [60_000, 60_000, 120_000])
    })
  )

  it.effect("temporary names are the same in every run", () =>
    Effect.gen(function* () {
      const names = Effect.gen(function* () {
        const { fileSystem } = yield* make()
        assert.deepStrictEqual(yield* fileSystem.readDirectory("/"), [])
        return [yield* fileSystem.makeTempDirectory(), yield* fileSystem.makeTempFile({ prefix: "x-", suffix: ".md" })]
      })
      const [one, two] = [yield* names, yield* names]
      assert.deepStrictEqual(one, two)
      assert.match(one[0]!, /^\/tmp\/\w{6}$/)
      assert.match(one[1]!, /^\/tmp\/x-\w{6}\/\w+\.md$/)
    })
  )
})

describe("counters", () => {
  const readers: Record<
    string,
    (fs: FileSystem.FileSystem, path: string) => Effect.Effect<unknown, PlatformError, Scope>
  > = {
    open: (fs, path) => Effect.flatMap(fs.open(path), (file) => file.readAlloc(100)),
    "open for both": (fs, path) =>
      Effect.flatMap(fs.open(path, { flag: "r+" }), (file) => file.read(new Uint8Array(100))),
    stream: (fs, path) => Stream.runDrain(fs.stream(path)),
    readFile: (fs, path) => fs.readFile(path),
    readFileString: (fs, path) => fs.readFileString(path)
  }
  for (const [name, read] of Object.entries(readers)) {
    it.effect(
      `see an open for content: ${name}`,
      over({ "/a": "12345", "/link": { link: "a" } }, function* (fs, memory) {
        yield* read(fs, "/a")
        // Walks through a directory that is not there, but spells "/a".
        yield* Effect.ignore(read(fs, "/x/../a"))
        yield* Effect.ignore(read(fs, "/none"))
        yield* memory.fault("/link", "read", "PermissionDenied")
        yield* Effect.ignore(read(fs, "/link"))
        assert.deepStrictEqual(yield* memory.allReads, { "/a": 2, "/none": 1, "/link": 1 })
        assert.strictEqual(yield* memory.bytesRead("/a"), 5)
        assert.strictEqual(yield* memory.reads("/other"), 0)
        assert.deepStrictEqual(yield* memory.allProbes, {})
        assert.strictEqual(yield* memory.requests, 4)
      })
    )
  }

  it.effect(
    "see how much of a file was taken",
    over({ "/a": { repeat: ["x", 100] } }, function* (fs, memory) {
      yield* Stream.runDrain(fs.stream("/a", { offset: 10, bytesToRead: 30, chunkSize: 7 }))
      assert.strictEqual(yield* memory.bytesRead("/a"), 30)
      yield* Stream.runDrain(Stream.take(fs.stream("/a", { chunkSize: 16 }), 2))
      assert.strictEqual(yield* memory.bytesRead("/a"), 62)
    })
  )

  it.effect(
    "see each metadata question, and no other request",
    over({ "/d/a": "x" }, function* (fs, memory) {
      yield* fs.stat("/d/a")
      yield* fs.lstat("/d/a")
      yield* fs.access("/d/a")
      yield* fs.exists("/d/a")
      yield* fs.exists("/d/b")
      assert.deepStrictEqual(yield* memory.allProbes, { "/d/a": 4, "/d/b": 1 })
      assert.strictEqual(yield* memory.probes("/d/a"), 4)
      yield* fs.realPath("/d/a")
      yield* fs.readDirectory("/d")
      yield* fs.readDirectory("/", { recursive: true })
      yield* fs.readDirectoryEntries("/d/")
      yield* fs.writeFileString("/d/a", "y")
      yield* fs.makeDirectory("/e")
      yield* fs.rename("/d", "/e/d")
      yield* Stream.run(Stream.make(bytes("z")), fs.sink("/z"))
      yield* Effect.flatMap(fs.open("/z"), (file) => file.stat)
      assert.deepStrictEqual(yield* memory.allProbes, { "/d/a": 4, "/d/b": 1 })
      assert.deepStrictEqual(yield* memory.allReads, { "/z": 1 })
      assert.deepStrictEqual([yield* memory.lists("/d"), yield* memory.lists("/")], [2, 1])
      assert.strictEqual(yield* memory.requests, 14)
    })
  )

  it.effect(
    "do not see the controls, and start again",
    over({ "/a": "x" }, function* (fs, memory) {
      yield* memory.write("/b", "y")
      yield* memory.rename("/b", "/c")
      yield* memory.delete("/c")
      assert.strictEqual(yield* memory.requests, 0)
      const open = yield* fs.open("/a")
      yield* open.readAlloc(1)
      yield* fs.stat("/a")
      yield* fs.readDirectory("/")
      yield* memory.resetCounters
      assert.deepStrictEqual(
        [yield* memory.requests, yield* memory.reads("/a"), yield* memory.probes("/a"), yield* memory.bytesRead("/a")],
        [0, 0, 0, 0]
      )
      assert.deepStrictEqual([yield* memory.lists("/"), yield* memory.allReads, yield* memory.allProbes], [0, {}, {}])
      assert.strictEqual(yield* memory.openHandles, 1)
    })
  )

  it.effect(
    "see what is open now",
    over({ "/a": "12345" }, function* (fs, memory) {
      const during: Array<number> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* fs.open("/a")
          yield* fs.open("/b", { flag: "w" })
          during.push(yield* memory.openHandles)
        })
      )
      yield* Stream.runForEach(fs.stream("/a", { chunkSize: 3 }), () =>
        Effect.map(memory.openHandles, (open) => during.push(open))
      )
      yield* Stream.runForEach(Stream.take(fs.stream("/a", { chunkSize: 1 }), 1), () => Effect.void)
      yield* fs.readFile("/a")
      yield* fs.writeFileString("/a", "x")
      yield* Effect.ignore(fs.readFile("/none"))
      yield* Effect.ignore(fs.readFile("/"))
      assert.deepStrictEqual(during, [2, 1, 1])
      assert.strictEqual(yield* memory.openHandles, 0)
    })
  )
})

describe("faults", () => {
  type Requests = Record<
    string,
    (fs: FileSystem.FileSystem, path: string) => Effect.Effect<unknown, PlatformError, Scope>
  >
  const requests: Record<FaultOperation, Requests> = {
    stat: {
      stat: (fs, path) => fs.stat(path),
      lstat: (fs, path) => fs.lstat(path),
      access: (fs, path) => fs.access(path),
      exists: (fs, path) => fs.exists(path)
    },
    read: {
      open: (fs, path) => Effect.flatMap(fs.open(path), (file) => file.readAlloc(1)),
      read: (fs, path) => Effect.flatMap(fs.open(path, { flag: "r+" }), (file) => file.read(new Uint8Array(1))),
      stream: (fs, path) => Stream.runDrain(fs.stream(path)),
      readFile: (fs, path) => fs.readFile(path),
      readFileString: (fs, path) => fs.readFileString(path)
    },
    realPath: { realPath: (fs, path) => fs.realPath(path) },
    list: {
      readDirectory: (fs, path) => fs.readDirectory(path),
      "recursive readDirectory": (fs, path) => fs.readDirectory(path, { recursive: true }),
      readDirectoryEntries: (fs, path) => fs.readDirectoryEntries(path)
    },
    any: {
      append: (fs, path) => fs.open(path, { flag: "a" }),
      writeFile: (fs, path) => fs.writeFileString(path, "x"),
      chmod: (fs, path) => fs.chmod(path, 0o644),
      utimes: (fs, path) => fs.utimes(path, 1, 1),
      truncate: (fs, path) => fs.truncate(path),
      "rename from": (fs, path) => fs.rename(path, "/other"),
      "rename to": (fs, path) => fs.rename("/b", path),
      "copyFile to": (fs, path) => fs.copyFile("/b", path),
      link: (fs, path) => fs.link(path, "/other"),
      watch: (fs, path) => Stream.runDrain(fs.watch(path)),
      remove: (fs, path) => fs.remove(path)
    }
  }
  const everything = Object.values(requests).flatMap((group) => Object.entries(group))
  const isHit = (operation: FaultOperation, name: string) => operation === "any" || name in requests[operation]
  const files = { "/d/a": "12345", "/b": "" }

  for (const operation of ["stat", "read", "realPath", "list", "any"] as const) {
    for (const [name, request] of everything) {
      it.effect(
        `${operation} ${isHit(operation, name) ? "hits" : "spares"} ${name}`,
        over(files, function* (fs, memory) {
          for (const [as, expected] of [
            ["PermissionDenied", "EACCES"],
            ["Unknown", "EIO"]
          ] as const) {
            yield* memory.fault("/d/../d/a/", operation, as)
            const fiber = yield* start(Effect.result(request(fs, "/d//a")))
            const exit = fiber.pollUnsafe()
            yield* Fiber.interrupt(fiber)
            const result = exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
            const failed =
              result !== undefined && Exit.isSuccess(result) && result.value._tag === "Failure"
                ? [result.value.failure.reason._tag, code(result.value.failure)]
                : undefined
            if (isHit(operation, name)) assert.deepStrictEqual(failed, [as, expected])
            else assert.notDeepEqual(failed, [as, expected])
            assert.strictEqual(yield* memory.openHandles, 0)
          }
        })
      )
    }
  }

  for (const [name, request] of everything) {
    it.effect(
      `a hanging ${name} can be interrupted`,
      over(files, function* (fs, memory) {
        yield* memory.fault("/d/a", "any", "hang")
        const fiber = yield* start(request(fs, "/d/a"))
        yield* TestClock.adjust("1 hour")
        assert.isUndefined(fiber.pollUnsafe())
        // Only a file that was opened for reading hangs with a handle in its hand.
        assert.strictEqual(yield* memory.openHandles, name in requests.read ? 1 : 0)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* memory.openHandles, 0)
        yield* memory.heal()
        assert.strictEqual(yield* fs.readFileString("/d/a"), "12345")
      })
    )

    it.effect(
      `a late ${name} comes when its time has come`,
      over(files, function* (fs, memory) {
        yield* memory.fault("/d/a", "any", { delay: "50 millis" })
        const fiber = yield* start(request(fs, "/d/a"))
        yield* TestClock.adjust("49 millis")
        assert.isUndefined(fiber.pollUnsafe())
        assert.strictEqual(yield* memory.openHandles, name in requests.read ? 1 : 0)
        yield* TestClock.adjust("1 millis")
        if (name === "watch") {
          assert.strictEqual(yield* memory.openHandles, 1)
          yield* Fiber.interrupt(fiber)
        }
        assert.isDefined(fiber.pollUnsafe())
        assert.strictEqual(yield* memory.openHandles, 0)
      })
    )
  }

  it.effect(
    "go by the path as spelled, not by what it resolves to",
    over(
      {
        "/d/a": "x",
        "/link": { link: "d/a" },
        "/dir": { link: "d" }
      },
      function* (fs, memory) {
        yield* memory.fault("/d/a", "any", "Unknown")
        assert.strictEqual(yield* fs.readFileString("/link"), "x")
        assert.strictEqual(yield* fs.readFileString("/dir/a"), "x")
        assert.deepStrictEqual(yield* fs.readDirectory("/d"), ["a"])
        yield* memory.heal("/d/a")
        yield* memory.fault("/dir", "read", "Unknown")
        assert.strictEqual(yield* fs.readFileString("/dir/a"), "x")
        assert.strictEqual(code(yield* Effect.flip(fs.readFile("/dir"))), "EIO")
      }
    )
  )

  it.effect(
    "do not take the target of a new link for a path",
    over({ "/a": "" }, function* (fs, memory) {
      yield* memory.fault("/a", "any", "Unknown")
      yield* fs.symlink("a", "/d")
      yield* memory.fault("/e", "any", "Unknown")
      const error = yield* Effect.flip(fs.symlink("a", "/e"))
      assert.deepStrictEqual(
        [code(error), error.reason._tag === "BadArgument" || error.reason.pathOrDescriptor],
        ["EIO", "a"]
      )
    })
  )

  it.effect(
    "can be interrupted where a resource is acquired, too",
    over({ "/d/": null }, function* (fs, memory) {
      yield* memory.fault("/d", "any", "hang")
      for (const acquire of [fs.makeTempDirectoryScoped, fs.makeTempFileScoped]) {
        const fiber = yield* start(acquire({ directory: "/d" }))
        yield* TestClock.adjust("1 hour")
        assert.isUndefined(fiber.pollUnsafe())
        yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
        yield* TestClock.adjust("1 hour")
        assert.isDefined(fiber.pollUnsafe())
      }
      yield* memory.heal()
      assert.deepStrictEqual(yield* fs.readDirectory("/d"), [])
    })
  )

  it.effect(
    "the more special one wins, and all of a path heal together",
    over({ "/a": "x", "/b": "y" }, function* (fs, memory) {
      yield* memory.fault("/a", "any", "Unknown")
      yield* memory.fault("/a", "stat", "PermissionDenied")
      yield* memory.fault("/b", "read", "Unknown")
      assert.strictEqual(code(yield* Effect.flip(fs.stat("/a"))), "EACCES")
      assert.strictEqual(code(yield* Effect.flip(fs.readFile("/a"))), "EIO")
      yield* memory.heal("/a/")
      assert.strictEqual(yield* fs.readFileString("/a"), "x")
      yield* fs.stat("/a")
      assert.strictEqual(code(yield* Effect.flip(fs.readFile("/b"))), "EIO")
      yield* memory.heal()
      assert.strictEqual(yield* fs.readFileString("/b"), "y")
    })
  )

  it.effect(
    "strike an open file at its first read, again until it was waited out, and then no more",
    over(
      {
        "/a": "12345"
      },
      function* (fs, memory) {
        yield* memory.fault("/a", "read", { delay: "1 second" })
        const file = yield* fs.open("/a")
        assert.strictEqual((yield* file.stat).size, 5n)
        const first = yield* start(file.readAlloc(1))
        yield* TestClock.adjust("500 millis")
        yield* Fiber.interrupt(first)
        const second = yield* start(file.readAlloc(1))
        yield* TestClock.adjust("999 millis")
        assert.isUndefined(second.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.isDefined(second.pollUnsafe())
        const third = yield* start(file.readAlloc(9))
        assert.isDefined(third.pollUnsafe())
        assert.strictEqual(yield* memory.bytesRead("/a"), 5)
      }
    )
  )

  it.effect(
    "tell what Node would have told",
    over({ "/a": "" }, function* (fs, memory) {
      yield* memory.fault("/a", "any", "PermissionDenied")
      const error = yield* Effect.flip(fs.readFile("a"))
      assert.strictEqual(error.message, "PermissionDenied: FileSystem.readFile (a)")
      const { cause } = error
      assert.instanceOf(cause, Error)
      assert.strictEqual(cause.message, "EACCES: permission denied, open 'a'")
      const { errno, path, syscall } = cause as NodeJS.ErrnoException
      assert.deepStrictEqual([code(error), errno, syscall, path], ["EACCES", -13, "open", "a"])
    })
  )

  it.effect(
    "a delay lets others change the answer",
    over({ "/a": "old" }, function* (fs, memory) {
      yield* memory.fault("/a", "any", { delay: "1 second" })
      const reading = yield* Effect.forkChild(fs.readFileString("/a"), { startImmediately: true })
      const asking = yield* Effect.forkChild(fs.exists("/a"), { startImmediately: true })
      yield* memory.write("/a", "new content")
      yield* TestClock.adjust("500 millis")
      yield* memory.delete("/a")
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(yield* Fiber.join(reading), "new content")
      assert.isFalse(yield* Fiber.join(asking))
    })
  )
})

describe("hooks on opening", () => {
  const ways: Record<string, (fs: FileSystem.FileSystem) => Effect.Effect<string, PlatformError>> = {
    readFileString: (fs) => fs.readFileString("/a"),
    stream: (fs) => fs.stream("/a").pipe(Stream.decodeText(), Stream.mkString),
    open: (fs) =>
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* fs.open("/a")
          return new TextDecoder().decode(Option.getOrElse(yield* file.readAlloc(100), () => new Uint8Array()))
        })
      )
  }
  for (const [name, read] of Object.entries(ways)) {
    it.effect(
      `let a file grow, shrink and vanish before the read: ${name}`,
      over({ "/a": "12345" }, function* (fs, memory) {
        yield* memory.onOpen("/./a", () => memory.write("/a", "1234567"))
        assert.strictEqual(yield* read(fs), "1234567")
        yield* memory.onOpen("/a", () => memory.write("/a", ""))
        assert.strictEqual(yield* read(fs), "")
        yield* memory.write("/a", "again")
        yield* memory.onOpen("/a", () => memory.delete("/a"))
        assert.strictEqual(yield* read(fs), "again")
        assert.isFalse(yield* fs.exists("/a"))
        assert.strictEqual((yield* Effect.flip(read(fs))).reason._tag, "NotFound")
      })
    )
  }

  it.effect(
    "run once for each opening of the path, while it is open",
    over({ "/a": "x", "/link": { link: "a" } }, function* (fs, memory) {
      const open: Array<number> = []
      yield* memory.onOpen("/a", () => {
        open.push(Effect.runSync(memory.openHandles))
      })
      yield* fs.readFile("/a")
      yield* fs.readFile("/link")
      yield* fs.writeFileString("/a", "y")
      yield* fs.stat("/a")
      assert.deepStrictEqual(open, [1, 1])
      yield* memory.onOpen("/a", undefined)
      yield* fs.readFile("/a")
      assert.deepStrictEqual(open, [1, 1])
    })
  )

  it.effect(
    "that throw leave nothing open",
    over({ "/a": "x" }, function* (fs, memory) {
      yield* memory.onOpen("/a", () => {
        throw new Error("boom")
      })
      assert.strictEqual(defect(yield* Effect.exit(fs.readFile("/a"))), "Error: boom")
      assert.strictEqual(yield* memory.openHandles, 0)
    })
  )
})

describe("what is not a file", () => {
  const opening: Record<string, (fs: FileSystem.FileSystem) => Effect.Effect<unknown, PlatformError, Scope>> = {
    open: (fs) => fs.open("/x"),
    "open to write": (fs) => fs.open("/x", { flag: "w" }),
    readFile: (fs) => fs.readFile("/x"),
    writeFile: (fs) => fs.writeFileString("/x", "y"),
    stream: (fs) => Stream.runDrain(fs.stream("/x")),
    truncate: (fs) => fs.truncate("/x"),
    copyFile: (fs) => fs.copyFile("/x", "/y"),
    "copyFile onto it": (fs) => fs.copyFile("/z", "/x")
  }
  for (const [name, open] of Object.entries(opening)) {
    it.effect(
      `a FIFO blocks ${name}, interruptibly and without a handle`,
      over({ "/z": "z" }, function* (fs, memory) {
        yield* memory.special("/x", "FIFO")
        assert.strictEqual((yield* fs.stat("/x")).type, "FIFO")
        const fiber = yield* start(open(fs))
        yield* TestClock.adjust("1 day")
        assert.isUndefined(fiber.pollUnsafe())
        assert.strictEqual(yield* memory.openHandles, 0)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* fs.readFileString("/z"), "z")
      })
    )

    it.effect(
      `the others fail ${name}`,
      over({ "/z": "z" }, function* (fs, memory) {
        for (const type of ["Socket", "BlockDevice", "CharacterDevice"] as const) {
          yield* memory.special("/x", type)
          const error = yield* Effect.flip(Effect.scoped(open(fs)))
          assert.deepStrictEqual([error.reason._tag, code(error)], ["Unknown", "ENXIO"])
        }
      })
    )
  }

  it.effect(
    "permissions come first",
    over({}, function* (fs, memory) {
      yield* memory.special("/x", "FIFO")
      yield* memory.chmod("/x", 0)
      assert.strictEqual(code(yield* Effect.flip(fs.readFile("/x"))), "EACCES")
    })
  )

  it.effect(
    "can be moved, linked and removed like a file",
    over({}, function* (fs, memory) {
      yield* memory.special("/x", "FIFO")
      yield* fs.rename("/x", "/y")
      yield* fs.link("/y", "/z")
      yield* fs.remove("/y")
      assert.strictEqual((yield* fs.lstat("/z")).type, "FIFO")
      assert.strictEqual(code(yield* Effect.flip(fs.copy("/z", "/w"))), "ERR_FS_CP_FIFO_PIPE")
    })
  )
})

describe("watching", () => {
  /** The events below `path` while `change` runs. */
  const eventsOf = <E>(
    fs: FileSystem.FileSystem,
    path: string,
    change: Effect.Effect<unknown, E>,
    options?: { readonly recursive: boolean }
  ) =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const ready = yield* Deferred.make<void>()
      const watching = fs.watch(path, { ...options, onReady: () => Deferred.doneUnsafe(ready, Effect.void) })
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(watching, (event) => Effect.sync(() => events.push(`${event._tag} ${event.path}`)))
      )
      yield* Deferred.await(ready)
      yield* change
      // Whatever was emitted is delivered once the clock has had its say.
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(fiber)
      return events
    })

  it.effect(
    "a directory tells of its entries, by relative path",
    over({ "/d/a": "x", "/d/sub/b": "y" }, function* (fs, memory) {
      const change = Effect.gen(function* () {
        yield* memory.write("/d/a", "changed")
        yield* memory.write("/d/new", "")
        yield* fs.chmod("/d/new", 0o600)
        yield* fs.rename("/d/new", "/d/newer")
        yield* fs.makeDirectory("/d/dir")
        yield* fs.symlink("a", "/d/link")
        yield* memory.write("/d/sub/b", "not seen")
        yield* memory.write("/elsewhere", "not seen")
        yield* fs.remove("/d/a")
        yield* fs.rename("/d/newer", "/gone")
      })
      assert.deepStrictEqual(yield* eventsOf(fs, "/d", change), [
        "Update a",
        "Create new",
        "Update new",
        "Update new",
        "Remove new",
        "Create newer",
        "Create dir",
        "Create link",
        "Remove a",
        "Remove newer"
      ])
    })
  )

  it.effect(
    "a tree tells of everything below",
    over({ "/d/sub/b": "y", "/e": "" }, function* (fs, memory) {
      const change = Effect.gen(function* () {
        yield* memory.write("/d/sub/b", "changed")
        yield* fs.makeDirectory("/d/sub/deep/er", { recursive: true })
        yield* memory.link("/d/sub/deep/er/link", "x")
        yield* memory.write("/e", "not seen")
        yield* memory.delete("/d/sub")
      })
      assert.deepStrictEqual(yield* eventsOf(fs, "/d", change, { recursive: true }), [
        "Update sub/b",
        "Create sub/deep",
        "Create sub/deep/er",
        "Create sub/deep/er/link",
        "Remove sub/deep/er/link",
        "Remove sub/deep/er",
        "Remove sub/deep",
        "Remove sub/b",
        "Remove sub"
      ])
    })
  )

  it.effect(
    "a file tells of itself, by whatever name it is written to",
    over(
      {
        "/d/a": "x",
        "/link": { link: "d/a" },
        "/new": "y"
      },
      function* (fs, memory) {
        yield* memory.hardLink("/d/a", "/second")
        const change = Effect.gen(function* () {
          yield* memory.write("/second", "changed")
          yield* memory.write("/d/b", "not seen")
          yield* memory.rename("/new", "/d/a")
          yield* memory.write("/d/a", "another file by now")
        })
        assert.deepStrictEqual(yield* eventsOf(fs, "/link", change), ["Update link", "Remove link"])
      }
    )
  )

  it.effect(
    "a directory tells of its own end",
    over({ "/d/a": "x" }, function* (fs, memory) {
      assert.deepStrictEqual(yield* eventsOf(fs, "/d", memory.delete("/d")), ["Remove a", "Remove d"])
    })
  )

  it.effect(
    "sees what is written through an open file, as long as it has its name",
    over({ "/d/a": "x" }, function* (fs) {
      const change = Effect.scoped(
        Effect.gen(function* () {
          const file = yield* fs.open("/d/a", { flag: "r+" })
          yield* file.write(bytes("y"))
          yield* fs.remove("/d/a")
          yield* file.write(bytes("nobody sees that"))
        })
      )
      assert.deepStrictEqual(yield* eventsOf(fs, "/d", change), ["Update a", "Remove a"])
    })
  )

  it.effect(
    "is open until its scope closes",
    over({ "/d/": null }, function* (fs, memory) {
      const fiber = yield* start(Stream.runDrain(fs.watch("/d")))
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* memory.openHandles, 1)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* memory.openHandles, 0)
    })
  )

  it.effect(
    "needs something to watch, and the right to",
    over({ "/d/": null }, function* (fs, memory) {
      const fails = (path: string) => Effect.flip(Stream.runDrain(fs.watch(path)))
      const missing = yield* fails("/none")
      assert.strictEqual(missing.message, "NotFound: FileSystem.stat (/none)")
      yield* memory.chmod("/d", 0o300)
      assert.strictEqual(code(yield* fails("/d")), "EACCES")
      assert.strictEqual(yield* memory.openHandles, 0)
    })
  )
})
