/** The one door an agent loop walks through to learn what its model should be told. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Diagnostic } from "../schemas/Diagnostic.ts"
import type { MessageId, UserMessage } from "../schemas/Message.ts"
import type { SessionError } from "../schemas/SessionError.ts"
import type { SessionEvent, ToolOutcome } from "../schemas/SessionEvent.ts"
import type { DuplicateSupplier, StepRejected } from "../schemas/StepRejected.ts"

/** The moment before a step: messages are claimed, nothing of the step is logged. */
export interface PreStep {
  /** The open turn's number; absent when no turn is open, and then no step can be entered. */
  readonly turn?: number
  /** The step's number inside its turn, from 1. */
  readonly step: number
  /** What the step is about to answer: messages from the inbox, then the prompt. */
  readonly claimed: ReadonlyArray<UserMessage>
  /** What the loop has decided. */
  readonly decision: "enter" | "reject"
  /** Aborting it interrupts the pre-step. */
  readonly signal?: AbortSignal
}

/** The step goes ahead: hand the decision to `enter`. */
export interface Entered {
  readonly decision: "enter"
  readonly turn?: number
  readonly step: number
  /** The final batch, in order: what the loop claimed and what the suppliers contributed. */
  readonly messages: ReadonlyArray<UserMessage>
  /** Claimed messages whose supplier has dropped or superseded them; `enter` settles them with the batch. */
  readonly dropped: ReadonlyArray<MessageId>
}

/** The step does not go ahead: put back the claimed messages that are neither waiting nor dropped. */
export interface NotEntered {
  readonly decision: "reject"
}

/** What a pre-step comes to. */
export type StepDecision = Entered | NotEntered

/** One finished tool execution. */
export interface ToolExecution {
  readonly name: string
  readonly arguments: unknown
  readonly outcome: ToolOutcome
  /** Identifies this execution; calls made inside it name it as their `parent`. */
  readonly token: string
  readonly parent?: string
  /** Aborting it ends the look this execution has caused; what it touched stays due. */
  readonly signal?: AbortSignal
}

/** Where a contribution goes in the batch. */
export type Placement =
  | { readonly at: "afterMessage"; readonly id: MessageId }
  | { readonly at: "afterClaimed" }
  | { readonly at: "end" }

/** A message a supplier adds to the step. */
export interface Contribution {
  readonly message: UserMessage
  readonly placement: Placement
  /** `wait`: into the inbox, one per kind; `drop`: forgotten. */
  readonly ifNotEntered: "wait" | "drop"
  /** Where it waits: `front` before everything else, `end` (the default) behind it or in the place of the one it replaces. */
  readonly waits?: "front" | "end"
}

/** A part that contributes messages the model sees. */
export interface Supplier {
  /** Unique in its `ContextSupply`. */
  readonly name: string
  /** The source kind it owns: claimed messages with a valid source of this kind are handed to it, all others stay. */
  readonly kind: string
  /**
   * Composes what this step should bring. Has to be interruptible: what is not holds up the end of an aborted pre-step. A
   * failure that is not `StepRejected`, interrupting itself included, costs only this contribution.
   */
  readonly propose: (step: PreStep) => Effect<ReadonlyArray<Contribution>, StepRejected>
  /** Executions that count now: nesting and step boundary are already resolved. May not block. */
  readonly touched?: (executions: ReadonlyArray<ToolExecution>, caller: Context.Context<never>) => void
  /** Done when nothing this supplier has started is running. */
  readonly settled?: Effect<void>
  /** What it has to explain: its latest `propose` and what it has projected since, oldest first. */
  readonly explain?: Effect<ReadonlyArray<SupplierReport>>
  /** Whether `source` is one of its own; when absent, every source of its kind is. */
  readonly owns?: (source: UserMessage["source"]) => boolean
}

/** One thing a supplier has looked at. `path` is absolute where it is a file, else a name. Sizes are bytes. */
export interface ReportItem {
  readonly path: string
  readonly outcome: string
  readonly bytes?: number
  readonly renderedBytes?: number
  readonly reason?: string
}

/** What one supplier did at one occasion, and why. */
export interface SupplierReport {
  readonly supplier: string
  readonly occasion: "pre-step" | "projection"
  /** UTF-8 bytes of what it contributed or left waiting. */
  readonly bytes: number
  readonly items: ReadonlyArray<ReportItem>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** The latest step and the projections since, explained (C-3): of each supplier the latest hundred, and as many diagnostics. */
export interface ContextReport {
  readonly step?: { readonly turn?: number; readonly step: number; readonly decision: "enter" | "reject" }
  readonly suppliers: ReadonlyArray<SupplierReport>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** What a context supply can be asked for. */
export interface ContextSupplyShape {
  /** Claimed messages in, final batch out. One at a time; interruptible; an interrupted one has changed nothing. */
  readonly preStep: (step: PreStep) => Effect<StepDecision, StepRejected>
  /**
   * Logs `step/start` and the batch in one append, and with it settles what was told. Where another writer has logged
   * something since the pre-step — or since its messages were claimed —, nothing is logged and it fails with reason
   * `SessionConflict`: put back what was claimed and prepare the step again, or leave the session to the other.
   */
  readonly enter: (decision: Entered) => Effect<ReadonlyArray<SessionEvent>, SessionError>
  /** Takes note of a finished execution and returns at once; projections run behind it. */
  readonly toolResult: (execution: ToolExecution) => Effect<void>
  /** Hands every execution to `observer` as it arrives, synchronously, until the scope ends. */
  readonly onToolResult: (observer: (execution: ToolExecution) => void) => Effect<void, never, Scope>
  /** Waits until all queued projections are done. */
  readonly settled: Effect<void>
  /** Adds a supplier until the scope ends. */
  readonly register: (supplier: Supplier) => Effect<void, DuplicateSupplier, Scope>
  /** The latest step and the projections since, explained. It does not fail: who explains nothing is named (C-2). */
  readonly report: Effect<ContextReport>
}

/** The context supply of the session an agent works in. */
export class ContextSupply extends Context.Service<ContextSupply, ContextSupplyShape>()(
  "effect-agent-context/ContextSupply"
) {}
