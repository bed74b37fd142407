/** A log in memory and what is folded from it: the surface and the latest title. */
import type { SessionEvent } from "../schemas/SessionEvent.ts"
import { Surface } from "./surface.ts"

/** Only ever grows; every array it hands out stays as it was. */
export class SessionLog {
  readonly #events: Array<SessionEvent>
  readonly #surface = new Surface()
  #snapshot: ReadonlyArray<SessionEvent> | undefined
  #title: string | undefined
  #length: number

  /**
   * Takes `events` over; nobody else may change them from then on. A store that has left out shadowed ones says how many
   * the log has.
   */
  constructor(events: Array<SessionEvent> = [], length = events.length) {
    this.#events = events
    this.#length = length
    for (const event of events) this.#fold(event)
  }

  /** The `seq` of the next event. */
  get length(): number {
    return this.#length
  }

  get title(): string | undefined {
    return this.#title
  }

  get surface(): ReadonlyArray<SessionEvent> {
    return this.#surface.events
  }

  /** Every event that is here. Copied once after each change, and only if somebody asks. */
  get events(): ReadonlyArray<SessionEvent> {
    return (this.#snapshot ??= this.#events.slice())
  }

  add(batch: ReadonlyArray<SessionEvent>): void {
    this.#snapshot = undefined
    this.#length += batch.length
    for (const event of batch) {
      this.#events.push(event)
      this.#fold(event)
    }
  }

  /** Hands every event to `visit`, without a copy. `visit` may not add to the log. */
  forEach(visit: (event: SessionEvent) => void): void {
    for (const event of this.#events) visit(event)
  }

  #fold(event: SessionEvent): void {
    this.#surface.add(event)
    if (event.type === "session/title") this.#title = (event as { readonly title: string }).title
  }
}
