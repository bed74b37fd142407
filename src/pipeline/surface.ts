/**
 * What of a log the model can see: a fold, one event at a time.
 *
 * A checkpoint shadows every surface event before its `keptFrom`, for good: a later checkpoint with a smaller one
 * brings nothing back. An event costs the same whatever the length of the log; only reading the surface costs its own
 * length.
 */
import { surfaceTypes } from "../schemas/SessionEvent.ts"
import type { SessionEvent } from "../schemas/SessionEvent.ts"

type Checkpoint = Extract<SessionEvent, { readonly type: "compaction/checkpoint" }>

/**
 * The `seq` from which a checkpoint keeps events; it cannot reach beyond itself, since nothing after it was summarised.
 */
export const keptFrom = (checkpoint: { readonly seq: number; readonly keptFrom: number }): number =>
  Math.min(checkpoint.keptFrom, checkpoint.seq)

/** The fold. Add the events of one log in order; look at `events` and `floor` at any time. */
export class Surface {
  #kept: Array<SessionEvent> = []
  /**
   * Where the visible events begin in `#kept`: what lies before is shadowed, and removed when it outweighs the rest.
   */
  #start = 0
  #checkpoint: Checkpoint | undefined
  #floor = 0
  #events: ReadonlyArray<SessionEvent> | undefined = []

  /** Every event with a smaller `seq` is shadowed. */
  get floor(): number {
    return this.#floor
  }

  /** The latest checkpoint. It is visible, since it keeps itself. */
  get checkpoint(): SessionEvent | undefined {
    return this.#checkpoint
  }

  /** The latest checkpoint, if there is one, then the other visible events by `seq`. The array never changes. */
  get events(): ReadonlyArray<SessionEvent> {
    return (this.#events ??= this.#read())
  }

  add(event: SessionEvent): void {
    if (!surfaceTypes.has(event.type)) return
    this.#events = undefined
    this.#kept.push(event)
    if (event.type !== "compaction/checkpoint") return
    this.#checkpoint = event as Checkpoint
    this.#floor = Math.max(this.#floor, keptFrom(this.#checkpoint))
    this.#shadow()
  }

  /** Passes over each event once in the life of the log, so a checkpoint costs what it shadows. */
  #shadow(): void {
    while (this.#start < this.#kept.length && this.#kept[this.#start]!.seq < this.#floor) this.#start++
    if (this.#start * 2 <= this.#kept.length) return
    this.#kept = this.#kept.slice(this.#start)
    this.#start = 0
  }

  #read(): ReadonlyArray<SessionEvent> {
    const visible = this.#kept.slice(this.#start)
    const checkpoint = this.#checkpoint
    if (checkpoint === undefined) return visible
    return [checkpoint, ...visible.filter((event) => event !== checkpoint)]
  }
}

/** The surface of a whole log. */
export const surfaceOf = (log: Iterable<SessionEvent>): ReadonlyArray<SessionEvent> => {
  const surface = new Surface()
  for (const event of log) surface.add(event)
  return surface.events
}
