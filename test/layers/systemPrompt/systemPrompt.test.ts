import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { renderSections } from "../../../src/layers/systemPrompt/sections.ts"
import { layer } from "../../../src/layers/systemPrompt/systemPrompt.ts"
import { AgentTools } from "../../../src/services/AgentTools.ts"
import { SystemPrompt, type SystemPromptSection } from "../../../src/services/SystemPrompt.ts"

const Section = Schema.Struct({
  name: Schema.String.check(Schema.isMaxLength(3)),
  order: Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 2 })),
  text: Schema.String
})
const unique = (sections: ReadonlyArray<SystemPromptSection>) => [
  ...new Map(sections.map((section) => [section.name, section])).values()
]

describe("[C-9] the text", () => {
  it.effect.prop(
    "depends on the sections, not on the order in which they came",
    {
      given: Schema.Array(Section).check(Schema.isMaxLength(8)),
      turn: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8 }))
    },
    ({ given, turn }) =>
      Effect.sync(() => {
        const sections = unique(given)
        const others = [...sections.slice(turn), ...sections.slice(0, turn)].reverse()
        const before = [...others]
        assert.strictEqual(renderSections(sections, { tools: undefined }), renderSections(others, { tools: undefined }))
        assert.deepStrictEqual(others, before)
      })
  )

  it("goes by explicit order first, 0 by default, then by name in code units", () => {
    const section = (name: string, order?: number) => ({ name, text: name, ...(order === undefined ? {} : { order }) })
    const sections = [
      section("b"),
      section("é"),
      section("B"),
      section("a", 0),
      section("late", 1),
      section("early", -0.5),
      section("z", -1)
    ]
    assert.strictEqual(renderSections(sections, { tools: undefined }), "z\n\nearly\n\nB\n\na\n\nb\n\né\n\nlate")
  })

  it("has one blank line between sections, and none for those that have nothing to say", () => {
    const sections: ReadonlyArray<SystemPromptSection> = [
      { name: "a", text: "\n\nfirst\n  indented\n\n" },
      { name: "b", text: " \n" },
      { name: "c", text: () => undefined },
      { name: "d", text: () => "last" }
    ]
    assert.strictEqual(renderSections(sections, { tools: undefined }), "first\n  indented\n\nlast")
    assert.strictEqual(renderSections([], { tools: undefined }), "")
  })
})

describe("[C-9] the registry", () => {
  it.effect("holds a section until its scope ends, and its name is free again then", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const scope = yield* Scope.make()
      yield* prompt.register({ name: "b", text: "stays" })
      yield* prompt.register({ name: "a", text: "goes" }).pipe(Scope.provide(scope))
      assert.strictEqual(yield* prompt.render, "goes\n\nstays")
      assert.deepStrictEqual(
        (yield* prompt.sections).map(({ name }) => name),
        ["a", "b"]
      )
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* prompt.render, "stays")
      yield* prompt.register({ name: "a", text: "returns" })
      assert.strictEqual(yield* prompt.render, "returns\n\nstays")
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses a second section of a name, and keeps the first when the second's scope ends", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.register({ name: "a", text: "first" })
      const error = yield* Effect.flip(Effect.scoped(prompt.register({ name: "a", text: "second" })))
      assert.strictEqual(error.reason._tag, "DuplicateSystemPromptSection")
      assert.include(error.message, '"a"')
      assert.strictEqual(yield* prompt.render, "first")
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    { name: "", order: 0, field: "name" as const },
    { name: "a", order: Number.NaN, field: "order" as const },
    { name: "a", order: Number.POSITIVE_INFINITY, field: "order" as const }
  ])("refuses a section without a place: $field", ({ field, name, order }) =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { reason } = yield* Effect.flip(prompt.register({ name, order, text: "x" }))
      assert.deepInclude(reason, { _tag: "InvalidSystemPromptSection", field })
      assert.strictEqual(yield* prompt.render, "")
    }).pipe(Effect.provide(layer))
  )

  it.effect("asks which tools there are at every rendering", () =>
    Effect.gen(function* () {
      let tools: ReadonlySet<string> | undefined
      const built = yield* Layer.build(layer).pipe(
        Effect.provideService(
          AgentTools,
          Effect.sync(() => tools)
        )
      )
      const prompt = Context.get(built, SystemPrompt)
      yield* prompt.register({
        name: "a",
        text: (view) => (view.tools?.has("read") === true ? "Read first." : undefined)
      })
      assert.strictEqual(yield* prompt.render, "")
      tools = new Set(["read"])
      assert.strictEqual(yield* prompt.render, "Read first.")
      tools = new Set()
      assert.strictEqual(yield* prompt.render, "")
    })
  )

  it.effect("[C-6] is one session's own", () =>
    Effect.gen(function* () {
      const build = Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, SystemPrompt))
      const [one, other] = [yield* build, yield* build]
      yield* one.register({ name: "a", text: "mine" })
      assert.strictEqual(yield* other.render, "")
    })
  )
})
