/** Adds the sessions that a user refers to right after the message that does. */
import * as Effect from "effect/Effect"
import { byteLength } from "../../pipeline/utf8.ts"
import type { UserMessage } from "../../schemas/Message.ts"
import { type SessionReferenceError, sessionReferenceKind } from "../../schemas/SessionReference.ts"
import { StepRejected } from "../../schemas/StepRejected.ts"
import type { Contribution, ReportItem, Supplier, SupplierReport } from "../../services/ContextSupply.ts"
import type { Prepared } from "./prepare.ts"

const name = "session references"

const itemsOf = ({ snapshots, unavailable }: Prepared): ReadonlyArray<ReportItem> => [
  ...snapshots.map(({ json, reference: { omittedBytes, omittedMessages, sessionId, truncated } }) => ({
    path: sessionId,
    outcome: truncated ? "truncated" : "loaded",
    renderedBytes: byteLength(json),
    ...(truncated ? { reason: `${omittedMessages} messages and ${omittedBytes} bytes omitted` } : {})
  })),
  ...unavailable.map(({ sessionId, why }) => ({ path: sessionId, outcome: "unavailable", reason: why }))
]

const reportOf = (prepared: ReadonlyArray<Prepared>): SupplierReport => ({
  supplier: name,
  occasion: "pre-step",
  bytes: prepared.reduce((sum, { message }) => sum + byteLength(message.text), 0),
  items: prepared.flatMap(itemsOf),
  diagnostics: []
})

/** The supplier of one agent instance. */
export const makeSupplier = (
  prepare: (messages: ReadonlyArray<UserMessage>) => Effect.Effect<ReadonlyArray<Prepared>, SessionReferenceError>
): Supplier => {
  let reports: ReadonlyArray<SupplierReport> = []
  return {
    name,
    kind: sessionReferenceKind,
    // Nothing of its own ever waits: what somebody else has put into the inbox stays what and where it is.
    owns: () => false,
    explain: Effect.sync(() => reports),
    propose: Effect.fnUntraced(function* (step) {
      reports = []
      if (step.decision === "reject" || step.turn === undefined) return []
      const prepared = yield* Effect.mapError(
        prepare(step.claimed),
        ({ reason }) => new StepRejected({ supplier: name, reason })
      )
      if (prepared.length > 0) reports = [reportOf(prepared)]
      return prepared.map(({ citing, message }): Contribution => ({
        message,
        placement: { at: "afterMessage", id: citing.id },
        ifNotEntered: "drop"
      }))
    })
  }
}
