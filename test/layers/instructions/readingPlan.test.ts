/**
 * Which files are read. What cannot be shown need not be; what is shown never depends on it (I-10, I-61 to I-63).
 */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { load } from "../../../src/layers/instructions/load.ts"
import { sha1 } from "../../../src/pipeline/digest.ts"
import { candidateLists, resolveSettings, userLists } from "../../../src/pipeline/instructions/chain.ts"
import { compose } from "../../../src/pipeline/instructions/compose.ts"
import type { CandidateState, Observed, ObservedDirectory } from "../../../src/pipeline/instructions/observed.ts"
import { nothingTold } from "../../../src/pipeline/instructions/told.ts"
import type { LoadedInstructions } from "../../../src/schemas/Instructions.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"

const names = ["AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md"] as const

/** A file of a generated tree. `twin` is one text wherever it stands, `link` leads to one file outside the chain. */
const Entry = Schema.Struct({
  kind: Schema.Literals(["none", "none", "text", "text", "tag", "utf16", "bom", "twin", "link"]),
  size: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5000 }))
})
type Entry = typeof Entry.Type

const Tree = Schema.Struct({
  user: Entry,
  directories: Schema.Array(
    Schema.Struct({
      name: Schema.Literals(["a", "src", "a-folder-with-quite-a-long-name-".repeat(6), "f\u00fcr\nalle"]),
      files: Schema.Tuple([Entry, Entry, Entry, Entry])
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(6)),
  selection: Schema.Literals(["first", "first", "all"]),
  /** Which files the budget is meant for, and how much more or less than their texts it allows. */
  meant: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 25 - 1 })),
  beside: Schema.Int.check(Schema.isBetween({ minimum: -200, maximum: 1500 }))
})
type Tree = typeof Tree.Type

const shared = "shared rules, the same for all. ".repeat(90)
const twin = "one text in many places. ".repeat(60)

interface Made {
  readonly bytes: Uint8Array
  readonly text: string
}

const make = ({ kind, size }: Entry, path: string): Made | "link" | undefined => {
  // Encoded in another way, a file has another size on disk, with as many digits: only the notice tells them apart.
  const text = (length: number) => `${path} `.repeat(Math.ceil(length / path.length)).slice(0, length)
  switch (kind) {
    case "none":
      return undefined
    case "link":
      return "link"
    case "twin":
      return { bytes: Buffer.from(twin), text: twin }
    case "text":
      return { bytes: Buffer.from(text(size)), text: text(size) }
    case "tag": {
      const padded = `${text(size >> 2)}</system-reminder>${text(size >> 2)}</SYSTEM-reminder>`
      return { bytes: Buffer.from(padded), text: padded }
    }
    case "bom": {
      const plain = text(100 + (size % 890)).replaceAll(/[^ -~]/g, "?")
      return { bytes: Buffer.from(`\ufeff${plain}`), text: plain }
    }
    case "utf16": {
      const plain = text(1000 + (size % 3900)).replaceAll(/[^ -~]/g, "?")
      return { bytes: Buffer.from(`\ufeff${plain}`, "utf16le"), text: plain }
    }
  }
}

interface World {
  readonly files: Record<string, string | Uint8Array | { readonly link: string }>
  readonly cwd: string
  readonly places: ReadonlyArray<{
    readonly owner: "user" | "project"
    readonly directory: string
    readonly absolute: string
  }>
  readonly made: ReadonlyMap<string, Made>
  readonly links: ReadonlySet<string>
}

const build = (tree: Tree): World => {
  const files: World["files"] = { "/repo/.git": "gitdir: x", "/shared.md": shared }
  const made = new Map<string, Made>()
  const links = new Set<string>()
  const places: Array<World["places"][number]> = [{ owner: "user", directory: ".", absolute: "/home/u/.dsh" }]
  const put = (path: string, entry: Entry) => {
    const file = make(entry, path.replaceAll("\n", ""))
    if (file === undefined) return
    if (file === "link") {
      files[path] = { link: "/shared.md" }
      links.add(path)
      made.set(path, { bytes: Buffer.from(shared), text: shared })
    } else {
      files[path] = file.bytes
      made.set(path, file)
    }
  }
  put("/home/u/.dsh/AGENTS.md", tree.user)
  let directory = "."
  for (const [index, { files: entries, name }] of tree.directories.entries()) {
    if (index > 0) directory = directory === "." ? name : `${directory}/${name}`
    const absolute = directory === "." ? "/repo" : `/repo/${directory}`
    places.push({ owner: "project", directory, absolute })
    for (const [position, entry] of entries.entries()) put(`${absolute}/${names[position]!}`, entry)
  }
  return { files, cwd: places.at(-1)!.absolute, places, made, links }
}

const configure = (tree: Tree, world: World) => {
  const sizes = [...world.made.values()].map(({ text }) => Buffer.byteLength(text))
  const wanted = sizes.reduce((sum, size, index) => sum + (((tree.meant >> index) & 1) === 1 ? size : 0), 0)
  return { maxBytes: Math.max(1, wanted + tree.beside), candidateSelection: tree.selection }
}

/** What there is to tell when every file is read: a look of its own, without any file system. */
const everythingRead = (tree: Tree, world: World) => {
  const settings = resolveSettings(configure(tree, world))
  const state = (path: string): CandidateState => {
    const file = world.made.get(path)
    if (file === undefined) return { _tag: "absent", reason: undefined }
    const { text } = file
    const content = {
      _tag: "text" as const,
      text,
      bytes: Buffer.byteLength(text),
      digest: sha1(text),
      trimmedDigest: sha1(text.trim()),
      repaired: false
    }
    return { _tag: "present", content, real: world.links.has(path) ? "/shared.md" : undefined }
  }
  const directories = world.places.map((place): ObservedDirectory => ({
    ...place,
    chain: true,
    lists: (place.owner === "user" ? userLists : candidateLists(settings)).map(({ names, slot }) => {
      const winner = names.findIndex((name) => world.made.has(`${place.absolute}/${name}`))
      return {
        slot,
        candidates: names.slice(0, winner < 0 ? names.length : winner + 1).map((name) => {
          const path = `${place.absolute}/${name}`
          return { name, path, state: state(path) }
        })
      }
    })
  }))
  const observed: Observed = { root: "/repo", identity: "any", shownHome: "~/.dsh", directories }
  return compose({ told: nothingTold, fresh: true, baselineWaits: false, observed, settings })
}

const loadTree = Effect.fnUntraced(function* (tree: Tree, world: World) {
  const { controls, fileSystem } = yield* Memory.make(world.files)
  const loaded = yield* load({ cwd: world.cwd, ...configure(tree, world) }).pipe(
    Effect.provideService(FileSystem.FileSystem, fileSystem),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HOME: "/home/u" } })))
  )
  assert.strictEqual(yield* controls.openHandles, 0)
  return { loaded, reads: yield* controls.allReads }
})

/** The reported size of an unread file may differ from that of its text, and only the notice says it. */
const withoutSizes = (text: string): string => text.replaceAll(/\(\d+ bytes\)/g, "(n bytes)")

describe("the reading plan", () => {
  it.effect.prop(
    "[I-61] [I-63] never decides what is shown: the message is that of a look which reads everything",
    { tree: Tree },
    ({ tree }) =>
      Effect.gen(function* () {
        const world = build(tree)
        const { loaded } = yield* loadTree(tree, world)
        const expected = everythingRead(tree, world)
        assert.strictEqual(withoutSizes(loaded.text), withoutSizes(expected.text))
        assert.deepStrictEqual(loaded.changes, expected.source?.changes ?? [])
        assert.deepStrictEqual(loaded.truncated, expected.truncated)
        const paths = (omitted: LoadedInstructions["omitted"]) => omitted.map(({ path }) => path)
        assert.deepStrictEqual(paths(loaded.omitted), paths(expected.omitted))
        const rows = (report: LoadedInstructions["report"]) =>
          report.map(({ outcome, path, renderedBytes }) => [path, outcome, renderedBytes])
        assert.deepStrictEqual(rows(loaded.report), rows(expected.report))
      }),
    { arbitrary: { runs: 1000 } }
  )

  const chain = (count: number, file: (index: number) => string | Uint8Array | { readonly link: string }) => {
    const files: Record<string, string | Uint8Array | { readonly link: string }> = { "/repo/.git": "gitdir: x" }
    let directory = "/repo"
    for (let index = 0; index < count; index++) {
      if (index > 0) directory = `${directory}/d${index}`
      files[`${directory}/AGENTS.md`] = file(index)
    }
    return { files, cwd: directory }
  }

  const loadChain = Effect.fnUntraced(function* (
    { cwd, files }: ReturnType<typeof chain>,
    maxBytes: number,
    more: Partial<Parameters<typeof load>[0]> = {}
  ) {
    const { controls, fileSystem } = yield* Memory.make(files)
    const loaded = yield* load({ cwd, maxBytes, ...more }).pipe(
      Effect.provideService(FileSystem.FileSystem, fileSystem),
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} })))
    )
    assert.strictEqual(yield* controls.openHandles, 0)
    const shown = (outcome: string) => loaded.report.filter((row) => row.outcome === outcome).map((row) => row.shown)
    return { loaded, shown, reads: yield* controls.allReads }
  })

  it.effect("[I-61] of a long chain over budget about as many files are read as fit", () =>
    Effect.gen(function* () {
      const { loaded, reads, shown } = yield* loadChain(
        chain(51, () => "x".repeat(4096)),
        65_536
      )
      assert.strictEqual(shown("omitted").length, 51 - shown("loaded").length)
      assert.isTrue(shown("loaded").length >= 14 && Object.keys(reads).length <= 17)
      for (const { outcome, path } of loaded.report) {
        if (outcome === "loaded") assert.strictEqual(reads[path], 1)
      }
    })
  )

  it.effect("[I-61] what fits is read in one round, each file once", () =>
    Effect.gen(function* () {
      const { reads, shown } = yield* loadChain(
        chain(51, () => "x".repeat(1000)),
        65_536
      )
      assert.strictEqual(shown("loaded").length, 51)
      assert.deepStrictEqual(new Set(Object.values(reads)), new Set([1]))
    })
  )

  it.effect("[I-61] when the most specific file has to be cut, nothing else is read", () =>
    Effect.gen(function* () {
      const { loaded, reads, shown } = yield* loadChain(
        chain(20, () => "y".repeat(100_000)),
        65_536
      )
      assert.strictEqual(loaded.truncated.length, 1)
      assert.strictEqual(shown("omitted").length, 19)
      assert.strictEqual(Object.keys(reads).length, 1)
    })
  )

  it.effect("[I-61] a large file in the middle is left out unread, broader ones that fit are not", () =>
    Effect.gen(function* () {
      const { loaded, reads, shown } = yield* loadChain(
        chain(4, (index) => (index === 2 ? "z".repeat(900_000) : "small\n")),
        65_536
      )
      assert.deepStrictEqual(shown("loaded"), ["AGENTS.md", "d1/AGENTS.md", "d1/d2/d3/AGENTS.md"])
      assert.deepStrictEqual(loaded.omitted, [{ path: "d1/d2/AGENTS.md", bytes: 900_000 }])
      assert.strictEqual(reads["/repo/d1/d2/AGENTS.md"], undefined)
    })
  )

  it.effect("[I-62] an unread file is omitted with the size that was reported for it", () =>
    Effect.gen(function* () {
      const { files, cwd } = chain(2, (index) => (index === 1 ? "x".repeat(5000) : ""))
      files["/repo/AGENTS.md"] = Buffer.from("\ufeff" + "r".repeat(300_000), "utf16le")
      const { loaded, reads } = yield* loadChain({ files, cwd }, 6000)
      assert.include(loaded.text, "omitted AGENTS.md (600002 bytes)\n")
      const row = loaded.report.find(({ shown }) => shown === "AGENTS.md")!
      assert.deepStrictEqual([row.outcome, row.bytes, row.renderedBytes], ["omitted", 600_002, 0])
      assert.strictEqual(reads["/repo/AGENTS.md"], undefined)
    })
  )

  it.effect("[I-61] the words around the texts count: what they push out makes room for a broader file", () =>
    Effect.gen(function* () {
      const texts = ["r".repeat(3000), "m".repeat(30_000), "d".repeat(30_000)]
      const { loaded, shown } = yield* loadChain(
        chain(3, (index) => texts[index]!),
        60_100
      )
      assert.deepStrictEqual(shown("loaded"), ["AGENTS.md", "d1/d2/AGENTS.md"])
      assert.deepStrictEqual(loaded.omitted, [{ path: "d1/AGENTS.md", bytes: 30_000 }])
    })
  )

  it.effect("[I-6] of one real file in several places the first is read and shown, within the budget", () =>
    Effect.gen(function* () {
      const { files, cwd } = chain(3, () => ({ link: "/shared.md" }))
      files["/shared.md"] = "s".repeat(60_000)
      const { reads, shown } = yield* loadChain({ files, cwd }, 65_536)
      assert.deepStrictEqual(shown("loaded"), ["AGENTS.md"])
      assert.deepStrictEqual(shown("duplicate"), ["d1/AGENTS.md", "d1/d2/AGENTS.md"])
      assert.strictEqual(reads["/repo/AGENTS.md"], 1)
    })
  )

  it.effect("[I-7] files of one directory are compared even if they cannot fit", () =>
    Effect.gen(function* () {
      const { files, cwd } = chain(2, () => "x".repeat(5000))
      files["/repo/AGENTS.md"] = "same".repeat(50_000)
      files["/repo/AGENTS.local.md"] = `${"same".repeat(50_000)}\n`
      const { loaded, shown } = yield* loadChain({ files, cwd }, 6000)
      assert.deepStrictEqual(shown("duplicate"), ["AGENTS.local.md"])
      assert.deepStrictEqual(loaded.omitted, [{ path: "AGENTS.md", bytes: 200_000 }])
    })
  )

  it.effect("[I-7] equal files of one directory take the room of one", () =>
    Effect.gen(function* () {
      const { files, cwd } = chain(2, () => "x".repeat(20_000))
      files["/repo/d1/AGENTS.local.md"] = "x".repeat(20_000)
      const { shown } = yield* loadChain({ files, cwd }, 42_000)
      assert.deepStrictEqual(shown("loaded"), ["AGENTS.md", "d1/AGENTS.md"])
    })
  )

  it.effect("[I-61] a budget too small for its own notice leaves nothing to guess: everything is read", () =>
    Effect.gen(function* () {
      const { files, cwd } = chain(12, (index) => "x".repeat(index === 0 ? 40 : 400))
      const { loaded, reads } = yield* loadChain({ files, cwd }, 700)
      assert.strictEqual(Object.keys(reads).length, 12)
      assert.isTrue(loaded.bytes <= 700)
    })
  )
})
