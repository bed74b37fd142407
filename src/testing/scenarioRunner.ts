/**
 * Plays scenarios: the scripted agent against the real layers, on a disk in memory and a clock of their own.
 *
 * **When to use**
 *
 * To hold the configuration of your own agent against your own scenarios, in a test or from the command line
 * (`npm run scenario`).
 *
 * **Example** (A scenario as a test)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { decodeScenario, describeFailure, playScenario } from "effect-agent-context/testing"
 *
 * const program = Effect.gen(function*() {
 *   const scenario = yield* decodeScenario({
 *     name: "the root's rules come with the first prompt",
 *     cwd: "/repo",
 *     files: { "/repo/.git/": null, "/repo/AGENTS.md": "be brief\n" },
 *     config: { instructions: { maxBytes: 65_536 } },
 *     steps: [{ do: "prompt", text: "hi", expect: { entered: [{ equals: "hi" }, { contains: ["be brief"] }] } }]
 *   })
 *   const { failures } = yield* playScenario(scenario)
 *   return failures.map(describeFailure)
 * })
 *
 * console.log(await Effect.runPromise(program)) // => []
 * ```
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { UserMessage } from "../schemas/Message.ts"
import type { SessionEvent } from "../schemas/SessionEvent.ts"
import { type Mismatch, mismatches, type Seen } from "./expectations.ts"
import type { Failure } from "./parts/part.ts"
import type { Scenario } from "./scenario.ts"
import { perform, type Result } from "./scenario/perform.ts"
import type { Step } from "./scenario/steps.ts"
import { Window } from "./scenario/window.ts"
import { makeScriptedAgent, NotInThisBuild, ScriptMistake, type ScriptedAgent } from "./scriptedAgent.ts"
import { layer as timeLayer, NeverEnds, VirtualTime } from "./virtualTime.ts"

/** One expectation that did not hold, or one thing that cannot be played. `step` is the step's index, from 0. */
export interface ScenarioFailure extends Mismatch {
  readonly step: number
  readonly verb: string
}

/** One step as it was played; `seen` is missing where it could not be played to its end. */
export interface PlayedStep {
  readonly index: number
  readonly step: Step
  readonly seen: Seen | undefined
  readonly failures: ReadonlyArray<ScenarioFailure>
}

/** A whole play. It ends early at a step that cannot be played. */
export interface ScenarioResult {
  readonly name: string
  readonly steps: ReadonlyArray<PlayedStep>
  readonly failures: ReadonlyArray<ScenarioFailure>
}

/** How to play: how patiently, and with which agent. */
export interface PlayOptions {
  /** Real milliseconds a step may take before it counts as hanging; default 5,000. */
  readonly patience?: number
  /** Makes the agent that is played: the scripted one, unless it is another that is to be held against the scenario. */
  readonly agent?: typeof makeScriptedAgent
}

/** When a scenario begins, unless it says otherwise. */
const defaultClock = "2026-03-01T09:00:00Z"

/** The source kinds of what this library contributes. */
const ownKinds: ReadonlySet<string> = new Set([
  "agent-instructions",
  "skill-catalog",
  "skill-invocation",
  "session-reference",
  "time-context",
  "tmux-context"
])

/** A failure in one line. */
export const describeFailure = ({ expected, key, seen, step, verb }: ScenarioFailure): string =>
  `step ${step} (${verb}), ${key}: expected ${expected}, but saw ${seen}`

/** The innermost of errors that wrap a tagged reason. */
const innermost = (error: Failure): Failure => {
  const { reason } = error as { readonly reason?: unknown }
  return typeof reason === "object" && reason !== null && "_tag" in reason ? innermost(reason as Failure) : error
}

/** What cannot be played, or was not to happen: no expectation speaks of it. */
const unplayable = (cause: Cause.Cause<unknown>, cancelled: boolean): Mismatch | undefined => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Die") return { key: "defect", expected: "none", seen: Cause.pretty(cause) }
    if (reason._tag === "Interrupt" && !cancelled)
      return { key: "end", expected: "an end of its own", seen: "an interruption" }
    if (reason._tag !== "Fail") continue
    const { error } = reason
    if (error instanceof ScriptMistake)
      return { key: "scenario", expected: "a step that can be played", seen: error.message }
    if (error instanceof NotInThisBuild)
      return { key: "scenario", expected: "parts of this build", seen: error.message }
    if (error instanceof NeverEnds) return { key: "end", expected: "an end", seen: error.message }
  }
  return undefined
}

/** What the log and the report hold now; of an instance that could not be built, nothing. */
const look = (agent: ScriptedAgent) =>
  agent.instance.pipe(
    Effect.flatMap(({ inbox, session, supply }) =>
      Effect.all({
        log: session.log,
        inbox: inbox.pending,
        report: supply.report,
        others: session.diagnostics ?? Effect.succeed([])
      })
    ),
    Effect.orElseSucceed(() => ({ log: [], inbox: [], report: { suppliers: [], diagnostics: [] }, others: [] }))
  )

type Look = Effect.Success<ReturnType<typeof look>>

const contributed = (log: ReadonlyArray<SessionEvent>): ReadonlyArray<UserMessage> =>
  log.flatMap((event) => {
    const message = event.type === "user/message" ? (event.message as UserMessage) : undefined
    return message !== undefined && ownKinds.has(message.source.kind) ? [message] : []
  })

const outcomes = ({ report }: Look): Readonly<Record<string, string>> =>
  Object.fromEntries(report.suppliers.flatMap(({ items }) => items.map(({ outcome, path }) => [path, outcome])))

const prepares = (step: Step): boolean => step.do === "prompt" || step.do === "step"

/** Puts together what a step has shown. */
const gather = Effect.fnUntraced(function* (
  window: Window,
  step: Step,
  exit: Exit.Exit<Result, Failure>,
  now: Look,
  logged: number,
  elapsed: number,
  openHandles: number
) {
  const result = Exit.isSuccess(exit) ? exit.value : {}
  const failed = Exit.isFailure(exit) ? exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error : undefined
  const error = result.rejection ?? failed
  const inner = step.do === "cancel" ? step.while : step
  const told = error === undefined ? undefined : innermost(error)
  const seen: Seen = {
    decision: result.decision ?? (prepares(inner) ? "reject" : undefined),
    entered: result.entered ?? [],
    inbox: now.inbox,
    logged: now.log.slice(logged).flatMap(({ type }) => (type.startsWith("inbox/") ? [] : [type])),
    contributed: contributed(now.log),
    ...(yield* window.counts),
    diagnostics: [...window.diagnostics, ...(result.diagnostics ?? []).map(({ tag }) => tag)],
    report: outcomes(now),
    openHandles,
    elapsed,
    candidates: result.candidates,
    skills: result.skills,
    complete: result.complete,
    truncated: result.truncated,
    text: result.text,
    error: told === undefined ? undefined : { tag: told._tag, message: told.message }
  }
  return seen
})

/** Holds a step against its expectations; a cancelled one against those of its nested step, too. */
const compare = (step: Step, seen: Seen): ReadonlyArray<Mismatch> => {
  const nested = step.do === "cancel" ? step.while.expect : undefined
  if (nested === undefined) return mismatches(step.expect ?? {}, seen)
  // An error that one of them announces is no surprise to the other.
  const announced = nested.error ?? step.expect?.error
  const both = announced === undefined ? {} : { error: announced }
  return [
    ...mismatches({ ...both, ...step.expect }, seen),
    ...mismatches({ ...both, ...nested }, seen).map((mismatch) => ({ ...mismatch, key: `while.${mismatch.key}` }))
  ]
}

const closesWindow = (step: Step): boolean => prepares(step) || step.do === "cancel"

/** Plays one step and holds it against its expectations. */
const playStep = Effect.fnUntraced(function* (agent: ScriptedAgent, window: Window, step: Step, index: number) {
  const failing = (mismatch: Mismatch): ScenarioFailure => ({ step: index, verb: step.do, ...mismatch })
  const before = yield* look(agent)
  window.note(before.report, before.others)
  const started = yield* Clock.currentTimeMillis
  const exit = yield* Effect.exit(Effect.flatten(perform(agent, step)))
  const wrong = Exit.isFailure(exit) ? unplayable(exit.cause, step.do === "cancel") : undefined
  if (wrong !== undefined) return { index, step, seen: undefined, failures: [failing(wrong)] } satisfies PlayedStep
  const now = yield* look(agent)
  window.note(now.report, now.others)
  const elapsed = (yield* Clock.currentTimeMillis) - started
  const seen = yield* gather(
    window,
    step,
    exit as Exit.Exit<Result, Failure>,
    now,
    before.log.length,
    elapsed,
    yield* agent.host.disk.openHandles
  )
  if (closesWindow(step)) yield* window.close
  return { index, step, seen, failures: compare(step, seen).map(failing) } satisfies PlayedStep
})

const playAll = Effect.fnUntraced(function* (
  scenario: Scenario,
  makeAgent: typeof makeScriptedAgent
): Effect.fn.Return<ReadonlyArray<PlayedStep>, never, VirtualTime> {
  const time = yield* VirtualTime
  const scope = yield* Scope.make()
  const close = (exit: Exit.Exit<unknown, unknown>) => time.play(Scope.close(scope, exit), "closing the agent")
  const played: Array<PlayedStep> = []
  const play = Effect.gen(function* () {
    const agent = yield* makeAgent({
      cwd: scenario.cwd,
      files: scenario.files ?? {},
      config: scenario.config ?? {},
      os: scenario.os ?? {}
    })
    const window = new Window(agent)
    for (const [index, step] of scenario.steps.entries()) {
      const result = yield* playStep(agent, window, step, index)
      played.push(result)
      if (result.seen === undefined) return
    }
  })
  yield* play.pipe(
    Scope.provide(scope),
    Effect.onInterrupt(() => Effect.ignore(close(Exit.interrupt())))
  )
  const closed = yield* Effect.exit(close(Exit.void))
  const last = played.at(-1)
  // A step that hangs has been reported already, and closing may well hang with it.
  if (Exit.isSuccess(closed) || last?.seen === undefined) return played
  const failure = {
    step: last.index,
    verb: last.step.do,
    key: "end",
    expected: "an agent that can be closed",
    seen: Cause.pretty(closed.cause)
  }
  return [...played.slice(0, -1), { ...last, failures: [...last.failures, failure] }]
})

/**
 * Plays a scenario and says which expectations did not hold. Everything it needs it brings along: real files, clocks and
 * environments stay out of it.
 */
export const playScenario = Effect.fn("Scenario.play")(function* (
  scenario: Scenario,
  { agent = makeScriptedAgent, patience }: PlayOptions = {}
): Effect.fn.Return<ScenarioResult> {
  const start = Date.parse(scenario.os?.clock ?? defaultClock)
  const steps = yield* playAll(scenario, agent).pipe(Effect.provide(timeLayer(start, patience)))
  return { name: scenario.name, steps, failures: steps.flatMap(({ failures }) => failures) }
})
