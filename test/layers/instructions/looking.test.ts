/** One look: what is asked at the same time, and what a session remembers of an earlier one (I-13, I-41, I-52). */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { TestClock } from "effect/testing"
import { look, type LookRequest } from "../../../src/layers/instructions/discovery.ts"
import type { Memo } from "../../../src/layers/instructions/memo.ts"
import { makeWorkspace } from "../../../src/layers/instructions/workspace.ts"
import { sha1 } from "../../../src/pipeline/digest.ts"
import { resolveSettings } from "../../../src/pipeline/instructions/chain.ts"
import { missingTexts } from "../../../src/pipeline/instructions/plan.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"

const settings = resolveSettings({ maxBytes: 65_536 })

const request = (fs: FileSystem.FileSystem, more: Partial<LookRequest> = {}): LookRequest => ({
  fs,
  settings,
  places: [{ owner: "project", directory: ".", absolute: "/repo", chain: true }],
  toldDigest: () => undefined,
  memo: new Map(),
  complete: false,
  listings: undefined,
  missing: (known) =>
    missingTexts(
      { root: "/repo", identity: "", shownHome: "~/.dsh", directories: known },
      settings,
      () => false,
      (path) => more.toldDigest?.(path)
    ),
  shadowed: false,
  plan: undefined,
  ...more
})

/** Counts how many requests of one kind are under way at once; each takes a turn of the scheduler. */
const crowded = (fs: FileSystem.FileSystem) => {
  const most = { stat: 0, open: 0 }
  const now = { stat: 0, open: 0 }
  const count = <A, E, R>(kind: "stat" | "open", self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      now[kind] += 1
      most[kind] = Math.max(most[kind], now[kind])
      return Effect.andThen(Effect.yieldNow, self).pipe(Effect.ensuring(Effect.sync(() => (now[kind] -= 1))))
    })
  const counting: FileSystem.FileSystem = {
    ...fs,
    stat: (path) => count("stat", fs.stat(path)),
    open: (path, how) => count("open", fs.open(path, how))
  }
  return { most, fs: counting }
}

describe("a look", () => {
  it.effect("[I-13] asks side by side, within bounds, and answers in message order", () =>
    Effect.gen(function* () {
      const directories = Array.from({ length: 100 }, (_, index) => `d${String(index).padStart(3, "0")}`)
      const { controls, fileSystem } = yield* Memory.make(
        Object.fromEntries(directories.map((directory) => [`/repo/${directory}/CLAUDE.md`, `text of ${directory}\n`]))
      )
      const { fs, most } = crowded(fileSystem)
      const places = directories.map((directory) => ({
        owner: "project" as const,
        directory,
        absolute: `/repo/${directory}`,
        chain: false
      }))
      const seen = yield* look(request(fs, { places }))
      assert.deepStrictEqual(
        seen.map(({ directory }) => directory),
        directories
      )
      for (const { directory, lists } of seen) {
        assert.deepStrictEqual(
          lists.map(({ slot }) => slot),
          ["base", "local"]
        )
        const state = lists[0]!.candidates[1]!.state
        assert.isTrue(
          state._tag === "present" && state.content._tag === "text" && state.content.text === `text of ${directory}\n`
        )
      }
      assert.isTrue(most.stat > 1 && most.stat <= 32, `${most.stat} probes at once`)
      assert.isTrue(most.open > 1 && most.open <= 16, `${most.open} files open at once`)
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )

  it.effect("[I-64] knows digests and sizes of the decoded text", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make({ "/repo/AGENTS.md": Buffer.from("\ufeff né \n") })
      const [directory] = yield* look(request(fileSystem))
      assert.deepStrictEqual(directory!.lists[0]!.candidates, [
        {
          name: "AGENTS.md",
          path: "/repo/AGENTS.md",
          state: {
            _tag: "present",
            real: undefined,
            content: {
              _tag: "text",
              text: " né \n",
              bytes: 6,
              digest: sha1(" né \n"),
              trimmedDigest: sha1("né"),
              repaired: false
            }
          }
        }
      ])
    })
  )
})

describe("what is remembered", () => {
  /** A told file after a first look, `age` after it was written. */
  const told = Effect.fnUntraced(function* (age: `${number} millis`) {
    const { controls, fileSystem } = yield* Memory.make({ "/repo/AGENTS.md": "one!\n" })
    yield* TestClock.adjust(age)
    const memo: Memo = new Map()
    yield* look(request(fileSystem, { memo }))
    yield* controls.resetCounters
    const again = (more: Partial<LookRequest> = {}) =>
      Effect.map(look(request(fileSystem, { memo, toldDigest: () => sha1("one!\n"), ...more })), ([directory]) => {
        const state = directory!.lists[0]!.candidates[0]!.state
        return state._tag === "present" ? state.content : state
      })
    return { controls, fileSystem, memo, again, reads: controls.reads("/repo/AGENTS.md") }
  })

  it.effect("[I-52] an unchanged told file with a trusted version is not read", () =>
    Effect.gen(function* () {
      const { again, controls, reads } = yield* told("2000 millis")
      assert.deepStrictEqual(yield* again(), {
        _tag: "digest",
        bytes: 5,
        digest: sha1("one!\n"),
        trimmedDigest: sha1("one!")
      })
      assert.strictEqual(yield* reads, 0)
      assert.strictEqual(yield* controls.probes("/repo/AGENTS.md"), 1)
    })
  )

  it.effect("[I-52] a version younger than two seconds is not trusted", () =>
    Effect.gen(function* () {
      const { again, controls, reads } = yield* told("1999 millis")
      yield* controls.write("/repo/AGENTS.md", "two!\n", { sameStat: true })
      assert.strictEqual((yield* again())._tag, "text")
      assert.strictEqual(yield* reads, 1)
      // That look sampled no later than the first one: still not trusted.
      yield* again()
      assert.strictEqual(yield* reads, 2)
      yield* TestClock.adjust("1 millis")
      yield* again({ toldDigest: () => sha1("two!\n") })
      yield* again({ toldDigest: () => sha1("two!\n") })
      assert.strictEqual(yield* reads, 3)
    })
  )

  it.effect("[I-52] a modification time in the future is never trusted", () =>
    Effect.gen(function* () {
      const { again, fileSystem, reads } = yield* told("10000 millis")
      yield* fileSystem.utimes("/repo/AGENTS.md", new Date(20_000), new Date(20_000))
      yield* again()
      yield* again()
      assert.strictEqual(yield* reads, 2)
    })
  )

  it.effect("[I-52] a changed size, time or file is read", () =>
    Effect.gen(function* () {
      const { again, controls, fileSystem, reads } = yield* told("10000 millis")
      yield* controls.write("/repo/AGENTS.md", "two!\n")
      assert.strictEqual((yield* again())._tag, "text")
      yield* controls.write("/repo/AGENTS.md", "longer\n", { sameStat: true })
      yield* controls.reportSize("/repo/AGENTS.md", 7)
      assert.strictEqual((yield* again())._tag, "text")
      yield* fileSystem.utimes("/repo/AGENTS.md", new Date(5), new Date(5))
      yield* again()
      yield* controls.write("/repo/other", "other\n")
      yield* fileSystem.utimes("/repo/other", new Date(5), new Date(5))
      yield* controls.reportSize("/repo/other", 7)
      yield* controls.rename("/repo/other", "/repo/AGENTS.md")
      const content = yield* again()
      assert.isTrue(content._tag === "text" && content.text === "other\n")
      assert.strictEqual(yield* reads, 4)
    })
  )

  it.effect("[I-52] what is not told, or told otherwise, is read; so is everything for a complete rendering", () =>
    Effect.gen(function* () {
      const { again, reads } = yield* told("10000 millis")
      assert.strictEqual((yield* again({ toldDigest: () => undefined }))._tag, "text")
      assert.strictEqual((yield* again({ toldDigest: () => sha1("before\n") }))._tag, "text")
      assert.strictEqual((yield* again({ complete: true }))._tag, "text")
      assert.strictEqual(yield* reads, 3)
    })
  )

  it.effect("[I-52] a told file is compared even if the plan has no use for it", () =>
    Effect.gen(function* () {
      const { again, controls, reads } = yield* told("10000 millis")
      yield* controls.write("/repo/AGENTS.md", "two!\n")
      const tight = { plan: () => new Set<string>(), settings: resolveSettings({ maxBytes: 3 }) }
      assert.strictEqual((yield* again(tight))._tag, "text")
      assert.strictEqual(yield* reads, 1)
      assert.deepStrictEqual(yield* again({ ...tight, toldDigest: () => undefined }), { _tag: "size", bytes: 5 })
      assert.strictEqual(yield* reads, 1)
    })
  )

  it.effect("[I-52] a file that became unreadable is forgotten", () =>
    Effect.gen(function* () {
      const { again, controls, memo } = yield* told("10000 millis")
      assert.strictEqual(memo.size, 1)
      yield* controls.write("/repo/AGENTS.md", "binary\0")
      assert.strictEqual((yield* again())._tag, "unavailable")
      assert.strictEqual(memo.size, 0)
    })
  )
})

describe("a workspace", () => {
  const environment = ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HOME: "/home/u" } }))
  const workspace = Effect.provide(makeWorkspace(settings, "/repo/a"), environment)
  const ask = (fs: FileSystem.FileSystem, nested: ReadonlyArray<string> = []) => ({
    fs,
    nested,
    toldDigest: () => undefined,
    isTold: () => false,
    complete: () => true,
    shadowed: false
  })

  it.effect("[I-4] finds its root once; a failed search is made again", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({ "/repo/.git/": null, "/repo/a/": null })
      const { look, root } = yield* workspace
      yield* controls.fault("/repo/a/.git", "stat", "PermissionDenied")
      assert.strictEqual((yield* Effect.flip(look(ask(fileSystem))))._tag, "ProjectRootUnavailable")
      yield* controls.heal()
      assert.strictEqual((yield* look(ask(fileSystem))).root, "/repo")
      yield* controls.resetCounters
      yield* controls.write("/repo/a/.git", "a new root\n")
      assert.strictEqual((yield* look(ask(fileSystem))).root, "/repo")
      assert.strictEqual(yield* root(fileSystem), "/repo")
      assert.strictEqual(yield* controls.probes("/repo/a/.git"), 0)
    })
  )

  it.effect(
    "[I-51] nested directories take their place: parents before children, siblings by code units, each once",
    () =>
      Effect.gen(function* () {
        const { fileSystem } = yield* Memory.make({ "/repo/.git/": null, "/repo/a/": null })
        const { look } = yield* workspace
        const seen = yield* look(ask(fileSystem, ["b", "a/z", "a", "a/z", "a/Z/deep", ".", "a-b", "a/Z"]))
        assert.deepStrictEqual(
          seen.directories.map(
            ({ chain, directory, owner }) => `${owner === "user" ? owner : directory}${chain ? " chain" : ""}`
          ),
          ["user chain", ". chain", "a chain", "a/Z", "a/Z/deep", "a/z", "a-b", "b"]
        )
      })
  )

  it.effect("[I-52] told digests are looked up by the path as it was logged, the user's by its display form", () =>
    Effect.gen(function* () {
      const { fileSystem } = yield* Memory.make({
        "/repo/.git/": null,
        "/repo/a/AGENTS.md": "more than fits",
        "/repo/h/AGENTS.md": "more than fits"
      })
      const { look } = yield* makeWorkspace(resolveSettings({ maxBytes: 1, home: "/repo/h" }), "/repo/a")
      const asked: Array<string> = []
      yield* look({
        ...ask(fileSystem),
        complete: () => false,
        plan: () => new Set(),
        toldDigest: (path, owner) => (asked.push(`${owner} ${path}`), undefined)
      })
      assert.includeMembers(asked, ["user $DSH_HOME/AGENTS.md", "project a/AGENTS.md"])
    })
  )

  it.effect("[I-52] the user's told file is not read again either", () =>
    Effect.gen(function* () {
      const { controls, fileSystem } = yield* Memory.make({
        "/repo/.git/": null,
        "/repo/a/": null,
        "/home/u/.dsh/AGENTS.md": "mine\n"
      })
      yield* TestClock.adjust("10 seconds")
      const { look } = yield* workspace
      yield* look(ask(fileSystem))
      yield* controls.resetCounters
      const toldDigest = (path: string, owner: string) =>
        owner === "user" && path === "~/.dsh/AGENTS.md" ? sha1("mine\n") : undefined
      yield* look({ ...ask(fileSystem), complete: () => false, toldDigest })
      assert.deepStrictEqual(yield* controls.allReads, {})
      yield* look({ ...ask(fileSystem), complete: () => false })
      assert.deepStrictEqual(yield* controls.allReads, { "/home/u/.dsh/AGENTS.md": 1 })
    })
  )
})
