/** Every answer of a file system is one of three values, and no question fails (I-8 to I-10, I-12, I-52). */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import { TestClock } from "effect/testing"
import {
  classify,
  fileSystem,
  largestFile,
  probe,
  probeFile,
  readFile,
  realPath
} from "../../../src/layers/filesystem/probe.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"
import { withRead } from "../instructions/world.ts"

const failure = (tag: PlatformError.SystemErrorTag, code?: string) =>
  PlatformError.systemError({
    _tag: tag,
    module: "FileSystem",
    method: "stat",
    ...(code === undefined ? {} : { cause: Object.assign(new Error(code), { code }) })
  })

const unavailable = (reason: string, loop = false) => ({ _tag: "Unavailable", reason, loop }) as const

describe("classify", () => {
  const absent = { _tag: "Absent", reason: undefined } as const
  for (const [error, expected] of [
    [failure("NotFound"), absent],
    [failure("NotFound", "ENOENT"), absent],
    [failure("Unknown", "ENOENT"), absent],
    [failure("BadResource", "ENOTDIR"), absent],
    [failure("BadResource", "EISDIR"), { _tag: "Absent", reason: "it is a directory" }],
    [failure("BadResource", "ELOOP"), unavailable("too many symbolic links", true)],
    [failure("BadResource"), unavailable("BadResource")],
    [failure("PermissionDenied", "EACCES"), unavailable("PermissionDenied (EACCES)")],
    [failure("PermissionDenied", "EPERM"), unavailable("PermissionDenied (EPERM)")],
    [failure("Busy", "EBUSY"), unavailable("Busy (EBUSY)")],
    [failure("TimedOut"), unavailable("TimedOut")],
    [failure("Unknown", "EIO"), unavailable("Unknown (EIO)")],
    [failure("Unknown", "EMFILE"), unavailable("Unknown (EMFILE)")],
    [failure("Unknown", "ENAMETOOLONG"), unavailable("Unknown (ENAMETOOLONG)")],
    [PlatformError.badArgument({ module: "FileSystem", method: "stat" }), unavailable("BadArgument")]
  ] as const) {
    const { cause } = error.reason
    it(`[I-9] ${error.reason._tag} ${cause instanceof Error ? cause.message : ""} is ${expected._tag}`, () =>
      assert.deepStrictEqual(classify(error), expected))
  }
})

describe("probe", () => {
  it.effect("[I-52] the version changes with device, inode, size and modification time, and with nothing else", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/f": "text", "/g": "text" })
      const version = Effect.map(probe(fileSystem, "/f"), (presence) =>
        presence._tag === "Present" ? presence.version : assert.fail("it is there")
      )
      const versions = [yield* version]
      assert.strictEqual(yield* version, versions[0])
      yield* controls.write("/f", "texT", { sameStat: true })
      yield* fileSystem.chmod("/f", 0o600)
      assert.strictEqual(yield* version, versions[0])
      yield* controls.reportSize("/f", 5)
      versions.push(yield* version)
      yield* fileSystem.utimes("/f", new Date(1), new Date(1))
      versions.push(yield* version)
      yield* fileSystem.utimes("/g", new Date(1), new Date(1))
      yield* controls.reportSize("/g", 5)
      yield* controls.rename("/g", "/f")
      versions.push(yield* version)
      const elsewhere = {
        ...fileSystem,
        stat: (path: string) => Effect.map(fileSystem.stat(path), (info) => ({ ...info, dev: 9n }))
      }
      const moved = yield* probe(elsewhere, "/f")
      versions.push(moved._tag === "Present" ? moved.version : "")
      assert.strictEqual(new Set(versions).size, 5)
    })
  )

  it.effect("[I-52] is trusted from two seconds after the modification on, by the clock before the question", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make()
      yield* TestClock.setTime(10_000)
      yield* controls.write("/f", "text")
      const trusted = (fs: FileSystem.FileSystem) =>
        Effect.map(probe(fs, "/f"), (presence) => presence._tag === "Present" && presence.trusted)
      const slow = {
        ...fileSystem,
        stat: (path: string) => Effect.andThen(TestClock.adjust(500), fileSystem.stat(path))
      }
      assert.isFalse(yield* trusted(fileSystem))
      yield* TestClock.setTime(11_600)
      assert.isFalse(yield* trusted(slow), "it was asked at 11,600, whenever the answer came")
      yield* TestClock.setTime(11_999)
      assert.isFalse(yield* trusted(fileSystem))
      yield* TestClock.setTime(12_000)
      assert.isTrue(yield* trusted(fileSystem))
      yield* TestClock.setTime(9_000)
      assert.isFalse(yield* trusted(fileSystem), "it was modified in the future")
      const timeless = (mtime: Option.Option<Date>): FileSystem.FileSystem => ({
        ...fileSystem,
        stat: (path) => Effect.map(fileSystem.stat(path), (info) => ({ ...info, mtime }))
      })
      yield* TestClock.setTime(1e9)
      assert.isFalse(yield* trusted(timeless(Option.none())))
      assert.isFalse(yield* trusted(timeless(Option.some(new Date(Number.NaN)))))
      assert.isTrue(yield* trusted(timeless(Option.some(new Date(0)))))
    })
  )

  it.effect("[I-6] without an inode there is no node to compare", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make({ "/f": "text" })
      const known = yield* probe(fileSystem, "/f")
      assert.isTrue(known._tag === "Present" && known.node !== undefined)
      const anonymous = {
        ...fileSystem,
        stat: (path: string) => Effect.map(fileSystem.stat(path), (info) => ({ ...info, ino: Option.none() }))
      }
      const unknown = yield* probe(anonymous, "/f")
      assert.isTrue(unknown._tag === "Present" && unknown.node === undefined)
    })
  )

  it.effect("[I-8] probeFile takes anything but a regular file for absent, and says what it is", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/file": "x", "/dir/": null })
      yield* controls.link("/link", "file")
      yield* controls.link("/dirlink", "dir")
      for (const type of ["FIFO", "Socket", "BlockDevice", "CharacterDevice"] as const)
        yield* controls.special(`/${type}`, type)
      for (const path of ["/file", "/link"]) assert.strictEqual((yield* probeFile(fileSystem, path))._tag, "Present")
      for (const [path, type] of [
        ["/dir", "Directory"],
        ["/dirlink", "Directory"],
        ["/FIFO", "FIFO"],
        ["/Socket", "Socket"],
        ["/BlockDevice", "BlockDevice"],
        ["/CharacterDevice", "CharacterDevice"]
      ] as const) {
        assert.strictEqual((yield* probe(fileSystem, path))._tag, "Present")
        assert.deepStrictEqual(yield* probeFile(fileSystem, path), {
          _tag: "Absent",
          reason: `it is no regular file (${type})`
        })
      }
      assert.deepStrictEqual(yield* probeFile(fileSystem, "/none"), { _tag: "Absent", reason: undefined })
      yield* controls.fault("/file", "stat", "Unknown")
      assert.deepStrictEqual(yield* probeFile(fileSystem, "/file"), unavailable("Unknown (EIO)"))
    })
  )
})

describe("realPath", () => {
  it.effect("[I-9] is a path, absent or unavailable", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/a/f": "x" })
      yield* controls.link("/l", "a/f")
      yield* controls.link("/loop", "loop")
      assert.strictEqual(yield* realPath(fileSystem, "/l"), "/a/f")
      assert.deepStrictEqual(yield* realPath(fileSystem, "/none"), { _tag: "Absent", reason: undefined })
      assert.deepStrictEqual(yield* realPath(fileSystem, "/loop"), unavailable("too many symbolic links", true))
    })
  )
})

describe("readFile", () => {
  const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)

  /** A file that is handed out in pieces of at most `most` bytes. */
  const piecemeal = (fs: FileSystem.FileSystem, most: number): FileSystem.FileSystem => ({
    ...fs,
    open: (path, how) =>
      Effect.map(fs.open(path, how), (file) => withRead(file, (buffer) => file.read(buffer.subarray(0, most))))
  })

  for (const most of [1_000_000, 65_536, 65_535, 999]) {
    it.effect(`[I-11] puts together what comes in pieces of ${most} bytes`, () =>
      Effect.gen(function* () {
        const { controls, fileSystem } = yield* Memory.make({ "/f": content })
        for (const expected of [0, 1, 299_999, 300_000, 300_001, 900_000]) {
          const read = yield* readFile(piecemeal(fileSystem, most), "/f", expected, 1_000_000)
          assert.isTrue(read._tag === "Bytes" && Buffer.compare(read.bytes, content) === 0, `${expected} expected`)
        }
        assert.strictEqual(yield* controls.openHandles, 0)
      })
    )
  }

  it.effect("[I-10] the cap is inclusive, and reading stops with the first bytes past it", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/f": content })
      for (const expected of [0, 100, 300_000, 900_000]) {
        const whole = yield* readFile(fileSystem, "/f", expected, 300_000)
        assert.isTrue(whole._tag === "Bytes" && whole.bytes.length === 300_000)
        yield* controls.resetCounters
        const over = yield* readFile(fileSystem, "/f", expected, 299_999)
        assert.deepStrictEqual(over, { _tag: "Oversized", atLeast: 300_000 })
        assert.isTrue((yield* controls.bytesRead("/f")) <= 300_000)
        yield* controls.resetCounters
        const small = yield* readFile(fileSystem, "/f", expected, 10)
        assert.deepStrictEqual(small, { _tag: "Oversized", atLeast: 11 })
        assert.strictEqual(yield* controls.bytesRead("/f"), 11)
      }
    })
  )

  it.effect("[I-10] a file of the size that was reported takes one read", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make({ "/f": content, "/empty": "" })
      for (const [path, size] of [
        ["/f", 300_000],
        ["/empty", 0]
      ] as const) {
        let reads = 0
        const counted: FileSystem.FileSystem = {
          ...fileSystem,
          open: (place, how) =>
            Effect.map(fileSystem.open(place, how), (file) => withRead(file, (buffer) => (reads++, file.read(buffer))))
        }
        const read = yield* readFile(counted, path, size, 1_000_000)
        assert.isTrue(read._tag === "Bytes" && read.bytes.length === size)
        assert.strictEqual(reads, 1)
      }
    })
  )

  it.effect("[I-10] a large claim is believed only in part, and a file beyond that part is read to its end", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/f": "small" })
      let asked = 0
      const watched: FileSystem.FileSystem = {
        ...fileSystem,
        open: (path, how) =>
          Effect.map(fileSystem.open(path, how), (file) =>
            withRead(file, (buffer) => {
              asked = Math.max(asked, buffer.length)
              return file.read(buffer)
            })
          )
      }
      const small = yield* readFile(watched, "/f", 2 ** 28, 2 ** 28)
      assert.isTrue(small._tag === "Bytes" && small.bytes.length === 5)
      assert.isTrue(asked <= 2 ** 24, `${asked} bytes were set aside`)
      const length = asked + 1_000_000
      yield* controls.write("/f", new Uint8Array(length).fill(120))
      for (const expected of [asked, length]) {
        const large = yield* readFile(fileSystem, "/f", expected, length)
        assert.isTrue(large._tag === "Bytes" && large.bytes.length === length && large.bytes.at(-1) === 120)
      }
    })
  )

  it.effect("[I-9] what cannot be opened or read is absent or unavailable, and closed", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/f": "x", "/dir/": null })
      const read = (path: string) => readFile(fileSystem, path, 1, 10)
      assert.deepStrictEqual(yield* read("/none"), { _tag: "Absent", reason: undefined })
      assert.deepStrictEqual(yield* read("/f/below"), { _tag: "Absent", reason: undefined })
      assert.deepStrictEqual(yield* read("/dir"), { _tag: "Absent", reason: "it is a directory" })
      yield* controls.chmod("/f", 0)
      assert.deepStrictEqual(yield* read("/f"), unavailable("PermissionDenied (EACCES)"))
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )

  it("[I-10] the most that is ever read is a whole text", () => assert.isTrue(largestFile < 2 ** 29 - 24))
})

describe("fileSystem", () => {
  it.effect("[I-12] is the calling fiber's, else the one it was built with, else none", () =>
    Effect.gen(function* () {
      const calling = (yield* Memory.make()).fileSystem
      const built = (yield* Memory.make()).fileSystem
      const withBuilt = Context.make(FileSystem.FileSystem, built)
      assert.deepStrictEqual(yield* fileSystem(Context.empty()), Option.none())
      assert.strictEqual(Option.getOrUndefined(yield* fileSystem(withBuilt)), built)
      const called = yield* fileSystem(withBuilt).pipe(Effect.provideService(FileSystem.FileSystem, calling))
      assert.strictEqual(Option.getOrUndefined(called), calling)
    })
  )
})
