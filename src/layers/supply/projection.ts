/**
 * The core: a supplier whose messages say how a value over time has changed.
 *
 * *Told* and *waiting* are folds of the session's log, *true* is observed; a message is the difference, and the log's own
 * record of that message is what settles it. There is no second bookkeeping: whatever is interrupted, rejected or lost
 * on the way has committed nothing, and resume, remount and compaction are the same replay as every ordinary event.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { History } from "../../pipeline/told.ts"
import type { Source, UserMessage } from "../../schemas/Message.ts"
import type { InboxEvent, SessionEvent } from "../../schemas/SessionEvent.ts"
import type { Contribution, PreStep, Supplier, SupplierReport, ToolExecution } from "../../services/ContextSupply.ts"
import { Inbox } from "../../services/Inbox.ts"
import { Session } from "../../services/Session.ts"
import { interruptedBy } from "../interruption.ts"
import { Account, Findings, historyIgnored } from "./account.ts"
import { guarded } from "./guarded.ts"
import { Touches } from "./touches.ts"
import type { Draft, Explanation, Moment, Projection, Projector } from "./projector.ts"

export type { Draft, Explanation, Moment, Projection, Projector } from "./projector.ts"

const sameMessage = (waiting: UserMessage, draft: Draft): boolean =>
  waiting.text === draft.text && Equal.equals(waiting.source, draft.source)

/** Waits on at its place, even if it is claimed. */
const keep = (message: UserMessage): InboxEvent => ({ type: "inbox/replaced", id: message.id, message })

/** What a finished look came to. */
type Outcome =
  | { readonly _tag: "NotDue" }
  | { readonly _tag: "CouldNotLook" }
  | { readonly _tag: "Nothing"; readonly mark: Mark }
  | { readonly _tag: "Message"; readonly message: UserMessage; readonly draft: Draft; readonly mark: Mark }

/** What a look began with: what it answers, once its message is logged or waits. */
interface Mark {
  readonly revision: number
  readonly touches: number
  readonly fresh: number
}

/**
 * Runs a projector over the session and inbox of the current context, until the scope ends. Register the supplier with
 * the `ContextSupply` of the same session.
 */
export const makeProjection = Effect.fnUntraced(function* <Told, Observed>(
  projector: Projector<Told, Observed>
): Effect.fn.Return<Projection<Told>, never, Session | Inbox | Scope.Scope> {
  const session = yield* Session
  const inbox = yield* Inbox
  const built = yield* Effect.context<never>()
  const owns = (source: Source) => source.kind === projector.kind && (projector.owns?.(source) ?? true)
  const history = new History<Told>({ initial: projector.initial, announce: projector.announce, owns })
  const touches = new Touches()
  /** Counts what makes everything due; `concluded` is the last one that a look has answered. */
  let occasion = 1
  let concluded = 0
  let aged = true
  let composed = 0
  let latest = -1
  let live = false
  const account = new Account()
  const complaints = new Findings()
  /** Messages on their way into the log, with what their record there settles. */
  const underway = new Map<string, { readonly mark: Mark; readonly forStep: boolean }>()

  const settles = (mark: Mark, entirely: boolean): void => {
    touches.consume(mark.touches)
    // A message that only waits has to be brought up to date before it is told, so the occasion stays.
    if (entirely) concluded = Math.max(concluded, mark.fresh)
  }

  const notice = (event: SessionEvent): void => {
    latest = event.seq
    if (event.type === "user/message" && event.message.source.kind === projector.kind && !owns(event.message.source)) {
      complaints.add(historyIgnored(projector.kind, event.seq))
    }
    const noticed = history.add(event)
    if (noticed === undefined || !live) return
    if (noticed._tag === "shadowed") occasion += 1
    if (noticed._tag === "waits" && noticed.again) aged = true
    if (noticed._tag !== "logged" && noticed._tag !== "waits") return
    const way = underway.get(noticed.id)
    if (way === undefined) return
    settles(way.mark, noticed._tag === "logged")
    if (noticed._tag === "waits") aged = way.forStep
    underway.clear()
  }
  yield* session.observe(notice)
  history.release()
  live = true

  const moment = (step: PreStep | undefined): Moment<Told> => ({
    told: history.told,
    last: history.last,
    waiting: history.waiting,
    aged,
    fresh: concluded < occasion,
    compacted: history.compacted,
    touched: touches.paths,
    step
  })

  const newMessage = (draft: Draft): UserMessage => {
    composed += 1
    return { id: `${projector.kind}-${latest + 1}-${composed}`, text: draft.text, source: draft.source }
  }

  const report = (
    occasionName: SupplierReport["occasion"],
    bytes: number,
    explanation: Explanation | undefined
  ): void => {
    const diagnostics = [...complaints.all, ...(projector.complaints?.() ?? []), ...(explanation?.diagnostics ?? [])]
    complaints.clear()
    account.add({
      supplier: projector.name,
      occasion: occasionName,
      bytes,
      items: explanation?.items ?? [],
      diagnostics
    })
  }

  /** Looks until nothing has moved meanwhile. Commits nothing. */
  const look = Effect.fnUntraced(function* (step: PreStep | undefined): Effect.fn.Return<Outcome> {
    for (;;) {
      const mark: Mark = { revision: history.revision, touches: touches.latest, fresh: occasion }
      const now = moment(step)
      if (!projector.due(now)) return { _tag: "NotDue" }
      const observed = yield* projector.observe(now)
      if (Option.isNone(observed)) {
        report(step === undefined ? "projection" : "pre-step", 0, undefined)
        return { _tag: "CouldNotLook" }
      }
      if (history.revision !== mark.revision) continue
      const draft = projector.write(now, observed.value)
      const bytes = draft === undefined ? 0 : Buffer.byteLength(draft.text)
      report(step === undefined ? "projection" : "pre-step", bytes, projector.explain?.(now, observed.value))
      if (draft === undefined) return { _tag: "Nothing", mark }
      const message = now.waiting !== undefined && sameMessage(now.waiting, draft) ? now.waiting : newMessage(draft)
      return { _tag: "Message", message, draft, mark }
    }
  })

  /** The events that make `message` the one that waits, or that leave none waiting. */
  const waitingEvents = (message: UserMessage | undefined, waits: "front" | "end"): ReadonlyArray<InboxEvent> => {
    const [first, ...others] = history.allWaiting
    const extra = others.map((other): InboxEvent => ({ type: "inbox/removed", id: other.id }))
    if (message === undefined) return first === undefined ? [] : [{ type: "inbox/removed", id: first.id }, ...extra]
    if (first === undefined) return [{ type: "inbox/inserted", message, position: waits }]
    if (first.id === message.id)
      return history.claimed ? [{ type: "inbox/replaced", id: first.id, message }, ...extra] : extra
    return waits === "front"
      ? [{ type: "inbox/removed", id: first.id }, { type: "inbox/inserted", message, position: "front" }, ...extra]
      : [{ type: "inbox/replaced", id: first.id, message }, ...extra]
  }

  /** Leaves the outcome waiting, if nothing has moved since it was made: decided under the log's own lock. */
  const leaveWaiting = (outcome: Extract<Outcome, { readonly mark: Mark }>, forStep: boolean) =>
    inbox
      .update((): readonly [boolean, ReadonlyArray<InboxEvent>] => {
        if (history.revision !== outcome.mark.revision) return [false, []]
        // A loop has claimed it and is about to prepare a step: that step brings it up to date.
        if (!forStep && history.claimed) return [false, []]
        if (outcome._tag === "Nothing") return [true, waitingEvents(undefined, "end")]
        const events = waitingEvents(outcome.message, outcome.draft.waits)
        underway.set(outcome.message.id, { mark: outcome.mark, forStep })
        if (events.length === 0) {
          settles(outcome.mark, false)
          aged = forStep
        }
        return [true, events]
      })
      .pipe(
        // Not in the decision: it is taken again where another writer was faster, and may then come out otherwise.
        Effect.tap((left) =>
          Effect.sync(() => {
            if (left && outcome._tag === "Nothing") settles(outcome.mark, true)
          })
        )
      )

  let worker: Fiber.Fiber<void> | undefined

  const failed = (cause: Cause.Cause<unknown>): void => {
    const message = `${projector.name} could not look behind a tool result: ${Cause.pretty(cause)}`
    complaints.add({ tag: "SupplierFailed", message })
    report("projection", 0, undefined)
  }

  /** One projection after another, each against the log and inbox of its moment, while there are touches to answer. */
  const work = Effect.gen(function* () {
    // The worker may be started inside `append`, by an observer of the log.
    yield* Effect.yieldNow
    while (touches.some) {
      const signal = touches.signal
      const exit = yield* Effect.exit(look(undefined).pipe(interruptedBy(signal)))
      if (Exit.isFailure(exit)) {
        if (signal?.aborted === true && Cause.hasInterruptsOnly(exit.cause)) return touches.withoutSignals()
        return yield* Effect.failCause(exit.cause)
      }
      if (exit.value._tag === "NotDue" || exit.value._tag === "CouldNotLook") return
      const left = yield* leaveWaiting(exit.value, false)
      if (!left && history.claimed) return
    }
  })

  const start = (caller: Context.Context<never>): void => {
    if (worker !== undefined) return
    const fiber = Effect.runForkWith(Context.merge(built, caller))(
      Effect.catchCause(work, (cause) =>
        Effect.sync(() => (Cause.hasInterruptsOnly(cause) ? undefined : failed(cause)))
      )
    )
    worker = fiber
    fiber.addObserver(() => {
      if (worker === fiber) worker = undefined
    })
  }

  const stop = Effect.suspend(() => (worker === undefined ? Effect.void : Fiber.interrupt(worker)))
  yield* Effect.addFinalizer(() => stop)

  let first = true

  const asContribution = (message: UserMessage, waits: "front" | "end"): Contribution => ({
    message,
    placement: { at: projector.placement },
    ifNotEntered: projector.ifNotEntered,
    waits
  })

  const propose = Effect.fnUntraced(function* (step: PreStep): Effect.fn.Return<ReadonlyArray<Contribution>> {
    account.clear()
    const alone = first && step.claimed.length === 0
    first = false
    // Takes over instead of waiting: a background look that hangs cannot hold up a step.
    yield* stop
    const outcome = yield* look(step)
    if (outcome._tag === "CouldNotLook") {
      // Nothing is added. What waits goes on waiting as it is: whether it is still right is not known (I-5).
      yield* inbox.update(() => [undefined, history.claimed ? history.allWaiting.map(keep) : []]).pipe(Effect.orDie)
      return []
    }
    const waiting = history.waiting
    if (outcome._tag === "NotDue") return waiting === undefined ? [] : [asContribution(waiting, "end")]
    if (outcome._tag === "Nothing") {
      if (waiting === undefined || history.claimed) settles(outcome.mark, true)
      else yield* leaveWaiting(outcome, true).pipe(Effect.orDie)
      return []
    }
    if (alone && outcome.draft.needsCompany === true && projector.ifNotEntered === "wait") {
      yield* leaveWaiting(outcome, true).pipe(Effect.orDie)
      return []
    }
    // What an earlier step was prepared with and never entered is not on its way any more.
    underway.clear()
    underway.set(outcome.message.id, { mark: outcome.mark, forStep: true })
    return [asContribution(outcome.message, outcome.draft.waits)]
  })

  /** An execution that cannot be understood costs none of the others its touch. */
  const touch = (execution: ToolExecution): void =>
    guarded(
      () => touches.add(projector.touches?.(execution) ?? [], execution.signal),
      (thrown) =>
        complaints.add({
          tag: "SupplierFailed",
          message: `${projector.name} cannot tell what a tool has touched: ${thrown}`
        })
    )

  const supplier: Supplier = {
    name: projector.name,
    kind: projector.kind,
    propose,
    owns,
    touched: (executions, caller) => {
      const before = touches.latest
      for (const execution of executions) touch(execution)
      if (touches.latest !== before) start(caller)
    },
    settled: Effect.suspend(() => (worker === undefined ? Effect.void : Effect.asVoid(Fiber.await(worker)))).pipe(
      Effect.repeat({ until: () => worker === undefined })
    ),
    explain: Effect.sync(() => account.all)
  }
  return { supplier, history }
})
