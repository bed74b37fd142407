/**
 * Deliberate mistakes in the core, each of which some test has to notice. A module imported with `?mutant=NAME` has the
 * mistake built in; one that no longer applies to the source fails the import.
 */
export interface Mutant {
  readonly file: string
  readonly find: string
  readonly replace: string
}

const projection = "src/layers/supply/projection.ts"

export const mutants: Readonly<Record<string, Mutant>> = {
  /** A look commits what it answers when it has read, not when its message is in the log. */
  commitAtRead: {
    file: projection,
    find: "underway.set(outcome.message.id, { mark: outcome.mark, forStep: true })",
    replace: "settles(outcome.mark, true)"
  },
  /** A look is used although the log has moved while it was made. */
  noRevisionCheck: {
    file: projection,
    find: "if (history.revision !== mark.revision) continue",
    replace: ""
  },
  /** What waits is replaced without asking again under the lock. */
  noCheckUnderLock: {
    file: projection,
    find: "if (history.revision !== outcome.mark.revision) return [false, []]",
    replace: ""
  },
  /** A step waits for the look behind an earlier tool result instead of taking over. */
  noTakeover: {
    file: projection,
    find: "yield* stop\n    const outcome",
    replace: "yield* worker === undefined ? Effect.void : Fiber.await(worker)\n    const outcome"
  },
  /** A step leaves alone what was written to the inbox after its loop had claimed. */
  noEarlyClaim: {
    file: projection,
    find: 'return waiting === undefined ? [] : [asContribution(waiting, "end")]',
    replace: 'return waiting === undefined || !history.claimed ? [] : [asContribution(waiting, "end")]'
  },
  /** A look answers touches that came while it was under way. */
  noGenerations: {
    file: projection,
    find: "touches.consume(mark.touches)",
    replace: "touches.consume(Infinity)"
  },
  /** A look that is given up takes its touches with it. */
  abortForgets: {
    file: projection,
    find: "return touches.withoutSignals()",
    replace: "return touches.consume(Infinity)"
  }
}

/** The vitest plugin that builds the mistakes in. */
export const mutantPlugin = {
  name: "mutants",
  enforce: "pre" as const,
  transform(code: string, id: string) {
    const name = /[?&]mutant=(\w+)/.exec(id)?.[1]
    if (name === undefined) return undefined
    const mutant = mutants[name]
    if (mutant === undefined || !id.includes(mutant.file)) throw new Error(`There is no mutant ${name} of ${id}`)
    if (code.split(mutant.find).length !== 2) throw new Error(`Mutant ${name} does not apply: ${mutant.find}`)
    return code.replace(mutant.find, () => mutant.replace)
  }
}
