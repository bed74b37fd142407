/**
 * Encounters that random schedules meet too rarely or cannot see: each plays one moment against a given core and returns
 * what went wrong, in words.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SessionLog } from "../../src/pipeline/sessionLog.ts"
import { ContextSupply } from "../../src/services/ContextSupply.ts"
import { Inbox } from "../../src/services/Inbox.ts"
import { Session } from "../../src/services/Session.ts"
import { beacons, beaconsOf, instance, type MakeProjection, pauses } from "./beacons.ts"

const go = (id: string) => ({ id, text: "go", source: { kind: "user" } })

/** A stage: one agent instance whose looks stop at a gate that the encounter opens and closes. */
const stage = Effect.fnUntraced(function* (make: MakeProjection, slow: number) {
  const log = new SessionLog()
  const values = new Map([["a", 1]])
  let gate: Deferred.Deferred<void> | undefined
  let arrivals = 0
  const pause = Effect.suspend(() => {
    arrivals += 1
    return gate === undefined ? Effect.void : Deferred.await(gate)
  })
  const context = yield* Layer.build(instance(log, slow, make, beacons(values, pause)))
  const session = Context.get(context, Session)
  const inbox = Context.get(context, Inbox)
  const supply = Context.get(context, ContextSupply)
  let calls = 0
  const arrived = Effect.fnUntraced(function* (count: number) {
    while (arrivals < count) yield* Effect.yieldNow
  })
  return {
    log,
    session,
    inbox,
    supply,
    arrived,
    arrivals: () => arrivals,
    close: Effect.sync(() => (gate = Deferred.makeUnsafe())),
    open: Effect.suspend(() => {
      const closed = gate
      gate = undefined
      return closed === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(closed, undefined))
    }),
    touch: Effect.suspend(() => {
      calls += 1
      return supply.toolResult({ name: "look", arguments: { beacon: "a" }, outcome: "ok", token: `c${calls}` })
    }),
    enter: Effect.fnUntraced(function* (id: string) {
      const claimed = yield* inbox.claim
      const decision = yield* supply.preStep({ turn: 1, step: 1, claimed: [...claimed, go(id)], decision: "enter" })
      if (decision.decision === "reject") return []
      yield* supply.enter(decision)
      yield* session.append([{ type: "step/end" }])
      return decision.messages
    })
  }
})

const tells = (messages: ReadonlyArray<Parameters<typeof beaconsOf>[0]>) =>
  messages.some((message) => "a" in beaconsOf(message))

/** The log is compacted while a step looks: what was known when the look began no longer is. */
const compactedWhileLooking = Effect.fnUntraced(function* (make: MakeProjection) {
  const s = yield* stage(make, 0)
  yield* s.touch
  yield* s.enter("one")
  const before = s.arrivals()
  yield* s.close
  yield* s.touch
  yield* s.arrived(before + 1)
  const [messages] = yield* Effect.all(
    [
      s.enter("two"),
      Effect.gen(function* () {
        yield* s.arrived(before + 2)
        yield* s.session.append([{ type: "compaction/checkpoint", keptFrom: s.log.length }])
        yield* s.open
      })
    ],
    { concurrency: 2 }
  )
  return tells(messages) ? [] : ["what was compacted away during the look was taken as known"]
})

/** The log is compacted while a finished look waits for the log's lock. */
const compactedBeforeTheLock = Effect.fnUntraced(function* (make: MakeProjection) {
  const s = yield* stage(make, 20)
  yield* s.touch
  yield* s.enter("one")
  yield* s.touch
  yield* Effect.forkChild(s.session.append([{ type: "compaction/checkpoint", keptFrom: s.log.length }]), {
    startImmediately: true
  })
  yield* s.supply.settled
  const waiting = yield* s.inbox.pending
  return tells(waiting) ? [] : ["a look that the log had overtaken was used"]
})

/** A look behind a tool result hangs; a step begins. */
const hangingBehind = Effect.fnUntraced(function* (make: MakeProjection) {
  const s = yield* stage(make, 0)
  yield* s.close
  yield* s.touch
  yield* s.arrived(1)
  const opener = Effect.gen(function* () {
    // The step's own look arrives at the gate too, unless it waits for the one that hangs there.
    yield* s.arrived(2)
    yield* s.open
    return yield* Effect.never
  })
  const patience = Effect.andThen(
    pauses(50),
    Effect.suspend(() => (s.arrivals() < 2 ? Effect.succeed("hung") : Effect.never))
  )
  const step = Effect.map(s.enter("one"), (messages) => (tells(messages) ? "told" : "told nothing"))
  const hung = yield* Effect.raceFirst(step, Effect.raceFirst(opener, patience))
  return hung === "told" ? [] : [`the step ${hung} behind a look that hangs`]
})

/** A loop has claimed, and only then the look behind an earlier tool result leaves its message. */
const writtenAfterTheClaim = Effect.fnUntraced(function* (make: MakeProjection) {
  const s = yield* stage(make, 0)
  yield* s.close
  yield* s.touch
  yield* s.arrived(1)
  const claimed = yield* s.inbox.claim
  yield* s.open
  yield* s.supply.settled
  const decision = yield* s.supply.preStep({ turn: 1, step: 1, claimed: [...claimed, go("one")], decision: "enter" })
  const messages = decision.decision === "enter" ? decision.messages : []
  return tells(messages) ? [] : ["what was written after the claim was left for another step"]
})

/** Nothing is due: a projector is not even asked to look. */
const nothingDue = Effect.fnUntraced(function* (make: MakeProjection) {
  const s = yield* stage(make, 0)
  yield* s.touch
  yield* s.enter("one")
  const before = s.arrivals()
  yield* s.enter("two")
  return s.arrivals() === before ? [] : ["it looked although nothing was due"]
})

export const encounters = {
  compactedWhileLooking,
  compactedBeforeTheLock,
  hangingBehind,
  writtenAfterTheClaim,
  nothingDue
}

/** Plays all of them. */
export const meetAll = (make: MakeProjection) =>
  Effect.forEach(Object.entries(encounters), ([name, meet]) =>
    Effect.scoped(meet(make)).pipe(
      Effect.timeoutOption("2 seconds"),
      Effect.map((wrong) => Option.getOrElse(wrong, () => ["it never ended"]).map((what) => `${name}: ${what}`))
    )
  ).pipe(Effect.map((all) => all.flat()))
