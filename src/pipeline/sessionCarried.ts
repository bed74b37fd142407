/**
 * Which shadowed events a log cannot do without: what a store that reads a log from its last checkpoint has to read
 * besides.
 *
 * A replay of these events, followed by everything from the surface's floor on, leaves every observer where a replay of
 * the whole log would: the inbox with the same messages at the same places, the newest message of each source kind, the
 * newest marks of turns and steps, and the zones of the open turn.
 */
import type { MessageId } from "../schemas/Message.ts"
import type { InboxEvent, SessionEvent } from "../schemas/SessionEvent.ts"

/** What of the log holds one message of the inbox: the events that gave it its place, and the latest that moved it. */
interface Held {
  readonly place: ReadonlyArray<number>
  readonly moved?: number
}

const marks: ReadonlySet<string> = new Set(["turn/start", "turn/end", "step/start", "step/end", "session/title"])

/** The fold. Add the events of one log in order, or those that another fold of it has named. */
export class Carried {
  #newest: Map<string, number>
  #zones: Map<string, number>
  #held: Map<MessageId, Held>

  constructor(from?: Carried) {
    this.#newest = new Map(from === undefined ? [] : from.#newest)
    this.#zones = new Map(from === undefined ? [] : from.#zones)
    this.#held = new Map(from === undefined ? [] : from.#held)
  }

  /** The `seq`s that are needed and smaller than `floor`, in order. */
  below(floor: number): ReadonlyArray<number> {
    if (floor === 0) return []
    const needed = new Set([...this.#newest.values(), ...this.#zones.values()])
    for (const { moved, place } of this.#held.values()) {
      for (const seq of place) needed.add(seq)
      if (moved !== undefined) needed.add(moved)
    }
    return [...needed].filter((seq) => seq < floor).sort((a, b) => a - b)
  }

  add(event: SessionEvent): void {
    const { seq, type } = event
    if (type.startsWith("inbox/")) return this.#move(event as InboxEvent & { readonly seq: number })
    if (marks.has(type)) this.#newest.set(type, seq)
    if (type === "turn/start" || type === "turn/end") this.#zones.clear()
    if (event.type !== "user/message") return
    const { id, source } = event.message as Extract<SessionEvent, { readonly type: "user/message" }>["message"]
    this.#held.delete(id)
    this.#newest.set(`message of ${source.kind}`, seq)
    const zone = source["timeZone"]
    if (typeof zone === "string" && !this.#zones.has(zone)) this.#zones.set(zone, seq)
  }

  #move(event: InboxEvent & { readonly seq: number }): void {
    const { seq } = event
    switch (event.type) {
      case "inbox/inserted":
        return this.#insert(event.message.id, seq)
      case "inbox/removed":
        this.#held.delete(event.id)
        return
      case "inbox/claimed":
        for (const id of event.ids) this.#touch(id, seq)
        return
      case "inbox/replaced": {
        const held = this.#held.get(event.id)
        const { id } = event.message
        if (held === undefined) return id === event.id ? undefined : this.#insert(id, seq)
        if (id === event.id) return this.#touch(id, seq)
        this.#held.delete(event.id)
        this.#held.set(id, { place: [...held.place, seq] })
      }
    }
  }

  #insert(id: MessageId, seq: number): void {
    if (this.#held.has(id)) this.#touch(id, seq)
    else this.#held.set(id, { place: [seq] })
  }

  #touch(id: MessageId, seq: number): void {
    const held = this.#held.get(id)
    if (held !== undefined) this.#held.set(id, { place: held.place, moved: seq })
  }
}
