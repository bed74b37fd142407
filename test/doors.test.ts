/** Every door gives the same bytes for the same scenario (C-6). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describeFailure, parseScenario, playScenario, type ScenarioResult } from "../src/testing/index.ts"
import { beyond, type Door, throughNode, throughPromises } from "./support/doors.ts"

const directory = path.join(import.meta.dirname, "scenarios")
const scenarios = fs
  .readdirSync(directory)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => ({
    name,
    scenario: Effect.runSync(parseScenario(fs.readFileSync(path.join(directory, name), "utf8")))
  }))

/** Everything that a model was shown, step by step. */
const texts = ({ steps }: ScenarioResult) =>
  steps.map(({ seen }) => seen?.entered.map(({ source, text }) => ({ text, source })))

const mayBeLeft = [
  "skill providers of a script",
  "a machine in another time zone",
  "skills that a host remembers beyond its agents"
]

const doors: ReadonlyArray<readonly ["node" | "promise", Door]> = [
  ["node", throughNode],
  ["promise", throughPromises]
]

describe.each(doors)("[C-6] through ./%s", (_, agent) => {
  const played = scenarios.filter(({ scenario }) => beyond(scenario) === undefined)

  it("nothing but a script's providers, another time zone and a host that outlives its agents is beyond it", () => {
    const left = scenarios.filter((one) => !played.includes(one)).map(({ scenario }) => beyond(scenario))
    assert.includeMembers([...mayBeLeft], left)
    assert.isAbove(played.length, scenarios.length * 0.8, `${played.length} of ${scenarios.length}`)
  })

  it.live.each(played)("$name", ({ scenario }) =>
    Effect.gen(function* () {
      const expected = yield* playScenario(scenario)
      const seen = yield* playScenario(scenario, { agent })
      assert.deepStrictEqual(seen.failures.map(describeFailure), [])
      assert.deepStrictEqual(texts(seen), texts(expected))
    })
  )
})
