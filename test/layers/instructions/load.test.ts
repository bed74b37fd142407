/** Loading as a whole: its file system, its switches, its failures (I-4, I-5, I-9, I-12, I-22, I-60, I-64). */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { systemError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { layerLoader, load } from "../../../src/layers/instructions/load.ts"
import { LoadedInstructions } from "../../../src/schemas/Instructions.ts"
import { AgentInstructions } from "../../../src/services/AgentInstructions.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"
import { withRead } from "./world.ts"

const environment = ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HOME: "/home/u" } }))
const options = { cwd: "/repo/app", maxBytes: 65_536 }

const tree = {
  "/repo/.git/": null,
  "/repo/AGENTS.md": "root rules\n",
  "/repo/app/AGENTS.md": "app rules\n",
  "/home/u/.dsh/AGENTS.md": "mine\n"
}

const loading = (fs: FileSystem.FileSystem, more: Partial<Parameters<typeof load>[0]> = {}) =>
  load({ ...options, ...more }).pipe(Effect.provideService(FileSystem.FileSystem, fs), Effect.provide(environment))

const provided = (text: string) =>
  Effect.map(Memory.make({ "/repo/.git/": null, "/repo/AGENTS.md": text }), ({ fileSystem }) => fileSystem)

describe("load", () => {
  it.effect("[I-64] returns what its schema says, and the same every time", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make(tree)
      const loaded = yield* loading(fileSystem)
      assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(LoadedInstructions)(loaded), loaded)
      assert.strictEqual(loaded.maxBytes, 65_536)
      assert.deepStrictEqual(yield* loading(fileSystem), loaded)
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )

  it.effect("[I-7] names after a winner are not probed", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({
        ...tree,
        "/repo/CLAUDE.md": "shadowed\n",
        "/repo/AGENTS.local.md": "local\n",
        "/repo/CLAUDE.local.md": "shadowed\n"
      })
      yield* loading(fileSystem)
      for (const shadowed of ["/repo/CLAUDE.md", "/repo/CLAUDE.local.md", "/repo/app/CLAUDE.md"]) {
        assert.strictEqual(yield* controls.probes(shadowed), 0)
      }
      // No path is asked about twice, every file is opened once, and nothing has to be resolved.
      assert.deepStrictEqual(new Set(Object.values(yield* controls.allProbes)), new Set([1]))
      assert.deepStrictEqual(yield* controls.allReads, {
        "/home/u/.dsh/AGENTS.md": 1,
        "/repo/AGENTS.local.md": 1,
        "/repo/AGENTS.md": 1,
        "/repo/app/AGENTS.md": 1
      })
      assert.isTrue((yield* controls.requests) <= 12)
    })
  )

  it.effect("[I-64] asking for shadowed names costs one probe each and reads nothing more", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ ...tree, "/repo/CLAUDE.md": "shadowed\n" })
      const loaded = yield* loading(fileSystem, { shadowed: true })
      const row = loaded.report.find(({ path }) => path === "/repo/CLAUDE.md")
      assert.deepStrictEqual([row?.outcome, row?.reason, row?.renderedBytes], ["shadowed", "by AGENTS.md", 0])
      assert.strictEqual(yield* controls.probes("/repo/CLAUDE.md"), 1)
      assert.strictEqual(yield* controls.reads("/repo/CLAUDE.md"), 0)
    })
  )

  it.effect("[I-60] a budget that is not positive or not finite turns instructions off: no request at all", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make(tree)
      for (const maxBytes of [0, -1, Infinity, -Infinity, Number.NaN]) {
        const loaded = yield* loading(fileSystem, { maxBytes })
        assert.deepStrictEqual([loaded.text, loaded.changes, loaded.report], ["", [], []])
      }
      assert.strictEqual(yield* controls.requests, 0)
    })
  )

  it.effect("[I-60] a budget need not be a whole number", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make(tree)
      const loaded = yield* loading(fileSystem, { maxBytes: 600.5 })
      assert.include(loaded.text, "app rules")
      assert.isTrue(loaded.bytes <= 600.5)
    })
  )

  it.effect("[I-2] what is wrong with the candidates is reported even where there is nothing to load from", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make(tree)
      const loaded = yield* loading(fileSystem, { instructionFileCandidates: ["../x"], maxBytes: 0 })
      assert.deepStrictEqual(
        loaded.diagnostics.map(({ tag }) => tag),
        ["CandidateIgnored"]
      )
    })
  )

  it.effect("[K] a wrong configuration fails before anything is asked", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make(tree)
      const error = yield* Effect.flip(loading(fileSystem, { maxSourceBytes: 0 }))
      assert.strictEqual(error._tag, "InvalidConfiguration")
      assert.strictEqual(yield* controls.requests, 0)
    })
  )

  it.effect("[I-22] the identity names what decides discovery, and nothing of where it runs", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make({ ...tree, "/other/.git/": null, "/other/app/": null })
      const here = yield* loading(fileSystem)
      const there = yield* loading(fileSystem, { cwd: "/other/app" })
      assert.strictEqual(there.identity, here.identity)
      const deeper = yield* loading(fileSystem, { cwd: "/repo" })
      assert.notStrictEqual(deeper.identity, here.identity)
      const other = yield* loading(fileSystem, { maxSourceBytes: 5 })
      assert.notStrictEqual(other.identity, here.identity)
      const moved = yield* loading(fileSystem, { home: "/srv" })
      assert.notStrictEqual(moved.identity, here.identity)
      assert.notInclude(moved.identity, "/srv")
    })
  )
})

describe("failing probes", () => {
  for (const fault of ["PermissionDenied", "Unknown"] as const) {
    it.effect(`[I-5] a marker probe failing with ${fault} fails the load; nothing above is consulted`, () =>
      Effect.gen(function* () {
        const { controls, fileSystem } = yield* Memory.make({ ...tree, "/.git/": null, "/AGENTS.md": "outer\n" })
        yield* controls.fault("/repo/.git", "stat", fault)
        const error = yield* Effect.flip(loading(fileSystem))
        assert.strictEqual(error._tag, "ProjectRootUnavailable")
        assert.include(error.message, "/repo/.git")
        assert.include(error.message, fault)
        assert.strictEqual(yield* controls.probes("/repo/.git"), 1)
        // What the listing shows to be the project may be looked at meanwhile, and nothing else.
        const probed = Object.keys(yield* controls.allProbes)
        assert.deepStrictEqual(
          probed.filter((path) => !path.startsWith("/repo/") && !path.startsWith("/home/u/")),
          []
        )
        yield* controls.heal()
        assert.include((yield* loading(fileSystem)).text, "app rules")
      })
    )

    it.effect(`[I-9] a candidate failing with ${fault} at stat or at open is unavailable and holds its place`, () =>
      Effect.gen(function* () {
        for (const operation of ["stat", "read"] as const) {
          const { controls, fileSystem } = yield* Memory.make({ ...tree, "/repo/CLAUDE.md": "may not step in\n" })
          yield* controls.fault("/repo/AGENTS.md", operation, fault)
          const loaded = yield* loading(fileSystem)
          assert.deepStrictEqual(
            loaded.changes.map(({ path }) => path),
            ["~/.dsh/AGENTS.md", "app/AGENTS.md"]
          )
          const row = loaded.report.find(({ path }) => path === "/repo/AGENTS.md")!
          assert.strictEqual(row.outcome, "unavailable")
          assert.include(row.reason!, fault)
          assert.deepStrictEqual(
            loaded.diagnostics.map(({ path, tag }) => [tag, path]),
            [["CandidateUnavailable", "/repo/AGENTS.md"]]
          )
          assert.strictEqual(yield* controls.probes("/repo/CLAUDE.md"), 0)
          assert.strictEqual(yield* controls.openHandles, 0)
        }
      })
    )
  }

  it.effect("[I-9] in selection all the other candidates of the directory still load", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ ...tree, "/repo/CLAUDE.md": "claude\n" })
      yield* controls.fault("/repo/AGENTS.md", "read", "PermissionDenied")
      const loaded = yield* loading(fileSystem, { candidateSelection: "all" })
      assert.deepStrictEqual(
        loaded.changes.map(({ path }) => path),
        ["~/.dsh/AGENTS.md", "CLAUDE.md", "app/AGENTS.md"]
      )
    })
  )

  it.effect("[I-9] a file that fails in the middle of being read is unavailable", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({
        ...tree,
        "/repo/AGENTS.md": { text: "x".repeat(1000), reportSize: 10 }
      })
      const failure = systemError({ _tag: "Unknown", module: "FileSystem", method: "read", cause: { code: "EIO" } })
      let reads = 0
      const fs: FileSystem.FileSystem = {
        ...fileSystem,
        open: (path, how) =>
          Effect.map(fileSystem.open(path, how), (file) =>
            path === "/repo/AGENTS.md"
              ? withRead(file, (buffer) => (++reads > 1 ? Effect.fail(failure) : file.read(buffer)))
              : file
          )
      }
      const loaded = yield* loading(fs)
      const row = loaded.report.find(({ path }) => path === "/repo/AGENTS.md")!
      assert.deepStrictEqual([row.outcome, row.reason], ["unavailable", "Unknown (EIO)"])
      assert.strictEqual(reads, 2)
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )

  it.effect("[I-6] without a real path to compare, two names of one file stay two files", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({
        "/repo/.git/": null,
        "/repo/rules.md": "rules\n",
        "/repo/app/": null
      })
      yield* controls.link("/repo/AGENTS.md", "rules.md")
      yield* controls.link("/repo/app/AGENTS.md", "../rules.md")
      yield* controls.fault("/repo/app/AGENTS.md", "realPath", "PermissionDenied")
      const apart = yield* loading(fileSystem)
      assert.deepStrictEqual(
        apart.changes.map(({ path }) => path),
        ["AGENTS.md", "app/AGENTS.md"]
      )
      yield* controls.heal()
      const together = yield* loading(fileSystem)
      assert.deepStrictEqual(
        together.changes.map(({ path }) => path),
        ["AGENTS.md"]
      )
    })
  )
})

describe("the file system", () => {
  it.effect("[I-12] with none provided there is nothing to tell, and no failure", () =>
    Effect.gen(function* () {
      const loaded = yield* load({ ...options, cwd: "/repo" })
      assert.deepStrictEqual(loaded, {
        text: "",
        bytes: 0,
        maxBytes: 65_536,
        projectRoot: "/repo",
        identity: "",
        changes: [],
        omitted: [],
        truncated: [],
        report: [],
        diagnostics: []
      })
      const viaLayer = yield* AgentInstructions.use((instructions) => instructions.load()).pipe(
        Effect.provide(layerLoader({ ...options, cwd: "/repo" }))
      )
      assert.deepStrictEqual(viaLayer, loaded)
    })
  )

  it.effect("[I-12] the calling fiber's file system wins over the layer's", () =>
    Effect.gen(function* () {
      const builtIn = yield* provided("from the layer\n")
      const calling = yield* provided("from the caller\n")
      const layer = layerLoader({ ...options, cwd: "/repo" }).pipe(
        Layer.provide(Layer.succeed(FileSystem.FileSystem, builtIn)),
        Layer.provide(environment)
      )
      const instructions = Context.get(yield* Layer.build(layer), AgentInstructions)
      assert.include((yield* instructions.load()).text, "from the layer")
      const called = yield* instructions.load().pipe(Effect.provideService(FileSystem.FileSystem, calling))
      assert.include(called.text, "from the caller")
      assert.notInclude(called.text, "from the layer")
    })
  )

  it.effect("[I-12] a layer built without one finds the calling fiber's, each time anew", () =>
    Effect.gen(function* () {
      const instructions = Context.get(
        yield* Layer.build(layerLoader({ ...options, cwd: "/repo" }).pipe(Layer.provide(environment))),
        AgentInstructions
      )
      assert.strictEqual((yield* instructions.load()).text, "")
      for (const text of ["one\n", "two\n"]) {
        const fs = yield* provided(text)
        const loaded = yield* instructions.load().pipe(Effect.provideService(FileSystem.FileSystem, fs))
        assert.include(loaded.text, text)
      }
    })
  )

  it.effect("[K] a layer with a wrong configuration is not built", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layerLoader({ ...options, maxSourceBytes: 1.5 }))))
      assert.strictEqual(error.key, "maxSourceBytes")
    })
  )

  it.effect("[I-64] the service can be asked for shadowed names too", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make({ ...tree, "/repo/CLAUDE.md": "x\n" })
      const loaded = yield* AgentInstructions.use((instructions) => instructions.load({ shadowed: true })).pipe(
        Effect.provide(layerLoader({ ...options, cwd: "/repo" })),
        Effect.provideService(FileSystem.FileSystem, fileSystem)
      )
      assert.isTrue(loaded.report.some(({ outcome }) => outcome === "shadowed"))
    })
  )

  it.effect("[I-13] the service takes a signal: aborted before, it asks nothing; aborted later, it ends", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make(tree)
      const instructions = Context.get(
        yield* Layer.build(layerLoader(options).pipe(Layer.provide(environment))),
        AgentInstructions
      )
      const loadWith = (signal: AbortSignal) =>
        Effect.exit(instructions.load({ signal })).pipe(Effect.provideService(FileSystem.FileSystem, fileSystem))
      assert.isTrue(Exit.hasInterrupts(yield* loadWith(AbortSignal.abort())))
      assert.strictEqual(yield* controls.requests, 0)
      yield* controls.fault("/repo/AGENTS.md", "read", "hang")
      const controller = new AbortController()
      const fiber = yield* Effect.forkChild(loadWith(controller.signal), { startImmediately: true })
      yield* Effect.yieldNow
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      controller.abort()
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.join(fiber)))
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )

  it.effect("[I-13] a hanging marker probe is interrupted at once", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make(tree)
      yield* controls.fault("/repo/.git", "stat", "hang")
      const fiber = yield* Effect.forkChild(loading(fileSystem), { startImmediately: true })
      yield* Effect.yieldNow
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* controls.probes("/repo/.git"), 1)
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )

  it.effect("[I-4] a marker that goes between its listing and its probe is none: the search goes on above it", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make({ ...tree, "/.git/": null, "/AGENTS.md": "outer\n" })
      const stat = (path: string) => fileSystem.stat(path === "/repo/.git" ? "/nowhere" : path)
      const loaded = yield* loading({ ...fileSystem, stat })
      assert.strictEqual(loaded.projectRoot, "/")
      assert.include(loaded.text, "outer")
    })
  )
})

describe("listing instead of probing", () => {
  const outcomes = (
    files: Record<string, Memory.FileContent>,
    before: (controls: Memory.Controls) => Effect.Effect<unknown>
  ) =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/repo/.git/": null, ...files })
      yield* before(controls)
      const loaded = yield* load({ cwd: "/repo", maxBytes: 65_536, home: "/nowhere" }).pipe(
        Effect.provideService(FileSystem.FileSystem, fileSystem)
      )
      return loaded.changes.map(({ path }) => path)
    })

  it.effect("a directory that cannot be listed is probed name by name", () =>
    Effect.gen(function* () {
      const files = { "/repo/CLAUDE.md": "rules\n", "/repo/AGENTS.local.md": "mine\n" }
      const told = yield* outcomes(files, (controls) => controls.fault("/repo", "list", "PermissionDenied"))
      assert.deepStrictEqual(told, ["CLAUDE.md", "AGENTS.local.md"])
    })
  )

  it.effect("[I-5] a marker in a directory that cannot be listed is probed, and its failure is loud", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/repo/.git/": null, "/repo/app/AGENTS.md": "app\n" })
      yield* controls.fault("/repo/app", "list", "PermissionDenied")
      yield* controls.fault("/repo/app/.git", "stat", "PermissionDenied")
      const error = yield* load({ cwd: "/repo/app", maxBytes: 65_536, home: "/nowhere" }).pipe(
        Effect.provideService(FileSystem.FileSystem, fileSystem),
        Effect.flip
      )
      assert.strictEqual(error._tag, "ProjectRootUnavailable")
    })
  )

  it.effect("a name in another case, or composed otherwise, is asked for: some file systems take it for the same", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({
        "/repo/.git/": null,
        "/repo/agents.MD": "x",
        "/repo/RE\u0301GLES.md": "y"
      })
      yield* load({
        cwd: "/repo",
        maxBytes: 65_536,
        home: "/nowhere",
        instructionFileCandidates: ["AGENTS.md", "R\u00c9GLES.md", "C.md"]
      }).pipe(Effect.provideService(FileSystem.FileSystem, fileSystem))
      const probes = yield* controls.allProbes
      assert.strictEqual(probes["/repo/AGENTS.md"], 1)
      assert.strictEqual(probes["/repo/R\u00c9GLES.md"], 1)
      assert.strictEqual(probes["/repo/C.md"], undefined)
    })
  )
})

it.effect("[I-64] a name after the winner that cannot be probed is unavailable, not shadowed", () =>
  Effect.gen(function* () {
    const { controls, fileSystem } = yield* Memory.make({ "/repo/.git/": null, "/repo/AGENTS.md": "rules\n" })
    yield* controls.fault("/repo", "list", "PermissionDenied")
    yield* controls.fault("/repo/CLAUDE.md", "stat", "PermissionDenied")
    const { report } = yield* load({ cwd: "/repo", maxBytes: 65_536, home: "/nowhere", shadowed: true }).pipe(
      Effect.provideService(FileSystem.FileSystem, fileSystem)
    )
    assert.strictEqual(report.find(({ path }) => path === "/repo/CLAUDE.md")?.outcome, "unavailable")
  })
)
