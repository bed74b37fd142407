/** Runs lanes side by side, round after round, and looks between the rounds, when nothing is under way, at what is held. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { seedOf } from "./dice.ts"
import { countNames, type Counts, type Lane, noCounts } from "./lane.ts"
import { growth, sample, type Sample } from "./samples.ts"

export interface Soak {
  readonly lanes: ReadonlyArray<Lane>
  readonly seed: number
  readonly millis: number
  readonly say: (line: string) => void
}

const longestRound = 60_000
const rounds = 6
/** How much of the whole is warm-up. */
const warmUp = 0.15

/** Milliseconds in which this process was running: whoever is stopped for a while has not soaked. */
const startClock = () => {
  const beat = 200
  let last = performance.now()
  let active = 0
  const tick = () => {
    const now = performance.now()
    active += Math.min(now - last, 10 * beat)
    last = now
    return active
  }
  const timer = setInterval(tick, beat)
  return { active: tick, stop: () => clearInterval(timer) }
}

/** One story, whatever happens in it: a defect is something that is wrong. */
export const tell = (lane: Lane, seed: number) =>
  Effect.map(Effect.exit(lane.story(seed)), (exit) =>
    Exit.isSuccess(exit) ? exit.value : { counts: {}, wrong: [Cause.pretty(exit.cause)] }
  )

const add = (total: Counts, counts: Partial<Counts>): void => {
  for (const name of countNames) total[name] += counts[name] ?? 0
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`
const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, number) => sum + number, 0)
const holding = ({ descriptors, heap, resources }: Sample): string =>
  `heap ${megabytes(heap)}, ${descriptors} descriptors, ${sum(Object.values(resources))} resources`
const done = (counts: Counts): string => countNames.map((name) => `${counts[name]} ${name}`).join(", ")

/** Runs until the time is up or something is wrong. Returns what was wrong, in words. */
export const soak = Effect.fnUntraced(function* ({ lanes, millis, say, seed }: Soak) {
  const clock = startClock()
  const wrong: Array<string> = []
  const totals = new Map(lanes.map(({ name }) => [name, noCounts()]))
  const next = new Map(lanes.map(({ name }) => [name, 0]))
  const samples: Array<Sample> = []
  const round = Math.min(longestRound, millis / rounds)

  const walk = Effect.fnUntraced(function* (lane: Lane, until: number) {
    do {
      const index = next.get(lane.name)!
      next.set(lane.name, index + 1)
      const storySeed = seedOf(seed, lane.name, index)
      const outcome = yield* tell(lane, storySeed)
      add(totals.get(lane.name)!, { ...outcome.counts, stories: 1 })
      if (outcome.wrong.length > 0) {
        wrong.push(...outcome.wrong.map((what) => `${lane.name}: ${what}`))
        wrong.push(`again: npm run soak -- --lane ${lane.name} --story ${storySeed}`)
      }
      if (clock.active() < until && wrong.length === 0) yield* Effect.sleep(lane.pace ?? 0)
    } while (clock.active() < until && wrong.length === 0)
  })

  const all = () => {
    const total = noCounts()
    for (const counts of totals.values()) add(total, counts)
    return total
  }

  while (clock.active() < millis && wrong.length === 0) {
    const until = clock.active() + round
    yield* Effect.forEach(lanes, (lane) => walk(lane, until), { concurrency: "unbounded", discard: true })
    const held = yield* Effect.promise(sample)
    if (clock.active() > millis * warmUp) samples.push(held)
    say(`${(clock.active() / 60_000).toFixed(1)} min: ${done(all())}; ${holding(held)}`)
  }
  clock.stop()

  wrong.push(...growth(samples))
  for (const [name, counts] of totals) say(`${name}: ${done(counts)}`)
  say(`all: ${done(all())}`)
  const [first, last] = [samples.at(0), samples.at(-1)]
  if (first !== undefined && last !== undefined) say(`after warm-up: ${holding(first)}; at the end: ${holding(last)}`)
  return wrong
})
