/** What a session can be asked about its suppliers: bounded, however long nobody asks and no step is prepared. */
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { SupplierReport } from "../../services/ContextSupply.ts"

const most = 100

/** Findings since the last time they were taken. Beyond a hundred they are counted only. */
export class Findings {
  #kept: Array<Diagnostic> = []
  #more = 0

  add(finding: Diagnostic): void {
    if (this.#kept.length < most) this.#kept.push(finding)
    else this.#more += 1
  }

  /** All that is kept, and behind it how many are not, under the tag of the last that is. */
  get all(): ReadonlyArray<Diagnostic> {
    const last = this.#kept.at(-1)
    if (last === undefined || this.#more === 0) return this.#kept.slice()
    return [...this.#kept, { tag: last.tag, message: `${this.#more} more findings were left out of this report` }]
  }

  clear(): void {
    this.#kept = []
    this.#more = 0
  }
}

/** The latest pre-step of a supplier, and the latest hundred projections since. */
export class Account {
  #step: SupplierReport | undefined
  #projections: Array<SupplierReport> = []

  /** Another step is being prepared. */
  clear(): void {
    this.#step = undefined
    this.#projections = []
  }

  add(report: SupplierReport): void {
    if (report.occasion === "pre-step") this.#step = report
    else if (this.#projections.push(report) > most) this.#projections.shift()
  }

  /** Oldest first. */
  get all(): ReadonlyArray<SupplierReport> {
    return this.#step === undefined ? this.#projections.slice() : [this.#step, ...this.#projections]
  }
}

/** A source in the log that no fold can take (I-54). */
export const historyIgnored = (kind: string, seq: number): Diagnostic => ({
  tag: "HistoryIgnored",
  message: `Event ${seq} of the log has a source of kind ${kind} that is damaged or of an unknown version; it is ignored`
})
