/** How each verb is played: on the agent, on its disk, on the clock. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SessionEventInput } from "../../schemas/SessionEvent.ts"
import type { Answer, Failure } from "../parts/part.ts"
import { type Batch, type ScriptedAgent, ScriptMistake } from "../scriptedAgent.ts"
import { VirtualTime } from "../virtualTime.ts"
import { contentBytes } from "./content.ts"
import { toMillis } from "./duration.ts"
import { type CancelStep, isPartStep, type PartStep, type PlainStep, type Step } from "./steps.ts"

/** What a verb has to show for itself. */
export type Result = Partial<Batch> & Answer

const nothing: Result = {}

type StepOf<Verb extends PlainStep["do"]> = Extract<PlainStep, { readonly do: Verb }>

/** The event of a session that exists besides, `seq` being its place in that session's log. */
const eventOf = (
  { source = { kind: "user" }, text, type }: NonNullable<StepOf<"session">["events"]>[number],
  seq: number,
  id: string
): SessionEventInput => {
  switch (type) {
    case "user/message":
      return { type, message: { id: `${id}-${seq}`, text, source } }
    case "tool/call":
      return { type, token: `${id}-${seq}`, name: text, arguments: {} }
    case "tool/result":
      return { type, token: `${id}-${seq}`, outcome: "ok", text }
    case "compaction/checkpoint":
      return { type, keptFrom: seq, text }
    default:
      return { type, text } as SessionEventInput
  }
}

const createSession = (agent: ScriptedAgent, { cwd, events = [], id, title }: StepOf<"session">) => {
  const titled: ReadonlyArray<SessionEventInput> = title === undefined ? [] : [{ type: "session/title", title }]
  const all = [...titled, ...events.map((event, index) => eventOf(event, titled.length + index, id))]
  return Effect.scoped(
    Effect.flatMap(agent.host.store.create({ id, cwd }), (session) =>
      all.length === 0 ? Effect.void : session.append(all as unknown as NonEmptyReadonlyArray<SessionEventInput>)
    )
  )
}

const write = ({ disk }: ScriptedAgent["host"], { content = "", path, sameStat }: StepOf<"write">) =>
  Effect.andThen(
    disk.write(path, contentBytes(content), { sameStat }),
    typeof content === "string" || content.reportSize === undefined
      ? Effect.void
      : disk.reportSize(path, content.reportSize)
  )

/** Everything but the verbs of parts and what returns a batch: there is nothing to show. */
const act = (
  agent: ScriptedAgent,
  step: Exclude<PlainStep, PartStep | StepOf<"prompt" | "step">>,
  signal: AbortSignal | undefined
): Effect.Effect<unknown, Failure, VirtualTime> => {
  const { disk } = agent.host
  switch (step.do) {
    case "endStep":
      return agent.endStep
    case "endTurn":
      return agent.endTurn
    case "tool": {
      const { do: _, expect: __, ...execution } = step
      return agent.tool({ ...execution, ...(signal === undefined ? {} : { signal }) })
    }
    case "post":
      return agent.post(step.text, step.source)
    case "write":
      return write(agent.host, step)
    case "mkdir":
      return disk.mkdir(step.path)
    case "delete":
      return disk.delete(step.path)
    case "link":
      return disk.link(step.path, step.target)
    case "fault":
      return disk.fault(step.path, step.op, typeof step.as === "string" ? step.as : { delay: toMillis(step.as.delay) })
    case "heal":
      return disk.heal(step.path)
    case "compact":
      return agent.compact(step.keep)
    case "resume":
      return agent.resume(step.config)
    case "settle":
      return agent.settle
    case "advance":
      return Effect.flatMap(VirtualTime, (time) => time.advance(toMillis(step.by)))
    case "session":
      return createSession(agent, step)
    case "check":
      return Effect.void
  }
}

/** Plays a step that is no cancellation. */
const plainly = (
  agent: ScriptedAgent,
  step: PlainStep,
  signal: AbortSignal | undefined
): Effect.Effect<Result, Failure, VirtualTime> => {
  const abortable = signal === undefined ? {} : { signal }
  if (step.do === "prompt") {
    const source = step.source === undefined ? {} : { source: step.source }
    return agent.prompt(step.text, { reject: step.reject ?? false, ...source, ...abortable })
  }
  if (step.do === "step") return agent.step(abortable)
  if (isPartStep(step)) return agent.answer(step, signal)
  return Effect.as(act(agent, step, signal), nothing)
}

/** Verbs that take an `AbortSignal`. */
const abortable = (step: PlainStep): boolean => ["prompt", "step", "tool"].includes(step.do) || isPartStep(step)

/** Plays the nested step until nothing can go on, waits, gives it up, and awaits its end. */
const cancelled = Effect.fnUntraced(function* (agent: ScriptedAgent, { after, how, while: nested }: CancelStep) {
  const time = yield* VirtualTime
  const bySignal = (how ?? (nested.do === "tool" ? "signal" : "fiber")) === "signal"
  if (bySignal && !abortable(nested))
    return yield* new ScriptMistake({ detail: `${nested.do} takes no signal: cancel its fiber` })
  if (!bySignal && nested.do === "tool") {
    return yield* new ScriptMistake({ detail: "a tool's hook returns at once: cancel its projection by signal" })
  }
  const controller = new AbortController()
  const fiber = yield* Effect.forkDetach(plainly(agent, nested, bySignal ? controller.signal : undefined))
  yield* time.idle
  yield* time.advance(toMillis(after))
  if (bySignal) controller.abort()
  else fiber.interruptUnsafe()
  const exit = yield* time.ended(fiber, `the cancelled ${nested.do}`)
  if (nested.do === "tool" && Exit.isSuccess(exit))
    return yield* time.play(Effect.as(agent.settle, nothing), "the cancelled projection")
  return exit
})

/**
 * Plays a step to its end. The exit is that of the verb; of a cancelled one, that of the nested step. Fails when the step
 * never ends, or when the script makes no sense.
 */
export const perform = Effect.fnUntraced(function* (agent: ScriptedAgent, step: Step) {
  if (step.do === "cancel") return yield* cancelled(agent, step)
  const time = yield* VirtualTime
  return yield* time.play(plainly(agent, step, undefined), `the step ${step.do}`)
})
