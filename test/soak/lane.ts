/** What a soak does over and over: one story after the other, each from a seed. */
import type * as Effect from "effect/Effect"

export const countNames = [
  "stories",
  "acts",
  "faults",
  "kills",
  "cuts",
  "cancellations",
  "resumes",
  "compactions"
] as const
export type Counts = Record<(typeof countNames)[number], number>

export const noCounts = (): Counts => ({
  stories: 0,
  acts: 0,
  faults: 0,
  kills: 0,
  cuts: 0,
  cancellations: 0,
  resumes: 0,
  compactions: 0
})

export interface Outcome {
  readonly counts: Partial<Counts>
  /** What should not have happened, in words. */
  readonly wrong: ReadonlyArray<string>
}

export interface Lane {
  readonly name: string
  /** Milliseconds between two stories, for those that would take the machine from the others. */
  readonly pace?: number
  readonly story: (seed: number) => Effect.Effect<Outcome>
}
