/** What each request of a session was supplied with, from its log alone (C-4). */
import type { UserMessage } from "../schemas/Message.ts"
import type { SessionEvent } from "../schemas/SessionEvent.ts"

/** One entered step. `number` counts from 1 over the whole log; `turn` and `step` are what the loop called it. */
export interface SuppliedStep {
  readonly number: number
  readonly seq: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly turn?: number
  readonly step?: number
  /** The step's batch, in order: what its request brought that no earlier one had. */
  readonly messages: ReadonlyArray<UserMessage>
}

/** The steps of a log, in order. A batch is what follows `step/start` without anything but inbox events in between. */
export const stepsOf = (log: Iterable<SessionEvent>): ReadonlyArray<SuppliedStep> => {
  const steps: Array<SuppliedStep & { readonly messages: Array<UserMessage> }> = []
  let open = false
  for (const event of log) {
    if (event.type === "step/start") {
      const { at, seq, step, turn } = event
      steps.push({
        number: steps.length + 1,
        seq,
        at,
        ...(turn === undefined ? {} : { turn }),
        ...(step === undefined ? {} : { step }),
        messages: []
      })
      open = true
    } else if (open && event.type === "user/message") steps.at(-1)!.messages.push(event.message)
    else if (!event.type.startsWith("inbox/")) open = false
  }
  return steps
}
