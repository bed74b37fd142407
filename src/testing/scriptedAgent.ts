/**
 * A scripted agent: it drives the real layers of this library exactly as an agent loop does, without a model.
 *
 * **When to use**
 *
 * To play what a model would do — prompts, steps, tool calls — against a disk in memory that you change, break and slow
 * down, and to see what the model would have been told. Scenario files are played with it.
 *
 * **Details**
 *
 * A prompt logs `turn/start`, claims the inbox, asks `ContextSupply.preStep` about the claimed messages and its own text,
 * and enters what comes of it. A step that is not entered — rejected, failed, interrupted, aborted — puts back what it
 * has claimed from the inbox and drops the prompt's text; its turn stays open. Message ids and tokens are the same in
 * every run.
 *
 * **Gotchas**
 *
 * A configuration that cannot be built fails the first thing the agent is asked for, and everything after it until
 * `resume` brings another one.
 *
 * **Example** (What a model is told about a touched directory)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { makeScriptedAgent } from "effect-agent-context/testing"
 *
 * const program = Effect.scoped(Effect.gen(function*() {
 *   const agent = yield* makeScriptedAgent({
 *     cwd: "/repo",
 *     files: { "/repo/.git/": null, "/repo/AGENTS.md": "be brief\n", "/repo/lib/AGENTS.md": "no classes\n" },
 *     config: { instructions: { maxBytes: 65_536 } }
 *   })
 *   yield* agent.prompt("hello")
 *   yield* agent.tool({ name: "read", arguments: { file_path: "lib/a.ts" } })
 *   yield* agent.endStep
 *   const { entered } = yield* agent.step()
 *   return entered.map((message) => message.text.includes("no classes"))
 * }))
 *
 * console.log(await Effect.runPromise(program)) // => [true]
 * ```
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import type { Batch } from "../agent/loop.ts"
import type { Source, UserMessage } from "../schemas/Message.ts"
import type { SessionId, ToolOutcome } from "../schemas/SessionEvent.ts"
import type { Answer, Failure } from "./parts/part.ts"
import type { AgentConfig, PartStep } from "./scenario/steps.ts"
import { type Host, type HostOptions, makeHost } from "./scripted/host.ts"
import { type Instance, makeInstance } from "./scripted/instance.ts"
import { ScriptMistake } from "./scripted/mistakes.ts"

export { type Host, type HostOptions, makeHost } from "./scripted/host.ts"
export { NotInThisBuild, ScriptMistake } from "./scripted/mistakes.ts"
export type { AgentConfig, PartName } from "./scenario/steps.ts"
export type { Batch } from "../agent/loop.ts"
export type { Instance } from "./scripted/instance.ts"
export type { Answer, Failure } from "./parts/part.ts"

/** A finished tool execution, as scripts write it. */
export interface ScriptedExecution {
  readonly name: string
  /** Default `{}`. */
  readonly arguments?: Schema.Json
  /** Default `ok`. */
  readonly outcome?: ToolOutcome
  /** Default `call-1`, `call-2` and so on. */
  readonly token?: string
  readonly parent?: string
  readonly signal?: AbortSignal
}

/** A loop over one session. One thing at a time: a method is called when the one before has ended or was interrupted. */
export interface ScriptedAgent {
  readonly host: Host
  /** The services of the current instance. Fails if its configuration could not be built. */
  readonly instance: Effect.Effect<Instance, Failure>
  /** Opens a turn and prepares its first step. Aborting `signal` interrupts it. */
  readonly prompt: (
    text: string,
    options?: { readonly reject?: boolean; readonly source?: Source; readonly signal?: AbortSignal }
  ) => Effect.Effect<Batch, Failure>
  /** Prepares the next step of the open turn; without one, lets the suppliers look and logs nothing. */
  readonly step: (options?: { readonly signal?: AbortSignal }) => Effect.Effect<Batch, Failure>
  /** Logs the end of the open step. */
  readonly endStep: Effect.Effect<void, Failure>
  /** Logs the end of the open turn, and of its step before. */
  readonly endTurn: Effect.Effect<void, Failure>
  /** Logs a finished execution as call and result and reports it. Returns its token at once. */
  readonly tool: (execution: ScriptedExecution) => Effect.Effect<string, Failure>
  /** Puts an ordinary message into the inbox, at its end. */
  readonly post: (text: string, source?: Source) => Effect.Effect<void, Failure>
  /** Logs a checkpoint that shadows all but the last `keep` surface events; default 0. */
  readonly compact: (keep?: number) => Effect.Effect<void, Failure>
  /** Closes this instance and builds a new one over the same log. The configuration is the same unless given. */
  readonly resume: (config?: AgentConfig) => Effect.Effect<void, Failure>
  /** Waits for queued projections. */
  readonly settle: Effect.Effect<void, Failure>
  /** What waits in the inbox. */
  readonly pending: Effect.Effect<ReadonlyArray<UserMessage>, Failure>
  /** Plays a verb that belongs to a part of the library, such as `skill`. */
  readonly answer: (step: PartStep, signal?: AbortSignal) => Effect.Effect<Answer, Failure>
}

/** What a scripted agent is made from: a `host`, or what is needed to make one of its own. */
export interface ScriptedAgentOptions extends HostOptions {
  readonly cwd: string
  /** A missing part is off. */
  readonly config?: AgentConfig
  readonly host?: Host
  /** Default `main`. A session of this id is opened if the store has one, and created otherwise. */
  readonly sessionId?: SessionId
}

const abortable = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

/** Makes an agent that lasts as long as the scope. */
export const makeScriptedAgent = Effect.fnUntraced(function* (
  options: ScriptedAgentOptions
): Effect.fn.Return<ScriptedAgent, never, Scope> {
  const host = options.host ?? (yield* makeHost(options))
  const id = options.sessionId ?? "main"
  let config = options.config ?? {}
  let calls = 0

  const build = () => Effect.exit(makeInstance(host, id, options.cwd, config))
  let current = yield* build()
  const close = Effect.suspend(() => (Exit.isSuccess(current) ? current.value.close : Effect.void))
  yield* Effect.addFinalizer(() => close)

  const instance = Effect.suspend(() => current)
  const mistake = (detail: string) => new ScriptMistake({ detail })
  const run = <A>(use: (instance: Instance) => Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
    host.provide(Effect.flatMap(instance, use))

  return {
    host,
    instance,
    prompt: (text, { reject = false, signal, source = { kind: "user" } } = {}) =>
      run(({ loop }) => {
        if (loop.conversation().turnOpen && !loop.inherited()) {
          return mistake("a turn is open: end it before the next prompt")
        }
        return loop.next([{ text, source }], { decision: reject ? "reject" : "enter", ...abortable(signal) })
      }),
    step: ({ signal } = {}) => run(({ loop }) => loop.next([], abortable(signal))),
    endStep: run(({ loop }) =>
      loop.conversation().stepOpen ? loop.endStep : mistake("no step is open that could end")
    ),
    endTurn: run(({ loop }) =>
      loop.conversation().turnOpen ? loop.endTurn : mistake("no turn is open that could end")
    ),
    tool: (execution) =>
      run(({ loop }) => {
        const { arguments: given = {}, name, outcome = "ok", parent, signal, token = `call-${++calls}` } = execution
        const nested = parent === undefined ? {} : { parent }
        return Effect.as(loop.tool({ name, arguments: given, outcome, token, ...nested, ...abortable(signal) }), token)
      }),
    post: (text, source = { kind: "user" }) => run(({ loop }) => loop.post({ text, source })),
    compact: (keep = 0) => run(({ loop }) => loop.compact(keep)),
    resume: (next) =>
      Effect.gen(function* () {
        yield* close
        if (next !== undefined) config = next
        current = yield* build()
        yield* current
      }),
    settle: run(({ supply }) => supply.settled),
    pending: run(({ inbox }) => inbox.pending),
    answer: (step, signal) => run((instance) => instance.answer(step, signal))
  }
})
