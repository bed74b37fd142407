/**
 * What an agent loop does for its context, on the services of one session: turns and steps are logged, the inbox is claimed, the
 * suppliers are asked, and what was claimed for a step that is not entered waits again.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Scope } from "effect/Scope"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { putBack } from "../layers/inbox/putBack.ts"
import type { Source, UserMessage } from "../schemas/Message.ts"
import { SessionError } from "../schemas/SessionError.ts"
import { decodeSessionEventInput, type SessionEvent, type SessionEventInput } from "../schemas/SessionEvent.ts"
import type { StepRejected } from "../schemas/StepRejected.ts"
import type { ContextSupplyShape, ToolExecution } from "../services/ContextSupply.ts"
import type { InboxShape } from "../services/Inbox.ts"
import type { SessionShape } from "../services/Session.ts"
import { beginning, type Conversation, follow } from "./conversation.ts"

/** What a loop works on. */
export interface LoopServices {
  readonly session: SessionShape
  readonly inbox: InboxShape
  readonly supply: ContextSupplyShape
}

/** A message as it comes in. `id`: made from its place in the log unless given. `source`: `{ kind: "user" }` unless given. */
export interface Direct {
  readonly id?: string
  readonly text: string
  readonly source?: Source
}

/** How to prepare a step. */
export interface StepOptions {
  /** `reject`: the host lets no step begin; what the suppliers composed waits. Default `enter`. */
  readonly decision?: "enter" | "reject"
  /** Aborting it interrupts the preparation. */
  readonly signal?: AbortSignal
  /** Told the outcome as soon as nothing can undo it, for callers that may be interrupted at that very moment. */
  readonly decided?: (batch: Batch) => void
}

/** What a prepared step came to. */
export interface Batch {
  readonly decision: "enter" | "reject"
  /** What was logged with the step, in order; empty when it was not entered. */
  readonly entered: ReadonlyArray<UserMessage>
  /** Why a supplier has rejected it. */
  readonly rejection?: StepRejected
}

/** An execution, and what the model was shown of it, if that is to be logged. */
export interface FinishedTool extends ToolExecution {
  readonly arguments: Schema.Json
  readonly text?: string
}

/** A loop over one session. Nothing in it needs the one before to have ended: steps are prepared one at a time. */
export interface Loop {
  /** Where the conversation stands, as the log says now. */
  readonly conversation: () => Conversation
  /** Whether the turn that is open was left by an earlier instance: a prompt gives it up, anything else goes on with it. */
  readonly inherited: () => boolean
  /**
   * Prepares the next step, and ends the one still open. With messages and no turn, a turn begins; with neither, the suppliers look
   * around and nothing is logged. Fails with `SessionError` when the log cannot be written.
   */
  readonly next: (direct: ReadonlyArray<Direct>, options?: StepOptions) => Effect.Effect<Batch, SessionError>
  /** Logs the end of the open step, if there is one. */
  readonly endStep: Effect.Effect<void, SessionError>
  /** Logs the end of the open turn, and of its step before, if there is one. */
  readonly endTurn: Effect.Effect<void, SessionError>
  /** Logs a finished execution as call and result and reports it. */
  readonly tool: (execution: FinishedTool) => Effect.Effect<void, SessionError>
  /** Puts a message into the inbox, at its end. */
  readonly post: (direct: Direct) => Effect.Effect<void, SessionError>
  /** Logs a checkpoint that shadows all but the last `keep` surface events; `text` is what stands for them. */
  readonly compact: (keep?: number, text?: string) => Effect.Effect<void, SessionError>
}

const rejectionIn = (cause: Cause.Cause<StepRejected>): StepRejected | undefined =>
  cause.reasons.find((reason) => reason._tag === "Fail")?.error

const messagesIn = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<UserMessage> =>
  events.flatMap((event) => (event.type === "user/message" ? [event.message as UserMessage] : []))

const toMessage = ({ id, source = { kind: "user" }, text }: Direct, made: string): UserMessage => ({
  id: id ?? made,
  text,
  source
})

/** Nothing begins with a message that cannot be logged. */
const checked = (direct: ReadonlyArray<Direct>): Effect.Effect<void, SessionError> =>
  Effect.forEach(
    direct,
    (given) =>
      Effect.fromResult(decodeSessionEventInput({ type: "user/message", message: toMessage(given, "made") })).pipe(
        Effect.mapError((reason) => new SessionError({ operation: "preStep", reason }))
      ),
    { discard: true }
  )

/** Where a step stands, and the messages that come with it. */
interface Place {
  readonly turn: number
  readonly step: number
  readonly direct: ReadonlyArray<UserMessage>
}

const abortable = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

/** Claims, prepares and enters one step. Only the preparation can be interrupted. */
const attempt = (
  { inbox, supply }: LoopServices,
  { direct, step, turn }: Place,
  { decided: tell, decision = "enter", signal }: StepOptions
): Effect.Effect<Batch, SessionError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const waiting = yield* inbox.claim
      const preStep = supply.preStep({ turn, step, claimed: [...waiting, ...direct], decision, ...abortable(signal) })
      const decided = yield* Effect.exit(restore(preStep))
      if (Exit.isSuccess(decided) && decided.value.decision === "enter") {
        const events = yield* Effect.onError(supply.enter(decided.value), () => Effect.ignore(putBack(inbox, waiting)))
        return { decision: "enter", entered: messagesIn(events) } satisfies Batch
      }
      yield* putBack(inbox, waiting)
      if (Exit.isSuccess(decided)) return { decision: "reject", entered: [] } satisfies Batch
      const rejection = rejectionIn(decided.cause)
      if (rejection !== undefined) return { decision: "reject", entered: [], rejection } satisfies Batch
      return yield* Effect.failCause(decided.cause as Cause.Cause<never>)
    }).pipe(Effect.tap((batch) => Effect.sync(() => tell?.(batch))))
  )

/** A look without a step: what the suppliers compose waits. */
const lookAround = ({ supply }: LoopServices, { signal }: StepOptions): Effect.Effect<Batch> =>
  supply.preStep({ step: 1, claimed: [], decision: "enter", ...abortable(signal) }).pipe(
    Effect.as<Batch>({ decision: "reject", entered: [] }),
    Effect.catchTag("StepRejected", (rejection) =>
      Effect.succeed<Batch>({ decision: "reject", entered: [], rejection })
    )
  )

const keptFrom = (surface: ReadonlyArray<SessionEvent>, keep: number, next: number): number =>
  keep === 0 ? next : surface.slice(-keep).reduce((least, { seq }) => Math.min(least, seq), next)

/** The loop of one agent instance; it follows the log as long as the scope lasts. */
export const makeLoop = Effect.fnUntraced(function* (services: LoopServices): Effect.fn.Return<Loop, never, Scope> {
  const { inbox, session, supply } = services
  let conversation = beginning
  yield* session.observe((event) => {
    conversation = follow(conversation, event)
  })
  let inherited = conversation.turnOpen
  const oneStep = yield* Semaphore.make(1)

  const endOfStep = (): ReadonlyArray<SessionEventInput> =>
    conversation.stepOpen ? [{ type: "step/end", turn: conversation.turns, step: conversation.steps }] : []

  const endOfTurn = (): ReadonlyArray<SessionEventInput> =>
    conversation.turnOpen ? [...endOfStep(), { type: "turn/end", turn: conversation.turns }] : []

  /** Decided under the log's lock, so that nothing can come between the look at the conversation and what follows from it. */
  const place = (direct: ReadonlyArray<Direct>) =>
    session.transact((): readonly [Place, ReadonlyArray<SessionEventInput>] => {
      const { next, steps, turnOpen, turns } = conversation
      const begins = direct.length > 0 && (!turnOpen || inherited)
      inherited = false
      if (begins) {
        const givenUp: ReadonlyArray<SessionEventInput> = turnOpen ? endOfTurn() : []
        const turn = turns + 1
        const messages = direct.map((given, index) =>
          toMessage(given, `user-${next}${index === 0 ? "" : `-${index + 1}`}`)
        )
        return [{ turn, step: 1, direct: messages }, [...givenUp, { type: "turn/start", turn }]]
      }
      const step = steps + 1
      const messages = direct.map((given, index) => toMessage(given, `user-${turns}.${step}-${index + 1}`))
      return [{ turn: turns, step, direct: messages }, endOfStep()]
    })

  return {
    conversation: () => conversation,
    inherited: () => inherited,
    next: (direct, options = {}) =>
      Effect.andThen(
        checked(direct),
        Effect.suspend(() =>
          direct.length === 0 && !conversation.turnOpen
            ? lookAround(services, options)
            : Effect.flatMap(place(direct), (place) => attempt(services, place, options))
        ).pipe(Semaphore.withPermit(oneStep))
      ),
    // Behind a step that is being prepared: its turn has begun, and its end would come before it.
    endStep: session
      .transact(() => {
        const events = endOfStep()
        if (events.length > 0) inherited = false
        return [undefined, events]
      })
      .pipe(Semaphore.withPermit(oneStep)),
    endTurn: session.transact(() => [undefined, endOfTurn()]).pipe(Semaphore.withPermit(oneStep)),
    tool: Effect.fnUntraced(function* ({ text, ...execution }) {
      const { arguments: given, name, outcome, parent, token } = execution
      yield* session.append([
        { type: "tool/call", token, ...(parent === undefined ? {} : { parent }), name, arguments: given },
        { type: "tool/result", token, outcome, ...(text === undefined ? {} : { text }) }
      ])
      yield* supply.toolResult(execution)
    }),
    post: (direct) =>
      inbox.update(() => [
        undefined,
        [{ type: "inbox/inserted", position: "end", message: toMessage(direct, `user-${conversation.next}`) }]
      ]),
    compact: Effect.fnUntraced(function* (keep = 0, text) {
      const surface = yield* session.surface
      yield* session.transact(() => [
        undefined,
        [
          {
            type: "compaction/checkpoint",
            keptFrom: keptFrom(surface, keep, conversation.next),
            ...(text === undefined ? {} : { text })
          }
        ]
      ])
    })
  }
})
