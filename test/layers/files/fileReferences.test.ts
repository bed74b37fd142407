import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { layer as sessionLayer, layerWorkspace } from "../../../src/layers/files/fileReferences.ts"
import { layer as inboxLayer } from "../../../src/layers/inbox/inbox.ts"
import { layerMemory } from "../../../src/layers/session/memory.ts"
import { layer as supplyLayer } from "../../../src/layers/supply/contextSupply.ts"
import { layer as promptLayer } from "../../../src/layers/systemPrompt/systemPrompt.ts"
import type { FileReferencesConfig } from "../../../src/schemas/FileReference.ts"
import { AgentTools } from "../../../src/services/AgentTools.ts"
import { ContextSupply } from "../../../src/services/ContextSupply.ts"
import { FileReferences } from "../../../src/services/FileReferences.ts"
import { SystemPrompt } from "../../../src/services/SystemPrompt.ts"
import * as MemoryFileSystem from "../../../src/testing/memoryFileSystem.ts"

const files = {
  "/repo/.git/HEAD": "",
  "/repo/.gitignore": "dist/\n",
  "/repo/src/plan.ts": "",
  "/repo/src/deep/inner.ts": "",
  "/repo/dist/plan.js": "",
  "/etc/plan.conf": ""
}

const list = (query: string, options?: Parameters<FileReferences["Service"]["list"]>[1]) =>
  Effect.map(
    FileReferences.use((references) => references.list(query, options)),
    ({ candidates }) => candidates.map(({ kind, path }) => (kind === "directory" ? `${path}/` : path))
  )

const reasonOf = (query: string) => Effect.map(Effect.flip(list(query)), ({ reason }) => reason._tag)

/** On a disk of its own, at `/repo`. */
const workspace =
  (config: FileReferencesConfig = {}, disk: Parameters<typeof MemoryFileSystem.layer>[0] = files) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provide(layerWorkspace({ cwd: "/repo", ...config })),
      Effect.provide(MemoryFileSystem.layer(disk))
    )

const memory = MemoryFileSystem.MemoryFileSystem

describe("[F-3] confinement", () => {
  it.effect("nothing outside is listed: directions, absolute paths, links that leave", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.link("/repo/out", "/etc")
      yield* disk.link("/repo/src/up", "../..")
      yield* disk.link("/repo/in", "src")
      yield* disk.link("/repo/loop", "loop")
      yield* disk.link("/alias", "/repo")
      for (const query of [
        "../",
        "..",
        "src/../../etc/",
        "/etc/",
        "/",
        "out/",
        "out/plan",
        "out/none/",
        "src/up/etc/",
        "in/up/"
      ]) {
        assert.strictEqual(yield* reasonOf(query), "OutsideWorkspace", query)
      }
      assert.deepStrictEqual(yield* list("in/"), ["in/deep/", "in/plan.ts", "in/up"])
      assert.deepStrictEqual(yield* list("/repo/src/p"), ["src/plan.ts"])
      assert.deepStrictEqual(yield* list("src/../src/p"), ["src/plan.ts"])
      for (const query of ["loop/", "none/", "none/deeper/", "src/plan.ts/"])
        assert.deepStrictEqual(yield* list(query), [], query)
      assert.deepStrictEqual(yield* list("conf"), [])
      assert.deepStrictEqual(yield* list("up"), ["src/up"])
    }).pipe(workspace())
  )

  it.effect("a workspace that is reached through a link is known by both its names", () =>
    Effect.gen(function* () {
      yield* MemoryFileSystem.MemoryFileSystem.use((disk) => disk.link("/alias", "/repo"))
      const references = yield* Effect.scoped(Layer.build(layerWorkspace({ cwd: "/alias" })))
      const ask = (query: string) => Effect.provide(list(query), references)
      assert.deepStrictEqual(yield* ask("/alias/src/p"), ["src/plan.ts"])
      assert.deepStrictEqual(yield* ask("/repo/src/p"), ["src/plan.ts"])
      assert.deepStrictEqual(yield* ask("src/p"), ["src/plan.ts"])
    }).pipe(Effect.provide(MemoryFileSystem.layer(files)))
  )

  it.effect("a link that takes a directory's place while it is listed leads nowhere, in the index as well", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      for (const query of ["src/", "plan"]) {
        yield* disk.delete("/repo/src")
        yield* disk.write("/repo/src/plan.ts", "")
        yield* disk.fault("/repo/src", "list", { delay: 100 })
        const asking = yield* Effect.forkChild(Effect.exit(list(query)), { startImmediately: true })
        yield* TestClock.adjust("50 millis")
        yield* disk.delete("/repo/src")
        yield* disk.link("/repo/src", "/etc")
        yield* TestClock.adjust("1 second")
        const exit = yield* Fiber.join(asking)
        const seen = Exit.isSuccess(exit) ? exit.value : []
        assert.notIncludeMembers(seen, ["src/plan.conf"], query)
        yield* disk.heal()
      }
    }).pipe(workspace())
  )
})

describe("[F-4] listing", () => {
  it.effect("shows everything in what is left out itself", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      for (const path of [
        "dist/.hidden",
        "dist/sub/x",
        ".cfg/.a",
        ".cfg/dist/b",
        "node_modules/.bin/x",
        "node_modules/m/y",
        "src/.env"
      ]) {
        yield* disk.write(`/repo/${path}`, "")
      }
      assert.deepStrictEqual(yield* list(""), ["src/"])
      assert.deepStrictEqual(yield* list("./"), ["src/"])
      assert.deepStrictEqual(yield* list("dist/"), ["dist/sub/", "dist/.hidden", "dist/plan.js"])
      assert.deepStrictEqual(yield* list("dist/sub/"), ["dist/sub/x"])
      assert.deepStrictEqual(yield* list(".cfg/"), [".cfg/dist/", ".cfg/.a"])
      assert.deepStrictEqual(yield* list("node_modules/"), ["node_modules/.bin/", "node_modules/m/"])
      assert.deepStrictEqual(yield* list("./."), [".cfg/", ".gitignore"])
      assert.deepStrictEqual(yield* list("src/."), ["src/.env"])
    }).pipe(workspace())
  )

  it.effect("finds a directory in whichever way its letters are composed, and spells it as the disk does", () =>
    Effect.gen(function* () {
      yield* MemoryFileSystem.MemoryFileSystem.use((disk) => disk.write("/repo/cafe\u0301/re\u0301sume\u0301.md", ""))
      for (const query of ["caf\u00e9/", "cafe\u0301/", "caf\u00e9/r\u00e9s"]) {
        assert.deepStrictEqual(yield* list(query), ["cafe\u0301/re\u0301sume\u0301.md"])
      }
    }).pipe(workspace())
  )

  it.effect("does not wait for the index", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.fault("/repo/src/deep", "list", "hang")
      const searching = yield* Effect.forkChild(list("plan"), { startImmediately: true })
      assert.deepStrictEqual(yield* list("src/"), ["src/deep/", "src/plan.ts"])
      yield* Fiber.interrupt(searching)
    }).pipe(workspace())
  )
})

describe("[F-4] the index", () => {
  it.effect("is built once, for all who ask at the same time and later", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.fault("/repo/src", "list", { delay: 100 })
      const asking = yield* Effect.forkChild(
        Effect.all([list("plan"), list("inner"), list("plan")], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(asking), [["src/plan.ts"], ["src/deep/inner.ts"], ["src/plan.ts"]])
      yield* list("inner")
      assert.strictEqual(yield* disk.lists("/repo/src"), 1)
      assert.strictEqual(yield* disk.lists("/repo/dist"), 0)
      assert.strictEqual(yield* disk.reads("/repo/src/plan.ts"), 0)
    }).pipe(workspace())
  )

  it.effect("goes on for those who still wait, and is given up when nobody does", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.fault("/repo/src", "list", { delay: 100 })
      const first = yield* Effect.forkChild(list("plan"), { startImmediately: true })
      const second = yield* Effect.forkChild(list("plan"), { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(yield* Fiber.join(second), ["src/plan.ts"])
      assert.strictEqual(yield* disk.lists("/repo/src"), 1)
    }).pipe(workspace())
  )

  it.effect("that hangs is given up with its last query, and the next one begins anew", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.fault("/repo/src", "list", "hang")
      const hanging = yield* Effect.forkChild(list("plan"), { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      yield* Fiber.interrupt(hanging)
      assert.strictEqual(yield* disk.openHandles, 0)
      yield* disk.heal()
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts"])
    }).pipe(workspace())
  )

  it.effect("leaves out what cannot be read, and nothing else", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.chmod("/repo/src/deep", 0)
      yield* disk.fault("/repo/.gitignore", "read", "PermissionDenied")
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts", "dist/plan.js"])
      assert.deepStrictEqual(yield* list("inner"), [])
      assert.deepStrictEqual(yield* list("deep"), ["src/deep/"])
    }).pipe(workspace())
  )

  it.effect("says when it is full", () =>
    Effect.gen(function* () {
      const references = yield* FileReferences
      assert.deepStrictEqual(yield* references.diagnostics, [])
      const found = yield* references.list("plan")
      assert.deepStrictEqual(found, { candidates: [], truncated: true })
      assert.deepStrictEqual(
        (yield* references.diagnostics).map(({ tag }) => tag),
        ["IndexTruncated"]
      )
    }).pipe(workspace({ maxEntries: 2 }))
  )

  it.effect("of one file system is not shown to those who have another", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts"])
      const other = yield* MemoryFileSystem.make({ "/repo/plan.other": "" })
      assert.deepStrictEqual(yield* Effect.provideService(list("plan"), FileSystem.FileSystem, other.fileSystem), [
        "plan.other"
      ])
    }).pipe(workspace())
  )

  it.effect("[I-12] without a file system there is nothing, until there is one", () =>
    Effect.gen(function* () {
      for (const query of ["", "src/", "plan"]) assert.deepStrictEqual(yield* list(query), [])
      assert.strictEqual(yield* reasonOf("../"), "OutsideWorkspace")
      const { fileSystem } = yield* MemoryFileSystem.make(files)
      assert.deepStrictEqual(yield* Effect.provideService(list("plan"), FileSystem.FileSystem, fileSystem), [
        "src/plan.ts"
      ])
    }).pipe(Effect.provide(layerWorkspace({ cwd: "/repo" })))
  )
})

describe("[F-1] clients", () => {
  it.effect("a newer query of the same client interrupts the older, and keeps its walk", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.fault("/repo/src", "list", { delay: 100 })
      const older = yield* Effect.forkChild(list("pla", { client: "editor" }), { startImmediately: true })
      const other = yield* Effect.forkChild(list("inner", { client: "web" }), { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      const newer = yield* Effect.forkChild(list("plan", { client: "editor" }), { startImmediately: true })
      const exit = yield* Fiber.await(older)
      assert.isTrue(Exit.hasInterrupts(exit))
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(yield* Fiber.join(newer), ["src/plan.ts"])
      assert.deepStrictEqual(yield* Fiber.join(other), ["src/deep/inner.ts"])
      assert.strictEqual(yield* disk.lists("/repo/src"), 1)
    }).pipe(workspace())
  )

  it.effect("the walk outlives a lone query that its own successor interrupts", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.fault("/repo/src", "list", { delay: 100 })
      const older = yield* Effect.forkChild(list("pla", { client: "editor" }), { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      const newer = yield* Effect.forkChild(list("plan", { client: "editor" }), { startImmediately: true })
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(older)))
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(yield* Fiber.join(newer), ["src/plan.ts"])
      assert.strictEqual(yield* disk.lists("/repo/src"), 1)
    }).pipe(workspace())
  )

  it.effect("an aborted signal interrupts, before and during", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(list("plan", { signal: AbortSignal.abort() }))))
      assert.strictEqual(yield* disk.requests, 0)
      yield* disk.fault("/repo/src", "list", "hang")
      for (const query of ["src/", "plan"]) {
        const controller = new AbortController()
        const asking = yield* Effect.forkChild(list(query, { signal: controller.signal }), { startImmediately: true })
        yield* TestClock.adjust("10 millis")
        controller.abort()
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(asking)))
      }
    }).pipe(workspace())
  )

  it.effect("limits are taken as they come", () =>
    Effect.gen(function* () {
      const count = (limit: number) => Effect.map(list("n", { limit }), (found) => found.length)
      assert.deepStrictEqual(yield* Effect.forEach([0, -1, Number.NaN, 1, 1.9, Infinity], count), [0, 0, 0, 1, 1, 2])
    }).pipe(workspace())
  )
})

/** With a session, whose tools report. */
const inSession = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const perSession = sessionLayer().pipe(
    Layer.provideMerge(supplyLayer),
    Layer.provideMerge(promptLayer),
    Layer.provide(inboxLayer),
    Layer.provide(layerMemory({ cwd: "/repo" })),
    Layer.fresh
  )
  return effect.pipe(Effect.provide(perSession), Effect.provide(MemoryFileSystem.layer(files)))
}

let tokens = 0
const tool = (name: string, args: unknown, outcome: "ok" | "error" | "blocked" | "aborted" = "ok") =>
  ContextSupply.use((supply) => supply.toolResult({ name, arguments: args, outcome, token: `t${tokens++}` }))

describe("[F-4] tool results", () => {
  it.effect("patch the index where they name a path: nothing is walked again", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* list("plan")
      yield* disk.write("/repo/lib/new/planned.ts", "")
      yield* disk.write("/repo/dist/planned.js", "")
      yield* disk.write("/repo/lib/new/.planned", "")
      yield* disk.write("/etc/planned.conf", "")
      yield* disk.delete("/repo/src/plan.ts")
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts"])
      yield* tool("read", { file_path: "lib/new/planned.ts" })
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts"])
      for (const path of [
        "/repo/lib/new/planned.ts",
        "dist/planned.js",
        "lib/new/.planned",
        "/etc/planned.conf",
        "../etc/planned.conf"
      ]) {
        yield* tool("write", { file_path: path })
      }
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts", "lib/new/planned.ts"])
      assert.deepStrictEqual(yield* list("new"), ["lib/new/", "lib/new/planned.ts"])
      assert.deepStrictEqual(yield* list(".planned"), ["lib/new/.planned"])
      yield* tool("edit", { file_path: "src/plan.ts" }, "error")
      assert.deepStrictEqual(yield* list("plan"), ["lib/new/planned.ts"])
      assert.strictEqual(yield* disk.lists("/repo"), 1)
      yield* disk.delete("/repo/lib")
      yield* tool("write", { file_path: "lib/new/planned.ts" })
      assert.deepStrictEqual(yield* list("plan"), [])
      assert.deepStrictEqual(yield* list("new"), [])
      assert.deepStrictEqual(yield* list("lib"), [])
    }).pipe(inSession)
  )

  it.effect("a file that becomes a directory, and one behind a link", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* list("plan")
      yield* disk.delete("/repo/src/plan.ts")
      yield* disk.write("/repo/src/plan.ts/part", "")
      yield* disk.link("/repo/alias", "src")
      yield* disk.write("/repo/src/planb", "")
      yield* tool("write", { file_path: "src/plan.ts/part" })
      yield* tool("write", { file_path: "alias/planb" })
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts/", "src/planb", "src/plan.ts/part"])
    }).pipe(inSession)
  )

  it.effect("of other tools have everything looked at again, of blocked ones nothing", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* list("plan")
      yield* disk.write("/repo/planned.ts", "")
      yield* tool("bash", { command: "make" }, "blocked")
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts"])
      yield* tool("bash", { command: "make" }, "error")
      assert.deepStrictEqual(yield* list("plan"), ["planned.ts", "src/plan.ts"])
      yield* disk.write("/repo/.gitignore", "planned.ts\n")
      yield* tool("write", { file_path: ".gitignore" })
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts", "dist/plan.js"])
    }).pipe(inSession)
  )

  it.effect("that come during the walk are not lost", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      yield* disk.fault("/repo/src/deep", "list", { delay: 100 })
      const asking = yield* Effect.forkChild(list("plan"), { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      yield* disk.write("/repo/src/planned.ts", "")
      yield* tool("write", { file_path: "src/planned.ts" })
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(yield* Fiber.join(asking), ["src/plan.ts", "src/planned.ts"])
      assert.strictEqual(yield* disk.lists("/repo"), 1)
    }).pipe(inSession)
  )
})

describe("[F-7] selecting", () => {
  it.effect("reads nothing of what is offered: what is inserted can only be its path", () =>
    Effect.gen(function* () {
      const disk = yield* memory
      assert.deepStrictEqual(yield* list("plan"), ["src/plan.ts"])
      assert.deepStrictEqual(yield* list("src/"), ["src/deep/", "src/plan.ts"])
      const references = yield* FileReferences
      const { candidates } = yield* references.list("plan")
      assert.deepStrictEqual(candidates, [{ path: "src/plan.ts", kind: "file" }])
      assert.strictEqual(yield* disk.reads("/repo/src/plan.ts"), 0)
      assert.isAbove(yield* disk.reads("/repo/.gitignore"), 0)
    }).pipe(workspace())
  )
})

describe("[F-6] guidance", () => {
  it.effect("is a section of the system prompt while there is a read tool", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      assert.include(yield* prompt.render, "@")
      assert.strictEqual((yield* prompt.sections).length, 1)
    }).pipe(inSession)
  )

  it.effect.each([
    [["read"], true],
    [["write"], false]
  ] as const)("with the tools %j: %s", ([tools, there]) =>
    Effect.gen(function* () {
      const text = yield* SystemPrompt.use((prompt) => prompt.render)
      assert.strictEqual(/never claim to have read/.test(text), there)
    }).pipe(inSession, Effect.provideService(AgentTools, Effect.succeed(new Set<string>(tools))))
  )

  it.effect("[C-7] is gone with its layer", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const perSession = Layer.fresh(sessionLayer()).pipe(
        Layer.provide(supplyLayer),
        Layer.provide(inboxLayer),
        Layer.provide(layerMemory({ cwd: "/repo" }))
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(perSession)
          assert.notStrictEqual(yield* prompt.render, "")
        })
      )
      assert.strictEqual(yield* prompt.render, "")
    }).pipe(Effect.provide(promptLayer))
  )
})

describe("[K] configuration", () => {
  it.effect.each([
    [{ maxResults: 0 }, "maxResults"],
    [{ maxEntries: 1.5 }, "maxEntries"],
    [{ excludedNames: ["a/b"] }, "excludedNames.0"],
    [{ respectIgnoreFiles: "yes" }, "respectIgnoreFiles"],
    [{ maxEntry: 1 }, "maxEntry"]
  ] as const)("%j names %s", ([config, key]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.scoped(Layer.build(layerWorkspace({ cwd: "/repo", ...(config as FileReferencesConfig) })))
      )
      assert.strictEqual(error.key, key)
      assert.strictEqual(error.part, "fileReferences")
    }).pipe(Effect.provideContext(Context.empty()))
  )
})
