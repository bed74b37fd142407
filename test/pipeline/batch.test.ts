import { assert, describe, it } from "@effect/vitest"
import { assemble, compareSuppliers, type Place } from "../../src/pipeline/batch.ts"

const message = (id: string) => ({ id, text: id, source: { kind: "user" } })
const placed = (id: string, placement: Place) => ({ message: message(id), placement })

describe("batch", () => {
  it("[C-1] what is bound stays with its message, before what follows the claimed ones, before the end", () => {
    const batch = assemble(
      [message("one"), message("two")],
      [
        placed("end", { at: "end" }),
        placed("rules", { at: "afterClaimed" }),
        placed("about two", { at: "afterMessage", id: "two" }),
        placed("about one", { at: "afterMessage", id: "one" }),
        placed("more about one", { at: "afterMessage", id: "one" }),
        placed("time", { at: "afterClaimed" })
      ]
    )
    assert.deepStrictEqual(
      batch.map(({ id }) => id),
      ["one", "about one", "more about one", "two", "about two", "rules", "time", "end"]
    )
  })

  it("[C-1] what is bound to a message that is not there is not lost", () => {
    const batch = assemble(
      [message("one")],
      [placed("stray", { at: "afterMessage", id: "gone" }), placed("end", { at: "end" })]
    )
    assert.deepStrictEqual(
      batch.map(({ id }) => id),
      ["one", "stray", "end"]
    )
  })

  it("[C-1] the order of suppliers is fixed, whatever order they were registered in", () => {
    const suppliers = [
      { kind: "zeta", name: "a" },
      { kind: "skill-invocation", name: "x" },
      { kind: "time-context", name: "x" },
      { kind: "alpha", name: "b" },
      { kind: "agent-instructions", name: "x" },
      { kind: "tmux-context", name: "x" },
      { kind: "skill-catalog", name: "x" }
    ]
    const order = [
      "agent-instructions",
      "skill-catalog",
      "tmux-context",
      "time-context",
      "skill-invocation",
      "zeta",
      "alpha"
    ]
    assert.deepStrictEqual(
      suppliers.toSorted(compareSuppliers).map(({ kind }) => kind),
      order
    )
    assert.deepStrictEqual(
      suppliers
        .toReversed()
        .sort(compareSuppliers)
        .map(({ kind }) => kind),
      order
    )
  })

  it("[C-1] suppliers of one kind, and of kinds of their own, go by name", () => {
    const of = (kind: string, name: string) => ({ kind, name })
    assert.isBelow(compareSuppliers(of("x", "a"), of("y", "b")), 0)
    assert.isAbove(compareSuppliers(of("x", "b"), of("y", "a")), 0)
    assert.isBelow(compareSuppliers(of("time-context", "a"), of("time-context", "b")), 0)
    assert.isAbove(compareSuppliers(of("time-context", "b"), of("time-context", "a")), 0)
    assert.strictEqual(compareSuppliers(of("x", "a"), of("y", "a")), 0)
  })
})
