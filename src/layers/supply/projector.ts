/** What a projector is: a value over time, in what differs from every other. */
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { History, Logged } from "../../pipeline/told.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { Source, UserMessage } from "../../schemas/Message.ts"
import type { PreStep, ReportItem, Supplier, ToolExecution } from "../../services/ContextSupply.ts"

/** What a projector decides from. */
export interface Moment<Told> {
  readonly told: Told
  /** The newest message of the kind that was ever logged, visible or not. */
  readonly last: Logged | undefined
  /** Composed, and neither logged nor dropped. */
  readonly waiting: UserMessage | undefined
  /** The waiting message was composed for a step that was not entered, or has been claimed for one: it may be outdated. */
  readonly aged: boolean
  /** Nothing has been concluded yet by this instance, or since a visible message was compacted away. */
  readonly fresh: boolean
  /** The log has been compacted once or more. */
  readonly compacted: boolean
  /** What was touched and is not answered yet. */
  readonly touched: ReadonlyArray<string>
  /** The step this is about; absent behind a tool result. */
  readonly step: PreStep | undefined
}

/** A composed message. `waits`: where, if the step is not entered. */
export interface Draft {
  readonly text: string
  readonly source: Source
  readonly waits: "front" | "end"
  /** It waits although the step is entered, if that step brings nothing else (I-20). */
  readonly needsCompany?: boolean
}

/** What a look has to explain. */
export interface Explanation {
  readonly items: ReadonlyArray<ReportItem>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** A value over time, in what differs from every other: a handful of pure functions and one effect. */
export interface Projector<Told, Observed> {
  readonly name: string
  readonly kind: string
  readonly placement: "afterClaimed" | "end"
  readonly ifNotEntered: "wait" | "drop"
  readonly initial: Told
  /** Pure: one visible own message more. */
  readonly announce: (told: Told, own: UserMessage) => Told
  /** Whether a source of the kind is understood; when absent, every one is. */
  readonly owns?: (source: Source) => boolean
  /** Pure: what an execution has touched; nothing, if it is none of this projector's business. */
  readonly touches?: (execution: ToolExecution) => ReadonlyArray<string>
  /** Pure: whether there is anything to look at. When it says no, the projector makes no request at all. */
  readonly due: (moment: Moment<Told>) => boolean
  /** The only interruptible part. `none`: it could not look, and everything stays due. */
  readonly observe: (moment: Moment<Told>) => Effect.Effect<Option.Option<Observed>>
  /** Pure: transitions and rendering. `undefined`: there is nothing to say. */
  readonly write: (moment: Moment<Told>, observed: Observed) => Draft | undefined
  /** Pure: the account of a look that succeeded. */
  readonly explain?: (moment: Moment<Told>, observed: Observed) => Explanation
  /** Diagnostics since it was last asked, of looks that did not succeed included. */
  readonly complaints?: () => ReadonlyArray<Diagnostic>
}

/** A running projector: the supplier to register, and its fold, for those who want to look. */
export interface Projection<Told> {
  readonly supplier: Supplier
  readonly history: History<Told>
}
