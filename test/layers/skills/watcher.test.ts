/** Watching the roots: what counts, what is armed anew, what happens when it fails, and that nothing is left behind. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { layerWatch } from "../../../src/layers/skills/watcher.ts"
import { names, said, skillFile, withDisk, type World } from "./disk.ts"

const cwd = "/repo"
const project = "/repo/.agents/skills"
const at = (name: string) => `${project}/${name}/SKILL.md`
const repo = { "/repo/.git/": null } as const

const turns = Effect.forEach(Array.from({ length: 30 }), () => Effect.yieldNow, { discard: true })

const watched = <A, E>(
  files: Parameters<typeof withDisk>[0],
  use: (world: World) => Effect.Effect<A, E, Scope.Scope>
) => withDisk(files, (world) => Effect.andThen(Layer.build(Layer.fresh(layerWatch)), use(world)))

describe("a watcher in memory", () => {
  const relevant: ReadonlyArray<
    readonly [what: string, change: (disk: World["disk"]) => Effect.Effect<void>, after: ReadonlyArray<string>]
  > = [
    ["a skill added", (disk) => disk.write(at("b"), skillFile("b")), ["a", "b"]],
    ["a flat skill added", (disk) => disk.write(`${project}/b.md`, skillFile("b")), ["a", "b"]],
    ["a SKILL.md edited", (disk) => disk.write(at("a"), skillFile("z")), ["z"]],
    ["a SKILL.md added to a directory", (disk) => disk.write(at("empty"), skillFile("empty")), ["a", "empty"]],
    ["a SKILL.md deleted", (disk) => disk.delete(at("a")), []],
    ["a skill deleted", (disk) => disk.delete(`${project}/a`), []],
    ["a skill moved away", (disk) => disk.rename(`${project}/a`, "/elsewhere"), []],
    ["a skill renamed", (disk) => disk.rename(`${project}/a`, `${project}/c`), ["a"]],
    ["a link added", (disk) => disk.link(`${project}/linked`, "/repo/shared"), ["a", "shared"]],
    ["a link replaced", (disk) => disk.link(`${project}/a`, "/repo/shared"), ["shared"]],
    ["a root deleted", (disk) => disk.delete(project), []],
    ["a root moved away", (disk) => disk.rename("/repo/.agents", "/repo/agents"), []],
    ["another root created", (disk) => disk.write("/repo/.dsh/skills/b/SKILL.md", skillFile("b")), ["a", "b"]],
    ["another root moved in", (disk) => disk.rename("/repo/other", "/repo/.dsh"), ["a", "other"]]
  ]
  const files = {
    ...repo,
    [at("a")]: skillFile("a"),
    [`${project}/empty/notes.txt`]: "",
    "/repo/shared/SKILL.md": skillFile("shared"),
    "/repo/other/skills/other.md": skillFile("other"),
    "/home/u/": null
  }
  for (const [what, change, after] of relevant) {
    it.effect(`[S-25] ${what} is seen`, () =>
      watched(
        files,
        Effect.fnUntraced(function* ({ disk, registry }) {
          assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a"])
          yield* change(disk)
          yield* turns
          assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), after)
          // And what comes after it as well.
          yield* disk.write(at("later"), skillFile("later"))
          yield* turns
          assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), [...after, "later"].sort())
        })
      )
    )
  }
  const irrelevant: ReadonlyArray<readonly [what: string, change: (disk: World["disk"]) => Effect.Effect<void>]> = [
    ["a skill's other files", (disk) => disk.write(`${project}/a/notes.md`, "x")],
    ["what is deeper in a skill", (disk) => disk.write(`${project}/a/scripts/SKILL.md`, "x")],
    ["other files of a root", (disk) => disk.write(`${project}/notes.txt`, "x")],
    ["dot names", (disk) => disk.write(`${project}/.a.md.swp`, "x")],
    ["node_modules", (disk) => disk.write(`${project}/node_modules/x/SKILL.md`, "x")],
    ["what is beside a root", (disk) => disk.write("/repo/.agents/notes.md", "x")],
    ["the rest of the project", (disk) => disk.write("/repo/src/index.ts", "x")]
  ]
  for (const [what, change] of irrelevant) {
    it.effect(`[S-25] ${what} do not matter`, () =>
      watched(
        files,
        Effect.fnUntraced(function* ({ disk, registry }) {
          const before = yield* registry.snapshot({ cwd })
          yield* change(disk)
          yield* turns
          assert.strictEqual(yield* registry.snapshot({ cwd }), before)
        })
      )
    )
  }
  it.effect("[S-25] a warm listing asks nothing, and one directory is watched once", () =>
    watched(
      files,
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* registry.snapshot({ cwd })
        const handles = yield* disk.openHandles
        yield* disk.resetCounters
        yield* registry.snapshot({ cwd })
        assert.strictEqual(yield* disk.requests, 0)
        yield* registry.snapshot({ cwd, revalidate: true })
        assert.strictEqual(yield* disk.openHandles, handles)
      })
    )
  )
  it.effect("[S-25] its handles close with its scope, and so do those of skills that are gone", () =>
    withDisk(
      files,
      Effect.fnUntraced(function* ({ disk, registry }) {
        const scope = yield* Scope.make()
        yield* Layer.buildWithScope(Layer.fresh(layerWatch), scope)
        yield* registry.snapshot({ cwd })
        const handles = yield* disk.openHandles
        yield* disk.write(at("b"), skillFile("b"))
        yield* turns
        yield* registry.snapshot({ cwd })
        assert.isAbove(yield* disk.openHandles, handles)
        yield* disk.delete(`${project}/b`)
        yield* turns
        yield* registry.snapshot({ cwd })
        assert.strictEqual(yield* disk.openHandles, handles)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(yield* disk.openHandles, 0)
        // It goes on without.
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd, revalidate: true })), ["a"])
        assert.strictEqual(yield* disk.openHandles, 0)
      })
    )
  )
  it.effect("[S-25] the roots of the projects that were listed last are watched, and no more", () =>
    withDisk(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, index) => [`/p/${index}/.agents/skills/a/SKILL.md`, skillFile("a")]).concat(
          Array.from({ length: 300 }, (_, index) => [`/p/${index}/.git/`, null as never])
        )
      ),
      Effect.fnUntraced(function* ({ disk, registry }) {
        yield* Layer.build(Layer.fresh(layerWatch))
        const handles: Array<number> = []
        for (let index = 0; index < 300; index++) {
          yield* registry.snapshot({ cwd: `/p/${index}` })
          handles.push(yield* disk.openHandles)
        }
        // 512 roots, two of each project, two of the user.
        assert.isAbove(handles[254]!, handles[250]!)
        assert.isAtMost(handles[299]!, handles[260]!)
        // One that is not watched any more is looked at again.
        yield* disk.write("/p/0/.agents/skills/b.md", skillFile("b"))
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd: "/p/0" })), ["a", "b"])
      })
    )
  )
  it.effect("[S-25] a root that cannot be watched is looked up at every step, until it can be", () =>
    watched(
      files,
      Effect.fnUntraced(function* ({ disk, fs, registry }) {
        let broken = true
        const limit = PlatformError.systemError({
          _tag: "Unknown",
          module: "FileSystem",
          method: "watch",
          cause: { code: "ENOSPC" }
        })
        const limited = FileSystem.make({
          ...fs,
          watch: (path, options) => (broken && path === project ? Stream.fail(limit) : fs.watch(path, options))
        })
        const look = Effect.provideService(registry.snapshot({ cwd }), FileSystem.FileSystem, limited)
        const degraded = yield* look
        assert.deepStrictEqual([names(degraded), degraded.complete], [["a"], false])
        assert.deepStrictEqual(said(degraded), [`WatcherFailed - ${project}:0`])
        assert.include(degraded.diagnostics[0]!.message, "ENOSPC")
        yield* disk.write(at("b"), skillFile("b"))
        assert.deepStrictEqual(names(yield* look), ["a", "b"])
        broken = false
        const healed = yield* look
        assert.deepStrictEqual([names(healed), healed.complete, said(healed)], [["a", "b"], true, []])
        assert.strictEqual(yield* look, healed)
      })
    )
  )
  it.effect("[S-25] a watch that breaks down later is taken up again, and nothing is lost meanwhile", () =>
    watched(
      files,
      Effect.fnUntraced(function* ({ disk, fs, registry }) {
        const breakdown = yield* Deferred.make<void>()
        const breaking = FileSystem.make({
          ...fs,
          watch: (path, options) =>
            Deferred.isDoneUnsafe(breakdown)
              ? fs.watch(path, options)
              : Stream.interruptWhen(fs.watch(path, options), Deferred.await(breakdown))
        })
        const look = Effect.provideService(registry.snapshot({ cwd }), FileSystem.FileSystem, breaking)
        assert.deepStrictEqual(names(yield* look), ["a"])
        yield* Deferred.succeed(breakdown, undefined)
        yield* turns
        assert.strictEqual(yield* disk.openHandles, 0)
        yield* disk.write(at("b"), skillFile("b"))
        assert.deepStrictEqual(names(yield* look), ["a", "b"])
        yield* disk.write(at("c"), skillFile("c"))
        yield* turns
        assert.deepStrictEqual(names(yield* look), ["a", "b", "c"])
      })
    )
  )
  it.effect("[S-25] a watch that never begins holds up nobody for long", () =>
    watched(
      files,
      Effect.fnUntraced(function* ({ fs, registry }) {
        const dull = FileSystem.make({ ...fs, watch: () => Stream.never })
        const look = Effect.provideService(registry.snapshot({ cwd }), FileSystem.FileSystem, dull)
        const fiber = yield* Effect.forkChild(look, { startImmediately: true })
        yield* turns
        yield* TestClock.adjust("1 second")
        yield* turns
        yield* TestClock.adjust("1 second")
        const snapshot = yield* Fiber.join(fiber)
        assert.deepStrictEqual([names(snapshot), snapshot.complete], [["a"], false])
        assert.deepStrictEqual(names(yield* look), ["a"])
      })
    )
  )
  it.effect("[S-25] a defect of the file system is a failed watch", () =>
    watched(
      files,
      Effect.fnUntraced(function* ({ fs, registry }) {
        const faulty = FileSystem.make({ ...fs, watch: () => Stream.die(new Error("too many watches")) })
        const snapshot = yield* Effect.provideService(registry.snapshot({ cwd }), FileSystem.FileSystem, faulty)
        assert.deepStrictEqual([names(snapshot), snapshot.complete], [["a"], false])
        assert.include(snapshot.diagnostics[0]!.message, "too many watches")
      })
    )
  )
})
