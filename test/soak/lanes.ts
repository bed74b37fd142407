/** Every lane there is. */
import { killLanes } from "./kills.ts"
import type { Lane } from "./lane.ts"
import { modelLanes } from "./model.ts"
import { partsLane } from "./parts.ts"
import { promiseLane } from "./promises.ts"

export const lanes: ReadonlyArray<Lane> = [...modelLanes, partsLane, promiseLane, ...killLanes]
