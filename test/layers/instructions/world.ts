/**
 * One tree, two file systems: what discovery promises is tried on the file system in memory and on a real one, with the
 * same test. Paths are written as if the tree began at `/`; on the real one they lie below a directory of their own.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Scope } from "effect/Scope"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { load } from "../../../src/layers/instructions/load.ts"
import type { InvalidConfiguration } from "../../../src/schemas/Configuration.ts"
import type {
  InstructionsConfig,
  LoadedInstructions,
  ProjectRootUnavailable
} from "../../../src/schemas/Instructions.ts"
import type { LoadOptions } from "../../../src/services/AgentInstructions.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"
import { layer as directLayer } from "../../../src/node/fileSystem.ts"

export type Content = string | Uint8Array

export interface World {
  readonly kind: "memory" | "real"
  readonly fs: FileSystem.FileSystem
  /** Where `path` really is. */
  readonly at: (path: string) => string
  readonly write: (path: string, content: Content) => Effect.Effect<void>
  readonly mkdir: (path: string) => Effect.Effect<void>
  readonly delete: (path: string) => Effect.Effect<void>
  /** An absolute target is one of this tree. */
  readonly link: (path: string, target: string) => Effect.Effect<void>
  readonly hardLink: (existing: string, path: string) => Effect.Effect<void>
  readonly fifo: (path: string) => Effect.Effect<void>
  readonly socket: (path: string) => Effect.Effect<void, never, Scope>
  /** Files of this tree that are open now. */
  readonly openHandles: Effect.Effect<number>
}

/** What a tree is made of: text, bytes, or a directory where the path ends in `/`. */
export type Files = Readonly<Record<string, Content | null>>

export const populate = Effect.fnUntraced(function* (world: World, files: Files) {
  for (const [at, content] of Object.entries(files)) {
    yield* content === null ? world.mkdir(at) : world.write(at, content)
  }
})

const memoryWorld: Effect.Effect<World> = Effect.map(Memory.make(), ({ controls, fileSystem }) => ({
  kind: "memory",
  fs: fileSystem,
  at: (at) => at,
  write: controls.write,
  mkdir: controls.mkdir,
  delete: controls.delete,
  link: controls.link,
  hardLink: controls.hardLink,
  fifo: (at) => controls.special(at, "FIFO"),
  socket: (at) => controls.special(at, "Socket"),
  openHandles: controls.openHandles
}))

/** The links of this process's descriptors that lead below `base`; where the system does not list them, none. */
const openBelow = (base: string): number => {
  if (!fs.existsSync("/proc/self/fd")) return 0
  const target = (descriptor: string) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      return ""
    }
  }
  return fs.readdirSync("/proc/self/fd").filter((descriptor) => target(descriptor).startsWith(base)).length
}

const realWorld: Effect.Effect<World, never, FileSystem.FileSystem | Scope> = Effect.gen(function* () {
  const node = yield* FileSystem.FileSystem
  const created = yield* Effect.orDie(node.makeTempDirectoryScoped({ prefix: "eac-" }))
  const base = yield* Effect.orDie(node.realPath(created))
  const at = (place: string) => (place === "/" ? base : base + place)
  const prepared = (place: string) => {
    fs.mkdirSync(path.dirname(at(place)), { recursive: true })
    return at(place)
  }
  const sync = (run: () => void) => Effect.sync(run)
  return {
    kind: "real",
    fs: node,
    at,
    write: (place, content) => sync(() => fs.writeFileSync(prepared(place), content)),
    mkdir: (place) => sync(() => void fs.mkdirSync(at(place), { recursive: true })),
    delete: (place) => sync(() => fs.rmSync(at(place), { recursive: true, force: true })),
    link: (place, target) => sync(() => fs.symlinkSync(target.startsWith("/") ? at(target) : target, prepared(place))),
    hardLink: (existing, place) => sync(() => fs.linkSync(at(existing), prepared(place))),
    fifo: (place) => sync(() => void childProcess.execFileSync("env", ["mkfifo", prepared(place)])),
    socket: (place) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.callback<net.Server>((resume) => {
            const server = net.createServer()
            server.listen(prepared(place), () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
        )
      ),
    openHandles: sync(() => {}).pipe(Effect.map(() => openBelow(base)))
  } satisfies World
})

/** Settings of one load, with paths of the tree. `env` replaces `HOME=/home/u`. */
export interface Loading extends Partial<Omit<InstructionsConfig, "home">>, LoadOptions {
  readonly cwd: string
  readonly home?: string
  readonly env?: Readonly<Record<string, string>>
  /** The file system to use instead of the tree's own. */
  readonly fs?: FileSystem.FileSystem
}

/** Loads with the paths of `loading` moved into the tree. */
export const loadIn = (
  world: World,
  { cwd, env = { HOME: "/home/u" }, fs = world.fs, home, ...rest }: Loading
): Effect.Effect<LoadedInstructions, InvalidConfiguration | ProjectRootUnavailable> => {
  const moved = (value: string) => (value.startsWith("/") ? world.at(value) : value)
  const environment = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, moved(value)]))
  const config = { maxBytes: 65_536, ...rest, ...(home === undefined ? {} : { home: moved(home) }) }
  return load({ ...config, cwd: world.at(cwd) }).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: environment }))),
    Effect.provideService(FileSystem.FileSystem, fs)
  )
}

/** The report as `[path in the tree, outcome, reason?]`, in order. */
export const outcomes = (world: World, loaded: LoadedInstructions): ReadonlyArray<string> =>
  loaded.report.map(({ outcome, path: at, reason }) => {
    const place = world.kind === "memory" ? at : at.slice(world.at("/").length)
    return `${place} ${outcome}${reason === undefined ? "" : `: ${reason}`}`
  })

/** The tags of the diagnostics with the path in the tree. */
export const findings = (world: World, loaded: LoadedInstructions): ReadonlyArray<string> =>
  loaded.diagnostics.map(({ path: at, tag }) =>
    at === undefined ? tag : `${tag} ${world.kind === "memory" ? at : at.slice(world.at("/").length)}`
  )

/** `directory slot path` of each change, in order. */
export const told = (loaded: LoadedInstructions): ReadonlyArray<string> =>
  loaded.changes.map(({ action, path: shown, scope }) => {
    assert.strictEqual(action, "set")
    return `${scope.owner === "user" ? "user" : scope.directory} ${scope.slot} ${shown}`
  })

const finished = (world: World) =>
  Effect.map(world.openHandles, (open) => assert.strictEqual(open, 0, "files left open"))

/** The same test on all file systems; afterwards no file of the tree may be open. */
export const both = (name: string, test: (world: World) => Effect.Effect<void, unknown, Scope>): void => {
  it.effect(`${name} (memory)`, () =>
    Effect.flatMap(memoryWorld, (world) => Effect.andThen(test(world), finished(world)))
  )
  real(`${name} (real)`, test)
}

/** Only on the real file system, through the thread pool and with the disk asked directly. */
export const real = (name: string, test: (world: World) => Effect.Effect<void, unknown, Scope>): void => {
  for (const [how, layer] of [
    ["", NodeFileSystem.layer],
    [" (asked directly)", directLayer]
  ] as const) {
    it.live(`${name}${how}`, () =>
      Effect.flatMap(realWorld, (world) => Effect.andThen(test(world), finished(world))).pipe(Effect.provide(layer))
    )
  }
}

/** A file system that lets something happen right after a path was answered for. */
export const meddling = (
  world: World,
  after: "stat" | "open",
  place: string,
  change: Effect.Effect<void>
): FileSystem.FileSystem => {
  let done = false
  const once = (asked: string) =>
    Effect.suspend(() => {
      if (done || asked !== world.at(place)) return Effect.void
      done = true
      return change
    })
  return after === "stat"
    ? { ...world.fs, stat: (asked) => Effect.tap(world.fs.stat(asked), () => once(asked)) }
    : { ...world.fs, open: (asked, options) => Effect.tap(world.fs.open(asked, options), () => once(asked)) }
}

/** An open file that is read in another way. */
export const withRead = (file: FileSystem.File, read: FileSystem.File["read"]): FileSystem.File =>
  new Proxy(file, { get: (target, key) => (key === "read" ? read : Reflect.get(target, key, target)) })
