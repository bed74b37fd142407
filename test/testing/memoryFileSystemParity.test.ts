/**
 * The memory file system against the real one: the same operations on the same tree, at the same absolute path, have to
 * end the same way – same value, or same tag, code, method, subject and system call.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import { make } from "../../src/testing/memoryFileSystem.ts"

type Operation = (
  fs: FileSystem.FileSystem,
  at: (path: string) => string
) => Effect.Effect<unknown, PlatformError, Scope>

/** What `operations` come to, in order, on one file system; descriptors and the time are not compared. */
const outcomes = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  root: string,
  setup: Operation,
  operations: Record<string, Operation>
) {
  const at = (path: string) => (path === "" ? root : `${root}/${path}`)
  yield* Effect.scoped(setup(fs, at))
  const results: Record<string, unknown> = {}
  for (const [name, operation] of Object.entries(operations)) {
    results[name] = yield* Effect.scoped(operation(fs, at)).pipe(
      Effect.map((value) => ({ value: plain(value) })),
      Effect.catch((error) => Effect.succeed(described(error)))
    )
  }
  return results
})

const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(plain)
  return value
}

const described = ({ reason }: PlatformError) => {
  if (reason._tag === "BadArgument") return { tag: reason._tag, method: reason.method }
  const { _tag: tag, cause, method, pathOrDescriptor: subject, syscall } = reason
  return {
    tag,
    method,
    syscall,
    subject: typeof subject === "number" ? "descriptor" : subject,
    code: (cause as { readonly code?: string }).code
  }
}

const compare = Effect.fnUntraced(function* (setup: Operation, operations: Record<string, Operation>) {
  const node = yield* FileSystem.FileSystem
  const root = yield* Effect.flatMap(node.makeTempDirectoryScoped({ prefix: "memory-fs-" }), node.realPath)
  const { controls, fileSystem } = yield* make()
  yield* controls.mkdir(root)
  yield* controls.chmod(root, 0o700)
  const expected = yield* outcomes(node, root, setup, operations)
  const actual = yield* outcomes(fileSystem, root, setup, operations)
  const differing = Object.keys(expected).filter((name) => !Equal.equals(actual[name], expected[name]))
  const only = (results: Record<string, unknown>) => Object.fromEntries(differing.map((name) => [name, results[name]]))
  assert.deepStrictEqual(only(actual), only(expected))
})

// Other kernels have other limits, and other codes in the corners.
const onLinux = it.live.skipIf(process.platform !== "linux")

const parity = (name: string, setup: Operation, operations: Record<string, Operation>) =>
  onLinux(name, () => compare(setup, operations).pipe(Effect.provide(NodeFileSystem.layer)))

/** Every entry below the root with its type, permissions, link target and content. */
const snapshot: Operation = (fs, at) => {
  const visit = (path: string): Effect.Effect<ReadonlyArray<unknown>, PlatformError> =>
    Effect.gen(function* () {
      const info = yield* fs.lstat(at(path))
      const link = info.type === "SymbolicLink" ? yield* fs.readLink(at(path)) : undefined
      const content = info.type === "File" ? yield* fs.readFileString(at(path)) : undefined
      // Not every file system counts the links of a directory the same way.
      const links = info.type === "Directory" ? undefined : Option.getOrThrow(info.nlink)
      const self = [path, info.type, info.mode, links, link, content]
      if (info.type !== "Directory") return [self]
      const names = (yield* fs.readDirectory(at(path))).sort()
      const below = yield* Effect.forEach(names, (name) => visit(path === "" ? name : `${path}/${name}`))
      return [self, ...below.flat()]
    })
  return visit("")
}

const setup: Operation = Effect.fnUntraced(function* (fs, at) {
  yield* fs.makeDirectory(at("dir/sub"), { recursive: true })
  yield* fs.makeDirectory(at("empty"))
  yield* fs.writeFileString(at("file"), "hello")
  yield* fs.writeFileString(at("dir/inner"), "inner")
  yield* fs.symlink("file", at("toFile"))
  yield* fs.symlink("dir", at("toDir"))
  yield* fs.symlink("dir/", at("toDirSlash"))
  yield* fs.symlink("file/", at("toFileSlash"))
  yield* fs.symlink("dir/sub", at("toSub"))
  yield* fs.symlink(at("dir"), at("absolute"))
  yield* fs.symlink("toSub/../inner", at("physical"))
  yield* fs.symlink("nowhere", at("dangling"))
  yield* fs.symlink("loopB", at("loopA"))
  yield* fs.symlink("loopA", at("loopB"))
  yield* fs.symlink("..", at("dir/up"))
  yield* fs.symlink("file", at("chain0"))
  for (let n = 1; n <= 41; n++) yield* fs.symlink(`chain${n - 1}`, at(`chain${n}`))
})

const paths = [
  "",
  "/",
  "file",
  "file/",
  "file/.",
  "file/..",
  "file/below",
  "file/below/deeper",
  "dir",
  "dir/",
  "dir//sub",
  "dir/.",
  "dir/sub/..",
  "dir/./inner",
  "dir/sub/../inner",
  "dir/missing",
  "missing",
  "missing/",
  "missing/below",
  "missing/../file",
  "toFile",
  "toFile/",
  "toFile/below",
  "toDir",
  "toDir/",
  "toDir/inner",
  "toDir/missing",
  "toDirSlash",
  "toFileSlash",
  "toSub/..",
  "toSub/../inner",
  "absolute/inner",
  "physical",
  "dangling",
  "dangling/",
  "dangling/below",
  "loopA",
  "loopA/",
  "loopA/below",
  "dir/up/file",
  "dir/up/dir/up/toDir/inner",
  "chain39",
  "chain40",
  "chain41",
  "x".repeat(255),
  "x".repeat(256),
  "ü".repeat(127),
  "ü".repeat(128),
  "x/".repeat(2100),
  "nul\0byte"
]

const forEachPath = (operation: (fs: FileSystem.FileSystem, path: string) => ReturnType<Operation>) =>
  Object.fromEntries([
    ...paths.map((path): [string, Operation] => [JSON.stringify(path), (fs, at) => operation(fs, at(path))]),
    ["the empty path", (fs) => operation(fs, "")] as [string, Operation]
  ])

describe("looking", () => {
  parity(
    "stat",
    setup,
    forEachPath((fs, path) => Effect.map(fs.stat(path), ({ mode, type }) => [type, mode]))
  )
  parity(
    "lstat",
    setup,
    forEachPath((fs, path) =>
      Effect.map(fs.lstat(path), ({ mode, size, type }) => [type, mode, type === "Directory" ? undefined : size])
    )
  )
  parity(
    "access",
    setup,
    forEachPath((fs, path) => fs.access(path))
  )
  parity(
    "exists",
    setup,
    forEachPath((fs, path) => fs.exists(path))
  )
  const { "the empty path": _, ...spelled } = forEachPath((fs, path) => fs.realPath(path))
  parity("realPath", setup, spelled)
  parity(
    "readLink",
    setup,
    forEachPath((fs, path) => fs.readLink(path))
  )
  parity(
    "readFile",
    setup,
    forEachPath((fs, path) => fs.readFile(path))
  )
  parity(
    "readFileString",
    setup,
    forEachPath((fs, path) => fs.readFileString(path))
  )
  parity(
    "stream",
    setup,
    forEachPath((fs, path) => Stream.runCollect(fs.stream(path, { offset: 1, chunkSize: 2 })))
  )
  parity(
    "open",
    setup,
    forEachPath((fs, path) =>
      Effect.map(
        Effect.flatMap(fs.open(path), (file) => file.stat),
        ({ type }) => type
      )
    )
  )
  parity(
    "open without following",
    setup,
    forEachPath((fs, path) =>
      Effect.map(
        Effect.flatMap(fs.open(path, { noFollow: true }), (file) => file.stat),
        ({ type }) => type
      )
    )
  )
  parity(
    "readDirectory",
    setup,
    forEachPath((fs, path) => Effect.map(fs.readDirectory(path), (names) => names.sort().slice(0, 5)))
  )
  parity(
    "readDirectoryEntries",
    setup,
    forEachPath((fs, path) =>
      Effect.map(fs.readDirectoryEntries(path), (entries) =>
        entries
          .map(({ name, type }) => `${name} ${type}`)
          .sort()
          .slice(0, 60)
      )
    )
  )
  parity(
    "recursive readDirectory follows links to directories until the kernel stops it",
    (fs, at) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(at("dir/sub"), { recursive: true })
        yield* fs.writeFileString(at("dir/inner"), "")
        yield* fs.writeFileString(at("file"), "")
        yield* fs.symlink(".", at("dir/self"))
        yield* fs.symlink("dir", at("toDir"))
      }),
    {
      "a link to itself": (fs, at) =>
        Effect.map(fs.readDirectory(at("dir"), { recursive: true }), (names) => names.sort()),
      "through a link": (fs, at) =>
        Effect.map(fs.readDirectory(at("toDir"), { recursive: true }), (names) => names.sort()),
      "with a slash": (fs, at) =>
        Effect.map(fs.readDirectory(at("dir/"), { recursive: true }), (names) => names.sort()),
      "a file": (fs, at) => fs.readDirectory(at("file"), { recursive: true }),
      missing: (fs, at) => fs.readDirectory(at("missing"), { recursive: true })
    }
  )
  parity("glob", setup, {
    all: (fs, at) => Effect.map(fs.glob("**/inner", { root: at("") }), (found) => found.sort())
  })
})

describe("changing", () => {
  for (const flag of ["r", "r+", "w", "wx", "w+", "wx+", "a", "ax", "a+", "ax+"] as const) {
    parity(`open ${flag}`, setup, {
      ...forEachPath((fs, path) =>
        Effect.gen(function* () {
          const file = yield* fs.open(path, { flag, mode: 0o777 })
          const read = yield* Effect.exit(file.readAlloc(3))
          const written = yield* Effect.exit(file.write(Uint8Array.of(65, 66)))
          const cut = yield* Effect.exit(file.truncate(4))
          yield* Effect.ignore(file.writeAll(Uint8Array.of(67)))
          return [read, written, cut].map(({ _tag }) => _tag)
        })
      ),
      snapshot
    })
    parity(`writeFile ${flag}`, setup, {
      ...forEachPath((fs, path) => fs.writeFile(path, Uint8Array.of(65, 66), { flag, mode: 0o640 })),
      snapshot
    })
  }
  parity("makeDirectory", setup, { ...forEachPath((fs, path) => fs.makeDirectory(path)), snapshot })
  parity("makeDirectory, recursive", setup, {
    ...forEachPath((fs, path) => Effect.asVoid(fs.makeDirectory(path, { recursive: true }))),
    "two levels": (fs, at) => Effect.asVoid(fs.makeDirectory(at("new/er"), { recursive: true, mode: 0o700 })),
    "through a link": (fs, at) => Effect.asVoid(fs.makeDirectory(at("toSub/new/er"), { recursive: true })),
    "below a file": (fs, at) => fs.makeDirectory(at("file/new/er"), { recursive: true }),
    snapshot
  })
  parity("symlink", setup, { ...forEachPath((fs, path) => fs.symlink("some/where", path)), snapshot })
  parity("symlink without a target", setup, { empty: (fs, at) => fs.symlink("", at("new")) })
  parity("link to a new name", setup, {
    ...forEachPath((fs, path) => fs.link(path, `${path.replace(/\/+$/, "")}-2`)),
    snapshot
  })
  parity("link over what is there", setup, { ...forEachPath((fs, path) => fs.link(path, path)), snapshot })
  parity("truncate", setup, {
    ...forEachPath((fs, path) => fs.truncate(path, 7)),
    "to nothing": (fs, at) => fs.truncate(at("dir/inner")),
    snapshot
  })
  parity("chmod", setup, { ...forEachPath((fs, path) => fs.chmod(path, 0o750)), snapshot })
  parity("utimes", setup, {
    ...forEachPath((fs, path) => fs.utimes(path, 1_000, new Date(2_000_500))),
    "seconds and dates": (fs, at) => Effect.map(fs.stat(at("file")), ({ atime, mtime }) => [atime, mtime]),
    "links are followed": (fs, at) => Effect.map(fs.stat(at("toDir")), ({ mtime }) => mtime),
    "not a time": (fs, at) => fs.utimes(at("file"), Number.NaN, 1)
  })
  // What `rm` does with a trailing slash or dot is an accident of its steps, and not the same from one Node to the next.
  const removable = [
    "file",
    "file/below",
    "missing",
    "missing/below",
    "toFile",
    "toDir",
    "dangling",
    "loopA",
    "loopA/below"
  ]
  for (const options of [{}, { force: true }, { recursive: true }, { recursive: true, force: true }]) {
    parity(`remove ${JSON.stringify(options)}`, setup, {
      ...Object.fromEntries(
        [...removable, "empty", "dir", "x".repeat(256), "nul\0byte"].map((path): [string, Operation] => [
          path,
          (fs, at) => fs.remove(at(path), options)
        ])
      ),
      snapshot
    })
  }
  const two = [
    "file",
    "dir",
    "dir/sub",
    "empty",
    "missing",
    "missing/below",
    "file/below",
    "toFile",
    "toDir",
    "dangling",
    "loopA",
    "dir/new",
    "dir/sub/new",
    "new",
    "new/",
    "dir/inner",
    "dir/.",
    "dir/.."
  ]
  const pairs = two.flatMap((from) => two.map((to) => [from, to] as const))
  // One tree a pair: a success changes what comes after.
  const onPairs = (
    name: string,
    pairs: ReadonlyArray<readonly [string, string]>,
    operation: (fs: FileSystem.FileSystem, from: string, to: string) => ReturnType<Operation>
  ) =>
    parity(
      name,
      () => Effect.void,
      Object.fromEntries(
        pairs.map(([from, to]): [string, Operation] => [
          `${from} -> ${to}`,
          (fs, root) =>
            Effect.gen(function* () {
              const at = (path: string) => (path === "" ? root("tree") : root(`tree/${path}`))
              yield* fs.remove(root("tree"), { recursive: true, force: true })
              yield* smallSetup(fs, at)
              const result = yield* Effect.result(operation(fs, at(from), at(to)))
              return [result._tag === "Failure" ? described(result.failure) : result._tag, yield* snapshot(fs, at)]
            })
        ])
      )
    )
  const smallSetup: Operation = Effect.fnUntraced(function* (fs, at) {
    yield* fs.makeDirectory(at("dir/sub"), { recursive: true })
    yield* fs.makeDirectory(at("empty"))
    yield* fs.writeFileString(at("file"), "hello")
    yield* fs.writeFileString(at("dir/inner"), "inner", { mode: 0o640 })
    yield* fs.symlink("file", at("toFile"))
    yield* fs.symlink("dir", at("toDir"))
    yield* fs.symlink("nowhere", at("dangling"))
    yield* fs.symlink("loopB", at("loopA"))
    yield* fs.symlink("loopA", at("loopB"))
  })
  onPairs("rename", pairs, (fs, from, to) => fs.rename(from, to))
  const sources = ["file", "dir", "missing", "file/below", "toFile", "dangling", "loopA", "dir/inner"]
  const fewerPairs = pairs.filter(([from]) => sources.includes(from))
  onPairs("link", fewerPairs, (fs, from, to) => fs.link(from, to))
  onPairs("copyFile", fewerPairs, (fs, from, to) => fs.copyFile(from, to))
  const copies = [
    "file",
    "dir",
    "empty",
    "missing",
    "file/below",
    "dir/new",
    "dir/sub/new/er",
    "new",
    "new/er",
    "dir/inner"
  ]
  // Node looks at both ends at once: with both bad, either may be the one that is reported.
  const isRace = (from: string, to: string) =>
    to === "file/below" && ["missing", "dir/new", "new", "new/er", "dir/sub/new/er"].includes(from)
  const copyPairs = [...copies, "toFile", "dangling"].flatMap((from) =>
    copies.filter((to) => !isRace(from, to)).map((to) => [from, to] as const)
  )
  onPairs("copy", copyPairs, (fs, from, to) => fs.copy(from, to))
  onPairs("copy, overwriting", copyPairs, (fs, from, to) => fs.copy(from, to, { overwrite: true }))

  parity("open files", setup, {
    "reading in steps": (fs, at) =>
      Effect.gen(function* () {
        const file = yield* fs.open(at("file"))
        const buffer = new Uint8Array(3)
        const seen: Array<unknown> = [yield* file.read(buffer), buffer.slice()]
        seen.push(yield* file.readAlloc(10), yield* file.readAlloc(10), yield* file.read(buffer))
        seen.push(
          yield* file.read(buffer, { position: 1n }),
          buffer.slice(),
          yield* file.readAlloc(1, { position: 99n })
        )
        seen.push(yield* file.seek(2n, "start"), yield* file.seek(-1n, "current"), yield* file.readAlloc(2))
        seen.push(yield* file.readAlloc(0), yield* file.read(new Uint8Array()))
        return seen.map((value) => (Option.isOption(value) ? plain(Option.getOrNull(value)) : plain(value)))
      }),
    "seeking before the start": (fs, at) => Effect.flatMap(fs.open(at("file")), (file) => file.seek(-1n, "current")),
    "reading before the start": (fs, at) =>
      Effect.flatMap(fs.open(at("file")), (file) => file.readAlloc(1, { position: -1n })),
    "a negative size": (fs, at) => Effect.flatMap(fs.open(at("file")), (file) => file.readAlloc(-1)),
    "writing past the end": (fs, at) =>
      Effect.gen(function* () {
        const file = yield* fs.open(at("holes"), { flag: "w+" })
        yield* file.seek(3n, "start")
        const written = yield* file.write(Uint8Array.of(1, 2))
        yield* file.truncate(8)
        yield* file.writeAll(Uint8Array.of(3))
        yield* file.truncate(1)
        yield* file.writeAll(Uint8Array.of(4))
        yield* file.sync
        return [written, (yield* file.stat).size, yield* fs.readFile(at("holes"))]
      }),
    appending: (fs, at) =>
      Effect.gen(function* () {
        const file = yield* fs.open(at("file"), { flag: "a+" })
        yield* file.seek(1n, "start")
        yield* file.writeAll(Uint8Array.of(33))
        const tail = yield* file.readAlloc(10)
        return [plain(Option.getOrThrow(tail)), yield* fs.readFileString(at("file"))]
      }),
    "reading what is open for writing": (fs, at) =>
      Effect.flatMap(fs.open(at("new"), { flag: "w" }), (file) => file.readAlloc(1)),
    "writing what is open for reading": (fs, at) =>
      Effect.flatMap(fs.open(at("file")), (file) => file.write(Uint8Array.of(1))),
    "truncating what is open for reading": (fs, at) => Effect.flatMap(fs.open(at("file")), (file) => file.truncate(1)),
    "using a closed file": (fs, at) => Effect.flatMap(Effect.scoped(fs.open(at("file"))), (file) => file.readAlloc(1)),
    "reading a directory": (fs, at) => Effect.flatMap(fs.open(at("dir")), (file) => file.readAlloc(1)),
    "a deleted file": (fs, at) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(at("doomed"), "still here")
        const file = yield* fs.open(at("doomed"), { flag: "r+" })
        yield* fs.remove(at("doomed"))
        yield* fs.writeFileString(at("doomed"), "another")
        const content = yield* file.readAlloc(20)
        return [plain(Option.getOrThrow(content)), (yield* file.stat).nlink, yield* fs.readFileString(at("doomed"))]
      }),
    "a renamed file": (fs, at) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(at("before"), "moved")
        const file = yield* fs.open(at("before"), { flag: "a" })
        yield* fs.rename(at("before"), at("after"))
        yield* file.writeAll(Uint8Array.of(33))
        return yield* fs.readFileString(at("after"))
      }),
    "two names": (fs, at) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(at("one"), "same")
        yield* fs.link(at("one"), at("two"))
        yield* fs.writeFileString(at("two"), "changed")
        const [one, two] = [yield* fs.stat(at("one")), yield* fs.stat(at("two"))]
        return [
          one.nlink,
          Option.getOrThrow(one.ino) === Option.getOrThrow(two.ino),
          yield* fs.readFileString(at("one"))
        ]
      }),
    streams: (fs, at) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(at("long"), "0123456789")
        const read = (options: Parameters<FileSystem.FileSystem["stream"]>[1]) =>
          Effect.map(Stream.runCollect(fs.stream(at("long"), options)), (chunks) => chunks.map((chunk) => plain(chunk)))
        return [
          yield* read({ chunkSize: 4 }),
          yield* read({ offset: 3, bytesToRead: 5, chunkSize: 2 }),
          yield* read({ offset: 8, bytesToRead: 5 }),
          yield* read({ offset: 20 }),
          yield* read({ bytesToRead: 0 })
        ]
      }),
    sinks: (fs, at) =>
      Effect.gen(function* () {
        const chunks = Stream.make(Uint8Array.of(65), Uint8Array.of(66, 67))
        yield* Stream.run(chunks, fs.sink(at("sunk")))
        yield* Stream.run(chunks, fs.sink(at("sunk"), { flag: "a" }))
        return yield* fs.readFileString(at("sunk"))
      }),
    "temporary files": (fs, at) =>
      Effect.gen(function* () {
        const directory = yield* fs.makeTempDirectory({ directory: at("dir"), prefix: "pre-" })
        const scoped = yield* Effect.scoped(
          Effect.gen(function* () {
            const [one, two] = [
              yield* fs.makeTempDirectoryScoped({ directory: at("dir") }),
              yield* fs.makeTempFileScoped()
            ]
            return [one, two, yield* fs.exists(one), yield* fs.exists(two)] as const
          })
        )
        const file = yield* fs.makeTempFile({ directory: at("dir"), suffix: ".md" })
        return [
          directory.slice(0, -6),
          directory.length,
          (yield* fs.stat(directory)).mode,
          scoped[0].length,
          scoped[2],
          scoped[3],
          yield* fs.exists(scoped[0]),
          yield* fs.exists(scoped[1]),
          file.endsWith(".md"),
          yield* fs.readFileString(file)
        ]
      }),
    "a temporary directory nowhere": (fs, at) =>
      fs
        .makeTempDirectory({ directory: at("missing") })
        .pipe(Effect.catch((error) => Effect.succeed([error.reason._tag, error.reason.method])))
  })
})

describe("permissions", () => {
  /** Nothing is denied to root, so a test that runs as root (in a container, say) steps down for its duration. */
  const asOrdinaryUser = Effect.acquireRelease(
    Effect.sync(() => {
      const isRoot = process.geteuid?.() === 0
      if (isRoot) process.seteuid?.(65_534)
      return isRoot
    }),
    (wasRoot) => Effect.sync(() => (wasRoot ? process.seteuid?.(0) : undefined))
  )

  const modes = { noSearch: 0o644, noList: 0o311, noWrite: 0o555, unreadable: 0o222, unwritable: 0o444 }
  const guarded: Operation = Effect.fnUntraced(function* (fs, at) {
    for (const directory of ["noSearch", "noList", "noWrite"]) {
      yield* fs.makeDirectory(at(directory))
      yield* fs.writeFileString(at(`${directory}/inner`), "inner")
    }
    yield* fs.makeDirectory(at("noSearch/sub"))
    for (const file of ["file", "unreadable", "unwritable"]) yield* fs.writeFileString(at(file), file)
    yield* fs.symlink("noSearch/inner", at("toInner"))
    for (const [name, mode] of Object.entries(modes)) yield* fs.chmod(at(name), mode)
  })
  const restore: Operation = (fs, at) =>
    Effect.forEach(Object.keys(modes), (name) => fs.chmod(at(name), 0o755), { discard: true })

  const guardedPaths = [
    "noSearch",
    "noSearch/",
    "noSearch/.",
    "noSearch/..",
    "noSearch/inner",
    "noSearch/missing",
    "noSearch/missing/below",
    "noList",
    "noList/inner",
    "noList/missing",
    "noWrite",
    "noWrite/inner",
    "noWrite/missing",
    "noWrite/missing/below",
    "unreadable",
    "unwritable",
    "toInner",
    "file"
  ]
  const denied = (
    name: string,
    operation: (fs: FileSystem.FileSystem, path: string, at: (path: string) => string) => ReturnType<Operation>
  ) =>
    onLinux(name, () =>
      Effect.andThen(
        asOrdinaryUser,
        compare(guarded, {
          ...Object.fromEntries(
            guardedPaths.map((path): [string, Operation] => [path, (fs, at) => operation(fs, at(path), at)])
          ),
          restore,
          snapshot
        })
      ).pipe(Effect.provide(NodeFileSystem.layer))
    )

  denied("stat", (fs, path) => Effect.map(fs.stat(path), ({ mode }) => mode))
  denied("lstat", (fs, path) => Effect.map(fs.lstat(path), ({ mode }) => mode))
  denied("realPath", (fs, path) => fs.realPath(path))
  denied("readFile", (fs, path) => fs.readFileString(path))
  denied("readDirectory", (fs, path) => Effect.map(fs.readDirectory(path), (names) => names.sort()))
  denied("readDirectory, recursive", (fs, path) =>
    Effect.map(fs.readDirectory(path, { recursive: true }), (names) => names.sort())
  )
  denied("readDirectoryEntries", (fs, path) =>
    Effect.map(fs.readDirectoryEntries(path), (entries) => entries.map(({ name, type }) => `${name} ${type}`).sort())
  )
  denied("readLink", (fs, path) => fs.readLink(path))
  for (const flag of ["r", "r+", "w", "a", "wx"] as const) {
    denied(`open ${flag}`, (fs, path) => Effect.asVoid(fs.open(path, { flag })))
  }
  denied("makeDirectory", (fs, path) => fs.makeDirectory(path))
  denied("makeDirectory, recursive", (fs, path) => Effect.asVoid(fs.makeDirectory(path, { recursive: true })))
  denied("makeTempDirectory", (fs, path) =>
    Effect.asVoid(fs.makeTempDirectoryScoped({ directory: path })).pipe(
      Effect.catch((error) => Effect.succeed([error.reason._tag, error.reason.method]))
    )
  )
  denied("symlink", (fs, path) => fs.symlink("file", path))
  denied("link from", (fs, path) => fs.link(path, `${path}-2`))
  denied("link to", (fs, path, at) => fs.link(at("file"), path))
  denied("rename from, and back", (fs, path) => {
    const other = `${path.replace(/\/+$/, "")}-2`
    return Effect.andThen(fs.rename(path, other), fs.rename(other, path))
  })
  denied("rename to", (fs, path, at) => fs.rename(at("file"), path))
  denied("copyFile from", (fs, path, at) => fs.copyFile(path, at("copied")))
  denied("copyFile to", (fs, path, at) => fs.copyFile(at("file"), path))
  denied("truncate", (fs, path) => fs.truncate(path, 2))
  denied("utimes", (fs, path) => fs.utimes(path, 1, 2))
  denied("chown", (fs, path) => fs.chown(path, 0, 0))
  denied("remove", (fs, path) => fs.remove(path))
  denied("remove, forced", (fs, path) => fs.remove(path, { force: true }))
})
