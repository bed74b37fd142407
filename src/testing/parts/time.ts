/** The time, as a part of a scripted agent; the scenario's zone is that of the machine. */
import * as Effect from "effect/Effect"
import { layerIn } from "../../layers/ambient/time.ts"
import { parseZone, utc } from "../../pipeline/time/zone.ts"
import { definePart, type Part } from "./part.ts"

export const time: Part = definePart({
  name: "time",
  layer: (config, { timeZone }) => layerIn(config, Effect.succeed(parseZone(timeZone) ?? utc))
})
