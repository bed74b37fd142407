/**
 * Coverage-guided fuzzing in one process: inputs that reach something new are kept, and others are made of them. The same seed
 * tries the same inputs, as long as the sources are the same.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Dice, seedOf } from "../soak/dice.ts"
import { startCoverage } from "./coverage.ts"
import { mutate } from "./mutate.ts"

/** Something that reads what others wrote. */
export interface Target {
  readonly name: string
  /** What means something in its inputs. */
  readonly words: ReadonlyArray<string>
  /** Throws, or rejects, when a promise is broken. */
  readonly run: (bytes: Buffer) => void | Promise<void>
}

export interface Finding {
  readonly target: string
  readonly input: Buffer
  readonly error: string
}

export interface Outcome {
  readonly target: string
  readonly tried: number
  readonly kept: number
  readonly blocks: number
  readonly slowest: number
  readonly findings: ReadonlyArray<Finding>
}

/** No input of a few thousand bytes may take longer. Milliseconds. */
const patience = 2000

/** Inputs that are looked at together: taking stock costs as much as a few of them. */
const batch = 12

export const corpusDirectory = path.join(import.meta.dirname, "corpus")

/** The inputs that are kept in the repository, by file name. */
export const corpusOf = (target: string): ReadonlyArray<readonly [name: string, bytes: Buffer]> => {
  const directory = path.join(corpusDirectory, target)
  return fs
    .readdirSync(directory)
    .sort()
    .map((name) => [name, fs.readFileSync(path.join(directory, name))] as const)
}

const attempt = async (
  target: Target,
  input: Buffer
): Promise<{ readonly millis: number; readonly error?: string }> => {
  const started = performance.now()
  try {
    await target.run(input)
  } catch (error) {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { millis: performance.now() - started, error: said }
  }
  const millis = performance.now() - started
  return millis > patience ? { millis, error: `it took ${Math.round(millis)} ms` } : { millis }
}

/** Without what can be left out. */
const smallest = async (target: Target, input: Buffer): Promise<Buffer> => {
  let bytes = input
  for (let size = bytes.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < bytes.length;) {
      const fewer = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)])
      if ((await attempt(target, fewer)).error === undefined) at += size
      else bytes = fewer
    }
  }
  return bytes
}

/** Fuzzes one target until `goesOn` says no, or something is found. */
export const fuzz = async (target: Target, seed: number, goesOn: (tried: number) => boolean): Promise<Outcome> => {
  const dice = new Dice(seedOf(seed, target.name, 0))
  const pool = corpusOf(target.name).map(([, bytes]) => bytes)
  const findings: Array<Finding> = []
  const coverage = startCoverage()
  let [tried, slowest] = [0, 0]
  const given = pool.length
  const tryOne = async (input: Buffer): Promise<void> => {
    tried += 1
    const { error, millis } = await attempt(target, input)
    slowest = Math.max(slowest, millis)
    if (error !== undefined) findings.push({ target: target.name, input: await smallest(target, input), error })
  }
  for (const input of pool.slice()) await tryOne(input)
  coverage.fresh()
  while (findings.length === 0 && goesOn(tried)) {
    const inputs = Array.from({ length: batch }, () => mutate(pool, target.words, dice))
    for (const input of inputs) await tryOne(input)
    if (coverage.fresh() === 0) continue
    // Somebody of these; what is new is known by now, so whoever reaches most of it cannot be told, and all are kept.
    const lengths = inputs.toSorted((a, b) => a.length - b.length)
    pool.push(...lengths.slice(0, batch / 2))
  }
  coverage.stop()
  return { target: target.name, tried, kept: pool.length - given, blocks: coverage.known(), slowest, findings }
}
