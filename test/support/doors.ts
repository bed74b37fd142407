/** Scenarios through the other doors: agents with the manners of the scripted one, made by `./node` and by `./promise`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { makeLoop } from "../../src/agent/loop.ts"
import type { SessionServices } from "../../src/agent/perSession.ts"
import { yamlLibrary } from "../../src/layers/skills/yaml.ts"
import * as AgentContextNode from "../../src/node.ts"
import { createWithin } from "../../src/promise/create.ts"
import type { AgentContext, AgentContextOptions } from "../../src/promise.ts"
import type { UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEvent } from "../../src/schemas/SessionEvent.ts"
import { StepRejected } from "../../src/schemas/StepRejected.ts"
import { ContextSupply } from "../../src/services/ContextSupply.ts"
import { Inbox } from "../../src/services/Inbox.ts"
import { Session } from "../../src/services/Session.ts"
import { SessionStore } from "../../src/services/SessionStore.ts"
import { parts } from "../../src/testing/parts/registry.ts"
import type { Part } from "../../src/testing/parts/part.ts"
import { type Scenario } from "../../src/testing/index.ts"
import { makeScriptedAgent, type ScriptedAgent, ScriptMistake } from "../../src/testing/scriptedAgent.ts"
import { makeHost } from "../../src/testing/scripted/host.ts"
import { isPartStep, partVerbs } from "../../src/testing/scenario/steps.ts"

export type Door = typeof makeScriptedAgent

export const stepsOf = (scenario: Scenario) =>
  scenario.steps.flatMap((step) => (step.do === "cancel" ? [step, step.while] : [step]))

/** What a door cannot express of a scenario, if anything. */
export const beyond = (scenario: Scenario): string | undefined => {
  const steps = stepsOf(scenario)
  const configs = [scenario.config, ...steps.flatMap((step) => (step.do === "resume" ? [step.config] : []))]
  if (scenario.os?.timeZone !== undefined && configs.some((config) => config?.time !== undefined))
    return "a machine in another time zone"
  // These doors close the host with the agent, as a process that ends does.
  const resumed = steps.findIndex((step) => step.do === "resume")
  const counts = steps.slice(resumed + 1).some(({ expect }) => expect?.reads !== undefined)
  if (resumed >= 0 && counts && configs.some((config) => config?.skills !== undefined))
    return "skills that a host remembers beyond its agents"
  for (const step of steps) {
    if (step.do === "register" || step.do === "dispose" || step.do === "invalidate")
      return "skill providers of a script"
  }
  return undefined
}

const machine = (host: ScriptedAgent["host"]): Layer.Layer<AgentContextNode.Platform> =>
  Layer.merge(AgentContextNode.layerPlatform, Layer.succeed(FileSystem.FileSystem, host.fileSystem))

const optionsOf = (config: object, cwd: string, id: string): AgentContextNode.AgentContextConfig => {
  // A scenario leaves out what is off; through the doors, instructions are off only by saying so.
  const given = { instructions: false, ...config } as Record<string, unknown>
  return { ...given, cwd, session: { id } } as unknown as AgentContextNode.AgentContextConfig
}

const abortable = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

/** What `./node` makes of a script's configuration, on the host's disk: one instance at a time. */
export const nodeInstances = Effect.fnUntraced(function* (options: Parameters<Door>[0]) {
  yield* yamlLibrary
  const host = options.host ?? (yield* makeHost(options))
  const id = options.sessionId ?? "main"
  let config = options.config ?? {}
  const make = Effect.fnUntraced(function* () {
    const scope = yield* Scope.make()
    const given = optionsOf(config, options.cwd, id)
    // The store is the host's, as it outlives the instance.
    const layer = AgentContextNode.layerSession(given).pipe(
      Layer.provideMerge(
        Layer.merge(AgentContextNode.layerHostWithoutPlatform(given), Layer.succeed(SessionStore, host.store))
      ),
      Layer.provideMerge(machine(host))
    ) as Layer.Layer<SessionServices, AgentContextNode.SessionLayerError | AgentContextNode.HostError>
    const built = yield* host
      .provide(Layer.buildWithScope(layer, scope))
      .pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
    const own = {
      session: Context.get(built, Session),
      inbox: Context.get(built, Inbox),
      supply: Context.get(built, ContextSupply)
    }
    return {
      ...own,
      built,
      loop: yield* makeLoop(own).pipe(Scope.provide(scope)),
      answer: (step: Parameters<ScriptedAgent["answer"]>[0], signal: AbortSignal | undefined) =>
        playPart(step, signal, built).pipe(Scope.provide(scope)),
      close: Scope.close(scope, Exit.void)
    }
  })
  let current = yield* Effect.exit(make())
  const close = Effect.suspend(() => (Exit.isSuccess(current) ? current.value.close : Effect.void))
  yield* Effect.addFinalizer(() => close)
  return {
    host,
    instance: Effect.suspend(() => current),
    resume: (next: typeof options.config) =>
      Effect.gen(function* () {
        yield* close
        if (next !== undefined) config = next
        current = yield* Effect.exit(make())
        yield* current
      })
  }
})

/** A scripted agent whose instances are made by `./node`, on the host's disk. */
export const throughNode: Door = Effect.fnUntraced(function* (options) {
  const { host, instance, resume } = yield* nodeInstances(options)
  const scripted = yield* makeScriptedAgent({ ...options, host, config: {}, sessionId: "unused" })
  return onLoop(host, instance as ScriptedAgent["instance"], { ...scripted, resume: resume as ScriptedAgent["resume"] })
})

const playPart = (
  step: Parameters<ScriptedAgent["answer"]>[0],
  signal: AbortSignal | undefined,
  built: Context.Context<never>
) => {
  const part: Part = parts.get(partVerbs[step.do])!
  const play = part.verbs[step.do] as unknown as (step: unknown, signal: unknown) => ReturnType<ScriptedAgent["answer"]>
  return Effect.provide(play(step, signal), built)
}

const onLoop = (
  host: ScriptedAgent["host"],
  instance: ScriptedAgent["instance"],
  rest: ScriptedAgent
): ScriptedAgent => {
  let calls = 0
  const run: <A>(use: (instance: never) => Effect.Effect<A, never>) => Effect.Effect<A, never> = (use) =>
    host.provide(Effect.flatMap(instance, (instance) => use(instance as never))) as never
  type Own = Effect.Success<ScriptedAgent["instance"]>
  const on = <A>(use: (instance: Own) => Effect.Effect<A, unknown>) => run(use as never) as Effect.Effect<A, never>
  return {
    ...rest,
    host,
    instance,
    prompt: (text, { reject = false, signal, source = { kind: "user" } } = {}) =>
      on(({ loop }) => loop.next([{ text, source }], { decision: reject ? "reject" : "enter", ...abortable(signal) })),
    step: ({ signal } = {}) => on(({ loop }) => loop.next([], abortable(signal))),
    endStep: on(({ loop }) => loop.endStep),
    endTurn: on(({ loop }) => loop.endTurn),
    tool: ({ arguments: given = {}, name, outcome = "ok", parent, signal, token = `call-${++calls}` }) =>
      on(({ loop }) =>
        Effect.as(
          loop.tool({
            name,
            arguments: given,
            outcome,
            token,
            ...(parent === undefined ? {} : { parent }),
            ...abortable(signal)
          }),
          token
        )
      ),
    post: (text, source = { kind: "user" }) => on(({ loop }) => loop.post({ text, source })),
    compact: (keep = 0) => on(({ loop }) => loop.compact(keep)),
    settle: on(({ supply }) => supply.settled),
    pending: on(({ inbox }) => inbox.pending),
    answer: (step, signal) => on(({ answer }) => answer(step, signal))
  }
}

/** A rejection with its tag, as a typed failure again; an aborted call as the interruption it was. */
const settle = <A>(call: (signal: AbortSignal) => Promise<A>, given: AbortSignal | undefined) =>
  Effect.tryPromise({
    try: (own) => call(given === undefined ? own : AbortSignal.any([given, own])),
    catch: (error) => error as { readonly _tag: string; readonly message: string }
  }).pipe(
    Effect.catchIf(
      (error) => given?.aborted === true && error === given.reason,
      () => Effect.interrupt
    )
  )

/** A scripted agent that is nothing but an agent context behind promises. */
export const throughPromises: Door = Effect.fnUntraced(function* (options) {
  yield* yamlLibrary
  const host = options.host ?? (yield* makeHost(options))
  const surroundings = yield* host.provide(Effect.context<never>())
  const id = options.sessionId ?? "main"
  let config = options.config ?? {}
  const make = () =>
    Effect.exit(
      settle((signal) => {
        const given = optionsOf(config, options.cwd, id) as AgentContextOptions
        const within = { context: surroundings, store: host.store }
        return createWithin(within, { ...given, cwd: options.cwd, fileSystem: host.fileSystem }, { signal })
      }, undefined)
    )
  let current = yield* make()
  const close = Effect.suspend(() => (Exit.isSuccess(current) ? Effect.promise(current.value.close) : Effect.void))
  yield* Effect.addFinalizer(() => close)
  const context = Effect.suspend(() => current)
  const on = <A>(use: (context: AgentContext, signal: AbortSignal) => Promise<A>, given?: AbortSignal) =>
    Effect.flatMap(context, (context) => settle((signal) => use(context, signal), given))
  const step = (
    input: string | undefined,
    decision: "enter" | "reject",
    source: UserMessage["source"],
    given?: AbortSignal
  ) =>
    on(
      (context, signal) =>
        context.preStep(input === undefined ? undefined : { text: input, source }, { decision, signal }),
      given
    ).pipe(
      Effect.map((result) => {
        const entered = result.messages as unknown as ReadonlyArray<UserMessage>
        if (result.decision === "enter") return { decision: result.decision, entered }
        const rejection =
          result.reason === undefined ? {} : { rejection: new StepRejected({ supplier: "", reason: result.reason }) }
        return { decision: result.decision, entered, ...rejection }
      })
    )
  const user = { kind: "user" }
  const agent: ScriptedAgent = {
    host,
    instance: Effect.map(context, (context) => {
      const ask = <A>(call: () => Promise<unknown>) => Effect.promise(call) as Effect.Effect<A>
      return {
        session: { log: ask<ReadonlyArray<SessionEvent>>(() => context.log()) },
        inbox: { pending: ask(() => context.pending()) },
        supply: { report: ask(() => context.explain()) }
      } as unknown as Effect.Success<ScriptedAgent["instance"]>
    }),
    prompt: (text, { reject = false, signal, source = user } = {}) =>
      step(text, reject ? "reject" : "enter", source, signal),
    step: ({ signal } = {}) => step(undefined, "enter", user, signal),
    endStep: on((context, signal) => context.endStep({ signal })),
    endTurn: on((context, signal) => context.endTurn({ signal })),
    tool: ({ signal: given, ...execution }) =>
      // The signal of a scripted tool belongs to the look behind it, and may fire long after the hook has returned.
      on((context) =>
        context.toolResult({ arguments: {}, ...execution }, given === undefined ? {} : { signal: given })
      ),
    post: (text, source = user) => on((context, signal) => context.post({ text, source }, { signal })),
    compact: (keep = 0) => on((context, signal) => context.compact({ keep, signal })),
    resume: (next) =>
      Effect.gen(function* () {
        yield* close
        if (next !== undefined) config = next
        current = yield* make()
        yield* current
      }),
    settle: on((context, signal) => context.settled({ signal })),
    pending: on((context, signal) => context.pending({ signal })) as unknown as ScriptedAgent["pending"],
    answer: (step, given) => {
      if (!isPartStep(step)) return new ScriptMistake({ detail: "no verb of a part" })
      if (step.do === "skill") return on((context, signal) => context.skills.load(step.name, { signal }), given)
      if (step.do === "skills")
        return on((context, signal) => context.skills.list({ signal }), given).pipe(
          Effect.map(({ complete, diagnostics, skills }) => ({
            skills: skills.map(({ name }) => name),
            complete,
            diagnostics: diagnostics as never
          }))
        )
      if (step.do !== "complete") return new ScriptMistake({ detail: `${step.do} has no promise` })
      const limit = step.limit === undefined ? {} : { limit: step.limit }
      return on((context, signal) => context.files.list(step.query, { ...limit, signal }), given).pipe(
        Effect.map(({ candidates, diagnostics, truncated }) => ({
          candidates: candidates.map(({ kind, path }) => (kind === "directory" ? `${path}/` : path)),
          truncated,
          diagnostics: diagnostics as never
        }))
      )
    }
  }
  return agent
})
