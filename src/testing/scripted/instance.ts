/** One agent instance: the layers of a session, built afresh over its persisted log. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type Loop, makeLoop } from "../../agent/loop.ts"
import { perSession } from "../../agent/perSession.ts"
import { layer as sessionLayer } from "../../layers/session/session.ts"
import type { SessionId } from "../../schemas/SessionEvent.ts"
import { ContextSupply, type ContextSupplyShape } from "../../services/ContextSupply.ts"
import { Inbox, type InboxShape } from "../../services/Inbox.ts"
import { Session, type SessionShape } from "../../services/Session.ts"
import { SessionStore } from "../../services/SessionStore.ts"
import type { Answer, Failure, Part, PartServices, PlayVerb } from "../parts/part.ts"
import { parts } from "../parts/registry.ts"
import { type AgentConfig, partsOf, type PartStep, type PartVerb, partVerbs } from "../scenario/steps.ts"
import type { Host } from "./host.ts"
import { NotInThisBuild, ScriptMistake } from "./mistakes.ts"

/** The services of one instance, until it is closed. */
export interface Instance {
  readonly session: SessionShape
  readonly inbox: InboxShape
  readonly supply: ContextSupplyShape
  readonly loop: Loop
  /** Plays a verb that belongs to a part. */
  readonly answer: (step: PartStep, signal: AbortSignal | undefined) => Effect.Effect<Answer, Failure>
  readonly close: Effect.Effect<void>
}

const partsFor = Effect.fnUntraced(function* (
  config: AgentConfig
): Effect.fn.Return<ReadonlyArray<Part>, NotInThisBuild> {
  const names = partsOf(config)
  const missing = names.filter((name) => !parts.has(name))
  if (missing.length > 0) return yield* new NotInThisBuild({ parts: missing })
  return names.map((name) => parts.get(name)!)
})

/** Opens the session, creating it if there is none, and builds everything of the instance in a scope of its own. */
export const makeInstance = Effect.fnUntraced(function* (
  host: Host,
  id: SessionId,
  cwd: string,
  config: AgentConfig
): Effect.fn.Return<Instance, Failure> {
  const on = yield* partsFor(config)
  const known = (yield* host.store.list).some((summary) => summary.id === id)
  const session = sessionLayer(known ? host.store.open(id) : host.store.create({ cwd, id }))
  const parts = Layer.mergeAll(Layer.empty, ...on.map((part) => part.layer(config[part.name], host.surroundings)))
  const scope = yield* Scope.make()
  const build = Effect.gen(function* () {
    const shared = yield* Effect.forEach(on, host.shared)
    const surrounding = Context.mergeAll(Context.make(SessionStore, host.store), ...shared)
    const built = yield* Layer.buildWithScope(perSession(parts, session), scope).pipe(Effect.provide(surrounding))
    const services = Context.merge(surrounding, built)
    const own = {
      session: Context.get(services, Session),
      inbox: Context.get(services, Inbox),
      supply: Context.get(services, ContextSupply)
    }
    return {
      ...own,
      loop: yield* makeLoop(own).pipe(Scope.provide(scope)),
      answer: (step, signal) => answer(on, services, step, signal).pipe(Scope.provide(scope)),
      close: Scope.close(scope, Exit.void)
    } satisfies Instance
  })
  return yield* Effect.onError(host.provide(build), (cause) => Scope.close(scope, Exit.failCause(cause)))
})

const answer = Effect.fnUntraced(function* (
  on: ReadonlyArray<Part>,
  services: Context.Context<PartServices>,
  step: PartStep,
  signal: AbortSignal | undefined
): Effect.fn.Return<Answer, Failure, Scope.Scope> {
  const name = partVerbs[step.do]
  if (!parts.has(name)) return yield* new NotInThisBuild({ parts: [name] })
  const part = on.find((candidate) => candidate.name === name)
  if (part === undefined)
    return yield* new ScriptMistake({ detail: `${step.do} needs ${name}, which the configuration leaves out` })
  const play = part.verbs[step.do] as PlayVerb<PartVerb, never> | undefined
  if (play === undefined) return yield* new ScriptMistake({ detail: `${name} does not answer ${step.do}` })
  return yield* Effect.provide(play(step, signal), services)
})
