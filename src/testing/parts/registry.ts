/** Every part this build has. A new one is a file beside this one and a name in this list. */
import { partsOfScenario, type Scenario } from "../scenario.ts"
import type { PartName } from "../scenario/steps.ts"
import { fileReferences } from "./fileReferences.ts"
import { instructions } from "./instructions.ts"
import { skills } from "./skills.ts"
import { time } from "./time.ts"
import { tmux } from "./tmux.ts"
import { sessionReferences } from "./sessionReferences.ts"
import type { Part } from "./part.ts"

export const parts: ReadonlyMap<PartName, Part> = new Map(
  [fileReferences, instructions, skills, time, tmux, sessionReferences].map((part) => [part.name, part])
)

/** The parts a scenario needs that this build does not have: it can be read, but not played. */
export const missingParts = (scenario: Scenario): ReadonlyArray<PartName> =>
  partsOfScenario(scenario).filter((name) => !parts.has(name))
