/** What is counted from the end of the last prompt, step or cancellation: requests to the disk, and diagnostics. */
import * as Effect from "effect/Effect"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { ContextReport, SupplierReport } from "../../services/ContextSupply.ts"
import type { ScriptedAgent } from "../scriptedAgent.ts"

/** Paths that were asked for at all. */
const asked = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

/** Diagnostics are reported once, but stay in the report for a while: what was there before is told apart by identity. */
export class Window {
  readonly #agent: ScriptedAgent
  #before = new Set<SupplierReport | Diagnostic>()
  #since = new Map<SupplierReport | Diagnostic, ReadonlyArray<Diagnostic>>()

  constructor(agent: ScriptedAgent) {
    this.#agent = agent
  }

  get diagnostics(): ReadonlyArray<string> {
    return [...this.#since.values()].flat().map(({ tag }) => tag)
  }

  /** Takes note of what is reported now: a pre-step starts the report anew. */
  note(report: ContextReport, others: ReadonlyArray<Diagnostic>): void {
    for (const supplier of report.suppliers) this.#note(supplier, supplier.diagnostics)
    for (const diagnostic of [...report.diagnostics, ...others]) this.#note(diagnostic, [diagnostic])
  }

  #note(origin: SupplierReport | Diagnostic, diagnostics: ReadonlyArray<Diagnostic>): void {
    if (!this.#before.has(origin)) this.#since.set(origin, diagnostics)
  }

  /** By path, since the window was opened; paths that were not asked for are left out. */
  get counts() {
    const { disk } = this.#agent.host
    return Effect.gen(function* () {
      const reads = yield* disk.allReads
      const bytesRead: Record<string, number> = {}
      for (const path of Object.keys(reads)) bytesRead[path] = yield* disk.bytesRead(path)
      return { reads: asked(reads), probes: asked(yield* disk.allProbes), bytesRead: asked(bytesRead) }
    })
  }

  /** The next step's window begins here. */
  get close(): Effect.Effect<void> {
    return Effect.andThen(
      this.#agent.host.disk.resetCounters,
      Effect.sync(() => {
        for (const origin of this.#since.keys()) this.#before.add(origin)
        this.#since = new Map()
      })
    )
  }
}
