/**
 * The inbox as a fold of the log: one ordered list of messages, each waiting or claimed.
 *
 * A claimed message keeps its place until it is logged, dropped or waits again. The fold is total: whatever an event
 * says of a message that is not in the list has no effect, so a log with a hole in its story still folds.
 */
import type { MessageId, UserMessage } from "../schemas/Message.ts"
import type { InboxEvent, SessionEvent, SessionEventInput } from "../schemas/SessionEvent.ts"

/** One message of the list. `claimed`: taken for a step that is neither logged nor given up. */
export interface InboxEntry {
  readonly message: UserMessage
  readonly state: "waiting" | "claimed"
}

interface Node {
  entry: InboxEntry
  before: Node | undefined
  after: Node | undefined
}

/**
 * The fold. An event costs the same however many messages there are; reading costs their number, once per change, and
 * what was read never changes.
 */
export class InboxState {
  readonly #nodes = new Map<MessageId, Node>()
  readonly #claimed = new Set<MessageId>()
  #first: Node | undefined
  #last: Node | undefined
  #entries: ReadonlyArray<InboxEntry> | undefined = []
  #pending: ReadonlyArray<UserMessage> | undefined = []

  /** The whole list, in order. */
  get entries(): ReadonlyArray<InboxEntry> {
    if (this.#entries !== undefined) return this.#entries
    const entries: Array<InboxEntry> = []
    for (let node = this.#first; node !== undefined; node = node.after) entries.push(node.entry)
    return (this.#entries = entries)
  }

  /** The waiting messages, in order. */
  get pending(): ReadonlyArray<UserMessage> {
    return (this.#pending ??= this.entries.filter((entry) => entry.state === "waiting").map((entry) => entry.message))
  }

  /** The entry of a message, if it is in the list. */
  entry(id: MessageId): InboxEntry | undefined {
    return this.#nodes.get(id)?.entry
  }

  /** Takes note of an event of the log. */
  add(event: SessionEvent | SessionEventInput): void {
    const known = event as InboxEvent | { readonly type: "user/message"; readonly message: UserMessage }
    switch (known.type) {
      case "inbox/inserted":
        return this.#insert(known.message, known.position)
      case "inbox/replaced":
        return this.#replace(known.id, known.message)
      case "inbox/removed":
        return this.#remove(known.id)
      case "inbox/claimed":
        return known.ids.forEach((id) => this.#claim(id))
      case "user/message":
        return this.#remove(known.message.id)
    }
  }

  /** Whatever is claimed waits again, at its place: nobody is left who could still log it. */
  release(): void {
    for (const id of this.#claimed) {
      const node = this.#nodes.get(id)!
      this.#put(node, node.entry.message, "waiting")
    }
  }

  #insert(message: UserMessage, position: "front" | "end"): void {
    const known = this.#nodes.get(message.id)
    if (known !== undefined) return this.#put(known, message, "waiting")
    const entry: InboxEntry = { message, state: "waiting" }
    const node: Node =
      position === "front"
        ? { entry, before: undefined, after: this.#first }
        : { entry, before: this.#last, after: undefined }
    this.#join(node.before, node)
    this.#join(node, node.after)
    this.#nodes.set(message.id, node)
    this.#changed()
  }

  #replace(id: MessageId, message: UserMessage): void {
    const node = this.#nodes.get(id)
    // Put back under its own id, a message waits only if it is still there: what was logged or dropped is not.
    if (node === undefined) return message.id === id ? undefined : this.#insert(message, "end")
    if (message.id !== id) {
      // Ids are unique in the list: the message may already wait elsewhere, and gives that place up.
      this.#remove(message.id)
      this.#nodes.delete(id)
      this.#claimed.delete(id)
      this.#nodes.set(message.id, node)
    }
    this.#put(node, message, "waiting")
  }

  #claim(id: MessageId): void {
    const node = this.#nodes.get(id)
    if (node !== undefined) this.#put(node, node.entry.message, "claimed")
  }

  #remove(id: MessageId): void {
    const node = this.#nodes.get(id)
    if (node === undefined) return
    this.#nodes.delete(id)
    this.#claimed.delete(id)
    this.#join(node.before, node.after)
    this.#changed()
  }

  #put(node: Node, message: UserMessage, state: InboxEntry["state"]): void {
    node.entry = { message, state }
    if (state === "claimed") this.#claimed.add(message.id)
    else this.#claimed.delete(message.id)
    this.#changed()
  }

  /** Makes two nodes neighbours; an absent one stands for the end of the list on its side. */
  #join(before: Node | undefined, after: Node | undefined): void {
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
  }

  #changed(): void {
    this.#entries = undefined
    this.#pending = undefined
  }
}

/**
 * The inbox of a whole log, as its last writer left it; `release` it to see what waits when the session is opened
 * again.
 */
export const inboxOf = (log: Iterable<SessionEvent | SessionEventInput>): InboxState => {
  const state = new InboxState()
  for (const event of log) state.add(event)
  return state
}
