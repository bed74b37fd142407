import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { play } from "./model/play.ts"
import { type Act, Story } from "./model/story.ts"

const runs = Number(process.env["MODEL_RUNS"] ?? 2000)
const seed = Number(process.env["MODEL_SEED"] ?? 20_261_201)

/** A story that still fails and from which no act can be left out. */
const shortest = Effect.fnUntraced(function* (story: ReadonlyArray<Act>) {
  let acts = story
  for (let index = 0; index < acts.length;) {
    const fewer = acts.toSpliced(index, 1)
    const { wrong } = yield* play(fewer)
    if (wrong.length === 0) index += 1
    else {
      acts = fewer
      index = 0
    }
  }
  return { acts: acts.map((act) => JSON.stringify(act)), wrong: (yield* play(acts)).wrong }
})

describe("random stories against a small model", () => {
  it.effect(
    "[I-9] [I-13] [I-20] [I-21] [I-30] [I-31] [I-32] [I-33] [I-42] [I-43] [I-45] [I-50] [I-51] the model sees the disk, once, whatever happens",
    () =>
      Effect.gen(function* () {
        const stories = yield* Arbitrary.sampleEffect(Arbitrary.schema(Story), { count: runs, seed })
        for (const story of stories) {
          const { wrong } = yield* play(story)
          if (wrong.length > 0) assert.deepStrictEqual(yield* shortest(story), { acts: [], wrong: [] })
        }
      }),
    600_000
  )

  it.effect("[C-5] the same seed gives the same bytes", () =>
    Effect.gen(function* () {
      const stories = yield* Arbitrary.sampleEffect(Arbitrary.schema(Story), { count: 100, seed })
      for (const story of stories) assert.strictEqual((yield* play(story)).text, (yield* play(story)).text)
    })
  )
})
