/**
 * Told and waiting, folded from the log for one kind of message.
 *
 * `told` folds the visible messages of the kind, `waiting` is the one that is composed but neither logged nor dropped —
 * claimed or not —, `last` the newest that was ever logged. Each event costs the same, however long the log is; only a
 * compaction folds again, over what is still visible.
 */
import type { Source, UserMessage } from "../schemas/Message.ts"
import type { SessionEvent } from "../schemas/SessionEvent.ts"

/** What a fold starts from and how it takes one message. */
export interface Telling<Told> {
  readonly initial: Told
  readonly announce: (told: Told, own: UserMessage) => Told
  /** Whether a source is one of this kind, of a version that is understood. Anything else is ignored (I-54). */
  readonly owns: (source: Source) => boolean
}

/** A logged message and when. `at`: epoch milliseconds. */
export interface Logged {
  readonly message: UserMessage
  readonly seq: number
  readonly at: number
}

/** What an event meant for the kind. */
export type Noticed =
  /** A message of the kind was logged: it is told now. */
  | { readonly _tag: "logged"; readonly id: string }
  /** A message of the kind waits: newly, again, or in another's place. */
  | { readonly _tag: "waits"; readonly id: string; readonly again: boolean }
  /** A waiting message of the kind was claimed or dropped. */
  | { readonly _tag: "moved" }
  /** A visible message of the kind was shadowed. */
  | { readonly _tag: "shadowed" }

interface WaitingEntry {
  readonly message: UserMessage
  readonly claimed: boolean
}

export class History<Told> {
  readonly #telling: Telling<Told>
  #told: Told
  #visible: Array<Logged> = []
  #waiting: Array<WaitingEntry> = []
  #last: Logged | undefined
  #revision = 0
  #compacted = false

  constructor(telling: Telling<Told>) {
    this.#telling = telling
    this.#told = telling.initial
  }

  get told(): Told {
    return this.#told
  }

  get last(): Logged | undefined {
    return this.#last
  }

  /** The waiting message, claimed or not. There is at most one, unless somebody else has written the log. */
  get waiting(): UserMessage | undefined {
    return this.#waiting[0]?.message
  }

  /** Whether the waiting message is claimed: a step is being prepared with it. */
  get claimed(): boolean {
    return this.#waiting[0]?.claimed ?? false
  }

  /** Every waiting message; more than one only in a log somebody else has written. */
  get allWaiting(): ReadonlyArray<UserMessage> {
    return this.#waiting.map(({ message }) => message)
  }

  /** Whether the log has been compacted: something that was told once may be visible no longer. */
  get compacted(): boolean {
    return this.#compacted
  }

  /** Moves with everything that can change what has to be said: equal before and after a look, the look is good. */
  get revision(): number {
    return this.#revision
  }

  /** Takes note of an event of the log and says what it meant. */
  add(event: SessionEvent): Noticed | undefined {
    const noticed = this.#add(event)
    if (noticed !== undefined) this.#revision += 1
    return noticed
  }

  #own(message: UserMessage): boolean {
    return this.#telling.owns(message.source)
  }

  #drop(id: string): boolean {
    const before = this.#waiting.length
    this.#waiting = this.#waiting.filter(({ message }) => message.id !== id)
    return this.#waiting.length !== before
  }

  #add(event: SessionEvent): Noticed | undefined {
    switch (event.type) {
      case "user/message": {
        const { message } = event
        const dropped = this.#waiting.length > 0 && this.#drop(message.id)
        if (!this.#own(message)) return dropped ? { _tag: "moved" } : undefined
        this.#last = { message, seq: event.seq, at: event.at }
        this.#visible.push(this.#last)
        this.#told = this.#telling.announce(this.#told, message)
        return { _tag: "logged", id: message.id }
      }
      case "compaction/checkpoint": {
        this.#compacted = true
        const from = Math.min(event.keptFrom, event.seq)
        const kept = this.#visible.filter(({ seq }) => seq >= from)
        if (kept.length === this.#visible.length) return undefined
        this.#visible = kept
        this.#told = kept.reduce((told, { message }) => this.#telling.announce(told, message), this.#telling.initial)
        return { _tag: "shadowed" }
      }
      case "inbox/inserted":
        return this.#wait(event.message.id, event.message)
      case "inbox/replaced":
        // Put back under its own id, a message waits only if it is still there to be put back.
        if (event.id === event.message.id && !this.#waiting.some(({ message }) => message.id === event.id))
          return undefined
        return this.#wait(event.id, event.message)
      case "inbox/removed":
        return this.#waiting.length > 0 && this.#drop(event.id) ? { _tag: "moved" } : undefined
      case "inbox/claimed": {
        const claims = this.#waiting.some(({ message }) => event.ids.includes(message.id))
        if (!claims) return undefined
        this.#waiting = this.#waiting.map((entry) =>
          event.ids.includes(entry.message.id) ? { ...entry, claimed: true } : entry
        )
        return { _tag: "moved" }
      }
    }
    return undefined
  }

  /** `message` takes the place of `id`, or starts to wait. */
  #wait(id: string, message: UserMessage): Noticed | undefined {
    const index = this.#waiting.findIndex((entry) => entry.message.id === id)
    const entry: WaitingEntry = { message, claimed: false }
    const again = this.#waiting[index]?.claimed === true && message.id === id
    if (!this.#own(message)) return index >= 0 && this.#drop(id) ? { _tag: "moved" } : undefined
    if (index >= 0) this.#waiting = this.#waiting.with(index, entry)
    else this.#waiting = [...this.#waiting, entry]
    return { _tag: "waits", id: message.id, again }
  }

  /** Nobody is left who could log what is claimed: it waits. */
  release(): void {
    this.#waiting = this.#waiting.map(({ message }) => ({ message, claimed: false }))
  }
}
