import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import * as MemoryFileSystem from "../../src/testing/memoryFileSystem.ts"
import { cart, command, commandIn, shopLayer } from "./harness.ts"

const tree = `\
/home/ann/.dsh (the user's own)
└─ AGENTS.md          loaded       19 bytes  ▌                          1.9 %
/home/ann/shop (project root)
├─ AGENTS.md          omitted   2,438 bytes  the budget has no room for it
├─ CLAUDE.md          shadowed  by AGENTS.md
├─ AGENTS.local.md    absent
└─ CLAUDE.local.md    absent
packages/
├─ AGENTS.md          absent
├─ CLAUDE.md          absent
├─ AGENTS.local.md    absent
└─ CLAUDE.local.md    absent
packages/cart/
├─ AGENTS.md          loaded      648 bytes  █████▌                    23.1 %
├─ CLAUDE.md          absent
├─ AGENTS.local.md    loaded       29 bytes  ▋                          2.7 %
└─ CLAUDE.local.md    absent
Budget of 3,000 bytes
├─ instruction files              830 bytes  ██████▋                   27.7 %
├─ frame and notice               273 bytes  ██▏                        9.1 %
└─ free                         1,897 bytes  ███████████████▏          63.2 %
`

describe("explain", () => {
  it.effect("[I-64] prints every path with its outcome, its bytes and its share of the budget", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("explain", cart, "--max-bytes", "3000")
      assert.strictEqual(stdout, tree)
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0)
    }).pipe(Effect.provide(shopLayer))
  )

  it("the README shows this very tree", () => {
    assert.include(fs.readFileSync(path.join(import.meta.dirname, "../../README.md"), "utf8"), tree)
  })

  it.effect("with colours says the same", () =>
    Effect.gen(function* () {
      const { stdout } = yield* commandIn({ canColor: true }, "explain", cart, "--max-bytes", "3000")
      assert.notStrictEqual(stdout, tree)
      assert.strictEqual(stripVTControlCharacters(stdout), tree)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-64] --json has one entry for each path, shadowed names included", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* command("explain", "/home/ann/shop", "--json", "--max-bytes", "1000")
      const printed = JSON.parse(stdout)
      const scope = { owner: "project", directory: ".", slot: "base" }
      const [own, base, ...others] = printed.files
      assert.deepStrictEqual(Object.keys(printed), ["projectRoot", "maxBytes", "bytes", "files", "diagnostics"])
      assert.deepStrictEqual(
        [printed.projectRoot, printed.maxBytes, printed.bytes, printed.diagnostics],
        ["/home/ann/shop", 1000, 1000, []]
      )
      assert.deepStrictEqual(own, {
        path: "/home/ann/.dsh/AGENTS.md",
        scope: { ...scope, owner: "user" },
        outcome: "omitted",
        bytes: 19,
        renderedBytes: 0,
        reason: own.reason
      })
      assert.deepStrictEqual(base, {
        path: "/home/ann/shop/AGENTS.md",
        scope,
        outcome: "truncated",
        bytes: 2438,
        renderedBytes: base.renderedBytes,
        reason: base.reason
      })
      assert.match(base.reason, /^from 2438 to \d+ bytes$/)
      assert.deepStrictEqual(others, [
        {
          path: "/home/ann/shop/CLAUDE.md",
          scope,
          outcome: "shadowed",
          bytes: 0,
          renderedBytes: 0,
          reason: "by AGENTS.md"
        },
        ...["AGENTS.local.md", "CLAUDE.local.md"].map((name) => ({
          path: `/home/ann/shop/${name}`,
          scope: { ...scope, slot: "local" },
          outcome: "absent",
          bytes: 0,
          renderedBytes: 0
        }))
      ])
      assert.strictEqual(stderr, "")
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[C-8] says of a file when a link has brought it from outside the project", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryFileSystem.MemoryFileSystem
      yield* memory.write("/w/.git/HEAD", "")
      yield* memory.write("/shared/rules.md", "theirs\n")
      yield* memory.write("/w/docs/rules.md", "ours\n")
      yield* memory.link("/w/AGENTS.md", "../shared/rules.md")
      yield* memory.link("/w/AGENTS.local.md", "docs/rules.md")
      const { stdout } = yield* command("explain", "/w")
      assert.match(stdout, /─ AGENTS\.md +loaded .*from outside the project\n/)
      assert.notMatch(stdout, /AGENTS\.local\.md.*outside/)
      const json = JSON.parse((yield* command("explain", "/w", "--json")).stdout)
      assert.deepStrictEqual(
        json.files
          .filter(({ outside }: { outside?: true }) => outside === true)
          .map(({ path }: { path: string }) => path),
        ["/w/AGENTS.md"]
      )
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("[I-9] says below the tree what there is to say about files, in one line each", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryFileSystem.MemoryFileSystem
      yield* memory.write("/w/.git/HEAD", "")
      yield* memory.write("/w/a\nb/AGENTS.md", "x")
      yield* memory.fault("/w/a\nb/AGENTS.md", "read", "Unknown")
      const { stdout } = yield* command("explain", "/w/a\nb", "--candidates", "AGENTS.md", "--local-candidates", "")
      assert.strictEqual(
        stdout,
        `\
/home/ann/.dsh (the user's own)
└─ AGENTS.md          absent
/w (project root)
└─ AGENTS.md          absent
a\\nb/
└─ AGENTS.md          unavailable  Unknown (EIO)
Budget of 65,536 bytes
├─ instruction files                    0 bytes
├─ frame and notice                     0 bytes
└─ free                            65,536 bytes  ████████████████████████ 100.0 %
CandidateUnavailable: /w/a\\nb/AGENTS.md is not used now: Unknown (EIO)
There are no workspace instructions for /w/a\\nb: 1 file cannot be used now.
`
      )
    }).pipe(Effect.provide(MemoryFileSystem.layer()))
  )

  it.effect("[I-60] is one sentence when instructions are off", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* command("explain", cart, "--max-bytes", "0")
      assert.strictEqual(
        stdout,
        "Workspace instructions are off with a budget of 0 bytes; give --max-bytes a positive number.\n"
      )
      assert.strictEqual(code, 0)
      const printed = JSON.parse((yield* command("explain", cart, "--max-bytes", "0", "--json")).stdout)
      assert.deepStrictEqual(printed.files, [])
    }).pipe(Effect.provide(shopLayer))
  )
})
