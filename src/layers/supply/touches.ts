/** What was touched and is not answered yet: kept until a completed look that began with it has been committed (I-45). */

interface Touch {
  readonly generation: number
  readonly signal: AbortSignal | undefined
}

/** Holds each path once, however often it is touched before a look answers it. */
export class Touches {
  readonly #touches = new Map<string, Touch>()
  #generation = 0

  /** Whether there is anything. */
  get some(): boolean {
    return this.#touches.size > 0
  }

  /** The generation of the latest touch: what a look that begins now can answer. */
  get latest(): number {
    return this.#generation
  }

  /** Every path once, in the order in which they were first touched. */
  get paths(): ReadonlyArray<string> {
    return [...this.#touches.keys()]
  }

  /** Fires when the latest touch of any path is given up. */
  get signal(): AbortSignal | undefined {
    const signals = new Set<AbortSignal>()
    for (const { signal } of this.#touches.values()) if (signal !== undefined) signals.add(signal)
    // One signal for a whole session is the usual case: a combined one for every look would stay attached to it.
    return signals.size > 1 ? AbortSignal.any([...signals]) : signals.values().next().value
  }

  add(paths: ReadonlyArray<string>, signal: AbortSignal | undefined): void {
    if (paths.length === 0) return
    this.#generation += 1
    for (const path of paths) this.#touches.set(path, { generation: this.#generation, signal })
  }

  /** Those up to `generation` are answered; later ones, and only they, stay. */
  consume(generation: number): void {
    for (const [path, touch] of this.#touches) if (touch.generation <= generation) this.#touches.delete(path)
  }

  /** A look was given up: every touch stays due, none can be given up again. */
  withoutSignals(): void {
    for (const [path, touch] of this.#touches) this.#touches.set(path, { ...touch, signal: undefined })
  }
}
