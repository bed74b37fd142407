import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { load } from "../../src/layers/instructions/load.ts"
import * as MemoryFileSystem from "../../src/testing/memoryFileSystem.ts"
import { cart, command, commandIn, shop, shopLayer } from "./harness.ts"

const json = (text: string) => JSON.parse(text)

describe("show", () => {
  it.effect("[I-23] prints the text that load gives, and ends it with one line end", () =>
    Effect.gen(function* () {
      const loaded = yield* load({ cwd: cart, maxBytes: 65_536 }).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HOME: "/home/ann" } })))
      )
      const { code, stderr, stdout } = yield* command("show", cart)
      assert.include(stdout, "Instructions from: packages/cart/AGENTS.local.md\n\nAnn is working on discounts.\n")
      assert.strictEqual(stdout, `${loaded.text}\n`)
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("--json prints everything about the text, and nothing else", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* command(
        "show",
        cart,
        "--json",
        "--max-bytes",
        "3000",
        "--candidates",
        "AGENTS.md,a/b"
      )
      const scope = { owner: "project", directory: "packages/cart" }
      const printed = json(stdout)
      assert.deepStrictEqual(Object.keys(printed), [
        "text",
        "bytes",
        "maxBytes",
        "projectRoot",
        "changes",
        "omitted",
        "truncated",
        "diagnostics"
      ])
      const { text, ...rest } = printed
      assert.match(text, /^<system-reminder>\n[^]*Ann is working[^]*<\/system-reminder>$/)
      assert.deepStrictEqual(rest, {
        bytes: new TextEncoder().encode(text).length,
        maxBytes: 3000,
        projectRoot: "/home/ann/shop",
        changes: [
          { action: "set", scope: { owner: "user", directory: ".", slot: "base" }, path: "~/.dsh/AGENTS.md" },
          { action: "set", scope: { ...scope, slot: "base" }, path: "packages/cart/AGENTS.md" },
          { action: "set", scope: { ...scope, slot: "local" }, path: "packages/cart/AGENTS.local.md" }
        ].map((change, index) => ({ ...change, digest: rest.changes[index].digest })),
        omitted: ["AGENTS.md"],
        truncated: [],
        diagnostics: [
          {
            tag: "CandidateIgnored",
            message:
              'instructionFileCandidates: "a/b" is no file name of one directory and is ignored; write a plain name without separators'
          }
        ]
      })
      assert.isTrue(stdout.endsWith("}\n"))
      assert.strictEqual(stderr, "")
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-62] --json says from and to how many bytes a file was cut", () =>
    Effect.gen(function* () {
      const { stdout } = yield* command("show", "/home/ann/shop", "--json", "--max-bytes", "1000")
      const { omitted, truncated } = json(stdout)
      assert.deepStrictEqual(omitted, ["~/.dsh/AGENTS.md"])
      assert.deepStrictEqual(truncated, [{ path: "AGENTS.md", from: 2438, to: truncated[0].to }])
      assert.isBelow(truncated[0].to, 1000)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-60] has a budget of 65,536 bytes unless it is given one", () =>
    Effect.gen(function* () {
      assert.strictEqual(json((yield* command("show", cart, "--json")).stdout).maxBytes, 65_536)
      const large = yield* command("show", "/home/ann/large", "--json")
      assert.strictEqual(json(large.stdout).bytes, 65_536)
    }).pipe(
      Effect.provide(MemoryFileSystem.layer({ ...shop, "/home/ann/large/AGENTS.md": { repeat: ["x", 100_000] } }))
    )
  )

  it.effect.each([0, -5])("[I-60] says in a sentence that a budget of %s turns instructions off", (budget) =>
    Effect.gen(function* () {
      const { code, stdout } = yield* command("show", cart, "--max-bytes", String(budget))
      assert.strictEqual(
        stdout,
        `Workspace instructions are off with a budget of ${budget} bytes; give --max-bytes a positive number.\n`
      )
      assert.strictEqual(code, 0)
      const printed = json((yield* command("show", cart, "--json", "--max-bytes", String(budget))).stdout)
      assert.deepStrictEqual([printed.text, printed.bytes, printed.maxBytes], ["", 0, budget])
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-62] says in a sentence that a budget has no room for anything", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* command("show", cart, "--max-bytes", "10")
      assert.strictEqual(
        stdout,
        "A budget of 10 bytes has no room for any of the 4 instruction files; raise --max-bytes.\n"
      )
      assert.strictEqual(code, 0)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-25] says in a sentence that there is nothing", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("show", "/home/ann/bare")
      assert.strictEqual(
        stdout,
        "There are no workspace instructions for /home/ann/bare: none of 5 paths looked at holds a file.\n"
      )
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0)
      assert.strictEqual(json((yield* command("show", "/home/ann/bare", "--json")).stdout).text, "")
    }).pipe(Effect.provide(MemoryFileSystem.layer({ "/home/ann/bare/": null })))
  )

  it.effect("[I-9] reports what cannot be read on standard error, one line each, whatever it is called", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryFileSystem.MemoryFileSystem
      const directory = '/home/ann/a "b"\nc\u202e\u001b[31mé'
      yield* memory.write(`${directory}/AGENTS.md`, "secret")
      yield* memory.write(`${directory}/AGENTS.local.md`, "a\0b")
      yield* memory.fault(`${directory}/AGENTS.md`, "stat", "PermissionDenied")
      const { code, stderr, stdout } = yield* command("show", directory)
      const shown = '/home/ann/a "b"\\nc\\u202e\\u001b[31mé'
      assert.deepStrictEqual(stderr.split("\n"), [
        `agent-context: CandidateUnavailable: ${shown}/AGENTS.md is not used now: PermissionDenied (EACCES)`,
        `agent-context: SourceBinary: ${shown}/AGENTS.local.md is not used now: it holds NUL bytes and is no text`,
        ""
      ])
      assert.strictEqual(stdout, `There are no workspace instructions for ${shown}: 2 files cannot be used now.\n`)
      assert.strictEqual(code, 0)

      const printed = json((yield* command("show", directory, "--json")).stdout)
      assert.deepStrictEqual(
        printed.diagnostics.map(({ path, tag }: { readonly path: string; readonly tag: string }) => [tag, path]),
        [
          ["CandidateUnavailable", `${directory}/AGENTS.md`],
          ["SourceBinary", `${directory}/AGENTS.local.md`]
        ]
      )
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )
})

describe("options", () => {
  const paths = (...args: ReadonlyArray<string>) =>
    Effect.map(command("show", cart, "--json", ...args), ({ stdout }) =>
      json(stdout).changes.map(({ path }: { readonly path: string }) => path)
    )

  it.effect("[I-1] --candidates is a list with commas; white space around a name is not part of it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* paths("--candidates", "NONE.md, CLAUDE.md", "--local-candidates", "x"), [
        "~/.dsh/AGENTS.md",
        "CLAUDE.md"
      ])
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect.each(["--local-candidates=", "--local-candidates"])("[I-1] %s and nothing is the empty list", (flag) =>
    Effect.gen(function* () {
      const expected = ["~/.dsh/AGENTS.md", "AGENTS.md", "packages/cart/AGENTS.md"]
      assert.deepStrictEqual(yield* paths(...(flag.endsWith("=") ? [flag] : [flag, ""])), expected)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-7] --selection all", () =>
    Effect.gen(function* () {
      assert.include(yield* paths("--selection", "all"), "CLAUDE.md")
      assert.notInclude(yield* paths("--selection", "first"), "CLAUDE.md")
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-4] --root-markers names what a root holds; with none the directory is the root", () =>
    Effect.gen(function* () {
      const root = (...args: ReadonlyArray<string>) =>
        Effect.map(command("show", cart, "--json", ...args), ({ stdout }) => json(stdout).projectRoot)
      assert.strictEqual(yield* root("--root-markers", "none,AGENTS.local.md"), cart)
      assert.strictEqual(yield* root("--root-markers", ".dsh"), "/home/ann")
      assert.strictEqual(yield* root("--root-markers", ""), cart)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-10] --max-source-bytes", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* command("show", cart, "--max-source-bytes", "640")
      assert.deepStrictEqual(
        stderr.split("\n").map((line) => line.split(" ").slice(0, 3).join(" ")),
        [
          "agent-context: SourceOversized: /home/ann/shop/AGENTS.md",
          `agent-context: SourceOversized: ${cart}/AGENTS.md`,
          ""
        ]
      )
      assert.include(stdout, "Ann is working on discounts.")
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-3] --home, absolute, with a tilde, or from where the command runs; else $DSH_HOME", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const here = `${process.cwd()}/own`
      for (const directory of ["/own", "/home/ann/own", here]) {
        yield* fs.makeDirectory(directory, { recursive: true })
        yield* fs.writeFileString(`${directory}/AGENTS.md`, `I am ${directory}.`)
      }
      const own = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
        Effect.map(
          commandIn({ env: { HOME: "/home/ann", ...env } }, "show", "/home", ...args),
          ({ stdout }) => /I am (.*)\./.exec(stdout)?.[1]
        )
      assert.strictEqual(yield* own({}, "--home", "/own"), "/own")
      assert.strictEqual(yield* own({}, "--home", "~/own"), "/home/ann/own")
      assert.strictEqual(yield* own({}, "--home", "own"), here)
      assert.strictEqual(yield* own({}, "--home", "./own"), here)
      assert.strictEqual(yield* own({ DSH_HOME: "/own" }), "/own")
      assert.strictEqual(yield* own({ DSH_HOME: "/own" }, "--home", "~/own"), "/home/ann/own")
      assert.isUndefined(yield* own({}))
    }).pipe(Effect.provide(MemoryFileSystem.layer({ "/home/ann/": null })))
  )
})
