/** What was touched and is not answered yet: kept until a completed look that began with it has been committed (I-45). */

interface Touch {
  readonly generation: number
  readonly paths: ReadonlyArray<string>
  readonly signal: AbortSignal | undefined
}

export class Touches {
  #touches: Array<Touch> = []
  #generation = 0

  /** Whether there is anything. */
  get some(): boolean {
    return this.#touches.length > 0
  }

  /** The generation of the latest touch: what a look that begins now can answer. */
  get latest(): number {
    return this.#generation
  }

  /** Every path once. */
  get paths(): ReadonlyArray<string> {
    return [...new Set(this.#touches.flatMap(({ paths }) => paths))]
  }

  /** Fires when any of the touches is given up. */
  get signal(): AbortSignal | undefined {
    const signals = this.#touches.flatMap(({ signal }) => (signal === undefined ? [] : [signal]))
    return signals.length === 0 ? undefined : AbortSignal.any(signals)
  }

  add(paths: ReadonlyArray<string>, signal: AbortSignal | undefined): void {
    if (paths.length === 0) return
    this.#generation += 1
    this.#touches.push({ generation: this.#generation, paths, signal })
  }

  /** Those up to `generation` are answered; later ones, and only they, stay. */
  consume(generation: number): void {
    this.#touches = this.#touches.filter((touch) => touch.generation > generation)
  }

  /** A look was given up: every touch stays due, none can be given up again. */
  withoutSignals(): void {
    this.#touches = this.#touches.map((touch) => ({ ...touch, signal: undefined }))
  }
}
