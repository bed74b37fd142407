/** Chance that comes again with its seed. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, and without, 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.below(from.length)]!
  }
}

/** The seed of one of many things that have one seed together. */
export const seedOf = (seed: number, name: string, index: number): number => {
  let hash = seed >>> 0
  for (const code of `${name} ${index}`) hash = Math.imul(hash ^ code.codePointAt(0)!, 0x01000193) >>> 0
  return hash
}
