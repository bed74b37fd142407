/**
 * Which finished tool executions count now (I-42, I-43): a value, moved by what happens.
 *
 * An execution inside another waits with its parent, level by level, until the outermost has settled; while a step is
 * open, or one is being prepared, even those wait for its end.
 */

/** The part of an execution that decides how long it waits. */
export interface Stageable {
  readonly token: string
  readonly parent?: string
}

export interface Staging<E extends Stageable> {
  /** A step is being prepared or is open. */
  readonly open: boolean
  /** Settled at the top, waiting for the step's end. */
  readonly staged: ReadonlyArray<E>
  /** By the token of the call they wait for. */
  readonly nested: ReadonlyMap<string, ReadonlyArray<E>>
  /** The latest calls of this turn that have settled, with their parents: a child reported late goes straight past them. */
  readonly settled: ReadonlyMap<string, string | undefined>
}

/** What a move leaves, and the executions that count from now on. */
export type Move<E extends Stageable> = readonly [Staging<E>, ReadonlyArray<E>]

export const closed: Staging<never> = { open: false, staged: [], nested: new Map(), settled: new Map() }

/** The nearest call above `parent` that has not settled yet; `undefined` when all have. */
const unsettled = (settled: Staging<never>["settled"], parent: string | undefined): string | undefined => {
  const seen = new Set<string>()
  let at = parent
  while (at !== undefined && settled.has(at) && !seen.has(at)) {
    seen.add(at)
    at = settled.get(at)
  }
  return at !== undefined && seen.has(at) ? undefined : at
}

/** How many settled calls are remembered for children that report late. */
const remembered = 256

const remember = (settled: Staging<never>["settled"], { parent, token }: Stageable): Staging<never>["settled"] => {
  const next = new Map(settled).set(token, parent)
  if (next.size > remembered) next.delete(next.keys().next().value!)
  return next
}

/** An execution has finished. */
export const settle = <E extends Stageable>(staging: Staging<E>, execution: E): Move<E> => {
  const inner = staging.nested.get(execution.token) ?? []
  const all = [...inner, execution]
  const nested = new Map(staging.nested)
  nested.delete(execution.token)
  const settled = remember(staging.settled, execution)
  const above = unsettled(staging.settled, execution.parent)
  if (above !== undefined) {
    nested.set(above, [...(nested.get(above) ?? []), ...all])
    return [{ ...staging, nested, settled }, []]
  }
  return staging.open
    ? [{ ...staging, nested, settled, staged: [...staging.staged, ...all] }, []]
    : [{ ...staging, nested, settled }, all]
}

/** A step is being prepared. What waited for an earlier one, ended or not, counts now. */
export const prepare = <E extends Stageable>(staging: Staging<E>): Move<E> => [
  { ...staging, open: true, staged: [] },
  staging.staged
]

/** A step has begun, prepared here or not. */
export const begin = <E extends Stageable>(staging: Staging<E>): Move<E> => [{ ...staging, open: true }, []]

/** The step has ended, or was not entered after all. */
export const release = <E extends Stageable>(staging: Staging<E>): Move<E> => [
  { ...staging, open: false, staged: [] },
  staging.staged
]

/** The turn has ended: calls that never settled are waited for no longer. */
export const endTurn = <E extends Stageable>(staging: Staging<E>): Move<E> => [
  { open: false, staged: [], nested: new Map(), settled: new Map() },
  [...staging.staged, ...[...staging.nested.values()].flat()]
]
