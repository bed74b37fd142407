import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { makeProjection } from "../../../src/layers/supply/projection.ts"
import { type Act, type MakeProjection, trial } from "../../support/beacons.ts"
import { meetAll } from "../../support/encounters.ts"
import { mutants } from "../../support/mutants.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const Beacon = Schema.Literals(["a", "b", "c"])
const wait = upTo(12)

const World = Schema.Union([
  Schema.Struct({ do: Schema.Literal("blink"), beacon: Beacon, wait }),
  Schema.Struct({ do: Schema.Literal("touch"), beacon: Beacon, wait }),
  Schema.Struct({ do: Schema.Literal("touch"), beacon: Beacon, wait, abort: upTo(4) }),
  Schema.Struct({ do: Schema.Literal("compact"), wait })
])
const Loop = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("prompt"),
    how: Schema.Literals(["enter", "reject", "die", "crash", "interrupt", "abort"]),
    after: upTo(10),
    wait
  }),
  Schema.Struct({ do: Schema.Literal("restart"), wait })
])
const Schedule = Schema.Struct({
  loop: Schema.Array(Loop).check(Schema.isMaxLength(6)),
  world: Schema.Array(World).check(Schema.isMaxLength(12)),
  slow: upTo(5),
  look: upTo(5)
})

const schedules = Arbitrary.schema(Schedule)

const check = (make: MakeProjection, runs: number, seed: number) =>
  Arbitrary.checkEffect(
    schedules,
    (schedule) =>
      Effect.map(
        trial(schedule as { loop: ReadonlyArray<Act>; world: ReadonlyArray<Act>; slow: number; look: number }, make),
        (wrong) => wrong.length === 0
      ),
    { runs, seed }
  )

describe("random schedules of slow appends, interrupts, aborted signals, compactions and loops that die", () => {
  it.live(
    "[I-21] [I-44] [I-45] lose nothing and repeat nothing, ten thousand times",
    () =>
      Effect.gen(function* () {
        const result = yield* check(makeProjection, 10_000, 20_261_130)
        assert.isUndefined(Arbitrary.formatCheckFailure(result))
      }),
    120_000
  )

  it.live(
    "[I-44] [I-45] and neither do encounters with a compaction, a hanging look, a loop that has claimed already",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* meetAll(makeProjection), [])
      })
  )

  // Each path is spelled out, so that the bundler knows it.
  const load: Readonly<Record<string, () => Promise<unknown>>> = {
    commitAtRead: () => import("../../../src/layers/supply/projection.ts?mutant=commitAtRead"),
    noRevisionCheck: () => import("../../../src/layers/supply/projection.ts?mutant=noRevisionCheck"),
    noCheckUnderLock: () => import("../../../src/layers/supply/projection.ts?mutant=noCheckUnderLock"),
    noTakeover: () => import("../../../src/layers/supply/projection.ts?mutant=noTakeover"),
    noEarlyClaim: () => import("../../../src/layers/supply/projection.ts?mutant=noEarlyClaim"),
    noGenerations: () => import("../../../src/layers/supply/projection.ts?mutant=noGenerations"),
    abortForgets: () => import("../../../src/layers/supply/projection.ts?mutant=abortForgets")
  }

  it("every mutant is tried", () => assert.deepStrictEqual(Object.keys(load), Object.keys(mutants)))

  for (const name of Object.keys(mutants)) {
    it.live(
      `notice the mutant ${name}`,
      () =>
        Effect.gen(function* () {
          const module = yield* Effect.promise(
            () => load[name]!() as Promise<{ readonly makeProjection: MakeProjection }>
          )
          const wrong = yield* meetAll(module.makeProjection)
          if (wrong.length > 0) return
          const result = yield* check(module.makeProjection, 1000, 7)
          assert.isDefined(Arbitrary.formatCheckFailure(result))
        }),
      120_000
    )
  }
})
