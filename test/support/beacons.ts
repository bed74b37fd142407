/**
 * A projector of a few lines — named beacons that blink a number — and random schedules that try to make the core lose
 * or repeat one. What the schedules check is written down in `Trial`, independently of the core.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Context from "effect/Context"
import * as InboxLayer from "../../src/layers/inbox/inbox.ts"
import { makeSession } from "../../src/layers/makeSession.ts"
import { layer as supplyLayer } from "../../src/layers/supply/contextSupply.ts"
import type * as Projection from "../../src/layers/supply/projection.ts"
import { SessionLog } from "../../src/pipeline/sessionLog.ts"
import type { UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEvent } from "../../src/schemas/SessionEvent.ts"
import { ContextSupply } from "../../src/services/ContextSupply.ts"
import { Inbox } from "../../src/services/Inbox.ts"
import { Session } from "../../src/services/Session.ts"

export type Beacons = Readonly<Record<string, number>>

export const beaconsOf = (message: UserMessage): Beacons =>
  message.source["kind"] === "beacons" ? (message.source["seen"] as Beacons) : {}

/** Reads the beacons that were touched, told or are waiting, one after the other, `pause` in between. */
export const beacons = (
  true_: Map<string, number>,
  pause: Effect.Effect<void>
): Projection.Projector<Beacons, ReadonlyMap<string, number>> => ({
  name: "beacons",
  kind: "beacons",
  placement: "afterClaimed",
  ifNotEntered: "wait",
  initial: {},
  announce: (told, own) => ({ ...told, ...beaconsOf(own) }),
  touches: ({ arguments: given, outcome }) => (outcome === "ok" ? [String((given as { beacon: string }).beacon)] : []),
  due: ({ aged, touched, waiting }) => touched.length > 0 || (waiting !== undefined && aged),
  observe: Effect.fnUntraced(function* ({ touched, waiting }) {
    const names = new Set([...touched, ...Object.keys(waiting === undefined ? {} : beaconsOf(waiting))])
    const seen = new Map<string, number>()
    for (const name of names) {
      yield* pause
      seen.set(name, true_.get(name) ?? 0)
    }
    yield* pause
    return Option.some(seen)
  }),
  write: ({ told }, seen) => {
    const news = Object.fromEntries([...seen].filter(([name, value]) => told[name] !== value).sort())
    return Object.keys(news).length === 0
      ? undefined
      : { text: `Beacons: ${JSON.stringify(news)}`, source: { kind: "beacons", seen: news }, waits: "end" }
  }
})

/** What a loop does, or what happens to it. `wait`: how often it yields before. */
export type Act =
  | { readonly do: "blink" | "touch"; readonly beacon: string; readonly wait: number; readonly abort?: number }
  | { readonly do: "compact"; readonly wait: number }
  | {
      readonly do: "prompt"
      readonly how: "enter" | "reject" | "die" | "crash" | "interrupt" | "abort"
      readonly after: number
      readonly wait: number
    }
  | { readonly do: "restart"; readonly wait: number }

export type MakeProjection = typeof Projection.makeProjection

export const pauses = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })

/** One agent instance over a log; each write takes `slow` yields. */
export const instance = (
  log: SessionLog,
  slow: number,
  make: MakeProjection,
  projector: Projection.Projector<Beacons, ReadonlyMap<string, number>>
) => {
  const session = Layer.effect(Session, makeSession({ id: "main", cwd: "/", log, write: () => pauses(slow) }))
  const supply = Layer.effectDiscard(
    Effect.gen(function* () {
      const { supplier } = yield* make(projector)
      yield* (yield* ContextSupply).register(supplier)
    })
  )
  return supply.pipe(
    Layer.provideMerge(supplyLayer),
    Layer.provideMerge(InboxLayer.layer),
    Layer.provideMerge(session),
    Layer.fresh
  )
}

export type Services = Session | Inbox | ContextSupply

/** Plays a schedule: `loop` and `world` run side by side. Returns what went wrong, in words. */
export const trial = Effect.fnUntraced(function* (
  schedule: {
    readonly loop: ReadonlyArray<Act>
    readonly world: ReadonlyArray<Act>
    readonly slow: number
    readonly look: number
  },
  make: MakeProjection
) {
  const log = new SessionLog()
  const true_ = new Map<string, number>()
  const wrong: Array<string> = []
  const owed: Array<{ readonly beacon: string; readonly value: number }> = []
  let told: Record<string, number> = {}
  let visible: Array<UserMessage> = []
  const ids = new Set<string>()
  const waiting = new Set<string>()
  const discharge = () => {
    for (const debt of owed.slice()) if ((told[debt.beacon] ?? -1) >= debt.value) owed.splice(owed.indexOf(debt), 1)
  }
  const watch = (event: SessionEvent) => {
    if (event.type === "user/message") {
      if (ids.has(event.message.id)) wrong.push(`message ${event.message.id} was logged twice`)
      ids.add(event.message.id)
      waiting.delete(event.message.id)
      for (const [name, value] of Object.entries(beaconsOf(event.message))) {
        if (told[name] === value) wrong.push(`${name} ${value} was told although it was known`)
        if ((told[name] ?? -1) > value) wrong.push(`${name} went back from ${told[name]} to ${value}`)
        told[name] = value
      }
      visible.push(event.message)
    }
    if (event.type === "inbox/inserted" && event.message.source["kind"] === "beacons") waiting.add(event.message.id)
    if (event.type === "inbox/replaced" && (event.id !== event.message.id || waiting.has(event.id))) {
      waiting.delete(event.id)
      if (event.message.source["kind"] === "beacons") waiting.add(event.message.id)
    }
    if (event.type === "inbox/removed") waiting.delete(event.id)
    if (waiting.size > 1) wrong.push(`${waiting.size} messages wait`)
    if (event.type === "compaction/checkpoint") {
      visible = []
      told = {}
    }
    discharge()
  }
  let watched = -1
  // Every instance replays the log, which also shows what was written while the one before it closed.
  const watchOnce = (event: SessionEvent) => {
    if (event.seq <= watched) return
    watched = event.seq
    watch(event)
  }
  const projector = beacons(true_, pauses(schedule.look))
  const world = yield* Scope.make()
  let scope = yield* Scope.fork(world)
  const build = Effect.gen(function* () {
    const context: Context.Context<Services> = yield* Layer.buildWithScope(
      instance(log, schedule.slow, make, projector),
      scope
    )
    const session = Context.get(context, Session)
    yield* session.observe(watchOnce).pipe(Scope.provide(scope))
    return context
  })
  let context = yield* build
  let turn = 0
  let calls = 0

  let restarting = false
  const restart = Effect.gen(function* () {
    restarting = true
    yield* Scope.close(scope, Exit.void)
    // Touches live in memory and end with the process.
    owed.length = 0
    scope = yield* Scope.fork(world)
    context = yield* build
    restarting = false
  })

  const prompt = Effect.fnUntraced(function* (act: Extract<Act, { readonly do: "prompt" }>) {
    const inbox = Context.get(context, Inbox)
    const supply = Context.get(context, ContextSupply)
    const session = Context.get(context, Session)
    turn += 1
    yield* session.append([{ type: "turn/start", turn }])
    const claimed = yield* inbox.claim
    const direct: UserMessage = { id: `prompt-${turn}`, text: "go", source: { kind: "user" } }
    const controller = new AbortController()
    const fiber = yield* Effect.forkChild(
      supply.preStep({
        turn,
        step: 1,
        claimed: [...claimed, direct],
        decision: act.how === "reject" ? "reject" : "enter",
        signal: controller.signal
      }),
      { startImmediately: true }
    )
    if (act.how === "interrupt" || act.how === "abort") {
      yield* pauses(act.after)
      if (act.how === "abort") controller.abort()
      else yield* Fiber.interrupt(fiber)
    }
    const exit = yield* Fiber.await(fiber)
    if (act.how === "crash") return yield* restart
    if (Exit.isSuccess(exit) && exit.value.decision === "enter" && act.how !== "die") {
      yield* supply.enter(exit.value)
      yield* pauses(act.after)
      yield* session.append([{ type: "step/end" }])
    } else {
      yield* inbox.update(() => [
        undefined,
        claimed.map((message) => ({ type: "inbox/replaced", id: message.id, message }))
      ])
    }
    yield* session.append([{ type: "turn/end", turn }])
  })

  const play = Effect.fnUntraced(function* (act: Act) {
    yield* pauses(act.wait)
    while (restarting && act.do !== "prompt" && act.do !== "restart") yield* Effect.yieldNow
    switch (act.do) {
      case "blink":
        true_.set(act.beacon, (true_.get(act.beacon) ?? 0) + 1)
        return
      case "touch": {
        const controller = new AbortController()
        calls += 1
        owed.push({ beacon: act.beacon, value: true_.get(act.beacon) ?? 0 })
        discharge()
        yield* Context.get(context, ContextSupply).toolResult({
          name: "look",
          arguments: { beacon: act.beacon },
          outcome: "ok",
          token: `call-${calls}`,
          signal: controller.signal
        })
        if (act.abort !== undefined) {
          yield* pauses(act.abort)
          controller.abort()
        }
        return
      }
      case "compact":
        yield* Context.get(context, Session).transact(() => [
          undefined,
          [{ type: "compaction/checkpoint", keptFrom: log.length }]
        ])
        return
      case "prompt":
        return yield* prompt(act)
      case "restart":
        return yield* restart
    }
  })

  yield* Effect.all(
    [Effect.forEach(schedule.loop, play, { discard: true }), Effect.forEach(schedule.world, play, { discard: true })],
    { concurrency: 2, discard: true }
  )
  yield* Context.get(context, ContextSupply).settled
  yield* prompt({ do: "prompt", how: "enter", after: 0, wait: 0 })
  for (const { beacon, value } of owed) wrong.push(`${beacon} was touched at ${value} and never told`)
  if (waiting.size > 0) wrong.push("a message still waits")
  for (const [seq, event] of log.events.entries())
    if (event.seq !== seq) wrong.push(`event ${seq} says it is ${event.seq}`)
  yield* Scope.close(world, Exit.void)
  return wrong
})
