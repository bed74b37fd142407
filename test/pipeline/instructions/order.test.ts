/** Scopes as values. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import {
  compareDirectories,
  compareScopes,
  depth,
  logicalPath,
  scopeKey
} from "../../../src/pipeline/instructions/order.ts"
import type { Scope } from "../../../src/schemas/Instructions.ts"
import { pick, textOf } from "./generators.ts"

const check = (name: string, body: () => void) => it.effect(name, () => Effect.sync(body))
const scope = (directory: string, slot = "base", owner: Scope["owner"] = "project"): Scope => ({
  owner,
  directory,
  slot
})

const names = textOf(["a", "b", "B", "-", " ", "é", "😀", "\uffff", "user-global", "base", '","'], 2, 1)
const directories = Arbitrary.map(Arbitrary.array(names, { maxLength: 3 }), (parts) => parts.join("/") || ".")
const scopes = Arbitrary.map(
  Arbitrary.all([directories, pick(["base", "local", "AGENTS.md", "CLAUDE.md"]), pick(["project", "project", "user"])]),
  ([directory, slot, owner]) => scope(owner === "user" ? "." : directory, slot, owner)
)
const orders = pick([["base", "local"], ["CLAUDE.md", "AGENTS.md", "AGENTS.local.md"], []])

describe("order of a message", () => {
  check("[I-51] the user's file, then parents before children, siblings by code units, base before local", () => {
    const expected = [
      scope(".", "base", "user"),
      scope("."),
      scope(".", "local"),
      scope("A"),
      scope("a"),
      scope("a", "local"),
      scope("a/b"),
      scope("a/b/c"),
      scope("a-b"),
      scope("b"),
      scope("é"),
      scope("😀"),
      scope("\uffff")
    ]
    assert.deepStrictEqual([...expected].reverse().sort(compareScopes(["base", "local"])), expected)
  })
  check("[I-51] in `all`, inside a directory the order of the lists; unknown names last", () => {
    const listed = ["CLAUDE.md", "AGENTS.md", "AGENTS.local.md", "B.md", "a.md"].map((slot) => scope("x", slot))
    assert.deepStrictEqual(
      [...listed].reverse().sort(compareScopes(["CLAUDE.md", "AGENTS.md", "AGENTS.local.md"])),
      listed
    )
  })
  it.effect.prop(
    "[I-51] a total order in which only equal scopes are equal",
    { a: scopes, b: scopes, c: scopes, slots: orders },
    ({ a, b, c, slots }) =>
      Effect.sync(() => {
        const compare = compareScopes(slots)
        assert.isTrue(Math.sign(compare(a, b)) === -Math.sign(compare(b, a)))
        assert.strictEqual(compare(a, b) === 0, scopeKey(a) === scopeKey(b))
        if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.isAtMost(compare(a, c), 0)
      }),
    { arbitrary: { runs: 3000, size: 4 } }
  )
  it.effect.prop(
    "[I-51] [I-6] a directory comes before everything below it, and all of that together",
    { parent: directories, child: names, other: directories },
    ({ parent, child, other }) =>
      Effect.sync(() => {
        const below = parent === "." ? child : `${parent}/${child}`
        assert.isBelow(compareDirectories(parent, below), 0)
        const inside = parent === "." || other === parent || other.startsWith(`${parent}/`)
        if (!inside)
          assert.strictEqual(Math.sign(compareDirectories(parent, other)), Math.sign(compareDirectories(below, other)))
      }),
    { arbitrary: { runs: 1000, size: 4 } }
  )
})

describe("specificity", () => {
  check("[I-61] the deeper the more specific; the user's own is the broadest", () => {
    assert.deepStrictEqual(
      [scope(".", "base", "user"), scope("."), scope("a"), scope("a/b"), scope("a b-c")].map(depth),
      [-1, 0, 1, 2, 1]
    )
  })
})

describe("keys and paths", () => {
  it.effect.prop("[I-30] a key belongs to one scope", { a: scopes, b: scopes }, ({ a, b }) =>
    Effect.sync(() => {
      const same = a.owner === b.owner && a.directory === b.directory && a.slot === b.slot
      assert.strictEqual(scopeKey(a) === scopeKey(b), same)
    })
  )
  check("[I-3] [I-23] a path is relative to the root, or below the home's display form", () => {
    assert.strictEqual(logicalPath("project", ".", "AGENTS.md", "~/.dsh"), "AGENTS.md")
    assert.strictEqual(logicalPath("project", "a/b", "AGENTS.md", "~/.dsh"), "a/b/AGENTS.md")
    assert.strictEqual(logicalPath("user", ".", "AGENTS.md", "~/.dsh"), "~/.dsh/AGENTS.md")
    assert.strictEqual(logicalPath("user", ".", "AGENTS.md", "$DSH_HOME"), "$DSH_HOME/AGENTS.md")
  })
})
