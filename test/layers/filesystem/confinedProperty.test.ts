/** Random trees, spellings and operations: what is outside stays untouched and unknown, what is inside is as without a limit. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import { layer as confined } from "../../../src/layers/filesystem/confined.ts"
import { make } from "../../../src/testing/memoryFileSystem.ts"

const root = "/w/r"

type Tree = ReadonlyMap<
  string,
  { readonly type: "dir" } | { readonly type: "file" } | { readonly type: "link"; readonly to: string }
>

const names = ["a", "b", "c"]
const directories = ["/w/r", "/w/r/a", "/w/r/a/b", "/w/r/c", "/o", "/o/a", "/w"]
const targets = [
  "a",
  "b",
  "../a",
  "../c/b",
  "a/../b",
  "none",
  "none/x",
  "/w/r/a",
  "/w/r/a/b/../c",
  "/w/r",
  ".",
  "..",
  "../..",
  "/o",
  "/o/a",
  "/o/none",
  "../../o/a",
  "../../../o",
  "/o/a/../../w/r/a",
  "/w/r/b/c",
  "b/../../r/c",
  "/",
  "c/"
]
const spellings: ReadonlyArray<string> = [
  "/w/r/a",
  "/w/r/b",
  "/w/r/c",
  "/w/r/a/b",
  "/w/r/a/c",
  "/w/r/a/b/c",
  "/w/r/c/a",
  "/w/r/c/b",
  "/w/r",
  "/w/r/a/",
  "/w/r/b/.",
  "/w/r/a/..",
  "/w/r/a/../c",
  "/w/r/a/b/../../b",
  "/w/r/b/../c",
  "//w/./r//a",
  "/w/r/c/../../r/a",
  "w/r/b",
  "/w/r/none/../a",
  "/w/r/a/new",
  "/w/r/new",
  "/w/r/new/er",
  "/w/r/b/new",
  "/w/r/c/new",
  "/o",
  "/o/a",
  "/o/b",
  "/o/none",
  "/w/r/../../o/a",
  "/w",
  "/",
  "/w/r/a/../../../o/b",
  "/o/a/../../w/r/a",
  "/w/r/c/c",
  "/w/r/b/c/a"
]

const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/"

/** Where the kernel ends up: an own, naive reading of the rules over a plain map. `undefined`: nowhere. */
const kernel = (
  tree: Tree,
  path: string,
  followLast: boolean
): { at: string; there: boolean; through: ReadonlyArray<string> } | undefined => {
  let at = ""
  let todo = path.split("/")
  const through: Array<string> = []
  for (let steps = 0; todo.length > 0; steps++) {
    if (steps > 500) return undefined
    const [name = "", ...rest] = todo
    todo = rest
    if (at !== "" && tree.get(at)?.type !== "dir") return undefined
    if (name === "" || name === ".") continue
    if (name === "..") {
      through.push(at)
      at = at === "" ? "" : at.slice(0, at.lastIndexOf("/"))
      continue
    }
    const next = `${at}/${name}`
    const node = tree.get(next)
    if (node === undefined)
      return rest.every((name) => name === "" || name === ".") ? { at: next, there: false, through } : undefined
    if (node.type === "link" && (followLast || rest.length > 0)) {
      todo = [...node.to.split("/"), ...rest]
      if (node.to.startsWith("/")) at = ""
    } else at = next
  }
  return { at: at === "" ? "/" : at, there: true, through }
}

const isInside = (path: string) => path === root || path.startsWith(`${root}/`)

type Op = (fs: FileSystem.FileSystem, p: string, q: string) => Effect.Effect<unknown, PlatformError, Scope>
interface Case {
  readonly run: Op
  /** How the paths are meant: what they lead to, the entry, or an entry that changes. */
  readonly roles: ReadonlyArray<"follow" | "entry" | "change">
}

const bytes = new TextEncoder().encode("new")
const cases: Record<string, Case> = {
  stat: { run: (fs, p) => Effect.map(fs.stat(p), ({ type, mode }) => [type, mode]), roles: ["follow"] },
  lstat: { run: (fs, p) => Effect.map(fs.lstat(p), ({ type, mode }) => [type, mode]), roles: ["entry"] },
  access: { run: (fs, p) => fs.access(p, { writable: true }), roles: ["follow"] },
  readFile: { run: (fs, p) => Effect.map(fs.readFile(p), (read) => [...read]), roles: ["follow"] },
  list: { run: (fs, p) => Effect.map(fs.readDirectory(p), (names) => names.toSorted()), roles: ["follow"] },
  entries: {
    run: (fs, p) =>
      Effect.map(fs.readDirectoryEntries(p), (all) => all.map(({ name, type }) => `${name}:${type}`).toSorted()),
    roles: ["follow"]
  },
  writeFile: { run: (fs, p) => fs.writeFile(p, bytes), roles: ["follow"] },
  append: { run: (fs, p) => fs.writeFile(p, bytes, { flag: "a", mode: 0o600 }), roles: ["follow"] },
  create: { run: (fs, p) => fs.writeFile(p, bytes, { flag: "wx" }), roles: ["change"] },
  update: { run: (fs, p) => fs.writeFile(p, bytes, { flag: "r+" }), roles: ["follow"] },
  truncate: { run: (fs, p) => fs.truncate(p, 2), roles: ["follow"] },
  mkdir: { run: (fs, p) => fs.makeDirectory(p), roles: ["change"] },
  mkdirs: { run: (fs, p) => fs.makeDirectory(p, { recursive: true }), roles: ["follow"] },
  remove: { run: (fs, p) => fs.remove(p), roles: ["change"] },
  removeAll: { run: (fs, p) => fs.remove(p, { recursive: true, force: true }), roles: ["change"] },
  rename: { run: (fs, p, q) => fs.rename(p, q), roles: ["change", "change"] },
  copyFile: { run: (fs, p, q) => fs.copyFile(p, q), roles: ["follow", "follow"] },
  copy: { run: (fs, p, q) => fs.copy(p, q, { overwrite: true }), roles: ["entry", "entry"] },
  link: { run: (fs, p, q) => fs.link(p, q), roles: ["entry", "change"] },
  symlink: { run: (fs, p, q) => fs.symlink(p, q), roles: [] },
  readLink: { run: (fs, p) => fs.readLink(p), roles: ["entry"] },
  realPath: { run: (fs, p) => fs.realPath(p), roles: ["follow"] },
  chmod: { run: (fs, p) => fs.chmod(p, 0o700), roles: ["follow"] },
  utimes: { run: (fs, p) => fs.utimes(p, 1, 1), roles: ["follow"] },
  recursive: { run: (fs, p) => Effect.asVoid(fs.readDirectory(p, { recursive: true })), roles: ["follow"] },
  glob: { run: (fs, p) => fs.glob("**", { root: p }), roles: ["follow"] },
  temp: {
    run: (fs, p) => Effect.asVoid(fs.makeTempFileScoped({ directory: p, prefix: "t", suffix: ".x" })),
    roles: ["follow"]
  },
  noFollow: { run: (fs, p) => Effect.asVoid(fs.open(p, { noFollow: true })), roles: ["entry"] }
}

const treeOf = Effect.fnUntraced(function* (fs: FileSystem.FileSystem) {
  const tree = new Map<string, Tree extends ReadonlyMap<string, infer V> ? V : never>()
  const shape: Record<string, unknown> = {}
  const visit = (path: string): Effect.Effect<void, PlatformError> =>
    Effect.gen(function* () {
      const { mode, mtime, nlink, type } = yield* fs.lstat(path)
      if (type === "SymbolicLink") {
        const to = yield* fs.readLink(path)
        tree.set(path, { type: "link", to })
        shape[path] = to
      } else if (type === "Directory") {
        tree.set(path, { type: "dir" })
        shape[path] = mode
        for (const name of (yield* fs.readDirectory(path)).toSorted())
          yield* visit(path === "/" ? `/${name}` : `${path}/${name}`)
      } else {
        tree.set(path, { type: "file" })
        shape[path] = [mode, mtime, nlink, yield* fs.readFileString(path)]
      }
    })
  yield* visit("/")
  return { tree: tree as Tree, shape }
})

const part = (shape: Record<string, unknown>, inside: boolean) =>
  Object.fromEntries(Object.entries(shape).filter(([path]) => isInside(path) === inside))

/** Which requests reach outside for more than to see where a path leads. */
const spied = (fs: FileSystem.FileSystem, asked: Array<string>): FileSystem.FileSystem => {
  const resolving = new Set(["realPath", "lstat", "readLink"])
  return FileSystem.FileSystem.of(
    Object.fromEntries(
      Object.entries(fs).map(([name, value]) => [
        name,
        typeof value !== "function" || resolving.has(name)
          ? value
          : (...args: ReadonlyArray<unknown>) => {
              const at = name === "symlink" ? args[1] : args[0]
              asked.push(`${name} ${typeof at === "string" ? at : JSON.stringify(at)}`)
              return (value as (...args: ReadonlyArray<unknown>) => unknown)(...args)
            }
      ])
    ) as unknown as FileSystem.FileSystem
  )
}

const outcome = (effect: Effect.Effect<unknown, PlatformError, Scope>) =>
  Effect.scoped(effect).pipe(
    Effect.map((value) => JSON.stringify(value) ?? "done"),
    Effect.catch(({ reason }) => Effect.succeed(`!${reason._tag}`))
  )

const upTo = (count: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: count - 1 }))
const settings = {
  tree: Schema.Array(Schema.Tuple([upTo(directories.length), upTo(names.length), upTo(4), upTo(targets.length)])).check(
    Schema.isMinLength(6)
  ),
  steps: Schema.Array(
    Schema.Tuple([upTo(Object.keys(cases).length), upTo(spellings.length), upTo(spellings.length)])
  ).check(Schema.isMinLength(12))
}

const build = Effect.fnUntraced(function* (tree: (typeof settings)["tree"]["Type"]) {
  const { controls, fileSystem } = yield* make({ "/o/secret": "secret", "/w/r/file": "inside", "/w/r/a/x": "x" })
  yield* controls.mkdir("/w/r/c")
  const made = new Map<string, number>([
    ...directories.map((path) => [path, 0] as const),
    ["/w/r/a/b", -1],
    ["/o/a", -1]
  ])
  for (const [directory, name, kind, target] of tree) {
    const parent = directories[directory]!
    const path = `${parent}/${names[name]}`
    // What is there stays, and nothing is made where a link would lead.
    if ((made.get(path) ?? -1) >= 0 || made.get(parent) !== 0) continue
    if (kind === 0) yield* controls.mkdir(path)
    else if (kind === 1) yield* controls.write(path, path)
    else yield* controls.link(path, targets[target]!)
    made.set(path, kind)
  }
  return { controls, fileSystem }
})

describe("[C-8] whatever is asked", () => {
  it.effect.prop(
    "[C-8] outside is neither read nor changed, and inside is as it is without a limit",
    settings,
    ({ steps, tree: entries }) =>
      Effect.gen(function* () {
        for (const [which, p, q] of steps) {
          const limited = yield* build(entries)
          const free = yield* build(entries)
          const asked: Array<string> = []
          const fs = yield* Effect.provide(
            FileSystem.FileSystem,
            Layer.fresh(confined([root])).pipe(
              Layer.provide(Layer.succeed(FileSystem.FileSystem, spied(limited.fileSystem, asked)))
            )
          )
          const [name, { roles, run }] = Object.entries(cases)[which]!
          const paths = [spellings[p]!, spellings[q]!] as const
          const before = yield* treeOf(limited.fileSystem)
          asked.length = 0
          const actual = yield* outcome(run(fs, ...paths))
          // Node follows links where it lists trees: two that lead back make it ask for ever.
          const endless = name === "recursive" && [...before.tree].some(([, { type }]) => type === "link")
          const expected = endless ? actual : yield* outcome(run(free.fileSystem, ...paths))
          const label = `${name} ${paths.join(" ")} ${JSON.stringify(Object.fromEntries([...before.tree].filter(([, n]) => n.type === "link")))}`
          const after = yield* treeOf(limited.fileSystem)
          assert.deepStrictEqual(part(after.shape, false), part(before.shape, false), label)
          assert.isFalse(actual.includes("secret"), label)
          for (const request of asked) assert.match(request, /^\w+ (\/w\/r(\/|$)|\{"directory":"\/w\/r(\/|"))/, label)
          assert.strictEqual(yield* limited.controls.openHandles, 0, label)
          // Where it leads, and what that has to come to.
          const led = roles.map((role, index) => {
            const path = paths[index]!
            const all = kernel(before.tree, path, true)
            if (role === "follow") return all
            const text = path.replace(/(\/\.?)+$/, "")
            return path !== text || text.endsWith("..") || text === "" ? all : kernel(before.tree, path, false)
          })
          const within = led.map(
            (place, index) =>
              place !== undefined &&
              isInside(place.at) &&
              (roles[index] === "follow" ? place.there || isInside(parentOf(place.at)) : isInside(parentOf(place.at)))
          )
          counted[name] ??= [0, 0, 0]
          // The root is known by every name that leads to it, a link outside included.
          const isRoot = (index: number) => kernel(before.tree, paths[index]!, true)?.at === root
          if (led.some((place, index) => place !== undefined && !within[index] && !isRoot(index))) {
            counted[name][0]++
            assert.oneOf(
              actual,
              mayFailOtherwise.has(name) ? ["!PermissionDenied", "!NotFound", expected] : ["!PermissionDenied"],
              label
            )
            continue
          }
          const strays = led.some((place) => place?.through.some((at) => !isInside(at) && !root.startsWith(at)))
          if (roles.length === 0 || !within.every(Boolean) || strays || differs(name, paths, before.tree)) {
            counted[name][1]++
            continue
          }
          counted[name][2]++
          assert.strictEqual(actual, expected, label)
          assert.deepStrictEqual(part(after.shape, true), part((yield* treeOf(free.fileSystem)).shape, true), label)
        }
      }),
    { arbitrary: { runs: Number(process.env.RUNS ?? 60) } }
  )
})

const counted: Record<string, [number, number, number]> = {}
/** Two paths, of which the first can be wrong in another way before the second is looked at. */
const mayFailOtherwise = new Set(["rename", "copyFile", "copy", "link"])

const typeAt = (tree: Tree, path: string) => tree.get(kernel(tree, path, true)?.at ?? "")?.type

/** Where a confined file system is meant to differ from Node's even inside. */
const differs = (name: string, paths: readonly [string, string], tree: Tree): boolean => {
  const leadsOut = (path: string) => {
    const all = kernel(tree, path, true)
    return all === undefined || !isInside(all.at)
  }
  // `..` after links: Node takes it away as text where it resolves by itself.
  const onTheWay = [...paths, ...[...tree.values()].flatMap((node) => (node.type === "link" ? [node.to] : []))]
  if (["realPath", "copy", "temp", "mkdirs", "glob"].includes(name) && onTheWay.some((path) => path.includes("..")))
    return true
  if (name === "readLink" || name === "link") return leadsOut(paths[0])
  // Of a directory, Node takes away whatever the copy would have replaced, and then says that it is a directory.
  if (name === "copyFile") return typeAt(tree, paths[0]) === "dir"
  if (name === "mkdirs") return [...tree].some(([, node]) => node.type === "link")
  // A link in the tree may lead out, and the copy of one is absolute.
  if (name === "copy") return [...tree].some(([path, node]) => isInside(path) && node.type === "link")
  if (name === "glob") return [...tree].some(([path, node]) => isInside(path) && node.type === "link" && leadsOut(path))
  return false
}

import { afterAll } from "@effect/vitest"
afterAll(() => console.log(JSON.stringify(counted)))
