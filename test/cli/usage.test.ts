import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as fs from "node:fs"
import * as path from "node:path"
import { version } from "../../src/cli/version.ts"
import * as MemoryFileSystem from "../../src/testing/memoryFileSystem.ts"
import { command, shopLayer } from "./harness.ts"

const subcommands = ["show", "explain"] as const

/** Arguments, and a piece of the one line that they deserve. */
const misunderstood: ReadonlyArray<readonly [args: ReadonlyArray<string>, said: string]> = [
  [["--max-bytes", "many"], `Invalid value for flag --max-bytes: "many". Expected a whole number of bytes`],
  [["--max-bytes", "NaN"], `"NaN". Expected a whole number of bytes`],
  [["--max-bytes", "Infinity"], `"Infinity". Expected a whole number of bytes`],
  [["--max-bytes", "1e3"], `"1e3". Expected a whole number of bytes`],
  [["--max-bytes", "99999999999999999999"], "Expected a whole number of bytes"],
  [["--max-bytes", "1.5"], `"1.5". Expected a whole number of bytes`],
  [["--max-bytes", ""], "Missing value for flag --max-bytes. Expected a whole number of bytes"],
  [["--max-bytes"], "Missing value for flag --max-bytes"],
  [["--max-bytes", "1", "--max-bytes", "2"], "--max-bytes"],
  [["--max-source-bytes", "0"], "--max-source-bytes was 0, must be a positive whole number of bytes"],
  [["--max-source-bytes", "x"], `Invalid value for flag --max-source-bytes: "x". Expected a whole number of bytes`],
  [["--home", ""], `--home was "", must be a directory`],
  [["--selection", "some"], `Invalid value for flag --selection: "some". Expected: "first" | "all"`],
  [["--nonsense"], "Unrecognized flag: --nonsense"],
  [["--nonsense", "--selection", "some"], "Unrecognized flag: --nonsense"],
  [[""], `Invalid value for argument <dir>: "". Expected a directory`],
  [["a", "b"], `Unexpected positional argument: "b"`]
]

it.effect("a misspelt subcommand is answered in one readable line", () =>
  Effect.gen(function* () {
    const { code, stderr } = yield* command("shw")
    assert.strictEqual(code, 2)
    assert.match(stderr, /^agent-context: .*"shw".* Did you mean this\? show \(see agent-context --help\)\n$/)
  }).pipe(Effect.provide(MemoryFileSystem.layer({})))
)

describe.each(subcommands)("%s", (subcommand) => {
  it.effect.each(misunderstood)("answers %j in one line on standard error", ([args, said]) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command(subcommand, ...args)
      assert.match(stderr, /^agent-context: [^\n]+\n$/)
      assert.include(stderr, said)
      assert.strictEqual(stdout, "")
      assert.strictEqual(code, 2)
    }).pipe(Effect.provide(MemoryFileSystem.layer({ [`${process.cwd()}/`]: null })))
  )

  it.effect("points to its own help", () =>
    Effect.gen(function* () {
      const { stderr } = yield* command(subcommand, "--nonsense")
      assert.include(stderr, `(see agent-context ${subcommand} --help)`)
      const { code, stdout } = yield* command(subcommand, "--help")
      for (const flag of [
        "max-bytes",
        "max-source-bytes",
        "home",
        "candidates",
        "local-candidates",
        "selection",
        "root-markers",
        "json"
      ]) {
        assert.include(stdout, `  --${flag} `)
      }
      assert.strictEqual(code, 0)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("needs a directory that exists", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryFileSystem.MemoryFileSystem
      yield* memory.link("/loop", "/loop")
      yield* memory.mkdir("/closed/inner")
      yield* memory.chmod("/closed", 0)
      const said = (directory: string) =>
        Effect.map(command(subcommand, directory), ({ code, stderr, stdout }) => {
          assert.deepStrictEqual([stdout, code], ["", 1])
          return stderr
        })
      assert.strictEqual(
        yield* said("/no/where"),
        "agent-context: There is no directory /no/where; name one that exists.\n"
      )
      assert.strictEqual(
        yield* said("/no\nwhere"),
        "agent-context: There is no directory /no\\nwhere; name one that exists.\n"
      )
      assert.strictEqual(
        yield* said("/home/ann/shop/AGENTS.md/x"),
        "agent-context: There is no directory /home/ann/shop/AGENTS.md/x; name one that exists.\n"
      )
      assert.strictEqual(
        yield* said("/home/ann/shop/AGENTS.md"),
        "agent-context: /home/ann/shop/AGENTS.md is no directory; name the one it lies in.\n"
      )
      assert.strictEqual(
        yield* said("/closed/inner"),
        "agent-context: /closed/inner cannot be looked at: PermissionDenied (EACCES); name a directory that you may read.\n"
      )
      assert.strictEqual(
        yield* said("/loop"),
        "agent-context: /loop cannot be looked at: too many symbolic links; name a directory that you may read.\n"
      )
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("[I-5] says so when no project root can be settled", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryFileSystem.MemoryFileSystem
      yield* memory.fault("/home/ann/shop/packages", "list", "PermissionDenied")
      yield* memory.fault("/home/ann/shop/packages/.git", "stat", "PermissionDenied")
      const { code, stderr, stdout } = yield* command(subcommand, "/home/ann/shop/packages/cart")
      assert.strictEqual(
        stderr,
        "agent-context: Cannot tell where the project begins: probing /home/ann/shop/packages/.git failed (PermissionDenied (EACCES)). Make it readable and try again.\n"
      )
      assert.strictEqual(stdout, "")
      assert.strictEqual(code, 1)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("takes what follows -- as the directory", () =>
    Effect.gen(function* () {
      assert.include(
        (yield* command(subcommand, "--", "--odd")).stderr,
        `There is no directory ${process.cwd()}/--odd;`
      )
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("keeps a bug away from standard output", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command(subcommand, "/", "--json")
      assert.include(stderr, "agent-context: this is a bug, please report it\nError: broken")
      assert.strictEqual(stdout, "")
      assert.strictEqual(code, 1)
    }).pipe(Effect.provide(FileSystem.layerNoop({ stat: () => Effect.die(new Error("broken")) })))
  )
})

describe("agent-context", () => {
  it("has the version of its package", () => {
    const manifest = fs.readFileSync(path.join(import.meta.dirname, "../../package.json"), "utf8")
    assert.strictEqual(version, JSON.parse(manifest).version)
  })

  it.effect.each(["--version", "-v"])("%s prints the version", (flag) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command(flag)
      assert.deepStrictEqual([stdout, stderr, code], [`${version}\n`, "", 0])
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("alone prints its help, with every command in it", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command()
      for (const subcommand of subcommands) assert.include(stdout, `  ${subcommand} `)
      assert.deepStrictEqual([stderr, code], ["", 0])
      assert.strictEqual((yield* command("--help")).stdout, stdout)
    }).pipe(Effect.provide(shopLayer))
  )

  it.effect("does not guess what an unknown command means", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("shwo")
      assert.match(stderr, /^agent-context: Unknown subcommand "shwo"[^\n]*\n$/)
      assert.deepStrictEqual([stdout, code], ["", 2])
    }).pipe(Effect.provide(shopLayer))
  )
})
