/** Links that are moved between check and use, and what is left open when something ends early. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import { layer as confined } from "../../../src/layers/filesystem/confined.ts"
import { make } from "../../../src/testing/memoryFileSystem.ts"

type Files = FileSystem.FileSystem
type Run<A = unknown> = Effect.Effect<A, PlatformError.PlatformError, Scope>

const over = (fs: Files, ...roots: ReadonlyArray<string>) =>
  Effect.provide(
    FileSystem.FileSystem,
    Layer.fresh(confined(roots)).pipe(Layer.provide(Layer.succeed(FileSystem.FileSystem, fs)))
  )

/** A file system around whose every opening, listing and so on something happens, and which counts what is open. */
const meddled = (
  fs: Files,
  meddle: { before: Run<void>; after: Run<void>; noFollow?: boolean; with?: ReadonlyArray<string> }
) => {
  const count = { open: 0, opened: 0 }
  const around = <A, R>(self: Effect.Effect<A, PlatformError.PlatformError, R>) =>
    Effect.scoped(meddle.before).pipe(Effect.andThen(self), Effect.tap(Effect.scoped(meddle.after)))
  const wrap = (name: string, value: unknown) =>
    typeof value === "function" && meddle.with?.includes(name)
      ? (...args: ReadonlyArray<unknown>) => around((value as (...args: ReadonlyArray<unknown>) => Run)(...args))
      : value
  const wrapped = FileSystem.FileSystem.of({
    ...(Object.fromEntries(Object.entries(fs).map(([name, value]) => [name, wrap(name, value)])) as unknown as Files),
    open: (path, options) => {
      if (options?.noFollow === true && meddle.noFollow === false)
        return Effect.fail(PlatformError.badArgument({ module: "FileSystem", method: "open" }))
      return around(fs.open(path, options)).pipe(
        Effect.tap(() =>
          Effect.acquireRelease(
            Effect.sync(() => {
              count.open++
              count.opened++
            }),
            () => Effect.sync(() => count.open--)
          )
        )
      )
    }
  })
  return { count, wrapped }
}

const memory = Effect.flatMap(make(), ({ fileSystem }) =>
  Effect.as(fileSystem.makeDirectory("/t"), { fs: fileSystem, at: "/t" })
)
const disk = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return { fs, at: yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "confined-" })) }
}).pipe(Effect.provide(NodeFileSystem.layer))

/** `root/dir/file` says "inside", `out/file` says "secret"; what is new is made as `root/dir/new`. */
const prepare = Effect.fnUntraced(function* (fs: Files, at: string) {
  yield* fs.makeDirectory(`${at}/root/dir`, { recursive: true })
  yield* fs.makeDirectory(`${at}/out`)
  yield* fs.writeFileString(`${at}/root/dir/file`, "inside")
  yield* fs.writeFileString(`${at}/root/dir/other`, "other")
  yield* fs.writeFileString(`${at}/out/file`, "secret")
})

/** The ways to put a link in the place of something, and to take it away again. */
const swaps = {
  "a directory on the way": (fs: Files, at: string) => ({
    there: Effect.andThen(fs.rename(`${at}/root/dir`, `${at}/root/away`), fs.symlink(`${at}/out`, `${at}/root/dir`)),
    back: Effect.andThen(fs.remove(`${at}/root/dir`), fs.rename(`${at}/root/away`, `${at}/root/dir`))
  }),
  "the file itself": (fs: Files, at: string) => ({
    there: Effect.andThen(
      fs.rename(`${at}/root/dir/file`, `${at}/root/away`),
      fs.symlink(`${at}/out/file`, `${at}/root/dir/file`)
    ),
    back: Effect.andThen(fs.remove(`${at}/root/dir/file`), fs.rename(`${at}/root/away`, `${at}/root/dir/file`))
  })
}

const data = new TextEncoder().encode("written")
const uses: Record<string, (fs: Files, dir: string) => Run> = {
  readFile: (fs, dir) => Effect.map(fs.readFile(`${dir}/file`), (bytes) => new TextDecoder().decode(bytes)),
  readFileString: (fs, dir) => fs.readFileString(`${dir}/file`),
  stream: (fs, dir) => fs.stream(`${dir}/file`).pipe(Stream.decodeText(), Stream.mkString),
  open: (fs, dir) => Effect.map(fs.open(`${dir}/file`), () => "inside"),
  "open to change": (fs, dir) => Effect.map(fs.open(`${dir}/file`, { flag: "r+" }), () => "inside"),
  "open to write": (fs, dir) => Effect.map(fs.open(`${dir}/file`, { flag: "w" }), () => "inside"),
  "open to write, no link": (fs, dir) =>
    Effect.map(fs.open(`${dir}/file`, { flag: "w", noFollow: true }), () => "inside"),
  "open to rewrite": (fs, dir) => Effect.map(fs.open(`${dir}/file`, { flag: "w+" }), () => "inside"),
  "open to append": (fs, dir) => Effect.map(fs.open(`${dir}/file`, { flag: "a+" }), () => "inside"),
  writeFile: (fs, dir) => Effect.as(fs.writeFile(`${dir}/file`, data), "inside"),
  "writeFile at the end": (fs, dir) => Effect.as(fs.writeFile(`${dir}/file`, data, { flag: "a" }), "inside"),
  sink: (fs, dir) => Effect.as(Stream.run(Stream.make(data), fs.sink(`${dir}/file`)), "inside"),
  truncate: (fs, dir) => Effect.as(fs.truncate(`${dir}/file`), "inside"),
  "copyFile from": (fs, dir) => Effect.as(fs.copyFile(`${dir}/file`, `${dir}/../copy`), "inside"),
  "copyFile to": (fs, dir) => Effect.as(fs.copyFile(`${dir}/../other`, `${dir}/file`), "inside")
}

const looks: Record<string, (fs: Files, dir: string) => Run> = {
  stat: (fs, dir) => Effect.map(fs.stat(`${dir}/file`), ({ ino }) => ino),
  lstat: (fs, dir) => Effect.map(fs.lstat(`${dir}/file`), ({ ino }) => ino),
  access: (fs, dir) => fs.access(`${dir}/file`),
  readLink: (fs, dir) => fs.readLink(`${dir}/file`),
  readDirectory: (fs, dir) => fs.readDirectory(dir),
  "readDirectory, deeply": (fs, dir) => fs.readDirectory(dir, { recursive: true }),
  readDirectoryEntries: (fs, dir) => fs.readDirectoryEntries(dir)
}

const tag = <A, R>(effect: Effect.Effect<A, PlatformError.PlatformError, R>) =>
  Effect.map(Effect.result(effect), (result) =>
    result._tag === "Failure" ? result.failure.reason._tag : result.success
  )

const worlds = { "in memory": memory, "on disk": disk }
const everywhere = Object.entries(worlds).flatMap(([where, world]) =>
  Object.entries(swaps).flatMap(([what, swap]) =>
    [true, false].map((noFollow) => ({ where, world, what, swap, noFollow }))
  )
)

describe.each(everywhere)(
  "[C-8] $what becomes a link between check and opening, $where, noFollow: $noFollow",
  ({ noFollow, swap, world }) => {
    it.live.each(Object.entries(uses))("[C-8] %s", ([name, use]) =>
      Effect.gen(function* () {
        const again = [Effect.void, "once, and back", "each time, and back"] as const
        for (const [at, ending] of again.entries()) {
          const { at: top, fs: plain } = yield* world
          yield* prepare(plain, top)
          yield* plain.writeFileString(`${top}/root/other`, "other")
          const { back, there } = swap(plain, top)
          let times = 0
          const returns = at > 0
          const { count, wrapped } = meddled(plain, {
            noFollow,
            before: Effect.suspend(() => (times++ === 0 || (at === 2 && times < 9) ? there : Effect.void)),
            after: Effect.suspend(() => (returns && (times === 1 || at === 2) ? back : Effect.void))
          })
          const fs = yield* over(wrapped, `${top}/root`)
          const result = yield* tag(Effect.scoped(use(fs, `${top}/root/dir`)))
          assert.strictEqual(yield* plain.readFileString(`${top}/out/file`), "secret", `${name} ${String(ending)}`)
          assert.deepStrictEqual(yield* plain.readDirectory(`${top}/out`), ["file"])
          assert.strictEqual(count.open, 0)
          assert.notInclude(String(result), "secret")
          // Moved away for good: refused. Back again before the second try: that one is fine.
          const kept = name === "copyFile to" || name === "open to write, no link" ? undefined : result
          if (at === 0 && kept !== undefined) assert.strictEqual(result, "PermissionDenied")
          if (at === 1 && noFollow === false && name !== "open to write, no link") assert.strictEqual(result, "inside")
          if (at === 2 && kept !== undefined && noFollow === false) assert.strictEqual(result, "PermissionDenied")
        }
      })
    )
  }
)

describe.each(Object.entries(worlds).map(([where, world]) => ({ where, world })))(
  "[C-8] between check and use, $where",
  ({ world }) => {
    it.live.each(Object.entries(looks))("[C-8] %s says nothing of what lies outside", ([, look]) =>
      Effect.gen(function* () {
        const { at, fs: plain } = yield* world
        yield* prepare(plain, at)
        yield* plain.remove(`${at}/out/file`)
        yield* plain.symlink("target of a link outside", `${at}/out/file`)
        const { there } = swaps["a directory on the way"](plain, at)
        let swapped = false
        const { wrapped } = meddled(plain, {
          // The first requests of the real path are those of the roots; links move right before the request itself.
          before: Effect.suspend(() => (swapped ? Effect.void : ((swapped = true), there))),
          after: Effect.void,
          with: ["lstat", "access", "readLink", "readDirectory", "readDirectoryEntries"]
        })
        const fs = yield* over(wrapped, `${at}/root`)
        swapped = false
        assert.strictEqual(yield* tag(look(fs, `${at}/root/dir`)), "PermissionDenied")
      })
    )

    it.live("[C-8] a new file that is led out stays empty, and is refused", () =>
      Effect.gen(function* () {
        const { at, fs: plain } = yield* world
        yield* prepare(plain, at)
        const { there } = swaps["a directory on the way"](plain, at)
        let swapped = false
        const { count, wrapped } = meddled(plain, {
          before: Effect.suspend(() => (swapped ? Effect.void : ((swapped = true), there))),
          after: Effect.void
        })
        const fs = yield* over(wrapped, `${at}/root`)
        assert.strictEqual(yield* tag(fs.writeFile(`${at}/root/dir/new`, data)), "PermissionDenied")
        assert.strictEqual(yield* plain.readFileString(`${at}/out/new`), "")
        assert.strictEqual(count.open, 0)
      })
    )

    it.live("[C-8] a file that appears meanwhile is opened as one that was there", () =>
      Effect.gen(function* () {
        const { at, fs: plain } = yield* world
        yield* prepare(plain, at)
        let times = 0
        const { wrapped } = meddled(plain, {
          before: Effect.suspend(() =>
            times++ === 0 ? plain.writeFileString(`${at}/root/new`, "first") : Effect.void
          ),
          after: Effect.void
        })
        const fs = yield* over(wrapped, `${at}/root`)
        yield* fs.writeFileString(`${at}/root/new`, " and second", { flag: "a" })
        assert.strictEqual(yield* fs.readFileString(`${at}/root/new`), "first and second")
      })
    )

    it.live("[C-8] a file that is replaced by another one meanwhile is read as it is then", () =>
      Effect.gen(function* () {
        const { at, fs: plain } = yield* world
        yield* prepare(plain, at)
        let times = 0
        const { count, wrapped } = meddled(plain, {
          before: Effect.suspend(() =>
            times++ === 0 ? plain.rename(`${at}/root/dir/other`, `${at}/root/dir/file`) : Effect.void
          ),
          after: Effect.void
        })
        const fs = yield* over(wrapped, `${at}/root`)
        assert.strictEqual(yield* fs.readFileString(`${at}/root/dir/file`), "other")
        assert.deepStrictEqual(count, { open: 0, opened: 2 })
      })
    )
  }
)

describe("[C-8] handles", () => {
  it.effect("[C-8] are closed with their scope, and none is left by what fails", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* make({ "/r/file": "inside", "/r/dir/": null })
      const fs = yield* over(fileSystem, "/r")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const file = yield* fs.open("/r/file", { flag: "r+" })
          assert.strictEqual(yield* controls.openHandles, 1)
          yield* file.write(data)
        })
      )
      assert.strictEqual(yield* controls.openHandles, 0)
      assert.strictEqual(yield* fs.readFileString("/r/file"), "written")
      assert.strictEqual(yield* tag(fs.readFile("/r/dir")), "BadResource")
      assert.strictEqual(yield* tag(fs.copyFile("/r/dir", "/r/new")), "BadResource")
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )

  it.effect("[C-8] are closed by an interruption, while reading and while what was opened is being checked", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* make({ "/r/file": "inside" })
      yield* controls.fault("/r/file", "read", "hang")
      const fs = yield* over(fileSystem, "/r")
      for (const run of [
        fs.readFile("/r/file"),
        fs.copyFile("/r/file", "/r/new"),
        Stream.runDrain(fs.stream("/r/file"))
      ]) {
        const fiber = yield* Effect.forkChild(run, { startImmediately: true })
        assert.strictEqual(yield* controls.openHandles, 1)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* controls.openHandles, 0)
      }
      let checks = 0
      const hanging = FileSystem.FileSystem.of({
        ...fileSystem,
        lstat: (path) => (++checks === 2 ? Effect.never : fileSystem.lstat(path))
      })
      const stuck = yield* over(hanging, "/r")
      checks = 0
      const fiber = yield* Effect.forkChild(stuck.readFile("/r/file"), { startImmediately: true })
      assert.deepStrictEqual([checks, yield* controls.openHandles], [2, 1])
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )

  it.effect("[C-8] an opening that never returns can be interrupted if the file system below allows it", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* make({ "/r/": null })
      yield* controls.special("/r/pipe", "FIFO")
      const fs = yield* over(fileSystem, "/r")
      const fiber = yield* Effect.forkChild(Effect.scoped(fs.open("/r/pipe")), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )
})
