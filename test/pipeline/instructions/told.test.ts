/** What the visible log says the model knows (I-22, I-31, I-50, I-54). */
import { assert, describe, it } from "@effect/vitest"
import { announce, nothingTold, readSource, type Told } from "../../../src/pipeline/instructions/told.ts"
import type { Change, Scope } from "../../../src/schemas/Instructions.ts"
import type { Source } from "../../../src/schemas/Message.ts"
import { toldIn } from "./disk.ts"

const one = "1".repeat(40)
const two = "2".repeat(40)
const project = (directory: string, slot = "base"): Scope => ({ owner: "project", directory, slot })
const user: Scope = { owner: "user", directory: ".", slot: "base" }

const set = (scope: Scope, path: string, digest = one): Change => ({ action: "set", scope, path, digest })
const remove = (scope: Scope, path: string): Change => ({ action: "remove", scope, path })

const message = (changes: ReadonlyArray<Change>, baseline?: string): Source => ({
  kind: "agent-instructions",
  version: 1,
  ...(baseline === undefined ? {} : { baseline: true, baselineIdentity: baseline }),
  changes: changes.map((change) => ({ ...change, scope: { ...change.scope } }))
})

const after = (...messages: ReadonlyArray<Source>): Told => messages.reduce(announce, nothingTold)

describe("announce", () => {
  it("[I-50] the latest change of a scope counts", () => {
    const told = after(
      message([set(project("."), "AGENTS.md"), set(project("a"), "a/AGENTS.md")], "id"),
      message([
        { action: "replace", scope: project("a"), path: "a/CLAUDE.md", previousPath: "a/AGENTS.md", digest: two }
      ])
    )
    assert.deepStrictEqual(
      [...told.scopes.values()],
      [
        { scope: project("."), path: "AGENTS.md", digest: one, by: "baseline" },
        { scope: project("a"), path: "a/CLAUDE.md", digest: two, by: "dynamic" }
      ]
    )
  })

  it("[I-50] a removal is a tombstone, and a later set ends it", () => {
    const gone = after(message([set(project("."), "AGENTS.md")], "id"), message([remove(project("."), "AGENTS.md")]))
    assert.deepStrictEqual(toldIn(gone), [".:base AGENTS.md †"])
    assert.deepStrictEqual(toldIn(announce(gone, message([set(project("."), "AGENTS.md")]))), [".:base AGENTS.md"])
  })

  it("[I-30] the identity is that of the latest baseline; a later message leaves it", () => {
    assert.strictEqual(nothingTold.identity, undefined)
    assert.strictEqual(after(message([set(project("."), "A")])).identity, undefined)
    assert.strictEqual(after(message([], "x"), message([set(project("."), "A")])).identity, "x")
    assert.strictEqual(after(message([], "x"), message([], "y")).identity, "y")
  })

  it("[I-30] a baseline without an identity is compatible with none", () => {
    const { baselineIdentity: _, ...bare } = message([], "x")
    assert.strictEqual(after(bare as Source).identity, "")
  })

  it("[I-31] a baseline does not forget by itself what it does not mention", () => {
    const told = after(message([set(project("a"), "a/AGENTS.md")]), message([set(project("."), "AGENTS.md")], "x"))
    assert.deepStrictEqual(toldIn(told), [".:base AGENTS.md", "a:base a/AGENTS.md"])
  })

  it("[I-31] a path told for another scope is told for that one alone", () => {
    const told = after(
      message([set(project("."), "AGENTS.md"), set(project(".", "local"), "X")], "first"),
      message([set(project(".", "AGENTS.md"), "AGENTS.md", two)], "all")
    )
    assert.deepStrictEqual(toldIn(told), [".:AGENTS.md AGENTS.md", ".:local X"])
  })

  it("[I-31] the user's path is not the project's", () => {
    const told = after(message([set(user, "~/.dsh/AGENTS.md"), set(project("~/.dsh"), "~/.dsh/AGENTS.md", two)], "x"))
    assert.deepStrictEqual(toldIn(told), ["user:base ~/.dsh/AGENTS.md", "~/.dsh:base ~/.dsh/AGENTS.md"])
  })

  it("[I-22] scopes are compared as structures: names that look alike collide with nothing", () => {
    const scopes = [
      user,
      project("."),
      project("user"),
      project("user-global"),
      project("a", "b"),
      project("a/b", "b"),
      project(`a","b`, "b")
    ]
    const told = after(
      message(
        scopes.map((scope, index) => set(scope, `p${index}`)),
        "x"
      )
    )
    assert.strictEqual(told.scopes.size, scopes.length)
  })

  it("[I-54] leaves what it was given as it was", () => {
    const before = after(message([set(project("."), "AGENTS.md")], "x"))
    const copy = structuredClone(before)
    announce(before, message([remove(project("."), "AGENTS.md")], "y"))
    assert.deepStrictEqual(before, copy)
  })
})

describe("damaged history", () => {
  const good = message([set(project("a"), "a/AGENTS.md")], "x")
  const told = after(message([set(project("."), "AGENTS.md")], "id"))

  const damaged: ReadonlyArray<readonly [string, Source]> = [
    ["another kind", { ...good, kind: "skill-catalog" }],
    ["a newer version", { ...good, version: 2 }],
    ["no version", { kind: "agent-instructions", changes: [] }],
    ["no changes", { kind: "agent-instructions", version: 1 }],
    ["changes that are no list", { ...good, changes: "all" }],
    [
      "one damaged change among good ones",
      { ...good, changes: [{ action: "set", scope: { ...project("b") }, path: "b" }] }
    ],
    ["a digest that is none", message([set(project("a"), "a", "sha1")])],
    [
      "an action that is none",
      { ...good, changes: [{ ...set(project("a"), "a"), scope: { ...project("a") }, action: "patch" }] }
    ],
    ["a scope as text", { ...good, changes: [{ action: "remove", scope: "project:a:base", path: "a" }] }],
    ["an identity that is no text", { ...good, baselineIdentity: 5 }],
    ["a directory that leads out of the root", message([set(project("../x"), "../x/AGENTS.md")])],
    ["an absolute directory", message([set(project("/etc"), "/etc/AGENTS.md")])],
    ["a directory with a NUL", message([set(project("a\0"), "a/AGENTS.md")])],
    ["a directory with a detour", message([set(project("a/./b"), "a/b/AGENTS.md")])]
  ]
  for (const [what, source] of damaged) {
    it(`[I-54] ${what} is ignored as a whole`, () => {
      assert.strictEqual(readSource(source), undefined)
      assert.strictEqual(announce(told, source), told)
    })
  }

  it("[I-54] keys from a newer hand do not hurt", () => {
    assert.deepStrictEqual(toldIn(announce(nothingTold, { ...good, mood: "good" })), ["a:base a/AGENTS.md"])
  })
})
