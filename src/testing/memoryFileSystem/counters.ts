/** What was asked of the file system, by path. */

export type Counter = "reads" | "probes" | "lists" | "bytesRead"

export class Counters {
  requests = 0
  readonly #counts: Record<Counter, Map<string, number>> = {
    reads: new Map(),
    probes: new Map(),
    lists: new Map(),
    bytesRead: new Map()
  }

  add(counter: Counter, path: string, amount = 1): void {
    const counts = this.#counts[counter]
    counts.set(path, (counts.get(path) ?? 0) + amount)
  }

  get(counter: Counter, path: string): number {
    return this.#counts[counter].get(path) ?? 0
  }

  /** Paths that were never asked for are not in it. */
  all(counter: Counter): Record<string, number> {
    return Object.fromEntries(this.#counts[counter])
  }

  reset(): void {
    this.requests = 0
    for (const counts of Object.values(this.#counts)) counts.clear()
  }
}
