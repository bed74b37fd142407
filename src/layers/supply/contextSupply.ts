/**
 * The context supply of one session: asks its suppliers, places what they contribute, and lets tool results count when
 * nesting and step boundaries allow (C-1 to C-4, I-42 to I-44).
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { assemble, compareSuppliers } from "../../pipeline/batch.ts"
import * as Staging from "../../pipeline/staging.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { MessageId, UserMessage } from "../../schemas/Message.ts"
import type { InboxEvent, SessionEvent, SessionEventInput } from "../../schemas/SessionEvent.ts"
import { SessionConflict, SessionError } from "../../schemas/SessionError.ts"
import { DuplicateSupplier, type StepRejected } from "../../schemas/StepRejected.ts"
import {
  type ContextReport,
  ContextSupply,
  type Contribution,
  type PreStep,
  type StepDecision,
  type Supplier,
  type SupplierReport,
  type ToolExecution
} from "../../services/ContextSupply.ts"
import { Inbox } from "../../services/Inbox.ts"
import { Session } from "../../services/Session.ts"
import { interruptedBy } from "../interruption.ts"
import { Findings } from "./account.ts"
import { answered, ask, supplierFailed } from "./answer.ts"
import { guarded } from "./guarded.ts"

/** A finished execution and the context of the fiber that reported it. */
interface Reported extends Staging.Stageable {
  readonly execution: ToolExecution
  readonly caller: Context.Context<never>
}

const ownsMessage = (supplier: Supplier, message: UserMessage): boolean =>
  message.source.kind === supplier.kind && (supplier.owns?.(message.source) ?? true)

/**
 * What the inbox has to hold when the step is not entered: each supplier's one message, in the place of what it
 * supersedes, and nothing of what was dropped. `handed`: ids of its claimed messages; `waiting`: its pending ones.
 */
const waitingEvents = (
  contributions: ReadonlyArray<Contribution>,
  handed: ReadonlyArray<MessageId>,
  pending: ReadonlyArray<MessageId>
): ReadonlyArray<InboxEvent> => {
  const keeps = contributions.filter(({ ifNotEntered }) => ifNotEntered === "wait")
  const kept = new Set(keeps.map(({ message }) => message.id))
  const earlier = [...handed, ...(keeps.length > 0 ? pending : [])].filter((id) => !kept.has(id))
  const events: Array<InboxEvent> = []
  for (const { message, waits } of keeps) {
    // Under its own id it takes its recorded place again, or stays where it is.
    if (handed.includes(message.id)) events.push({ type: "inbox/replaced", id: message.id, message })
    else if (!pending.includes(message.id)) {
      const replaced = waits === "front" ? undefined : earlier.shift()
      events.push(
        replaced === undefined
          ? { type: "inbox/inserted", message, position: waits ?? "end" }
          : { type: "inbox/replaced", id: replaced, message }
      )
    }
  }
  return [...earlier.map((id): InboxEvent => ({ type: "inbox/removed", id })), ...events]
}

/** What one supplier brings to a step, and which messages of its are there already. */
interface Part {
  readonly contributions: ReadonlyArray<Contribution>
  readonly claimed: ReadonlyArray<MessageId>
  readonly pending: ReadonlyArray<MessageId>
}

/** Claimed messages that wait for an answer. One that its supplier has put back waits by itself, whatever becomes of the step. */
const handedOf = ({ claimed, pending }: Part): ReadonlyArray<MessageId> => claimed.filter((id) => !pending.includes(id))

const make = Effect.gen(function* () {
  const session = yield* Session
  const inbox = yield* Inbox
  const suppliers = new Map<string, Supplier>()
  const observers = new Set<{ readonly observer: (execution: ToolExecution) => void }>()
  const onePreStep = yield* Semaphore.make(1)
  let staging: Staging.Staging<Reported> = Staging.closed
  let step: ContextReport["step"]
  const diagnostics = new Findings()
  /** How many events of other writers this session has taken over, now and when the step at hand was begun. */
  let elsewhere = 0
  let begun = 0
  let claimed = false
  /** What of the batch that is being entered has been logged. */
  let entering: Array<SessionEvent> | undefined

  const ordered = () => [...suppliers.values()].sort(compareSuppliers)

  const attempt = (what: string, run: () => void): void =>
    guarded(run, (thrown) => diagnostics.add({ tag: "SupplierFailed", message: `${what}: ${thrown}` }))

  const count = (released: ReadonlyArray<Reported>): void => {
    const byCaller = new Map<Context.Context<never>, Array<ToolExecution>>()
    for (const { caller, execution } of released) {
      const group = byCaller.get(caller)
      if (group === undefined) byCaller.set(caller, [execution])
      else group.push(execution)
    }
    for (const supplier of ordered()) {
      for (const [caller, executions] of byCaller)
        attempt(`${supplier.name} failed on a tool result`, () => supplier.touched?.(executions, caller))
    }
  }

  const move = ([next, released]: Staging.Move<Reported>): void => {
    staging = next
    if (released.length > 0) count(released)
  }

  yield* session.observe((event, origin) => {
    if (origin === "elsewhere") elsewhere += 1
    if (origin === "here") entering?.push(event)
    if (origin === "here" && event.type === "inbox/claimed") {
      claimed = true
      begun = elsewhere
    }
    if (event.type === "step/start") move(Staging.begin(staging))
    else if (event.type === "step/end") move(Staging.release(staging))
    else if (event.type === "turn/end") move(Staging.endTurn(staging))
  })

  const decide = Effect.fnUntraced(function* (pre: PreStep): Effect.fn.Return<StepDecision, StepRejected> {
    const asked = ordered()
    const answers = yield* Effect.forEach(asked, (supplier) => ask(supplier, pre), { concurrency: "unbounded" })
    const contributed = answers.filter((answer) => answer._tag === "Contributed")
    const rejected = answers.find((answer) => answer._tag === "Rejected")
    for (const answer of answers)
      if (answer._tag === "Failed") diagnostics.add(supplierFailed(answer.supplier, answer.cause))
    const pending = yield* inbox.pending
    const parts: Array<Part> = []
    for (const { contributions, supplier } of contributed) {
      attempt(`${supplier.name} contributes nothing to this step, since it cannot tell what is its own`, () =>
        parts.push({
          contributions,
          claimed: pre.claimed.filter((message) => ownsMessage(supplier, message)).map(({ id }) => id),
          pending: pending.filter((message) => ownsMessage(supplier, message)).map(({ id }) => id)
        })
      )
    }
    if (rejected !== undefined || pre.decision === "reject" || pre.turn === undefined) {
      // A claimed message of a supplier that failed or rejected is none of these; the loop puts it back.
      const events = parts.flatMap((part) => waitingEvents(part.contributions, handedOf(part), part.pending))
      if (events.length > 0) yield* Effect.orDie(inbox.update(() => [undefined, events]))
      move(Staging.release(staging))
      return rejected === undefined ? { decision: "reject" } : yield* rejected.error
    }
    const taken = new Set(parts.flatMap(({ claimed }) => claimed))
    const contributions = parts.flatMap((part) => part.contributions)
    const messages = assemble(
      pre.claimed.filter(({ id }) => !taken.has(id)),
      contributions
    )
    const entered = new Set(messages.map(({ id }) => id))
    const superseded = parts.flatMap((part) =>
      part.contributions.some(({ ifNotEntered }) => ifNotEntered === "wait")
        ? [...handedOf(part), ...part.pending]
        : handedOf(part)
    )
    const dropped = superseded.filter((id) => !entered.has(id))
    return { decision: "enter", turn: pre.turn, step: pre.step, messages, dropped }
  })

  const preStep = Effect.fn("ContextSupply.preStep")((pre: PreStep) =>
    Effect.suspend(() => {
      diagnostics.clear()
      step = undefined
      // What was claimed was claimed before: whoever has logged since may have logged the same.
      if (!claimed) begun = elsewhere
      move(Staging.prepare(staging))
      return decide(pre)
    }).pipe(
      interruptedBy(pre.signal),
      Effect.tap((decision) => Effect.sync(() => (step = summary(pre, decision.decision)))),
      Effect.onError(() =>
        Effect.sync(() => {
          step = summary(pre, "reject")
          move(Staging.release(staging))
        })
      ),
      Semaphore.withPermit(onePreStep)
    )
  )

  const summary = (pre: PreStep, decision: "enter" | "reject"): ContextReport["step"] => ({
    step: pre.step,
    decision,
    ...(pre.turn === undefined ? {} : { turn: pre.turn })
  })

  const overtaken = Effect.suspend(() => {
    const detail = "another writer has logged something since this step was begun; prepare it again"
    const reason = new SessionConflict({ sessionId: session.id, detail })
    return Effect.fail(new SessionError({ operation: "ContextSupply.enter", reason }))
  })

  return ContextSupply.of({
    preStep,
    enter: Effect.fn("ContextSupply.enter")((decision) => {
      const events: NonEmptyReadonlyArray<SessionEventInput> = [
        { type: "step/start", step: decision.step, ...(decision.turn === undefined ? {} : { turn: decision.turn }) },
        ...decision.dropped.map((id): InboxEvent => ({ type: "inbox/removed", id })),
        ...decision.messages.map((message): SessionEventInput => ({ type: "user/message", message }))
      ]
      // Not a plain append: the log may have moved on, and been taken over, between the pre-step and now.
      const enter = session.transact((): readonly [boolean, ReadonlyArray<SessionEventInput>] => {
        claimed = false
        entering = []
        return elsewhere === begun ? [true, events] : [false, []]
      })
      return enter.pipe(
        Effect.flatMap((entered) => (entered ? Effect.succeed(entering!.slice(0, events.length)) : overtaken)),
        Effect.ensuring(Effect.sync(() => (entering = undefined)))
      )
    }),
    toolResult: (execution) =>
      Effect.contextWith((caller: Context.Context<never>) =>
        Effect.sync(() => {
          for (const { observer } of observers) {
            attempt("An observer of tool results failed", () => observer(execution))
          }
          const { parent, token } = execution
          // No call is its own parent, and hosts without types say `null` for none.
          const inside = typeof parent === "string" && parent !== token ? { parent } : {}
          move(Staging.settle(staging, { token, ...inside, execution, caller }))
        })
      ),
    onToolResult: (observer) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          // The same function may be registered twice; each registration ends with its own scope.
          const entry = { observer }
          observers.add(entry)
          return entry
        }),
        (entry) => Effect.sync(() => observers.delete(entry))
      ).pipe(Effect.asVoid),
    settled: Effect.suspend(() =>
      // One that fails has nothing running any more, and may not end the wait for the others.
      Effect.forEach(ordered(), (supplier) => answered(() => supplier.settled ?? Effect.void), {
        concurrency: "unbounded",
        discard: true
      })
    ),
    register: (supplier) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (suppliers.has(supplier.name)) return Effect.fail(new DuplicateSupplier({ name: supplier.name }))
          suppliers.set(supplier.name, supplier)
          return Effect.void
        }),
        () => Effect.sync(() => suppliers.delete(supplier.name))
      ),
    report: Effect.gen(function* () {
      const suppliers: Array<SupplierReport> = []
      const unexplained: Array<Diagnostic> = []
      for (const supplier of ordered()) {
        const exit = yield* answered(() => supplier.explain ?? Effect.succeed([]))
        if (Exit.isSuccess(exit)) suppliers.push(...exit.value)
        else
          unexplained.push({
            tag: "SupplierFailed",
            message: `${supplier.name} explains nothing: ${Cause.pretty(exit.cause)}`
          })
      }
      return {
        suppliers,
        diagnostics: [...diagnostics.all, ...unexplained],
        ...(step === undefined ? {} : { step })
      }
    })
  })
})

/** The context supply of the session and inbox around it. Build it fresh for each session. */
export const layer: Layer.Layer<ContextSupply, never, Session | Inbox> = Layer.effect(ContextSupply, make)
