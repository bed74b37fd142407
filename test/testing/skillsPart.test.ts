import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { playScenario } from "../../src/testing/scenarioRunner.ts"

const remote = { name: "remote", fail: "down" }

describe("skills as a part of a scripted agent", () => {
  it.live("[S-4] a provider's failure is named once, by a snapshot and by a prompt", () =>
    Effect.gen(function* () {
      const { failures, steps } = yield* playScenario({
        name: "a failure",
        rules: ["S-4"],
        cwd: "/repo",
        config: { skills: {} },
        steps: [
          { do: "register", provider: remote },
          { do: "skills", expect: { complete: false, diagnostics: ["SkillProviderFailed"] } },
          { do: "prompt", text: "1", expect: { diagnostics: ["SkillProviderFailed"] } }
        ]
      })
      assert.deepStrictEqual(failures, [])
      const [, listed, prompted] = steps.map(({ seen }) => seen!.diagnostics)
      assert.deepStrictEqual(listed, ["SkillProviderFailed"])
      assert.strictEqual(prompted!.filter((tag) => tag === "SkillProviderFailed").length, 1)
    })
  )
})
