/** The fast way to look at skill files: only where the plain file system is in use, and with nothing left behind. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as childProcess from "node:child_process"
import builtin, * as fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { type FastFile, FastFiles, type FastStat } from "../../src/layers/skills/fastFiles.ts"
import { layer as skillsFileSystem } from "../../src/layers/skills/fileSystem.ts"
import { layer as registryLayer } from "../../src/layers/skills/registry.ts"
import * as NodeFastFiles from "../../src/node/fastFiles.ts"
import { SkillRegistry } from "../../src/services/SkillRegistry.ts"
import { skillFile } from "../layers/skills/disk.ts"

const workshop = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "fast-files-")))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
)

const fast = Effect.map(
  Effect.provide(FastFiles, NodeFastFiles.layer),
  (files) => files ?? assert.fail("Node has them")
)

const through = (paths: ReadonlyArray<string>, root?: string): ReadonlyArray<FastFile> =>
  paths.map((path) => (root === undefined ? { path } : { path, root }))

const headsOf = Effect.fnUntraced(function* (paths: ReadonlyArray<FastFile>, length: number) {
  const { heads } = yield* fast
  return yield* Effect.callback<ReadonlyArray<readonly [FastStat, string] | undefined>>((resume) => {
    const found = Array.from<readonly [FastStat, string] | undefined>({ length: paths.length })
    const stop = heads(
      paths,
      length,
      (index, stat, buffer, read) => (found[index] = [stat, buffer.toString("utf8", 0, read)]),
      () => resume(Effect.succeed(found))
    )
    return Effect.sync(stop)
  })
})

/** What the file system was asked for, by method. */
const counting = (plain: FileSystem.FileSystem) => {
  const asked = { stat: 0, open: 0 }
  const wrapped = FileSystem.make({
    ...plain,
    stat: (path) => {
      asked.stat += 1
      return plain.stat(path)
    },
    open: (path, options) => {
      asked.open += 1
      return plain.open(path, options)
    }
  })
  return { asked, wrapped }
}

describe("fast files", () => {
  it.live("[C-8] stand for the plain file system, and for nothing that wraps it", () =>
    Effect.gen(function* () {
      const { standsFor } = yield* fast
      const plain = yield* FileSystem.FileSystem
      assert.isTrue(standsFor(plain))
      assert.isTrue(standsFor(yield* Effect.provide(FileSystem.FileSystem, Layer.fresh(NodeFileSystem.layer))))
      assert.isFalse(standsFor(counting(plain).wrapped))
      assert.isFalse(standsFor(FileSystem.makeNoop({})))
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
  it.live("[C-8] a wrapper is never gone around: it is asked for every file", () =>
    Effect.gen(function* () {
      const root = yield* workshop
      for (const name of ["a", "b", "c"]) {
        fs.mkdirSync(`${root}/.agents/skills/${name}`, { recursive: true })
        fs.writeFileSync(`${root}/.agents/skills/${name}/SKILL.md`, skillFile(name))
      }
      const { asked, wrapped } = counting(yield* FileSystem.FileSystem)
      const skills = Layer.provideMerge(
        skillsFileSystem({ home: `${root}/home`, agentsHome: `${root}/agents` }),
        registryLayer
      )
      const list = (provided: FileSystem.FileSystem) =>
        SkillRegistry.use((registry) => registry.list({ cwd: root })).pipe(
          Effect.provideService(FileSystem.FileSystem, provided),
          Effect.provide(Layer.fresh(skills).pipe(Layer.provide(NodeFastFiles.layer)))
        )
      assert.strictEqual((yield* list(wrapped)).length, 3)
      assert.isAtLeast(asked.stat, 3)
      assert.strictEqual(asked.open, 3)
      assert.strictEqual((yield* list(yield* FileSystem.FileSystem)).length, 3)
      assert.strictEqual(asked.open, 3)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
  it.live("[S-25] read what is new or changed, and ask for the metadata of everything else", () =>
    Effect.gen(function* () {
      const root = yield* workshop
      const file = (name: string) => `${root}/.agents/skills/${name}.md`
      const write = (name: string, content: string, seconds: number) => {
        fs.mkdirSync(path.dirname(file(name)), { recursive: true })
        fs.writeFileSync(file(name), content)
        fs.utimesSync(file(name), seconds, seconds)
      }
      for (const name of ["a", "b", "c"]) write(name, skillFile(name), 1000)
      const real = yield* fast
      const asked: Array<readonly [string, ReadonlyArray<string>]> = []
      const note = (what: string, files: ReadonlyArray<FastFile>) =>
        asked.push([what, files.map(({ path }) => path.slice(root.length + 16))])
      const spy: FastFiles = {
        ...real,
        stats: (paths, done) => {
          note("stats", paths)
          return real.stats(paths, done)
        },
        heads: (paths, length, use, done) => {
          note("heads", paths)
          return real.heads(paths, length, use, done)
        }
      }
      const skills = Layer.provideMerge(
        skillsFileSystem({ home: `${root}/home`, agentsHome: `${root}/agents` }),
        registryLayer
      )
      yield* Effect.gen(function* () {
        const registry = yield* SkillRegistry
        const list = Effect.suspend(() => {
          asked.length = 0
          return Effect.map(registry.list({ cwd: root, revalidate: true }), (skills) => [
            skills.map(({ description }) => description),
            asked.filter(([, paths]) => paths.length > 0)
          ])
        })
        const all = ["a.md", "b.md", "c.md"]
        assert.deepStrictEqual(yield* list, [["about a", "about b", "about c"], [["heads", all]]])
        assert.deepStrictEqual(yield* list, [["about a", "about b", "about c"], [["stats", all]]])
        write("b", skillFile("b", "edited"), 2000)
        write("d", skillFile("d", "x".repeat(5000)), 1000)
        assert.deepStrictEqual(yield* list, [
          ["about a", "edited", "about c", "x".repeat(5000)],
          [
            ["stats", all],
            ["heads", ["d.md"]],
            ["heads", ["b.md"]]
          ]
        ])
        assert.deepStrictEqual((yield* list)[1], [["stats", [...all, "d.md"]]])
      }).pipe(Effect.provide(Layer.fresh(skills).pipe(Layer.provide(Layer.succeed(FastFiles, spy)))))
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
  it.live("[S-22] read the beginning of regular files, links followed, and leave out everything else", () =>
    Effect.gen(function* () {
      const root = yield* workshop
      fs.writeFileSync(`${root}/file`, "0123456789")
      fs.writeFileSync(`${root}/empty`, "")
      fs.symlinkSync("file", `${root}/link`)
      fs.symlinkSync("loop", `${root}/loop`)
      fs.mkdirSync(`${root}/directory`)
      const names = ["file", "empty", "link", "loop", "directory", "missing", "file/below"]
      const paths = names.map((name) => `${root}/${name}`)
      if (process.platform !== "win32") {
        // Opened like a file, it would wait for somebody who writes.
        childProcess.execFileSync("mkfifo", [`${root}/pipe`])
        paths.push(`${root}/pipe`)
      }
      const { stats } = yield* fast
      const statsOf = (files: ReadonlyArray<FastFile>) =>
        Effect.callback<ReadonlyArray<FastStat | undefined>>((resume) => {
          stats(files, (found) => resume(Effect.succeed(found)))
        })
      // Through the pool, and at once where the disk is a local one.
      for (const files of [through(paths), through(paths, root), through(paths, "/proc")]) {
        const heads = yield* headsOf(files, 4)
        assert.deepStrictEqual(
          heads.slice(0, 7).map((head) => head && [head[0].size, head[1]]),
          [[10, "0123"], [0, ""], [10, "0123"], undefined, undefined, undefined, undefined]
        )
        assert.isUndefined(heads[7])
        const found = yield* statsOf(files)
        assert.deepStrictEqual(
          found,
          heads.map((head) => head?.[0])
        )
        assert.strictEqual(found[0]!.inode, found[2]!.inode)
        assert.notStrictEqual(found[0]!.inode, found[1]!.inode)
        assert.strictEqual(found[0]!.device, found[1]!.device)
      }
      const heads = yield* headsOf(through(paths), 4)
      fs.utimesSync(`${root}/file`, 1, 1)
      const [later] = yield* headsOf(through(paths.slice(0, 1)), 4)
      assert.notDeepEqual(later![0], heads[0]![0])
      assert.strictEqual(later![0].mtime, 1000)
    })
  )
  it.live.skipIf(process.platform !== "linux")(
    "[C-8] wait for nothing but a disk of this machine, and for that only where no link leads away",
    () =>
      Effect.gen(function* () {
        const root = yield* workshop
        fs.writeFileSync(`${root}/file`, "0123456789")
        fs.symlinkSync("file", `${root}/link`)
        const paths = [`${root}/file`, `${root}/link`]
        const opened: Array<string> = []
        const { openSync } = builtin
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            builtin.openSync = (path, ...rest) => {
              const file = openSync(path, ...rest)
              opened.push(String(path))
              return file
            }
            syncBuiltinESMExports()
          }),
          () =>
            Effect.sync(() => {
              builtin.openSync = openSync
              syncBuiltinESMExports()
            })
        )
        // The number of /proc is none of a local disk's.
        const ways: ReadonlyArray<readonly [files: ReadonlyArray<FastFile>, atOnce: Array<string>]> = [
          [through(paths), []],
          [through(paths, "/proc"), []],
          [through(paths, `${root}/missing`), []],
          [through(paths, root), [`${root}/file`]]
        ]
        for (const [files, atOnce] of ways) {
          opened.length = 0
          const heads = yield* headsOf(files, 4)
          assert.deepStrictEqual(
            heads.map((head) => head?.[1]),
            ["0123", "0123"]
          )
          assert.deepStrictEqual(
            opened.filter((path) => path.startsWith(root)),
            atOnce
          )
        }
      })
  )
  it.live.skipIf(process.platform !== "linux")(
    "[S-22] close every file, interrupted or not, and call back later, also for nothing",
    () =>
      Effect.gen(function* () {
        const root = yield* workshop
        const paths = Array.from({ length: 200 }, (_, index) => `${root}/${index}`)
        for (const path of paths) fs.writeFileSync(path, "x")
        const descriptors = () =>
          fs.readdirSync("/proc/self/fd").filter((fd) => {
            try {
              return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(root)
            } catch {
              return false
            }
          })
        const { heads, stats } = yield* fast
        assert.deepStrictEqual(yield* headsOf([], 4), [])
        for (const files of [through(paths), through(paths, root)]) {
          assert.strictEqual((yield* headsOf(files, 4)).filter((head) => head !== undefined).length, 200)
          assert.deepStrictEqual(descriptors(), [])
          let used = 0
          const stop = heads(
            files,
            4,
            () => (used += 1),
            () => assert.fail("nothing is told after it was stopped")
          )
          stop()
          stats(files, () => assert.fail("nothing is told after it was stopped"))()
          // What was under way is done before what was begun later.
          yield* headsOf(files, 4)
          assert.deepStrictEqual([used, descriptors()], [0, []])
          // Stopped in the middle, nothing more is asked.
          yield* Effect.callback<void>((resume) => {
            const stop = heads(
              files,
              4,
              () => {
                used += 1
                stop()
                setImmediate(() => resume(Effect.void))
              },
              () => assert.fail("nothing is told after it was stopped")
            )
          })
          yield* headsOf(files, 4)
          assert.deepStrictEqual([used, descriptors()], [1, []])
        }
      })
  )
})
