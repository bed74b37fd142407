/** Where a loop stands in its conversation: a fold of the log. */
import type { SessionEvent } from "../schemas/SessionEvent.ts"

export interface Conversation {
  /** The `seq` of the next event. */
  readonly next: number
  /** How many turns have begun. */
  readonly turns: number
  /** A turn has begun and not ended. */
  readonly turnOpen: boolean
  /** How many steps of the latest turn have begun. */
  readonly steps: number
  readonly stepOpen: boolean
}

export const beginning: Conversation = { next: 0, turns: 0, turnOpen: false, steps: 0, stepOpen: false }

export const follow = (conversation: Conversation, event: SessionEvent): Conversation => {
  const at = { ...conversation, next: event.seq + 1 }
  switch (event.type) {
    case "turn/start":
      return { ...at, turns: event.turn ?? at.turns + 1, turnOpen: true, steps: 0, stepOpen: false }
    case "turn/end":
      return { ...at, turnOpen: false, stepOpen: false }
    case "step/start":
      return { ...at, steps: event.step ?? at.steps + 1, stepOpen: true }
    case "step/end":
      return { ...at, stepOpen: false }
  }
  return at
}
