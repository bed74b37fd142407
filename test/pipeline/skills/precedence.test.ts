/** Who wins a name, and what is said about the others. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { snapshotOf, snapshotOver } from "../../../src/pipeline/skills/precedence.ts"
import type { Skill } from "../../../src/schemas/Skill.ts"
import { pick, upTo } from "../instructions/generators.ts"

const skill = (name: string, provider: string, rank: number, locator: unknown = name): Skill => ({
  name,
  description: "x",
  invocation: { modelInvocable: true, userInvocable: true },
  source: "test",
  provider,
  rank,
  locator
})

const winners = (skills: ReadonlyArray<Skill>) => skills.map(({ locator, name, provider }) => [name, provider, locator])

const whole = (...offers: ReadonlyArray<ReadonlyArray<Skill>>) =>
  snapshotOf(
    offers.map((skills, index) => ({ order: index + 1, skills })),
    true,
    7,
    [],
    []
  )

describe("precedence", () => {
  it("[S-3] the lower rank wins, then the earlier provider, then the provider's own order; sorted by code units", () => {
    const { shadowed, skills } = whole(
      [skill("b", "one", 300), skill("c", "one", 300, 1), skill("c", "one", 300, 2), skill("a", "one", 300)],
      [skill("a", "two", 200), skill("b", "two", 300), skill("a1", "two", 1), skill("a-1", "two", 1)]
    )
    assert.deepStrictEqual(winners(skills), [
      ["a", "two", "a"],
      ["a-1", "two", "a-1"],
      ["a1", "two", "a1"],
      ["b", "one", "b"],
      ["c", "one", 1]
    ])
    assert.deepStrictEqual(
      shadowed.map(({ by, name, provider, why }) => [name, provider, by.provider, why]),
      [
        ["a", "one", "two", "rank"],
        ["b", "two", "one", "registration"],
        ["c", "one", "one", "order"]
      ]
    )
  })
  it("[S-3] the nearer layer wins outright", () => {
    const { shadowed, skills } = snapshotOver(
      whole([skill("a", "near", 900)]),
      whole([skill("a", "far", 1), skill("b", "far", 1)])
    )
    assert.deepStrictEqual(winners(skills), [
      ["a", "near", "a"],
      ["b", "far", "b"]
    ])
    assert.deepStrictEqual(
      shadowed.map(({ by, name, provider, why }) => [name, provider, by.provider, why]),
      [["a", "far", "near", "layer"]]
    )
  })
  it("[S-4] every loser and every failure is said", () => {
    const failures = [{ provider: "remote", tag: "SkillProviderFailed", message: "down" } as const]
    const near = snapshotOf(
      [{ order: 1, skills: [skill("a", "near", 1), skill("a", "near", 2)] }],
      false,
      3,
      failures,
      []
    )
    const { complete, diagnostics, failures: all, revision } = snapshotOver(near, whole([skill("a", "far", 1)]))
    assert.strictEqual(revision, 10)
    assert.isFalse(complete)
    assert.deepStrictEqual(all, failures)
    assert.deepStrictEqual(
      diagnostics.map(({ tag }) => tag),
      ["SkillProviderFailed", "SkillShadowed", "SkillShadowed"]
    )
    assert.include(diagnostics[0]!.message, "remote")
    assert.include(diagnostics[0]!.message, "down")
  })
  it.effect.prop(
    "[S-3] however many there are, each name once, and every other candidate has lost to it",
    {
      offers: Arbitrary.array(
        Arbitrary.array(
          Arbitrary.flatMap(pick(["a", "b", "c", "d"]), (name) => Arbitrary.map(upTo(2), (rank) => ({ name, rank }))),
          { minLength: 0, maxLength: 5 }
        ),
        { minLength: 0, maxLength: 4 }
      )
    },
    ({ offers }) =>
      Effect.sync(() => {
        const all = offers.flatMap((offer, order) =>
          offer.map(({ name, rank }, index) => ({ name, rank, order, index }))
        )
        const { shadowed, skills } = whole(
          ...offers.map((offer, order) => offer.map(({ name, rank }, index) => skill(name, String(order), rank, index)))
        )
        const best = [...new Set(all.map(({ name }) => name))].sort().map((name) => {
          const [first] = all
            .filter((candidate) => candidate.name === name)
            .sort((a, b) => a.rank - b.rank || a.order - b.order || a.index - b.index)
          return [name, String(first!.order), first!.index]
        })
        assert.deepStrictEqual(winners(skills), best)
        assert.strictEqual(shadowed.length, all.length - skills.length)
        const won = new Map(skills.map((skill) => [skill.name, skill]))
        for (const { by, name } of shadowed) {
          const { provider, rank } = won.get(name)!
          assert.deepStrictEqual({ provider: by.provider, rank: by.rank }, { provider, rank })
        }
      }),
    { arbitrary: { runs: 500 } }
  )
})
