/**
 * Which finished tool executions count now (I-42, I-43): a value, moved by what happens.
 *
 * An execution inside another waits with its parent, level by level, until the outermost has settled; while a step is
 * open, or one is being prepared, even those wait for its end.
 */

import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"

/** The part of an execution that decides how long it waits. */
export interface Stageable {
  readonly token: string
  readonly parent?: string
}

/** Executions in order, joined without copying: what is waited for grows by thousands, one at a time. */
type Waiting<E> = readonly [before: Waiting<E>, last: E | Waiting<E>] | undefined

/** What waits for one call, and since which move: the order in which they are released when it never settles. */
interface Group<E> {
  readonly since: number
  readonly waiting: Waiting<E>
}

/** Settled calls with their parents: the latest, and as many before them at most. */
interface Settled {
  readonly latest: HashMap.HashMap<string, string | undefined>
  readonly earlier: HashMap.HashMap<string, string | undefined>
}

const nobody: Settled = { latest: HashMap.empty(), earlier: HashMap.empty() }

export interface Staging<E extends Stageable> {
  /** A step is being prepared or is open. */
  readonly open: boolean
  /** The latest turn has ended, and nothing of a next one has begun. */
  readonly ended: boolean
  /** Settled at the top, waiting for the step's end. */
  readonly staged: Waiting<E>
  /** By the token of the call they wait for. */
  readonly nested: HashMap.HashMap<string, Group<E>>
  /** How many executions there have been. */
  readonly count: number
  /**
   * The latest calls of this turn that have settled, or are waited for no longer, with their parents: a child reported late
   * goes straight past them. Kept until the next turn begins, which may use their tokens again.
   */
  readonly settled: Settled
}

/** What a move leaves, and the executions that count from now on. */
export type Move<E extends Stageable> = readonly [Staging<E>, ReadonlyArray<E>]

export const closed: Staging<never> = {
  open: false,
  ended: false,
  staged: undefined,
  nested: HashMap.empty(),
  count: 0,
  settled: nobody
}

const isJoined = <E extends Stageable>(each: E | NonNullable<Waiting<E>>): each is NonNullable<Waiting<E>> =>
  Array.isArray(each)

/** Executions in order, however deep they were joined. */
const inOrder = <E extends Stageable>(waiting: Waiting<E>): ReadonlyArray<E> => {
  const reversed: Array<E> = []
  const stack: Array<NonNullable<Waiting<E>>> = waiting === undefined ? [] : [waiting]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [before, last] = top
    if (before !== undefined) stack.push(before)
    if (last === undefined) continue
    if (isJoined(last)) stack.push(last)
    else reversed.push(last)
  }
  return reversed.reverse()
}

const join = <E extends Stageable>(before: Waiting<E>, last: E | Waiting<E>): Waiting<E> =>
  last === undefined ? before : [before, last]

/** The nearest call above `parent` that has not settled yet; `undefined` when all have. */
const unsettled = (settled: Settled, parent: string | undefined): string | undefined => {
  const seen = new Set<string>()
  let at = parent
  while (at !== undefined && !seen.has(at)) {
    const known = Option.orElse(HashMap.get(settled.latest, at), () => HashMap.get(settled.earlier, at!))
    if (Option.isNone(known)) return at
    seen.add(at)
    at = known.value
  }
  return undefined
}

/** So many settled calls at least are remembered for children that report late, and twice as many at most. */
const remembered = 256

const remember = (settled: Settled, { parent, token }: Stageable): Settled => {
  const latest = HashMap.set(settled.latest, token, parent)
  return HashMap.size(latest) < remembered ? { ...settled, latest } : { latest: HashMap.empty(), earlier: latest }
}

/** Of a turn that has ended nothing is known any more as soon as the next one begins. */
const beginTurn = <E extends Stageable>(staging: Staging<E>): Staging<E> =>
  staging.ended ? { ...staging, ended: false, settled: nobody } : staging

/** An execution has finished. */
export const settle = <E extends Stageable>(staging: Staging<E>, execution: E): Move<E> => {
  const inner = Option.getOrUndefined(HashMap.get(staging.nested, execution.token))
  const all = join(inner?.waiting, execution)
  const rest = inner === undefined ? staging.nested : HashMap.remove(staging.nested, execution.token)
  const next = { ...staging, nested: rest, count: staging.count + 1, settled: remember(staging.settled, execution) }
  const above = unsettled(staging.settled, execution.parent)
  if (above !== undefined) {
    const group = Option.getOrElse(HashMap.get(rest, above), () => ({ since: staging.count, waiting: undefined }))
    const nested = HashMap.set(rest, above, { ...group, waiting: join(group.waiting, all) })
    return [{ ...next, nested }, []]
  }
  return staging.open ? [{ ...next, staged: join(staging.staged, all) }, []] : [next, inOrder(all)]
}

/** A step is being prepared. What waited for an earlier one, ended or not, counts now. */
export const prepare = <E extends Stageable>(staging: Staging<E>): Move<E> => [
  { ...beginTurn(staging), open: true, staged: undefined },
  inOrder(staging.staged)
]

/** A step has begun, prepared here or not. */
export const begin = <E extends Stageable>(staging: Staging<E>): Move<E> => [{ ...beginTurn(staging), open: true }, []]

/** The step has ended, or was not entered after all. */
export const release = <E extends Stageable>(staging: Staging<E>): Move<E> => [
  { ...staging, open: false, staged: undefined },
  inOrder(staging.staged)
]

/** The turn has ended: calls that never settled are waited for no longer, nor are they by children that report later. */
export const endTurn = <E extends Stageable>(staging: Staging<E>): Move<E> => {
  const groups = [...HashMap.entries(staging.nested)].sort(([, one], [, other]) => one.since - other.since)
  const gone = groups.map(([token]): Stageable => ({ token }))
  return [
    { ...closed, ended: true, count: staging.count, settled: gone.reduce(remember, staging.settled) },
    [...inOrder(staging.staged), ...groups.flatMap(([, group]) => inOrder(group.waiting))]
  ]
}
