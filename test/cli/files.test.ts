import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as fs from "node:fs"
import * as path from "node:path"
import * as MemoryFileSystem from "../../src/testing/memoryFileSystem.ts"
import { command } from "./harness.ts"

const disk = MemoryFileSystem.layer({
  "/shop/.gitignore": "dist/\n",
  "/shop/src/plan.ts": "",
  "/shop/src/a plan.md": "",
  "/shop/dist/plan.js": "",
  "/shop/odd\u001b[31m.ts": ""
})

const files = (...args: ReadonlyArray<string>) => command("files", "--dir", "/shop", ...args)

describe("files", () => {
  it.effect("[F-3] prints a candidate a line, best first, directories with a slash", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* files("plan"), { stdout: "src/plan.ts\nsrc/a plan.md\n", stderr: "", code: 0 })
      assert.deepStrictEqual(yield* files("plan", "--limit", "1"), { stdout: "src/plan.ts\n", stderr: "", code: 0 })
      assert.strictEqual((yield* files("")).stdout, "src/\nodd\\u001b[31m.ts\n")
      assert.strictEqual((yield* files("dist/")).stdout, "dist/plan.js\n")
    }).pipe(Effect.provide(disk))
  )

  it.effect("[F-1] --json has candidates and whether there is more", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(JSON.parse((yield* files("plan", "--json", "--limit", "1")).stdout), {
        candidates: [{ path: "src/plan.ts", kind: "file" }],
        truncated: true
      })
      assert.deepStrictEqual(JSON.parse((yield* files("sr", "--json")).stdout).candidates[0], {
        path: "src",
        kind: "directory"
      })
      assert.deepStrictEqual(JSON.parse((yield* files("nothing-like-it", "--json")).stdout), {
        candidates: [],
        truncated: false
      })
    }).pipe(Effect.provide(disk))
  )

  it.effect.each([
    ["zzz", 'Nothing in /shop matches "zzz".'],
    ["src/zzz", 'Nothing in /shop/src begins with "zzz".'],
    ["none/", "There is no directory /shop/none."],
    ["empty/", "/shop/empty has nothing to show."],
    ["/shop/none/x", "There is no directory /shop/none."]
  ] as const)(
    "says why there is nothing for %j, where a completion does not look, and that is no failure",
    ([query, why]) =>
      Effect.gen(function* () {
        yield* FileSystem.FileSystem.use((fs) => fs.makeDirectory("/shop/empty"))
        assert.deepStrictEqual(yield* files(query), { stdout: "", stderr: `agent-context: ${why}\n`, code: 0 })
        const { stderr, stdout } = yield* files(query, "--json")
        assert.deepStrictEqual([JSON.parse(stdout), stderr], [{ candidates: [], truncated: false }, ""])
      }).pipe(Effect.provide(disk))
  )

  it.effect("says that a directory cannot be read", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryFileSystem.MemoryFileSystem
      yield* memory.fault("/shop/src", "list", "PermissionDenied")
      const { code, stderr, stdout } = yield* files("src/")
      assert.match(stderr, /^agent-context: \/shop\/src cannot be listed: PermissionDenied[^\n]*\.\n$/)
      assert.deepStrictEqual([stdout, code], ["", 0])
    }).pipe(Effect.provide(disk))
  )

  it.effect("[F-3] says in one line that a query leads out", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* files("../")
      assert.strictEqual(stderr, 'agent-context: "../" leads out of /shop; only what is inside can be referred to\n')
      assert.deepStrictEqual([stdout, code], ["", 1])
    }).pipe(Effect.provide(disk))
  )

  it.effect("needs a workspace that exists, a query, and a limit that makes sense", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* command("files", "x", "--dir", "/none")).code, 1)
      for (const args of [["--limit", "0", "x"], ["--limit", "many", "x"], []]) {
        const { code, stderr, stdout } = yield* files(...args)
        assert.match(stderr, /^agent-context: [^\n]+\n$/)
        assert.deepStrictEqual([stdout, code], ["", 2])
      }
    }).pipe(Effect.provide(disk))
  )

  it("is explained in the README with all its flags", () => {
    const readme = fs.readFileSync(path.join(import.meta.dirname, "../../README.md"), "utf8")
    for (const said of [
      "agent-context files QUERY",
      "--limit N",
      "--dir DIR",
      "{ candidates: [{ path, kind }], truncated }"
    ]) {
      assert.include(readme, said)
    }
  })
})
