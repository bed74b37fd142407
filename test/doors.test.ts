/** Every door gives the same bytes for the same scenario (C-6). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import {
  describeFailure,
  parseScenario,
  playScenario,
  type Scenario,
  type ScenarioFailure,
  type ScenarioResult
} from "../src/testing/index.ts"
import { beyondLoop, throughLoop } from "./support/aiDoor.ts"
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

interface Tried {
  readonly name: "node" | "promise" | "ai"
  readonly agent: (scenario: Scenario) => Door
  readonly beyond: (scenario: Scenario) => string | undefined
  readonly mayBeLeft: ReadonlyArray<string>
  /** Whether a failure says something about the door. */
  readonly counts: (failure: ScenarioFailure) => boolean
}

const always = () => true

const doors: ReadonlyArray<Tried> = [
  { name: "node", agent: () => throughNode, beyond, mayBeLeft, counts: always },
  { name: "promise", agent: () => throughPromises, beyond, mayBeLeft, counts: always },
  {
    name: "ai",
    agent: throughLoop,
    beyond: (scenario) => beyond(scenario) ?? beyondLoop(scenario),
    mayBeLeft: [
      ...mayBeLeft,
      "a host's refusal that spares the suppliers their look",
      "a turn that outlives a step that was given up"
    ],
    // A complete loop logs its model's answers, too, and ends a turn that was rejected or given up.
    counts: ({ key }) => key !== "logged" && key !== "while.logged"
  }
]

describe.each(doors)("[C-6] through ./$name", ({ agent, beyond, counts, mayBeLeft }) => {
  const played = scenarios.filter(({ scenario }) => beyond(scenario) === undefined)

  it("nothing is beyond it but for a reason that is listed", () => {
    const left = scenarios.filter((one) => !played.includes(one)).map(({ scenario }) => beyond(scenario))
    assert.includeMembers([...mayBeLeft], left)
    assert.isAbove(played.length, scenarios.length * 0.8, `${played.length} of ${scenarios.length}`)
  })

  it.live.each(played)("$name", ({ scenario }) =>
    Effect.gen(function* () {
      const expected = yield* playScenario(scenario)
      const seen = yield* playScenario(scenario, { agent: agent(scenario) })
      assert.deepStrictEqual(seen.failures.filter(counts).map(describeFailure), [])
      assert.deepStrictEqual(texts(seen), texts(expected))
    })
  )
})
