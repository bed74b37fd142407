import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as FastReader from "../../src/layers/files/fastReader.ts"
import { layer, makeFileSystem } from "../../src/node/fileSystem.ts"
import { layer as fastReaderLayer } from "../../src/node/fastReader.ts"
import { makeLocalDisk, parseMounts } from "../../src/node/localDisk.ts"

/** A directory with one of everything; gone with the scope. */
const tree = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const root = fs.realpathSync(yield* files.makeTempDirectoryScoped({ prefix: "direct-" }))
  const at = (name: string) => path.join(root, name)
  fs.mkdirSync(at("directory/below"), { recursive: true })
  fs.mkdirSync(at("empty"))
  fs.writeFileSync(at("file"), "text")
  fs.writeFileSync(at("nothing"), "")
  fs.writeFileSync(at("directory/file"), "déjà vu")
  fs.writeFileSync(at("directory/below/ü file"), "below")
  fs.writeFileSync(at("large"), Buffer.alloc(3_000_000, "x"))
  fs.symlinkSync("file", at("link"))
  fs.symlinkSync("directory", at("linked"))
  fs.symlinkSync("missing", at("dangling"))
  fs.symlinkSync("loop", at("loop"))
  childProcess.execFileSync("mkfifo", [at("pipe")])
  return root
})

const names = [
  "file",
  "nothing",
  "directory",
  "directory/file",
  "directory/below/ü file",
  "large",
  "empty",
  "link",
  "linked",
  "linked/file",
  "linked/missing",
  "dangling",
  "dangling/below",
  "loop",
  "loop/below",
  "pipe",
  "missing",
  "missing/below",
  "file/below",
  "directory/../file",
  "linked/../file",
  "linked/below/../../file",
  "./file",
  "directory//file",
  "file/",
  "directory/",
  "directory/.",
  "x".repeat(300),
  "NUL\0",
  ""
]

/** What can be seen of a result: values as they are, errors without stacks, descriptors as such. */
const seen = (exit: Exit.Exit<unknown, PlatformError>): unknown => {
  if (Exit.isSuccess(exit)) return exit.value
  const error = Option.getOrThrow(Cause.findErrorOption(exit.cause))
  const { cause, ...reason } = error.reason as unknown as Readonly<Record<string, unknown>>
  return { reason, message: error.message, cause: cause instanceof Error ? [cause.message, { ...cause }] : cause }
}

/** Reads in small pieces, with and without positions, and tries what a file that is open for reading refuses. */
const handled = (files: FileSystem.FileSystem, at: string, options?: Parameters<FileSystem.FileSystem["open"]>[1]) =>
  Effect.gen(function* () {
    const file = yield* files.open(at, options)
    const said: Array<unknown> = []
    const say = <A>(self: Effect.Effect<A, PlatformError>) =>
      Effect.map(Effect.exit(self), (exit) => {
        const shown = seen(exit)
        const { pathOrDescriptor, ...reason } = ((shown as { reason?: Readonly<Record<string, unknown>> } | undefined)
          ?.reason ?? {}) as Readonly<Record<string, unknown>>
        said.push(Exit.isSuccess(exit) ? exit.value : [typeof pathOrDescriptor, reason])
      })
    const buffer = new Uint8Array(3)
    yield* say(file.read(buffer))
    yield* say(file.read(buffer))
    yield* say(file.read(buffer, { position: 1n }))
    yield* say(file.read(buffer, { position: -1n }))
    yield* say(file.seek(1n, "start"))
    yield* say(file.seek(1n, "current"))
    yield* say(file.seek(-5n, "current"))
    yield* say(
      Effect.map(
        file.readAlloc(2),
        Option.map((bytes) => [...bytes])
      )
    )
    yield* say(
      Effect.map(
        file.readAlloc(100, { position: 0n }),
        Option.map((bytes) => bytes.length)
      )
    )
    yield* say(
      Effect.map(
        file.readAlloc(4_000_000, { position: 0n }),
        Option.map((bytes) => bytes.length)
      )
    )
    yield* say(
      Effect.map(
        file.readAlloc(10, { position: 9_000_000n }),
        Option.map((bytes) => [...bytes])
      )
    )
    yield* say(file.readAlloc(-1))
    yield* say(file.stat)
    yield* say(file.sync)
    yield* say(file.write(buffer))
    yield* say(file.writeAll(buffer))
    yield* say(file.writeAll(new Uint8Array()))
    yield* say(file.truncate(1))
    return [...said, [...buffer]]
  })

type Question = (files: FileSystem.FileSystem, at: string) => Effect.Effect<unknown, PlatformError, Scope>

const questions: Readonly<Record<string, Question>> = {
  stat: (files, at) => files.stat(at),
  lstat: (files, at) => files.lstat(at),
  realPath: (files, at) => files.realPath(at),
  exists: (files, at) => files.exists(at),
  readDirectoryEntries: (files, at) =>
    Effect.map(files.readDirectoryEntries(at), (entries) => entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))),
  readFileString: (files, at) => files.readFileString(at),
  stream: (files, at) => Stream.runCollect(files.stream(at, { chunkSize: 2_000_000 })),
  open: (files, at) => handled(files, at),
  "open without following": (files, at) => handled(files, at, { flag: "r", noFollow: true })
}

/** Nobody writes to the pipe, so the platform would wait for ever. */
const waits = (question: string, name: string) => name === "pipe" && /open|stream|read/.test(question)

const descriptors = () => fs.readdirSync("/proc/self/fd").length

describe("the file system of Node with local disks asked directly", () => {
  for (const [question, ask] of Object.entries(questions)) {
    it.live(`[C-8] ${question} answers what the platform's own does`, () =>
      Effect.gen(function* () {
        const root = yield* tree
        const plain = yield* FileSystem.FileSystem
        const direct = yield* Effect.provide(FileSystem.FileSystem, layer)
        for (const name of names) {
          if (waits(question, name)) continue
          for (const at of [`${root}/${name}`, name === "" ? "/" : name]) {
            const expected = yield* Effect.exit(Effect.scoped(ask(plain, at)))
            const actual = yield* Effect.exit(Effect.scoped(ask(direct, at)))
            assert.deepStrictEqual(seen(actual), seen(expected), `${question} ${JSON.stringify(at)}`)
          }
        }
      }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
    )
  }

  it.live("[C-8] no question to a local disk without links goes through the pool, every other does", () =>
    Effect.gen(function* () {
      const root = yield* tree
      const plain = yield* FileSystem.FileSystem
      const asked: Array<string> = []
      const counted = FileSystem.make({
        ...plain,
        stat: (at) =>
          Effect.andThen(
            Effect.sync(() => asked.push(path.relative(root, at))),
            plain.stat(at)
          ),
        open: (at, options) =>
          Effect.andThen(
            Effect.sync(() => asked.push(path.relative(root, at))),
            plain.open(at, options)
          )
      })
      const local = makeFileSystem(counted)
      for (const name of ["file", "missing", "missing/below", "directory/file"]) {
        yield* Effect.exit(local.stat(`${root}/${name}`))
        yield* Effect.exit(Effect.scoped(local.open(`${root}/${name}`)))
      }
      assert.deepStrictEqual(asked, [])
      yield* local.stat(`${root}/link`)
      yield* local.stat(`${root}/linked/file`)
      yield* Effect.scoped(local.open(`${root}/new`, { flag: "w" }))
      assert.deepStrictEqual(asked, ["link", "linked/file", "new"])

      // What is mounted on the way decides, and so does what is mounted right there.
      const table = (...lines: ReadonlyArray<string>) => ["1 0 0:1 / / rw - ext4 /dev/root rw", ...lines].join("\n")
      const remote = `2 1 0:2 / ${root}/directory rw - nfs4 far:/ rw`
      const near = `3 2 0:3 / ${root}/directory/below rw - tmpfs tmpfs rw`
      for (const [lines, name, direct] of [
        [[], "directory/file", true],
        [[remote], "directory", false],
        [[remote], "directory/file", false],
        [[remote, near], "directory/below/ü file", false],
        [[near], "directory/below/ü file", true]
      ] as const) {
        asked.length = 0
        yield* makeFileSystem(
          counted,
          makeLocalDisk(() => table(...lines))
        ).stat(`${root}/${name}`)
        assert.deepStrictEqual(asked, direct ? [] : [name])
      }
      asked.length = 0
      yield* makeFileSystem(
        counted,
        makeLocalDisk(() => "")
      ).stat(`${root}/file`)
      assert.deepStrictEqual(asked, ["file"], "without a table nothing is local")
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it("reads a table of mounts: escapes, what was mounted last, file systems that are none of this machine", () => {
    const table = [
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
      "23 22 0:5 / /proc rw - proc proc rw",
      "24 22 0:6 / /mnt/with\\040space rw master:1 propagate_from:2 - xfs /dev/sdb rw",
      "25 22 0:7 / /home rw - autofs systemd-1 rw",
      "26 25 0:8 / /home rw - btrfs /dev/sdc rw",
      "27 22 0:9 / /srv rw - fuse.sshfs me@far:/ rw",
      "28 22 0:10 / /back\\134slash rw - cifs //far rw",
      "",
      "nonsense"
    ].join("\n")
    assert.deepStrictEqual(
      [...parseMounts(table)],
      [
        ["/", true],
        ["/proc", false],
        ["/mnt/with space", true],
        ["/home", true],
        ["/srv", false],
        ["/back\\slash", false]
      ]
    )
  })

  it.live("answers as much as a slice of time takes, and waits for the next turn with the rest", () =>
    Effect.gen(function* () {
      const root = yield* tree
      const disk = makeLocalDisk()
      let questions = 0
      while (!disk.isBusy() && questions < 1_000_000) {
        disk.entry(`${root}/file`)
        questions += 1
      }
      assert.isTrue(disk.isBusy())
      let waited = false
      const direct = makeFileSystem(yield* FileSystem.FileSystem, {
        ...disk,
        nextTurn: (then) => {
          waited = true
          disk.nextTurn(then)
        }
      })
      yield* direct.stat(`${root}/file`)
      assert.isTrue(waited)
      assert.isFalse(disk.isBusy())
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.live("a directory that has become a link is one in the next turn", () =>
    Effect.gen(function* () {
      const root = yield* tree
      const direct = yield* Effect.provide(FileSystem.FileSystem, layer)
      assert.strictEqual(yield* direct.realPath(`${root}/directory/file`), `${root}/directory/file`)
      fs.renameSync(`${root}/directory`, `${root}/moved`)
      fs.symlinkSync("moved", `${root}/directory`)
      yield* Effect.callback<void>((resume) => void setImmediate(() => setImmediate(() => resume(Effect.void))))
      assert.strictEqual(yield* direct.realPath(`${root}/directory/file`), `${root}/moved/file`)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.live("everything else has its turn, and an interrupt ends many questions and closes what is open", () =>
    Effect.gen(function* () {
      const root = yield* tree
      const direct = yield* Effect.provide(FileSystem.FileSystem, layer)
      const before = descriptors()
      let turns = 0
      let asked = 0
      let spinning = true
      const spin = () => {
        turns += 1
        if (spinning) setImmediate(spin)
      }
      spin()
      const once = Effect.scoped(
        Effect.flatMap(direct.open(`${root}/file`), (file) => {
          asked += 1
          return file.read(new Uint8Array(10))
        })
      )
      const fiber = yield* Effect.forkChild(Effect.forever(once), { startImmediately: true })
      yield* Effect.callback<void>((resume) => {
        const wait = () => void (turns > 20 ? resume(Effect.void) : setImmediate(wait))
        wait()
      })
      yield* Fiber.interrupt(fiber)
      spinning = false
      const ended = asked
      yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      assert.isAbove(ended, 20)
      assert.strictEqual(asked, ended)
      assert.strictEqual(descriptors(), before)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.live("[C-8] is a plain file system to the readers of Node; a wrapper around it is none", () =>
    Effect.gen(function* () {
      const reader = yield* FastReader.FastReader
      const direct = yield* Effect.provide(FileSystem.FileSystem, layer)
      assert.isTrue(reader!.standsFor(direct))
      assert.isTrue(reader!.standsFor(yield* Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer)))
      assert.isFalse(reader!.standsFor({ ...direct }))
      assert.isFalse(reader!.standsFor(FileSystem.make({ ...direct, stat: (at) => direct.stat(at) })))
    }).pipe(Effect.provide(fastReaderLayer))
  )
})
