/** An agent loop of a few lines around one supplier: its turns, its restarts, its compactions. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as InboxLayer from "../../../src/layers/inbox/inbox.ts"
import { makeSession } from "../../../src/layers/makeSession.ts"
import { layer as supplyLayer } from "../../../src/layers/supply/contextSupply.ts"
import { SessionLog } from "../../../src/pipeline/sessionLog.ts"
import type { UserMessage } from "../../../src/schemas/Message.ts"
import { ContextSupply, type PreStep } from "../../../src/services/ContextSupply.ts"
import type { Inbox } from "../../../src/services/Inbox.ts"
import { Session } from "../../../src/services/Session.ts"

export type Around = Session | Inbox | ContextSupply

export const asked = (text: string, timeZone?: string): UserMessage => ({
  id: text,
  text,
  source: { kind: "user", ...(timeZone === undefined ? {} : { timeZone }) }
})

/** What one step brought: the messages that were not claimed, and the tags of its diagnostics. */
export interface Brought {
  readonly messages: ReadonlyArray<UserMessage>
  readonly diagnostics: ReadonlyArray<string>
}

/** Each instance is built by `part` over one log, until `restart` or the end of the test's scope. */
export const makeAgent = Effect.fnUntraced(function* <E>(first: Layer.Layer<never, E, Around>) {
  const log = new SessionLog()
  const outer = yield* Effect.scope
  let scope = yield* Scope.fork(outer)
  const build = (part: Layer.Layer<never, E, Around>) => {
    const session = Layer.effect(Session, makeSession({ id: "main", cwd: "/", log, write: () => Effect.void }))
    const layers = part.pipe(
      Layer.provideMerge(supplyLayer),
      Layer.provideMerge(InboxLayer.layer),
      Layer.provideMerge(session),
      Layer.fresh
    )
    return Layer.buildWithScope(layers, scope)
  }
  let services = yield* build(first)
  let turn = 0
  let step = 0

  /** One step that is entered; `how` can make it anything else. */
  const play = Effect.fnUntraced(function* (claimed: ReadonlyArray<UserMessage>, how: Partial<PreStep> = {}) {
    const supply = Context.get(services, ContextSupply)
    const decision = yield* supply.preStep({ turn, step: step + 1, claimed, decision: "enter", ...how })
    const { diagnostics, suppliers } = yield* supply.report
    const tags = [...diagnostics, ...suppliers.flatMap((report) => report.diagnostics)].map(({ tag }) => tag)
    if (decision.decision === "reject") return { messages: [], diagnostics: tags } satisfies Brought
    step += 1
    yield* supply.enter(decision)
    return {
      messages: decision.messages.filter((message) => !claimed.includes(message)),
      diagnostics: tags
    } satisfies Brought
  })

  const append = (...events: Parameters<Session["Service"]["append"]>[0]) =>
    Context.get(services, Session).append(events)

  return {
    /** Ends the open turn, if there is one, and begins another with its first step. */
    prompt: Effect.fnUntraced(function* (claimed: ReadonlyArray<UserMessage>, how?: Partial<PreStep>) {
      if (turn > 0) yield* append({ type: "step/end" }, { type: "turn/end", turn })
      turn += 1
      step = 0
      yield* append({ type: "turn/start", turn })
      return yield* play(claimed, how)
    }),
    /** The next step of the open turn. */
    step: Effect.fnUntraced(function* (claimed: ReadonlyArray<UserMessage> = []) {
      yield* append({ type: "step/end" })
      return yield* play(claimed)
    }),
    append,
    compact: Effect.suspend(() => append({ type: "compaction/checkpoint", keptFrom: log.length })),
    restart: Effect.fnUntraced(function* (part: Layer.Layer<never, E, Around>) {
      yield* Scope.close(scope, Exit.void)
      scope = yield* Scope.fork(outer)
      services = yield* build(part)
    })
  }
})
