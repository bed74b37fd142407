/** The random stories of the model, in memory and on a real disk. */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { play } from "../model/play.ts"
import { type Act, Story } from "../model/story.ts"
import { inMemory, type MakeWorld } from "../model/world.ts"
import type { Counts, Lane } from "./lane.ts"
import { onDisk } from "./onDisk.ts"

const stories = Arbitrary.schema(Story)

const isGivenUp = (act: Act): boolean =>
  act.do === "prompt" || act.do === "step"
    ? act.how === "interrupt" || act.how === "abort"
    : act.do === "tool" && act.abort !== undefined

const countsOf = (story: ReadonlyArray<Act>): Partial<Counts> => {
  const count = (is: (act: Act) => boolean) => story.filter(is).length
  return {
    acts: story.length,
    faults: count((act) => act.do === "fault"),
    cancellations: count(isGivenUp),
    resumes: count((act) => act.do === "resume"),
    compactions: count((act) => act.do === "compact")
  }
}

const lane = (name: string, world: MakeWorld): Lane => ({
  name,
  story: (seed) =>
    Effect.gen(function* () {
      const [story] = yield* Arbitrary.sampleEffect(stories, { count: 1, size: 40, seed })
      const { wrong } = yield* Effect.scoped(play(story!, world)).pipe(Effect.provide(TestClock.layer()))
      return { counts: countsOf(story!), wrong }
    }).pipe(Effect.orDie)
})

export const modelLanes = [lane("memory", inMemory), lane("disk", onDisk)]
