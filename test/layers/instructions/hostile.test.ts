/** Trees that lie, change under the reader's hands, or hold no text: one clear outcome each (I-8 to I-12, I-64). */
import { assert, describe } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { Scope } from "effect/Scope"
import {
  both,
  findings,
  loadIn,
  type Loading,
  meddling,
  outcomes,
  populate,
  real,
  told,
  withRead,
  type World
} from "./world.ts"

const utf16 = (text: string, order: "le" | "be"): Uint8Array => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le")
  return order === "le" ? bytes : bytes.swap16()
}

const start = (world: World) => populate(world, { "/repo/.git/": null })

describe("links and what is no file", () => {
  both("[I-8] a final link is followed, relative, absolute and through other links", (world) =>
    Effect.gen(function* () {
      yield* populate(world, {
        "/repo/.git/": null,
        "/repo/docs/rules.md": "linked\n",
        "/shared/team.md": "team\n",
        "/repo/a/": null
      })
      yield* world.link("/repo/AGENTS.md", "docs/rules.md")
      yield* world.link("/repo/hop", "/shared/team.md")
      yield* world.link("/repo/a/AGENTS.md", "../hop")
      const loaded = yield* loadIn(world, { cwd: "/repo/a" })
      assert.deepStrictEqual(told(loaded), [". base AGENTS.md", "a base a/AGENTS.md"])
      assert.include(loaded.text, "linked")
      assert.include(loaded.text, "team")
    })
  )

  const stepsAside = (name: string, prepare: (world: World) => Effect.Effect<void, never, Scope>, reason: string) =>
    both(`[I-8] ${name} is absent, and the next name steps in`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, { "/repo/.git/": null, "/repo/CLAUDE.md": "next\n" })
        yield* prepare(world)
        const loaded = yield* loadIn(world, { cwd: "/repo" })
        assert.deepStrictEqual(told(loaded), [". base CLAUDE.md"])
        assert.deepStrictEqual(outcomes(world, loaded).slice(1, 3), [
          `/repo/AGENTS.md absent${reason === "" ? "" : `: it is no regular file (${reason})`}`,
          "/repo/CLAUDE.md loaded"
        ])
        assert.deepStrictEqual(loaded.diagnostics, [])
      })
    )

  const name = "/repo/AGENTS.md"
  stepsAside("a dangling link", (world) => world.link(name, "nowhere.md"), "")
  stepsAside("a link below a file", (world) => world.link(name, "CLAUDE.md/below.md"), "")
  stepsAside("a directory", (world) => world.mkdir(name), "Directory")
  stepsAside("a link to a directory", (world) => world.link(name, ".git"), "Directory")
  stepsAside("a FIFO", (world) => world.fifo(name), "FIFO")
  stepsAside("a link to a FIFO", (world) => Effect.andThen(world.fifo("/repo/pipe"), world.link(name, "pipe")), "FIFO")
  stepsAside("a socket", (world) => world.socket(name), "Socket")
  real("[I-8] a device is absent (real)", (world) =>
    Effect.gen(function* () {
      yield* start(world)
      yield* world.link("/repo/AGENTS.md", "../../../../../../../../../../dev/zero")
      const loaded = yield* loadIn(world, { cwd: "/repo" })
      assert.include(outcomes(world, loaded), "/repo/AGENTS.md absent: it is no regular file (CharacterDevice)")
    })
  )

  const loops = (title: string, prepare: (world: World) => Effect.Effect<void>) =>
    both(`[I-9] ${title} is unavailable and holds its place`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, {
          "/repo/.git/": null,
          "/repo/CLAUDE.md": "may not step in\n",
          "/repo/CLAUDE.local.md": "the other list\n"
        })
        yield* prepare(world)
        const loaded = yield* loadIn(world, { cwd: "/repo" })
        assert.deepStrictEqual(told(loaded), [". local CLAUDE.local.md"])
        assert.deepStrictEqual(outcomes(world, loaded).slice(1), [
          "/repo/AGENTS.md unavailable: too many symbolic links",
          "/repo/AGENTS.local.md absent",
          "/repo/CLAUDE.local.md loaded"
        ])
        assert.deepStrictEqual(findings(world, loaded), ["LinkLoop /repo/AGENTS.md"])
      })
    )

  loops("a link to itself", (world) => world.link(name, "AGENTS.md"))
  loops("a ring of links", (world) =>
    Effect.all(
      [world.link(name, "b.md"), world.link("/repo/b.md", "/repo/c.md"), world.link("/repo/c.md", "AGENTS.md")],
      {
        discard: true
      }
    )
  )
})

describe("text", () => {
  const reads = (title: string, content: Uint8Array | string, text: string, tags: ReadonlyArray<string> = []) =>
    both(`[I-11] ${title}`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": content })
        const loaded = yield* loadIn(world, { cwd: "/repo" })
        assert.include(loaded.text, `Instructions from: AGENTS.md\n\n${text}`)
        const row = loaded.report.find(({ shown }) => shown === "AGENTS.md")!
        assert.deepStrictEqual([row.outcome, row.bytes], ["loaded", Buffer.byteLength(text)])
        assert.deepStrictEqual(
          findings(world, loaded),
          tags.map((tag) => `${tag} /repo/AGENTS.md`)
        )
      })
    )

  reads("a UTF-8 byte-order mark is stripped", Buffer.from("\ufeffrules é\n"), "rules é\n")
  reads("only the first byte-order mark is one", Buffer.from("\ufeff\ufeffx\n"), "\ufeffx\n")
  reads("UTF-16 LE with a byte-order mark is decoded", utf16("Regeln 你好 🤖\n", "le"), "Regeln 你好 🤖\n")
  reads("UTF-16 BE with a byte-order mark is decoded", utf16("Regeln 你好 🤖\n", "be"), "Regeln 你好 🤖\n")
  reads(
    "other invalid UTF-8 loads with replacement characters and says so",
    Buffer.concat([Buffer.from("caf"), Buffer.from([0xe9, 0x20, 0xf0, 0x9f, 0x98]), Buffer.from("\n")]),
    "caf\ufffd \ufffd\n",
    ["InvalidUtf8"]
  )
  reads("a UTF-16 text cut in half says so", Buffer.concat([utf16("ab", "le"), Buffer.from([0x41])]), "ab\ufffd", [
    "InvalidUtf8"
  ])
  reads("a replacement character in a valid text is none of that", "\ufffd\n", "\ufffd\n")
  reads("line ends stay as they are", "a\r\nb\rc\n", "a\r\nb\rc\n")
  reads(
    "characters of several bytes decode across the chunks of a long file",
    "x🤖€é".repeat(5000),
    "x🤖€é".repeat(5000)
  )

  const refuses = (title: string, content: Uint8Array | string) =>
    both(`[I-11] ${title} is binary, unavailable, and holds its place`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": content, "/repo/CLAUDE.md": "no\n" })
        const loaded = yield* loadIn(world, { cwd: "/repo" })
        assert.deepStrictEqual([loaded.text, told(loaded)], ["", []])
        assert.strictEqual(outcomes(world, loaded)[1], "/repo/AGENTS.md binary: it holds NUL bytes and is no text")
        assert.isFalse(outcomes(world, loaded).some((row) => row.startsWith("/repo/CLAUDE.md")))
        assert.deepStrictEqual(findings(world, loaded), ["SourceBinary /repo/AGENTS.md"])
      })
    )

  refuses("a file with one NUL byte", "text\0text\n")
  refuses("a NUL after a UTF-8 byte-order mark", Buffer.from("\ufeffa\0"))
  refuses("UTF-16 without a byte-order mark", Buffer.from("rules", "utf16le"))
  refuses("UTF-16 with a NUL character", utf16("a\0b", "be"))

  both("[I-11] one line of five million bytes loads when both limits allow it", (world) =>
    Effect.gen(function* () {
      const line = "0123456789".repeat(500_000)
      yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": line })
      const whole = yield* loadIn(world, { cwd: "/repo", maxBytes: 6_000_000, maxSourceBytes: 5_000_000 })
      assert.isTrue(whole.text.includes(line))
      assert.deepStrictEqual(outcomes(world, whole)[1], "/repo/AGENTS.md loaded")
      const cut = yield* loadIn(world, { cwd: "/repo", maxSourceBytes: 5_000_000 })
      assert.isTrue(cut.bytes > 65_000 && cut.bytes <= 65_536)
      assert.deepStrictEqual(
        cut.truncated.map(({ from, path }) => [path, from]),
        [["AGENTS.md", 5_000_000]]
      )
      const refused = yield* loadIn(world, { cwd: "/repo", maxSourceBytes: 4_999_999 })
      assert.deepStrictEqual(findings(world, refused), ["SourceOversized /repo/AGENTS.md"])
    })
  )
})

describe("size", () => {
  const files = {
    "/repo/.git/": null,
    "/repo/AGENTS.md": "x".repeat(1001),
    "/repo/CLAUDE.md": "may not step in\n",
    "/repo/AGENTS.local.md": "y".repeat(1000)
  }

  /** A file system that reports `size` for a path. */
  const lying = (world: World, size: number | bigint, place = "/repo/AGENTS.md"): FileSystem.FileSystem => ({
    ...world.fs,
    stat: (asked) =>
      Effect.map(world.fs.stat(asked), (info) =>
        asked === world.at(place) ? { ...info, size: ByteSize.bytes(size) } : info
      )
  })

  /** Counts what is opened and how many bytes are handed out. */
  const counting = (fs: FileSystem.FileSystem) => {
    const seen = { opened: 0, bytes: 0 }
    const counted: FileSystem.FileSystem = {
      ...fs,
      open: (path, options) =>
        Effect.map(fs.open(path, options), (file) => {
          seen.opened += 1
          return withRead(file, (buffer) =>
            Effect.tap(file.read(buffer), (read) => Effect.sync(() => (seen.bytes += Number(read))))
          )
        })
    }
    return { seen, fs: counted }
  }

  both("[I-10] the limit is inclusive; an oversized winner is not read, and holds its place", (world) =>
    Effect.gen(function* () {
      yield* populate(world, files)
      const { fs, seen } = counting(world.fs)
      const loaded = yield* loadIn(world, { cwd: "/repo", maxSourceBytes: 1000, fs })
      assert.deepStrictEqual(told(loaded), [". local AGENTS.local.md"])
      assert.deepStrictEqual(
        loaded.report.slice(1).map(({ bytes, outcome, shown }) => [shown, outcome, bytes]),
        [
          ["AGENTS.md", "oversized", 1001],
          ["AGENTS.local.md", "loaded", 1000]
        ]
      )
      assert.deepStrictEqual(findings(world, loaded), ["SourceOversized /repo/AGENTS.md"])
      assert.include(loaded.diagnostics[0]!.message, "1001 bytes")
      assert.include(loaded.diagnostics[0]!.message, "maxSourceBytes")
      assert.deepStrictEqual(seen, { opened: 1, bytes: 1000 })
    })
  )

  for (const claimed of [0, 3, 999, 1000]) {
    both(`[I-10] counted while it is read, a file that claims ${claimed} bytes is oversized all the same`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, { ...files, "/repo/AGENTS.md": "x".repeat(500_000) })
        const { fs, seen } = counting(lying(world, claimed))
        const loaded = yield* loadIn(world, { cwd: "/repo", maxSourceBytes: 1000, fs })
        assert.deepStrictEqual(told(loaded), [". local AGENTS.local.md"])
        assert.strictEqual(loaded.report[1]!.outcome, "oversized")
        assert.isTrue(loaded.report[1]!.bytes > 1000)
        assert.isTrue(seen.bytes <= 1000 + 1001, `${seen.bytes} bytes were read`)
      })
    )
  }

  for (const claimed of [0, 1, 5, 11, 13, 900]) {
    both(`[I-10] a file of 12 bytes that claims ${claimed} loads whole`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, { ...files, "/repo/AGENTS.md": "twelve byte\n" })
        const loaded = yield* loadIn(world, { cwd: "/repo", maxSourceBytes: 1000, fs: lying(world, claimed) })
        assert.include(loaded.text, "AGENTS.md\n\ntwelve byte\n")
        assert.deepStrictEqual(
          [loaded.report[1]!.outcome, loaded.report[1]!.bytes, loaded.diagnostics],
          ["loaded", 12, []]
        )
      })
    )
  }

  both("[I-10] a file that claims more than the limit is oversized whatever it holds", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { ...files, "/repo/AGENTS.md": "small\n" })
      const loaded = yield* loadIn(world, { cwd: "/repo", maxSourceBytes: 1000, fs: lying(world, 1001) })
      assert.deepStrictEqual(told(loaded), [". local AGENTS.local.md"])
    })
  )

  for (const claimed of [2n ** 28n, 2n ** 28n + 1n, 2n ** 40n, 2n ** 53n, 2n ** 63n - 1n]) {
    both(`[I-10] neither a claim of ${claimed} bytes nor an endless limit is a crash`, (world) =>
      Effect.gen(function* () {
        yield* populate(world, { ...files, "/repo/AGENTS.md": "small\n" })
        const loaded = yield* loadIn(world, {
          cwd: "/repo",
          maxSourceBytes: Number.MAX_SAFE_INTEGER,
          fs: lying(world, claimed)
        })
        assert.strictEqual(loaded.report[1]!.outcome, claimed > 2n ** 28n ? "oversized" : "loaded")
        assert.isTrue(Number.isSafeInteger(loaded.report[1]!.bytes))
        assert.include(told(loaded), ". local AGENTS.local.md")
      })
    )
  }

  real("[I-10] a file that the system reports as empty is read to its end (real)", (world) =>
    Effect.gen(function* () {
      yield* start(world)
      yield* world.link("/repo/AGENTS.md", "../../../../../../../../../../proc/self/status")
      const loaded = yield* loadIn(world, { cwd: "/repo" })
      assert.include(loaded.text, "VmPeak")
      assert.include(loaded.text, "nonvoluntary_ctxt_switches")
    })
  )
})

describe("changes while it is looked at", () => {
  const moving = (
    title: string,
    when: "stat" | "open",
    change: (world: World) => Effect.Effect<void>,
    expected: { readonly told: ReadonlyArray<string>; readonly text: string; readonly row: string },
    options: Partial<Loading> = {}
  ) =>
    both(title, (world) =>
      Effect.gen(function* () {
        yield* populate(world, {
          "/repo/.git/": null,
          "/repo/AGENTS.md": "first version\n",
          "/repo/CLAUDE.md": "next name\n",
          "/repo/AGENTS.local.md": "local\n"
        })
        const fs = meddling(world, when, "/repo/AGENTS.md", change(world))
        const loaded = yield* loadIn(world, { cwd: "/repo", fs, ...options })
        assert.deepStrictEqual(told(loaded), expected.told)
        assert.include(loaded.text, expected.text)
        assert.include(outcomes(world, loaded), expected.row)
      })
    )

  const name = "/repo/AGENTS.md"
  const base = [". base AGENTS.md", ". local AGENTS.local.md"]
  const next = [". base CLAUDE.md", ". local AGENTS.local.md"]
  moving(
    "[I-10] a file that grows after it was asked for is read to its new end",
    "stat",
    (world) => world.write(name, "grown ".repeat(5000)),
    {
      told: base,
      text: "grown ".repeat(5000),
      row: "/repo/AGENTS.md loaded"
    }
  )
  moving(
    "[I-10] a file that grows while it is open is read to its new end",
    "open",
    (world) => world.write(name, "grown ".repeat(5000)),
    {
      told: base,
      text: "grown ".repeat(5000),
      row: "/repo/AGENTS.md loaded"
    }
  )
  moving(
    "[I-10] a file that grows past the limit while it is open is oversized",
    "open",
    (world) => world.write(name, "grown ".repeat(5000)),
    {
      told: [". local AGENTS.local.md"],
      text: "local\n",
      row: "/repo/AGENTS.md oversized: it has 101 bytes or more, the limit is 100; shorten it or raise maxSourceBytes"
    },
    { maxSourceBytes: 100 }
  )
  moving("[I-10] a file that shrinks is what is left of it", "open", (world) => world.write(name, "short"), {
    told: base,
    text: "AGENTS.md\n\nshort\n",
    row: "/repo/AGENTS.md loaded"
  })
  moving("[I-10] a file that is emptied is empty", "stat", (world) => world.write(name, ""), {
    told: base,
    text: "Instructions from: AGENTS.md\n(The file is empty.)\n",
    row: "/repo/AGENTS.md loaded"
  })
  moving(
    "[I-9] a file that vanishes before it is opened is absent, and the next name steps in",
    "stat",
    (world) => world.delete(name),
    {
      told: next,
      text: "next name\n",
      row: "/repo/AGENTS.md absent"
    }
  )
  moving("[I-9] a file that vanishes while it is open is still read", "open", (world) => world.delete(name), {
    told: base,
    text: "first version\n",
    row: "/repo/AGENTS.md loaded"
  })
  moving(
    "[I-8] a file that becomes a directory is absent, and the next name steps in",
    "stat",
    (world) => Effect.andThen(world.delete(name), world.mkdir(name)),
    { told: next, text: "next name\n", row: "/repo/AGENTS.md absent: it is a directory" }
  )
  moving(
    "[I-9] a file that becomes a link loop is unavailable",
    "stat",
    (world) => Effect.andThen(world.delete(name), world.link(name, "AGENTS.md")),
    {
      told: [". local AGENTS.local.md"],
      text: "local\n",
      row: "/repo/AGENTS.md unavailable: too many symbolic links"
    }
  )
  both("[I-8] with the directory above turned into a file, what is in it is absent", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { "/repo/.git/": null, "/repo/AGENTS.md": "first\n", "/repo/CLAUDE.md": "next\n" })
      const change = Effect.andThen(world.delete("/repo"), world.write("/repo", "a file"))
      const loaded = yield* loadIn(world, { cwd: "/repo", fs: meddling(world, "stat", "/repo/AGENTS.md", change) })
      assert.deepStrictEqual(told(loaded), [])
      assert.deepStrictEqual(outcomes(world, loaded).slice(1, 3), ["/repo/AGENTS.md absent", "/repo/CLAUDE.md absent"])
      assert.deepStrictEqual(loaded.diagnostics, [])
    })
  )

  both("[I-7] the name that steps in for a vanished one takes part in selection like any other", (world) =>
    Effect.gen(function* () {
      yield* populate(world, {
        "/repo/.git/": null,
        "/repo/AGENTS.md": "first\n",
        "/repo/CLAUDE.md": "same",
        "/repo/AGENTS.local.md": "same\n"
      })
      yield* populate(world, { "/repo/a/": null })
      yield* world.link("/repo/a/AGENTS.md", "/repo/CLAUDE.md")
      const fs = meddling(world, "stat", "/repo/AGENTS.md", world.delete("/repo/AGENTS.md"))
      const loaded = yield* loadIn(world, { cwd: "/repo/a", fs })
      assert.deepStrictEqual(told(loaded), [". base CLAUDE.md"])
      assert.deepStrictEqual(
        outcomes(world, loaded).filter((row) => row.includes("duplicate")),
        ["/repo/AGENTS.local.md duplicate: of CLAUDE.md", "/repo/a/AGENTS.md duplicate: of CLAUDE.md"]
      )
    })
  )
})

describe("permissions", () => {
  /** Takes root's powers away from this process until the scope ends; an ordinary user has none to lose. */
  const asOrdinaryUser: Effect.Effect<void, never, Scope> = Effect.acquireRelease(
    Effect.sync(() => {
      if (process.geteuid?.() !== 0) return false
      process.setegid!(65_534)
      process.seteuid!(65_534)
      return true
    }),
    (was) =>
      Effect.sync(() => {
        if (!was) return
        process.seteuid!(0)
        process.setegid!(0)
      })
  ).pipe(Effect.asVoid)

  const mode = (world: World, place: string, bits: number): Effect.Effect<void, never, Scope> =>
    Effect.asVoid(
      Effect.acquireRelease(Effect.orDie(world.fs.chmod(world.at(place), bits)), () =>
        Effect.ignore(world.fs.chmod(world.at(place), 0o755))
      )
    )

  const tree = {
    "/repo/.git/": null,
    "/repo/AGENTS.md": "secret\n",
    "/repo/CLAUDE.md": "may not step in\n",
    "/repo/CLAUDE.local.md": "local\n",
    "/home/u/.dsh/AGENTS.md": "mine\n"
  }

  /** A file system that takes root's powers away from every request. */
  const unprivileged = Effect.fnUntraced(function* (world: World, loading: Loading) {
    if (world.kind === "real") yield* mode(world, "/", 0o755)
    const load = loadIn(world, loading)
    return yield* world.kind === "memory" ? load : Effect.scoped(Effect.andThen(asOrdinaryUser, load))
  })

  both("[I-9] an unreadable file is unavailable; nothing steps in for it, everything else loads", (world) =>
    Effect.gen(function* () {
      yield* populate(world, tree)
      yield* mode(world, "/repo/AGENTS.md", 0)
      const loaded = yield* unprivileged(world, { cwd: "/repo" })
      assert.deepStrictEqual(told(loaded), ["user base ~/.dsh/AGENTS.md", ". local CLAUDE.local.md"])
      assert.deepStrictEqual(outcomes(world, loaded).slice(1, 2), [
        "/repo/AGENTS.md unavailable: PermissionDenied (EACCES)"
      ])
      assert.deepStrictEqual(findings(world, loaded), ["CandidateUnavailable /repo/AGENTS.md"])
    })
  )

  both("[I-9] in an unreadable directory every candidate is unavailable", (world) =>
    Effect.gen(function* () {
      yield* populate(world, tree)
      yield* mode(world, "/home/u/.dsh", 0)
      const loaded = yield* unprivileged(world, { cwd: "/repo" })
      assert.deepStrictEqual(told(loaded), [". base AGENTS.md", ". local CLAUDE.local.md"])
      assert.deepStrictEqual(findings(world, loaded), ["CandidateUnavailable /home/u/.dsh/AGENTS.md"])
    })
  )

  both("[I-5] an unreadable directory on the way up hides its marker and stops the search", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { ...tree, "/repo/private/deep/": null })
      yield* mode(world, "/repo/private", 0)
      const error = yield* Effect.flip(unprivileged(world, { cwd: "/repo/private/deep" }))
      assert.strictEqual(error._tag, "ProjectRootUnavailable")
      assert.include(error.message, world.at("/repo/private/deep/.git"))
    })
  )

  both("[I-9] with the root settled, an unreadable cwd costs only its own files", (world) =>
    Effect.gen(function* () {
      yield* populate(world, { ...tree, "/repo/private/AGENTS.md": "hidden\n" })
      yield* mode(world, "/repo/private", 0)
      const loaded = yield* unprivileged(world, { cwd: "/repo/private", projectRootMarkers: [] })
      assert.deepStrictEqual(told(loaded), ["user base ~/.dsh/AGENTS.md"])
      assert.deepStrictEqual(findings(world, loaded), [
        "CandidateUnavailable /repo/private/AGENTS.md",
        "CandidateUnavailable /repo/private/AGENTS.local.md"
      ])
    })
  )

  both("[I-9] a directory that can be entered but not listed hides nothing", (world) =>
    Effect.gen(function* () {
      yield* populate(world, tree)
      yield* mode(world, "/repo", 0o111)
      const loaded = yield* unprivileged(world, { cwd: "/repo" })
      assert.strictEqual(told(loaded).length, 3)
    })
  )
})
