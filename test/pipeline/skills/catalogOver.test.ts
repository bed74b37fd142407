/** What an incomplete list may do to a catalog that was told: add and change, and take no name away (S-42). */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import {
  type CatalogSkill,
  catalogDescription,
  renderCatalog,
  renderCatalogOver
} from "../../../src/pipeline/skills/catalog.ts"
import { byteLength } from "../../../src/pipeline/utf8.ts"
import { pick, textOf, upTo } from "../instructions/generators.ts"

const maxLength = 40

const pieces = ["a", "bc d", " ", "é", "文", "😀", "&", "<", "…", "Use this when the user asks for it"]
const description = Arbitrary.map(textOf(pieces, 12, 1), (text) => `x${text}`)

/** Skills with two descriptions each, and in which lists they are. */
const stories = Arbitrary.array(
  Arbitrary.flatMap(description, (before) =>
    Arbitrary.flatMap(description, (after) =>
      Arbitrary.flatMap(upTo(20), (length) =>
        Arbitrary.map(
          pick(["told", "told", "told, then missing", "told, then missing", "told, then changed", "added"]),
          (fate) => ({ before, after, length, fate })
        )
      )
    )
  ),
  { minLength: 1, maxLength: 12 }
)

const budget = Arbitrary.map(Arbitrary.flatMap(pick([100, 300, 600, 1200]), upTo), (room) => 330 + room)

const nameOf = ({ length }: { readonly length: number }, index: number) =>
  `s${String(index).padStart(2, "0")}-${"n".repeat(length + 1)}`

const play = (
  story: ReadonlyArray<{
    readonly before: string
    readonly after: string
    readonly length: number
    readonly fate: string
  }>,
  maxBytes: number
) => {
  const all = story.map((one, index) => ({ ...one, name: nameOf(one, index) }))
  const known = all
    .filter(({ fate }) => fate !== "added")
    .map(({ before, name }): CatalogSkill => ({ name, description: before }))
  const listed = all
    .filter(({ fate }) => fate !== "told, then missing")
    .map(({ after, before, fate, name }) => ({ name, description: fate === "told, then changed" ? after : before }))
  const told = renderCatalog(known, maxBytes, maxLength, "first")
  return { all, known, listed, told, over: renderCatalogOver(told.entries, listed, maxBytes, maxLength) }
}

const namesOf = (entries: ReadonlyArray<{ readonly name: string }>) => entries.map(({ name }) => name)

describe("an incomplete list over what was told", () => {
  it.effect.prop(
    "[S-42] takes no name away, keeps to the budget, and invents nothing",
    { story: stories, maxBytes: budget },
    ({ maxBytes, story }) =>
      Effect.sync(() => {
        const { listed, over, told } = play(story, maxBytes)
        assert.isAtMost(byteLength(over.text), maxBytes)
        const names = namesOf(over.entries)
        assert.deepStrictEqual(names, [...names].sort())
        for (const { name } of told.entries) assert.include(names, name)
        const whole = new Map(listed.map(({ description, name }) => [name, catalogDescription(description, maxLength)]))
        const before = new Map(told.entries.map(({ description, name }) => [name, description]))
        const beginsLike = (text: string | undefined, said: string) =>
          text !== undefined && (text === said || said === "" || text.startsWith(said.replace(/…$/, "")))
        for (const { description, name } of over.entries) {
          assert.isTrue(beginsLike(whole.get(name), description) || beginsLike(before.get(name), description), name)
        }
      }),
    { arbitrary: { runs: 1500 } }
  )

  it.effect.prop(
    "[S-42] says nothing new when providers only come and go",
    { story: stories, maxBytes: budget },
    ({ maxBytes, story }) =>
      Effect.sync(() => {
        const same = story.map((one) => (one.fate === "told, then missing" ? one : { ...one, fate: "told" }))
        const { over, told } = play(same, maxBytes)
        // Where names were left out, one that has room now is an addition.
        if (told.omitted === 0) assert.deepStrictEqual(over.entries, told.entries)
      }),
    { arbitrary: { runs: 1500 } }
  )

  it.effect.prop(
    "[S-42] says what the complete list will say, when nothing lacks",
    { story: stories, maxBytes: budget },
    ({ maxBytes, story }) =>
      Effect.sync(() => {
        const nothingLacks = story.map((one) => (one.fate === "added" ? one : { ...one, fate: "told" }))
        const { listed, over, told } = play(nothingLacks, maxBytes)
        const complete = renderCatalog(listed, maxBytes, maxLength, "update")
        if (complete.omitted === 0 && told.text !== "") assert.deepStrictEqual(over, complete)
      }),
    { arbitrary: { runs: 1500 } }
  )

  it("[S-42] a new name in front of a full catalog waits until it is known whose place it may take", () => {
    const names = Array.from({ length: 40 }, (_, index) => ({ name: `s${100 + index}`, description: "does a thing" }))
    const told = renderCatalog(names, 500, 500, "first")
    assert.isAbove(told.omitted, 0)
    const listed = [{ name: "a".repeat(60), description: "new" }, ...names.slice(0, 3)]
    const over = renderCatalogOver(told.entries, listed, 500, 500)
    assert.deepStrictEqual(over.entries, told.entries)
  })

  it("[S-42] says nothing where what was told does not fit any more", () => {
    const told = [{ name: "n".repeat(60), description: "" }]
    const over = renderCatalogOver(told, [{ name: "a", description: "x" }], 380, 500)
    assert.deepStrictEqual([over.text, over.omitted], ["", 2])
  })
})
