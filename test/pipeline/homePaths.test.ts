/** Where the user's home of these tools is, and how it is shown. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { expandTilde, type Home, type HomeEnvironment, resolveHome } from "../../src/pipeline/homePaths.ts"

const check = (name: string, body: () => void) => it.effect(name, () => Effect.sync(body))
const home = (configured?: string, more: Partial<HomeEnvironment> = {}): Home | undefined =>
  resolveHome(configured, { osHome: "/home/u", dshHome: undefined, cwd: "/work", ...more })
const standard: Home = { path: "/home/u/.dsh", shown: "~/.dsh" }
const elsewhere = (path: string): Home => ({ path, shown: "$DSH_HOME" })

describe("resolveHome", () => {
  check("[I-3] the configured home, else $DSH_HOME, else ~/.dsh", () => {
    assert.deepStrictEqual(home("/cfg", { dshHome: "/env" }), elsewhere("/cfg"))
    assert.deepStrictEqual(home(undefined, { dshHome: "/env" }), elsewhere("/env"))
    assert.deepStrictEqual(home(), standard)
  })
  check("[I-3] blank is unset", () => {
    for (const blank of ["", " ", "\t\n"]) {
      assert.deepStrictEqual(home(undefined, { dshHome: blank }), standard)
      assert.deepStrictEqual(home(blank, { dshHome: "/env" }), elsewhere("/env"))
      assert.strictEqual(home(undefined, { osHome: blank }), undefined)
    }
  })
  check("[I-3] the tilde forms, configured or from the environment", () => {
    for (const [given, path] of [
      ["~", "/home/u"],
      ["~/", "/home/u"],
      ["~/x/y", "/home/u/x/y"],
      ["~\\x", "/home/u/x"],
      ["~//x", "/home/u/x"],
      ["~/../v", "/home/v"],
      ["~/C:/x", "/home/u/C:/x"],
      ["~other", "/work/~other"],
      ["~other/x", "/work/~other/x"],
      ["x/~", "/work/x/~"]
    ] as const) {
      assert.deepStrictEqual(home(given), elsewhere(path), given)
      assert.deepStrictEqual(home(undefined, { dshHome: given }), elsewhere(path), given)
    }
  })
  check("[I-3] the default place is shown as ~/.dsh however it was spelled", () => {
    for (const given of ["~/.dsh", "~\\.dsh", "~/.dsh/", "/home/u/.dsh", "/home/u/x/../.dsh", "../home/u/.dsh"]) {
      assert.deepStrictEqual(home(given), standard, given)
      assert.deepStrictEqual(home(undefined, { dshHome: given }), standard, given)
    }
  })
  check("[I-3] without an operating-system home, only what does not need it", () => {
    assert.strictEqual(home(undefined, { osHome: undefined }), undefined)
    assert.strictEqual(home("~/x", { osHome: undefined }), undefined)
    assert.strictEqual(home("~", { osHome: undefined, dshHome: "/env" }), undefined)
    assert.deepStrictEqual(home("/cfg", { osHome: undefined }), elsewhere("/cfg"))
    assert.deepStrictEqual(home("cfg", { osHome: undefined }), elsewhere("/work/cfg"))
  })
  check("[I-3] on Windows", () => {
    const windows = { osHome: "C:\\Users\\u", cwd: "D:\\work" }
    assert.deepStrictEqual(home(undefined, windows), { path: "C:\\Users\\u\\.dsh", shown: "~/.dsh" })
    assert.deepStrictEqual(home("~\\.dsh", windows), { path: "C:\\Users\\u\\.dsh", shown: "~/.dsh" })
    assert.deepStrictEqual(home("~/a\\b", windows), elsewhere("C:\\Users\\u\\a\\b"))
    assert.deepStrictEqual(home("E:/dsh", windows), elsewhere("E:\\dsh"))
    assert.deepStrictEqual(home("\\dsh", windows), elsewhere("D:\\dsh"))
    assert.deepStrictEqual(home("dsh", windows), elsewhere("D:\\work\\dsh"))
  })
})

describe("expandTilde", () => {
  check("[I-3] `~` stays without an operating-system home, and anywhere but in front", () => {
    assert.strictEqual(expandTilde("~/x", undefined), "~/x")
    assert.strictEqual(expandTilde("a/~/x", "/home/u"), "a/~/x")
    assert.strictEqual(expandTilde("~other", "/home/u"), "~other")
    assert.strictEqual(expandTilde("~", "/home/u"), "/home/u")
  })
})
