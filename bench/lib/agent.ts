/** One agent instance of ours on the real disk, as an application builds it: one runtime, a fresh layer for each session. */
import * as AgentContextNode from "../../src/node.ts"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as AgentInstructions from "../../src/AgentInstructions.ts"
import * as ContextSupply from "../../src/ContextSupply.ts"
import * as Inbox from "../../src/Inbox.ts"
import * as Session from "../../src/Session.ts"

type Services = Session.Session | Inbox.Inbox | ContextSupply.ContextSupply

export interface Agent {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  readonly preStep: Effect.Effect<ReadonlyArray<unknown>, unknown, Services>
  readonly enter: Effect.Effect<void, unknown, Services>
  readonly touch: (file: string) => Effect.Effect<ReadonlyArray<unknown>, never, Services>
  readonly close: () => Promise<void>
}

const prompt = { id: "prompt", text: "go", source: { kind: "user" } }

const preStep = Effect.gen(function* () {
  const supply = yield* ContextSupply.ContextSupply
  return yield* supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" })
})

/** Builds an agent that works in `cwd`. */
export const makeAgent = async (cwd: string, maxBytes: number): Promise<Agent> => {
  const scope = Effect.runSync(Scope.make())
  const perSession = AgentInstructions.layer({ maxBytes }).pipe(
    Layer.provideMerge(ContextSupply.layer),
    Layer.provideMerge(Inbox.layer),
    Layer.provideMerge(Session.layerMemory({ cwd })),
    Layer.provide(AgentContextNode.layerFileSystem),
    Layer.fresh
  )
  const services = await Effect.runPromise(Layer.buildWithScope(perSession, scope))
  return {
    run: (effect) => Effect.runPromiseWith(services as Context.Context<Services>)(effect),
    preStep: Effect.map(preStep, (decision) => (decision.decision === "enter" ? decision.messages : [])),
    enter: Effect.gen(function* () {
      const supply = yield* ContextSupply.ContextSupply
      const session = yield* Session.Session
      const decision = yield* preStep
      if (decision.decision === "enter") yield* supply.enter(decision)
      yield* session.append([{ type: "step/end" }])
    }),
    touch: Effect.fnUntraced(function* (file) {
      const supply = yield* ContextSupply.ContextSupply
      const inbox = yield* Inbox.Inbox
      yield* supply.toolResult({ name: "read", arguments: { file_path: file }, outcome: "ok", token: file })
      yield* supply.settled
      return yield* inbox.pending
    }),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
