/** A catalog over a whole conversation, while providers come, go, fail and change, at every budget (S-40 to S-42). */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { makeCatalogProjector, type ToldCatalog } from "../../../src/layers/skills/catalog.ts"
import { renderCatalog } from "../../../src/pipeline/skills/catalog.ts"
import { type Skill, SkillCatalogSource, type SkillSnapshot } from "../../../src/schemas/Skill.ts"
import { byteLength } from "../../../src/pipeline/utf8.ts"
import { pick, textOf, upTo } from "../../pipeline/instructions/generators.ts"

const pieces = ["a", "bc d", " ", "é", "文", "😀", "&", "<", "…", "Use this when the user asks for it"]

/** At each step every name is offered, hidden from the model, or not there, and the snapshot is complete or not. */
const steps = Arbitrary.array(
  Arbitrary.flatMap(upTo(1), (complete) =>
    Arbitrary.map(
      Arbitrary.array(
        Arbitrary.flatMap(pick(["offered", "offered", "offered", "missing", "hidden"]), (state) =>
          Arbitrary.map(textOf(pieces, 8), (text) => ({ state, description: `x${text}` }))
        ),
        { minLength: 8, maxLength: 8 }
      ),
      (skills) => ({ complete: complete === 1, skills })
    )
  ),
  { minLength: 1, maxLength: 8 }
)

const snapshotOf = ({
  complete,
  skills
}: {
  readonly complete: boolean
  readonly skills: ReadonlyArray<{ readonly state: string; readonly description: string }>
}): SkillSnapshot => ({
  skills: skills.flatMap(({ description, state }, index): ReadonlyArray<Skill> => {
    if (state === "missing") return []
    const name = `s${index}-${"n".repeat(1 + ((index * 7) % 20))}`
    const invocation = { modelInvocable: state === "offered", userInvocable: true }
    return [{ name, description, invocation, source: "test", provider: "test", rank: 1, locator: name }]
  }),
  complete,
  revision: 0,
  shadowed: [],
  failures: [],
  diagnostics: []
})

const decode = Schema.decodeUnknownOption(SkillCatalogSource)

describe("a catalog over a conversation", () => {
  it.effect.prop(
    "[S-41] [S-42] what is not complete takes no name away, what is complete is told as it is, nothing is told twice",
    { steps, maxBytes: Arbitrary.map(Arbitrary.flatMap(pick([60, 200, 600]), upTo), (room) => 340 + room) },
    ({ maxBytes, steps }) =>
      Effect.gen(function* () {
        const config = { catalogMaxBytes: maxBytes, catalogDescriptionMaxLength: 40 }
        const registry = { snapshot: () => Effect.die("not asked here") }
        const projector = makeCatalogProjector(registry, "/repo", config, Effect.succeed(true))
        let told: ToldCatalog
        for (const step of steps) {
          const snapshot = snapshotOf(step)
          const draft = projector.write({ told } as Parameters<typeof projector.write>[0], snapshot)
          const message = draft as { readonly text: string; readonly source: unknown } | undefined
          const source = Option.getOrUndefined(decode(message?.source))
          const now = source === undefined ? told : source.entries
          if (source !== undefined) {
            assert.isAtMost(byteLength(message!.text), maxBytes)
            assert.notDeepEqual(source.entries, told ?? [], "nothing is told twice")
            assert.strictEqual(source.complete, step.complete ? undefined : false)
            assert.strictEqual(source.update, told === undefined ? undefined : true)
          }
          const names = new Set(now?.map(({ name }) => name))
          const visible = snapshot.skills.filter(({ invocation }) => invocation.modelInvocable)
          if (step.complete) {
            const whole = renderCatalog(visible, maxBytes, 40, "first")
            if (whole.text !== "" || visible.length === 0) assert.deepStrictEqual(now ?? [], whole.entries)
          } else {
            for (const { name } of told ?? []) assert.isTrue(names.has(name), `${name} stays`)
            // What is there and has room is told: at least where everything has.
            if (maxBytes >= 900) for (const { name } of visible) assert.isTrue(names.has(name), `${name} is told`)
          }
          told = now
        }
      }),
    { arbitrary: { runs: 1500 } }
  )
})
