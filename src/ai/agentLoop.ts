/**
 * A complete agent loop over any `LanguageModel`: prompts in, steps until there is nothing left to answer.
 *
 * Each request is made of the session's surface alone, so a run over a log that an earlier process has left needs nothing else.
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { type Direct, type Loop, type LoopServices, makeLoop } from "../agent/loop.ts"
import { interruptedBy } from "../layers/interruption.ts"
import { decodeConfiguration, type InvalidConfiguration } from "../schemas/Configuration.ts"
import { copyJson } from "../schemas/json.ts"
import type { SessionError } from "../schemas/SessionError.ts"
import { SessionId, type SessionEventInput } from "../schemas/SessionEvent.ts"
import type { StepRejected } from "../schemas/StepRejected.ts"
import { ContextSupply } from "../services/ContextSupply.ts"
import { Inbox } from "../services/Inbox.ts"
import { Session, type SessionShape } from "../services/Session.ts"
import { loggedParts } from "./answerParts.ts"
import type { Approve } from "./approval.ts"
import { bounded, type Call, callTool, isCutShort, notRun, type Tools } from "./callTool.ts"
import { interruptedText, toPrompt } from "./prompt.ts"

export type { Direct } from "../agent/loop.ts"
export type { Approval, ApprovalRequest, Approve } from "./approval.ts"

/** The most bytes of a tool's result that are logged and sent, unless a run says otherwise. */
export const defaultMaxResultBytes = 131_072

/** Another `AgentLoop.run` of the same session is under way. */
export class AlreadyRunning extends Schema.TaggedError<AlreadyRunning>()("AlreadyRunning", {
  session: SessionId
}) {
  override get message() {
    return `A run of session ${JSON.stringify(this.session)} is under way: wait for its end, interrupt it, or leave the message in its inbox`
  }
}

/** What to run, and how far. */
export interface RunOptions<T extends Tools> {
  /** What the user says. Without it, a turn that an earlier process has left open goes on; with none open, nothing is done. */
  readonly prompt?: string | ReadonlyArray<Direct>
  /** What the model may call: `yield*` a `Toolkit`. */
  readonly toolkit?: Toolkit.WithHandler<T>
  /** Stands before everything else in each request, and is not logged. */
  readonly system?: string
  /** The most steps of one turn, a whole number. Default 50. */
  readonly maxSteps?: number
  /** How many tools run at once, at least 1. Default 8. */
  readonly toolConcurrency?: number
  /**
   * Asked about each call of a tool with `needsApproval`, one call at a time. What it does not approve is not run: its result is
   * `blocked`, and the model reads the `reason`. Without it, or when it fails, nothing is approved.
   */
  readonly approve?: Approve
  /**
   * The most bytes of a tool's result that are logged and sent, at least 1,024; of a longer one the beginning, and a note. Default
   * 131,072. What the provider has run itself is left as it is.
   */
  readonly maxResultBytes?: number
  /** Ask for a stream instead of a whole answer. Default `false`. */
  readonly stream?: boolean
  /** Aborting it interrupts the run. */
  readonly signal?: AbortSignal
}

/** What a run came to. */
export interface RunResult {
  /** `idle`: nothing is left to answer; `rejected`: a supplier lets no step begin; `maxSteps`: the bound of the turn was met. */
  readonly stopped: "idle" | "rejected" | "maxSteps"
  /** The steps that were entered. */
  readonly steps: number
  /** The latest answer's text. */
  readonly text: string
  readonly rejection?: StepRejected
}

interface Answer {
  readonly content: Prompt.AssistantMessage["content"]
  readonly reason: string | undefined
}

const answerOf = (parts: ReadonlyArray<Response.AnyPart>): Answer => ({
  content: Prompt.fromResponseParts(parts).content.flatMap((message) =>
    message.role === "assistant" ? message.content : []
  ),
  reason: parts.find((part) => part.type === "finish")?.reason
})

const brokenOff = (error: unknown) =>
  AiError.make({
    module: "AgentLoop",
    method: "run",
    reason: new AiError.UnknownError({ description: `The answer broke off: ${String(error)}` })
  })

const ask = <T extends Tools>({ stream = false, system, toolkit }: RunOptions<T>, prompt: Prompt.Prompt) => {
  const request = {
    prompt: system === undefined ? prompt : Prompt.setSystem(prompt, system),
    disableToolCallResolution: true as const,
    toolCallValidation: "deferred" as const,
    toolkit: toolkit as unknown as Toolkit.WithHandler<{}>
  }
  const parts = stream
    ? Stream.runCollect(LanguageModel.streamText(request))
    : Effect.map(LanguageModel.generateText(request), ({ content }) => content)
  return Effect.flatMap(
    parts as Effect.Effect<ReadonlyArray<Response.AnyPart>, AiError.AiError, LanguageModel.LanguageModel>,
    (parts) => {
      const failed = parts.find((part) => part.type === "error")
      return failed === undefined ? Effect.succeed(answerOf(parts)) : Effect.fail(brokenOff(failed.error))
    }
  )
}

/** Every visible call without a result gets one that says so: a process was killed, or its run was interrupted. */
const settleCalls = Effect.fnUntraced(function* (session: SessionShape) {
  const surface = yield* session.surface
  const finished = new Set(surface.flatMap((event) => (event.type === "tool/result" ? [event["token"]] : [])))
  const events = surface.flatMap((event): ReadonlyArray<SessionEventInput> =>
    event.type === "tool/call" && !finished.has(event["token"])
      ? [{ type: "tool/result", token: String(event["token"]), outcome: "aborted", text: interruptedText }]
      : []
  )
  yield* session.transact(() => [undefined, events])
})

const toCall = (at: string) => (asked: Prompt.ToolCallPart, index: number) => ({
  token: `call-${at}-${index + 1}`,
  name: asked.name,
  arguments: Result.getOrElse(copyJson(asked.params), () => null)
})

/** One step after it was entered: answer and calls are logged in one append, then the calls are run. */
const answerStep = Effect.fnUntraced(function* <T extends Tools>(
  { session, supply }: LoopServices,
  loop: Loop,
  options: RunOptions<T>
) {
  const prompt = toPrompt(yield* session.surface)
  const { content, reason } = yield* ask(options, prompt)
  const { steps, turns } = loop.conversation()
  const asked = content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part] : []))
  const calls = asked.map(toCall(`${turns}-${steps}`))
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("")
  const parts = loggedParts(content, (part) => calls[asked.indexOf(part)]!.token)
  yield* session.append([
    { type: "assistant/message", text, ...parts },
    ...calls.map((call): SessionEventInput => ({ type: "tool/call", ...call }))
  ])
  const signal = options.signal === undefined ? {} : { signal: options.signal }
  const asking = Semaphore.withPermit(yield* Semaphore.make(1))
  const { approve, maxResultBytes = defaultMaxResultBytes, toolkit } = options
  const run = (call: Call) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const tool = isCutShort(reason)
          ? Effect.succeed(notRun)
          : callTool(toolkit, call, { restore, approve, asking, messages: prompt.content })
        const finished = bounded(yield* tool, maxResultBytes)
        yield* session.append([{ type: "tool/result", token: call.token, ...finished }])
        yield* supply.toolResult({ ...call, outcome: finished.outcome, ...signal })
      })
    )
  yield* Effect.forEach(calls, run, { concurrency: options.toolConcurrency ?? 8, discard: true })
  return { text, called: calls.length > 0 }
})

const directOf = (prompt: RunOptions<Tools>["prompt"]): ReadonlyArray<Direct> =>
  prompt === undefined ? [] : typeof prompt === "string" ? [{ text: prompt }] : prompt

/** The sessions of runs that are under way. */
const running = new WeakSet<SessionShape>()

const alone = <A, E, R>(session: SessionShape, self: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.suspend(() =>
      running.has(session)
        ? Effect.fail(new AlreadyRunning({ session: session.id }))
        : Effect.sync(() => void running.add(session))
    ),
    () => self,
    () => Effect.sync(() => running.delete(session))
  )

const decodeLimits = decodeConfiguration(
  "agentLoop",
  Schema.Struct({
    maxSteps: Schema.optional(Schema.Natural.annotate({ description: "a whole number of steps" })),
    toolConcurrency: Schema.optional(
      Schema.Int.check(Schema.isGreaterThan(0)).annotate({ description: "a whole number, at least 1" })
    ),
    maxResultBytes: Schema.optional(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(1024)).annotate({
        description: "a whole number of bytes, at least 1024"
      })
    )
  })
)

/** Whether somebody has said something meanwhile. What suppliers leave waiting makes no step begin. */
const isWaitedFor = ({ inbox }: LoopServices) =>
  Effect.map(inbox.pending, (pending) => pending.some(({ source }) => source.kind === "user"))

const turn = Effect.fnUntraced(function* <T extends Tools>(services: LoopServices, loop: Loop, options: RunOptions<T>) {
  let direct = directOf(options.prompt)
  let text = ""
  for (let steps = 0; ; steps++) {
    if (steps >= (options.maxSteps ?? 50)) return { stopped: "maxSteps", steps, text } satisfies RunResult
    const batch = yield* loop.next(direct)
    direct = []
    if (batch.decision === "reject") {
      const why = batch.rejection === undefined ? {} : { rejection: batch.rejection }
      return { stopped: "rejected", steps, text, ...why } satisfies RunResult
    }
    const answered = yield* answerStep(services, loop, options)
    text = answered.text
    if (!answered.called && !(yield* isWaitedFor(services))) {
      return { stopped: "idle", steps: steps + 1, text } satisfies RunResult
    }
  }
})

/**
 * Runs one turn until the agent is idle: claims the inbox, asks the suppliers, enters the step, asks the model, runs its tools, and
 * again while there are results to answer or the user has said something more. Answers, calls and results are logged; results are
 * reported to the suppliers. Reasoning, the metadata of the provider and what it has run itself stand in each later request again as
 * they were; files that a model makes do not.
 *
 * Whatever ends it — the model's error, a `SessionError`, interruption, `signal` — leaves a valid log: no tool runs on, calls without
 * a result get one that says so, what was claimed and not entered waits again, and step and turn are ended. What an earlier process
 * has left open is mended the same way: a `prompt` ends that turn and begins another, without one it goes on.
 *
 * One run at a time for each session: a second one fails at once with `AlreadyRunning`. Limits that are no whole numbers fail with `InvalidConfiguration`, before anything else.
 */
export const run = Effect.fn("AgentLoop.run")(function* <T extends Tools = {}>(
  options: RunOptions<T>
): Effect.fn.Return<
  RunResult,
  AiError.AiError | SessionError | InvalidConfiguration | AlreadyRunning,
  Session | Inbox | ContextSupply | LanguageModel.LanguageModel | Tool.HandlerServices<T[keyof T]>
> {
  const services = { session: yield* Session, inbox: yield* Inbox, supply: yield* ContextSupply }
  const { maxResultBytes, maxSteps, toolConcurrency } = options
  const work = Effect.gen(function* () {
    yield* decodeLimits({ maxResultBytes, maxSteps, toolConcurrency })
    const loop = yield* makeLoop(services)
    yield* settleCalls(services.session)
    const says = directOf(options.prompt).length > 0
    if (!says && !loop.conversation().turnOpen) return { stopped: "idle", steps: 0, text: "" } satisfies RunResult
    if (says) yield* loop.endTurn
    const leave = Effect.andThen(settleCalls(services.session), loop.endTurn)
    const result: RunResult = yield* Effect.onError(turn(services, loop, options), () => Effect.ignore(leave))
    yield* loop.endTurn
    return result
  }).pipe(Effect.scoped)
  return yield* alone(services.session, work).pipe(interruptedBy(options.signal))
})
