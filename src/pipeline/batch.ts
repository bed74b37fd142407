/** The order of a step's batch: pure placement of what suppliers contribute (C-1). */
import type { MessageId, UserMessage } from "../schemas/Message.ts"

/** Where a contribution goes; see `Placement` of the supply. */
export type Place =
  | { readonly at: "afterMessage"; readonly id: MessageId }
  | { readonly at: "afterClaimed" }
  | { readonly at: "end" }

/** A message to be placed. */
export interface Placed {
  readonly message: UserMessage
  readonly placement: Place
}

/** The order inside one placement; kinds that are not listed follow by the name of their supplier. */
const kinds = [
  "agent-instructions",
  "skill-catalog",
  "tmux-context",
  "time-context",
  "skill-invocation",
  "session-reference"
]

/** Orders suppliers independently of when they were registered. */
export const compareSuppliers = (
  a: { readonly kind: string; readonly name: string },
  b: { readonly kind: string; readonly name: string }
): number => {
  const rank = (kind: string) => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length)
  return rank(a.kind) - rank(b.kind) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
}

/**
 * Puts the batch together. `claimed` without the messages that suppliers have taken over; `contributions` in the order
 * of their suppliers. What is bound to a message that is not there follows the claimed ones.
 */
export const assemble = (
  claimed: ReadonlyArray<UserMessage>,
  contributions: ReadonlyArray<Placed>
): ReadonlyArray<UserMessage> => {
  const ids = new Set(claimed.map(({ id }) => id))
  const bound = new Map<MessageId, Array<UserMessage>>()
  const following: Array<UserMessage> = []
  const last: Array<UserMessage> = []
  for (const { message, placement } of contributions) {
    if (placement.at === "end") last.push(message)
    else if (placement.at === "afterMessage" && ids.has(placement.id)) {
      const group = bound.get(placement.id)
      if (group === undefined) bound.set(placement.id, [message])
      else group.push(message)
    } else following.push(message)
  }
  return [...claimed.flatMap((message) => [message, ...(bound.get(message.id) ?? [])]), ...following, ...last]
}
