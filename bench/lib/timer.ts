/**
 * A timer for comparisons. Subjects take turns (ours, peer, ours, peer …), so whatever the machine does meanwhile hits
 * all of them, and the order is rotated, so nobody always comes after the same neighbour.
 */

/** Microseconds of one call. */
export interface Stats {
  readonly median: number
  readonly p95: number
  readonly samples: number
}

/** `A` is what `run` comes to. Methods, so that subjects of different results can stand side by side. */
export interface Subject<A = unknown> {
  run(): A | Promise<A>
  /** Makes everything ready for the next `run`; takes no part in its time. */
  prepare?(): Promise<void>
  /** Throws when `run` did not do the work: a failure is fast, and would win. */
  check?(result: A): void
}

export interface TimerOptions {
  /** How long one comparison may take, in milliseconds. */
  readonly duration?: number
  readonly minRounds?: number
  readonly maxRounds?: number
}

/** Calls shorter than this are timed several at a time. Microseconds. */
const shortestSample = 100
/** Fast subjects beside a very slow one get this many samples all the same. */
const wantedSamples = 60
/** Until compiled code has settled, for subjects that are fast enough to get there. */
const warmup = { calls: 300, milliseconds: 1500 }

/** Keeps results reachable, so that no call is optimised away. */
let sink: unknown
export const lastResult = (): unknown => sink

const timed = async (subject: Subject, calls: number): Promise<number> => {
  let elapsed = 0
  for (let call = 0; call < calls; call++) {
    await subject.prepare?.()
    const started = performance.now()
    const result = subject.run()
    sink = result instanceof Promise ? await result : result
    elapsed += performance.now() - started
  }
  return (elapsed * 1000) / calls
}

const quantile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)]!

export const statsOf = (samples: ReadonlyArray<number>): Stats => {
  const sorted = samples.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  return { median, p95: quantile(sorted, 0.95), samples: sorted.length }
}

const warm = async (subject: Subject): Promise<number> => {
  await subject.prepare?.()
  const result = await subject.run()
  subject.check?.(result)
  const samples: Array<number> = []
  const started = performance.now()
  while (samples.length < warmup.calls && performance.now() - started < warmup.milliseconds) {
    samples.push(await timed(subject, 1))
  }
  return statsOf(samples.slice(samples.length >> 1)).median
}

/** Measures all subjects beside each other. */
export const measure = async <Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  { duration = 6000, maxRounds = 400, minRounds = 9 }: TimerOptions = {}
): Promise<Record<Name, Stats>> => {
  const names = Object.keys(subjects) as Array<Name>
  const estimates: Array<number> = []
  for (const name of names) estimates.push(await warm(subjects[name]))
  const sum = estimates.reduce((total, estimate) => total + Math.max(estimate, shortestSample), 0)
  const slowest = Math.max(...estimates)
  const rounds = Math.round(Math.min(maxRounds, Math.max(minRounds, (duration * 1000) / sum)))
  const plan = names.map((name, index) => {
    const estimate = Math.max(estimates[index]!, 0.01)
    const calls = Math.max(1, Math.ceil(shortestSample / estimate))
    const wanted = Math.ceil(wantedSamples / rounds)
    const affordable = Math.max(1, Math.floor(slowest / 4 / (estimate * calls)))
    return { subject: subjects[name], calls, turns: Math.min(wanted, affordable), samples: [] as Array<number> }
  })
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < plan.length; turn++) {
      const { calls, samples, subject, turns } = plan[(round + turn) % plan.length]!
      for (let repeat = 0; repeat < turns; repeat++) samples.push(await timed(subject, calls))
    }
  }
  return Object.fromEntries(names.map((name, index) => [name, statsOf(plan[index]!.samples)])) as Record<Name, Stats>
}
