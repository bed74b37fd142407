/**
 * Scenarios through `./ai`: `AgentLoop.run` over a model that does what the script says, on the layers of `./node`.
 *
 * The loop goes on by itself where a script goes step by step, so it is held in three places: in the model, until the script says what
 * the step's tools were; before it logs the end of a step; and before it claims the inbox for the next one. What happens beside a run —
 * tools outside of a step or inside of another tool, posts, compaction — is the application's, through the services that the loop runs on.
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AgentLoop, AgentPrompt, AgentTools } from "../../src/ai.ts"
import type { Source, UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEvent, ToolOutcome } from "../../src/schemas/SessionEvent.ts"
import { StepRejected } from "../../src/schemas/StepRejected.ts"
import type { Supplier } from "../../src/services/ContextSupply.ts"
import { Inbox } from "../../src/services/Inbox.ts"
import { Session } from "../../src/services/Session.ts"
import type { SkillRegistry } from "../../src/services/SkillRegistry.ts"
import type { Scenario } from "../../src/testing/index.ts"
import type { PlainStep } from "../../src/testing/scenario/steps.ts"
import {
  type Batch,
  type ScriptedAgent,
  type ScriptedExecution,
  ScriptMistake
} from "../../src/testing/scriptedAgent.ts"
import { type Door, nodeInstances, stepsOf } from "./doors.ts"

/** What a loop cannot express of a scenario, if anything; everything else it plays. */
export const beyondLoop = (scenario: Scenario): string | undefined => {
  const { config, steps } = scenario
  if (config?.tmux !== undefined && steps.some((step) => step.do === "prompt" && step.reject === true))
    return "a host's refusal that spares the suppliers their look"
  const marks = steps.filter(
    ({ do: verb }) => verb === "cancel" || verb === "prompt" || verb === "step" || verb === "endTurn"
  )
  const givenUp = marks.findIndex((step) => step.do === "cancel" && step.while.do === "step")
  return givenUp >= 0 && marks[givenUp + 1]?.do === "step" ? "a turn that outlives a step that was given up" : undefined
}

/** The tool that a model calls when the script goes on without one: without a call, a loop would be done. */
const pass = "pass"

const verbs: ReadonlySet<string> = new Set(["prompt", "step", "tool", "endStep", "endTurn", "resume"])
type ToolStep = Extract<PlainStep, { readonly do: "tool" }>

/** Where the script stands. A model makes all calls of an answer at once, so it has to know what comes. */
class Script {
  #rest: ReadonlyArray<PlainStep>
  constructor(scenario: Scenario) {
    this.#rest = stepsOf(scenario).filter((step): step is PlainStep => verbs.has(step.do))
  }
  passes(verb: string): void {
    this.#rest = this.#rest.slice(this.#rest.findIndex((step) => step.do === verb) + 1)
  }
  /** The calls that the model makes in this step, those behind included. */
  get calls(): ReadonlyArray<ToolStep> {
    const end = this.#rest.findIndex((step) => step.do !== "tool")
    const tools = this.#rest.slice(0, end < 0 ? undefined : end) as ReadonlyArray<ToolStep>
    return tools.filter(({ parent }) => parent === undefined)
  }
}

const outcomes: Readonly<Record<ToolOutcome, Effect.Effect<string, string>>> = {
  ok: Effect.succeed("done"),
  error: Effect.fail("it failed"),
  aborted: Effect.interrupt,
  blocked: Effect.die("run without approval")
}

/** One run of the loop, held where it stands. */
class Run {
  readonly changed = Effect.runSync(Queue.unbounded<void>())
  readonly boundary = Latch.makeUnsafe(true)
  readonly claim = Latch.makeUnsafe(true)
  readonly finished = new Map<string, Deferred.Deferred<ToolOutcome>>()
  readonly reported = new Set<string>()
  exit: Exit.Exit<AgentLoop.RunResult, unknown> | undefined
  fiber: Fiber.Fiber<void> | undefined
  asked: Prompt.Prompt | undefined
  answer = Deferred.makeUnsafe<Array<Response.PartEncoded>>()
  /** The tokens of the calls of the latest answer that the script has not come to, and that of each of its own. */
  waiting: Array<string> | undefined
  claiming = false

  readonly note = (change: () => void) =>
    Effect.sync(() => {
      change()
      Queue.offerUnsafe(this.changed, undefined)
    })

  /** Done when it is so, or when the run has ended. */
  readonly until = (so: () => boolean): Effect.Effect<void> =>
    Effect.whileLoop({
      while: () => !so() && this.exit === undefined,
      body: () => Queue.take(this.changed) as Effect.Effect<void>,
      step: () => {}
    })

  readonly holdAtEnds = (): void => {
    this.boundary.closeUnsafe()
    this.claim.closeUnsafe()
  }

  readonly model = LanguageModel.make({
    generateText: ({ prompt }) => {
      this.answer = Deferred.makeUnsafe()
      const asked = this.note(() => {
        this.waiting = undefined
        this.asked = prompt
        this.holdAtEnds()
      })
      return Effect.andThen(asked, Deferred.await(this.answer))
    },
    streamText: () => Stream.empty
  })

  /** How the script says that the call ends, once it does. */
  readonly outcome = (token: string) =>
    Effect.suspend(() => {
      const known = this.finished.get(token)
      if (known !== undefined) return Deferred.await(known)
      const finished = Deferred.makeUnsafe<ToolOutcome>()
      return Effect.andThen(
        this.note(() => this.finished.set(token, finished)),
        Deferred.await(finished)
      )
    })

  /** The tools of these names. A call is blocked by asking for an approval that nobody gives. */
  readonly tools = (names: ReadonlySet<string>) => {
    const toolkit = Toolkit.make(
      ...Array.from(names, (name) =>
        Tool.make(name, {
          parameters: Schema.Json,
          success: Schema.String,
          failure: Schema.String,
          failureMode: "return",
          needsApproval: (_, { toolCallId }) =>
            name !== pass && Effect.map(this.outcome(toolCallId), (outcome) => outcome === "blocked")
        })
      )
    )
    const handler = (_: unknown, { toolCallId }: { readonly toolCallId: string }) =>
      Effect.flatMap(this.outcome(toolCallId), (outcome) => outcomes[outcome])
    const handlers = Object.fromEntries(
      Array.from(names, (name) => [name, name === pass ? () => Effect.succeed("") : handler])
    )
    return Effect.provide(toolkit, toolkit.toLayer(handlers as never))
  }
}

const rejecting: Supplier = {
  name: "script",
  kind: "script",
  propose: () =>
    new StepRejected({ supplier: "script", reason: { _tag: "Rejected", message: "the script lets no step begin" } })
}

const turnIsOpen = (log: ReadonlyArray<SessionEvent>): boolean =>
  log.findLast(({ type }) => type === "turn/start" || type === "turn/end")?.type === "turn/start"

const idsIn = (log: ReadonlyArray<SessionEvent>): ReadonlySet<string> =>
  new Set(log.flatMap((event) => (event.type === "user/message" ? [(event.message as UserMessage).id] : [])))

/** What a script would have logged itself: no answers, and no calls that only keep the loop going. */
const scripted = (surface: ReadonlyArray<SessionEvent>): ReadonlyArray<SessionEvent> => {
  const passes = new Set(
    surface.flatMap((event) => ("name" in event && event["name"] === pass ? [event["token"]] : []))
  )
  return surface.filter(
    (event) => event.type !== "assistant/message" && !("token" in event && passes.has(event["token"]))
  )
}

interface Beginning {
  readonly reject?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether the run may go on to its first step at once. */
  readonly step: boolean
}

/** A scripted agent that is nothing but `AgentLoop.run` over a scripted model. */
export const throughLoop = (scenario: Scenario): Door => {
  const names = new Set([pass, ...stepsOf(scenario).flatMap((step) => (step.do === "tool" ? [step.name] : []))])
  return Effect.fnUntraced(function* (options) {
    const { host, instance: made, resume } = yield* nodeInstances(options)
    const script = new Script(scenario)
    /** The loop's tokens of the calls that the script names. */
    const tokens = new Map<string, string>()
    let run: Run | undefined
    let calls = 0

    type Instance = Effect.Success<typeof made>
    const on = <A>(use: (instance: Instance) => Effect.Effect<A, unknown>) =>
      host.provide(Effect.flatMap(made, use)) as Effect.Effect<A, never>

    const stop = Effect.suspend(() => {
      const stopped = run
      run = undefined
      if (stopped?.fiber === undefined) return Effect.void
      stopped.boundary.openUnsafe()
      return Fiber.interrupt(stopped.fiber)
    })
    yield* Effect.addFinalizer(() => stop)

    const begin = (prompt: ReadonlyArray<AgentLoop.Direct>, { reject = false, signal, step }: Beginning) =>
      on(({ built, inbox, session, supply }) =>
        Effect.gen(function* () {
          const begun = new Run()
          run = begun
          if (!step) begun.claim.closeUnsafe()
          const held = Context.make(Session, {
            ...session,
            transact: (decide) => Effect.andThen(begun.boundary.await, session.transact(decide))
          }).pipe(
            Context.add(Inbox, {
              ...inbox,
              claim: Effect.andThen(
                Effect.andThen(
                  begun.note(() => (begun.claiming = true)),
                  Effect.interruptible(begun.claim.await)
                ),
                inbox.claim
              )
            }),
            Context.add(LanguageModel.LanguageModel, yield* begun.model)
          )
          const loop = Effect.gen(function* () {
            yield* supply.onToolResult(({ token }) => Effect.runSync(begun.note(() => begun.reported.add(token))))
            if (reject) yield* supply.register(rejecting)
            const abortable = signal === undefined ? {} : { signal }
            const toolkit = yield* begun.tools(names)
            return yield* AgentLoop.run({ prompt, toolkit, toolConcurrency: 100, maxSteps: 100, ...abortable })
          }).pipe(Effect.scoped, Effect.provide(Context.merge(built, held)))
          begun.fiber = yield* Effect.forkDetach(
            Effect.flatMap(Effect.exit(loop), (exit) => begun.note(() => (begun.exit = exit)))
          )
          return begun
        })
      )

    /** What the run's next step has come to: a request, or its end. */
    const batchOf = (current: Run, known: ReadonlySet<string>): Effect.Effect<Batch, never> =>
      current
        .until(() => current.asked !== undefined)
        .pipe(
          Effect.andThen(
            Effect.suspend((): Effect.Effect<Batch, unknown> => {
              if (current.asked !== undefined) {
                const entered = AgentPrompt.userMessages(current.asked).filter(({ id }) => !known.has(id))
                return Effect.succeed({ decision: "enter", entered })
              }
              run = undefined
              const { exit } = current
              if (exit === undefined || Exit.isFailure(exit)) return Effect.failCause(exit!.cause)
              const { rejection } = exit.value
              const why = rejection === undefined || rejection.supplier === rejecting.name ? {} : { rejection }
              return Effect.succeed({ decision: "reject", entered: [], ...why })
            })
          ),
          Effect.onInterrupt(() => stop)
        ) as Effect.Effect<Batch, never>

    /** The model makes the calls of its step, or one that does nothing. */
    const answer = (current: Run) =>
      on(({ session }) =>
        Effect.gen(function* () {
          if (current.waiting !== undefined) return
          const made = script.calls
          const toPart = (name: string, params: unknown, index: number): Response.PartEncoded => ({
            type: "tool-call",
            id: `${index}`,
            name,
            params
          })
          const parts = made.map(({ arguments: given = {}, name }, index) => toPart(name, given, index))
          const before = current.finished.size
          yield* Deferred.succeed(current.answer, parts.length > 0 ? parts : [toPart(pass, {}, 0)])
          yield* current.until(() => current.finished.size === before + made.length)
          const logged = (yield* session.log).flatMap((event) =>
            event.type === "tool/call" ? [String(event["token"])] : []
          )
          const mine = made.length === 0 ? [] : logged.slice(-made.length)
          for (const [index, { token }] of made.entries()) if (token !== undefined) tokens.set(token, mine[index]!)
          current.waiting = mine
        })
      )

    const beside = ({ arguments: given = {}, name, outcome = "ok", parent, signal, token }: ScriptedExecution) =>
      on(({ session, supply }) =>
        Effect.gen(function* () {
          const own = token ?? `beside-${++calls}`
          const outer = parent === undefined ? {} : { parent: tokens.get(parent) ?? parent }
          yield* session.append([
            { type: "tool/call", token: own, name, arguments: given, ...outer },
            { type: "tool/result", token: own, outcome }
          ])
          const abortable = signal === undefined ? {} : { signal }
          yield* supply.toolResult({ name, arguments: given, outcome, token: own, ...outer, ...abortable })
          return own
        })
      )

    const begins = (source: Source, text: string): ReadonlyArray<AgentLoop.Direct> => [{ text, source }]
    const log = on(({ session }) => session.log)

    const agent: ScriptedAgent = {
      host,
      instance: made as unknown as ScriptedAgent["instance"],
      prompt: (text, { reject, signal, source = { kind: "user" } } = {}) =>
        Effect.gen(function* () {
          script.passes("prompt")
          if (run !== undefined) return yield* new ScriptMistake({ detail: "a run is under way" })
          const known = idsIn(yield* log)
          return yield* batchOf(yield* begin(begins(source, text), { reject, signal, step: true }), known)
        }),
      step: ({ signal } = {}) =>
        Effect.gen(function* () {
          if (run !== undefined && run.asked !== undefined) yield* answer(run)
          script.passes("step")
          const before = yield* log
          if (run === undefined && !turnIsOpen(before)) {
            return yield* on(({ supply }) =>
              Effect.match(
                supply.preStep({
                  step: 1,
                  claimed: [],
                  decision: "enter",
                  ...(signal === undefined ? {} : { signal })
                }),
                {
                  onSuccess: (): Batch => ({ decision: "reject", entered: [] }),
                  onFailure: (rejection): Batch => ({ decision: "reject", entered: [], rejection })
                }
              )
            )
          }
          const known = idsIn(before)
          if (run === undefined) return yield* batchOf(yield* begin([], { signal, step: true }), known)
          const current = run
          current.asked = undefined
          current.boundary.openUnsafe()
          current.claim.openUnsafe()
          return yield* batchOf(current, known)
        }),
      endStep: Effect.gen(function* () {
        const current = run ?? (yield* begin([], { step: false }))
        if (run?.asked !== undefined) yield* answer(current)
        script.passes("endStep")
        current.asked = undefined
        current.claiming = false
        current.boundary.openUnsafe()
        yield* current.until(() => current.claiming)
      }),
      endTurn: Effect.gen(function* () {
        const current = run
        const said = yield* on(({ inbox }) => inbox.pending)
        if (
          current?.asked !== undefined &&
          current.waiting === undefined &&
          script.calls.length === 0 &&
          said.every(({ source }) => source.kind !== "user")
        ) {
          yield* Deferred.succeed(current.answer, [{ type: "text", text: "Done." }])
          current.boundary.openUnsafe()
          yield* current.until(() => false)
          run = undefined
        }
        script.passes("endTurn")
        if (run === undefined && turnIsOpen(yield* log)) yield* begin([], { step: false })
        yield* stop
      }),
      tool: (execution) =>
        Effect.gen(function* () {
          const current = run
          if (current?.asked !== undefined && (execution.parent === undefined || script.calls.length > 0))
            yield* answer(current)
          script.passes("tool")
          if (execution.parent !== undefined || current?.asked === undefined) return yield* beside(execution)
          const token = current.waiting!.shift()!
          yield* Deferred.succeed(current.finished.get(token)!, execution.outcome ?? "ok")
          yield* current.until(() => current.reported.has(token))
          return token
        }),
      post: (text, source = { kind: "user" }) =>
        on(({ inbox, session }) =>
          Effect.gen(function* () {
            const message = { id: `post-${(yield* session.log).length}`, text, source }
            yield* inbox.update(() => [undefined, [{ type: "inbox/inserted", position: "end", message }]])
          })
        ),
      compact: (keep = 0) =>
        on(({ session }) =>
          Effect.gen(function* () {
            const kept = keep === 0 ? [] : scripted(yield* session.surface).slice(-keep)
            const keptFrom = kept[0]?.seq ?? (yield* session.log).length
            yield* session.append([{ type: "compaction/checkpoint", keptFrom }])
          })
        ),
      resume: (next) =>
        Effect.suspend(() => {
          script.passes("resume")
          // Its process is gone: nothing of it goes on, nor ends.
          run = undefined
          return resume(next) as Effect.Effect<void>
        }),
      settle: on(({ supply }) => supply.settled),
      pending: on(({ inbox }) => inbox.pending),
      answer: (step, signal) =>
        on(({ answer, built }) =>
          step.do === "skill"
            ? Effect.gen(function* () {
                const tools = yield* Effect.provide(AgentTools.skill, AgentTools.layerSkill)
                const [result] = yield* Stream.runCollect(yield* tools.handle("skill", { name: step.name }, "call"))
                // To a model a failure is its message; the script wants to know the tag, too.
                if (result?.isFailure !== false) return yield* answer(step, signal)
                return { text: String(result.result) }
              }).pipe(Effect.provide(built as Context.Context<Session | SkillRegistry>))
            : answer(step, signal)
        ) as ReturnType<ScriptedAgent["answer"]>
    }
    return agent
  })
}
