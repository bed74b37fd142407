/**
 * Random interleavings of everything that can happen to a registry, on a virtual clock: a complete snapshot is exactly the
 * winners of a revision that was current while it was waited for; nobody waits past the deadlines; what is disposed of or
 * abandoned stops; and what was incomplete is never remembered.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import type { Scope } from "effect/Scope"
import { TestClock } from "effect/testing"
import { layer, layerChild } from "../../../src/layers/skills/registry.ts"
import type { SkillSnapshot } from "../../../src/schemas/Skill.ts"
import { type Disposer, SkillRegistry, type SkillRegistryShape } from "../../../src/services/SkillRegistry.ts"
import { pick, upTo } from "../../pipeline/instructions/generators.ts"
import { candidate, type Manner, type Puppet, puppet } from "./providers.ts"

const manners = [
  "prompt",
  "prompt",
  "slow",
  "slow",
  "never",
  "stubborn",
  "fails",
  "dies",
  "incomplete",
  "malformed"
] as const

type Op =
  | { readonly do: "register"; readonly who: number; readonly manner: (typeof manners)[number]; readonly layer: number }
  | { readonly do: "dispose" | "invalidate" | "interrupt" | "get"; readonly who: number; readonly layer: number }
  | { readonly do: "change"; readonly who: number; readonly layer: number }
  | { readonly do: "snapshot"; readonly revalidate: boolean; readonly signal: boolean; readonly layer: number }
  | { readonly do: "advance"; readonly millis: number }

// Failures are logged as warnings, and there are many.
const quiet = Effect.provideService(References.MinimumLogLevel, "Error")

const whoAnd = upTo(3)
const layers = pick([0, 1, 1])
const op: Arbitrary.Arbitrary<Op> = Arbitrary.flatMap(
  pick([
    "register",
    "register",
    "dispose",
    "invalidate",
    "interrupt",
    "get",
    "change",
    "snapshot",
    "snapshot",
    "snapshot",
    "advance",
    "advance"
  ] as const),
  (verb): Arbitrary.Arbitrary<Op> => {
    switch (verb) {
      case "register":
        return Arbitrary.flatMap(whoAnd, (who) =>
          Arbitrary.flatMap(layers, (layer) =>
            Arbitrary.map(pick(manners), (manner) => ({ do: verb, who, manner, layer }))
          )
        )
      case "snapshot":
        return Arbitrary.flatMap(layers, (layer) =>
          Arbitrary.map(upTo(3), (bits) => ({ do: verb, revalidate: bits === 3, signal: bits % 2 === 1, layer }))
        )
      case "advance":
        return Arbitrary.map(pick([1, 100, 700, 1500, 5000, 6000]), (millis) => ({ do: verb, millis }))
      default:
        return Arbitrary.flatMap(whoAnd, (who) => Arbitrary.map(layers, (layer) => ({ do: verb, who, layer })))
    }
  }
)

const timeout = 5000
const turns = (count: number) => Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })
const tick = turns(6)
/** So long a fiber that does not let itself be interrupted is given to think better of it. */
const grace = turns(70)

interface Seat {
  readonly puppet: Puppet
  readonly dispose: Disposer
  readonly stubborn: boolean
  readonly order: number
}

/** One registry layer, and what it should hold. */
interface World {
  readonly registry: SkillRegistryShape
  readonly seats: Map<number, Seat>
  readonly gone: Array<Seat>
}

const winnersIn = ({ seats }: World): ReadonlyMap<string, string> => {
  const won = new Map<string, string>()
  for (const { puppet } of [...seats.values()].sort((a, b) => a.order - b.order)) {
    for (const { locator, name } of puppet.candidates as ReadonlyArray<{ name: string; locator: string }>) {
      if (!won.has(name)) won.set(name, locator)
    }
  }
  return won
}

const expected = (near: World, far: World | undefined): string =>
  JSON.stringify(
    [...new Map([...(far === undefined ? [] : winnersIn(far)), ...winnersIn(near)])].sort(([a], [b]) =>
      a < b ? -1 : 1
    )
  )

const seen = ({ skills }: SkillSnapshot): string => JSON.stringify(skills.map(({ locator, name }) => [name, locator]))

interface Call {
  readonly fiber: Fiber.Fiber<SkillSnapshot>
  readonly abort: AbortController | undefined
}

const play = Effect.fnUntraced(function* (ops: ReadonlyArray<Op>): Effect.fn.Return<void, unknown, Scope> {
  const host = yield* Layer.build(Layer.fresh(layer))
  const parent = yield* Effect.provide(SkillRegistry, host)
  const child = yield* Effect.provide(
    SkillRegistry,
    yield* Layer.build(Layer.fresh(Layer.provide(layerChild, Layer.succeedContext(host))))
  )
  const worlds: ReadonlyArray<World> = [parent, child].map((registry) => ({ registry, seats: new Map(), gone: [] }))
  const calls: Array<Call> = []
  /** What each layer should hold, by its revision; several where the order of two changes cannot be told. */
  const history: ReadonlyArray<Map<number, Set<string>>> = [new Map(), new Map()]
  /** Complete snapshots, with the revisions while they were waited for; judged when all of these are on record. */
  const complete: Array<{
    readonly index: number
    readonly from: number
    readonly until: number
    readonly what: string
  }> = []
  let order = 0
  let edition = 0

  const record = Effect.gen(function* () {
    for (const [index, world] of worlds.entries()) {
      const revision = yield* world.registry.revision
      const states = history[index]!.get(revision) ?? new Set()
      history[index]!.set(revision, states.add(expected(world, index === 1 ? worlds[0] : undefined)))
    }
  })

  const candidatesOf = (who: number) => {
    edition += 1
    return ["a", "b", `own-${who}`]
      .slice(0, 1 + (edition % 3))
      .map((name) => candidate(name, { locator: `${name}@${who}.${edition}` }))
  }

  const snapshot = Effect.fnUntraced(function* (index: number, revalidate: boolean, signal: AbortSignal | undefined) {
    const { registry } = worlds[index]!
    const from = yield* registry.revision
    const started = yield* Clock.currentTimeMillis
    const options = { cwd: "/repo", ...(revalidate ? { revalidate } : {}), ...(signal === undefined ? {} : { signal }) }
    const result = yield* registry.snapshot(options)
    const until = yield* registry.revision
    assert.isAtMost(
      (yield* Clock.currentTimeMillis) - started,
      // The parent's two may run out before it is known that the own ones have to be asked again.
      (2 + index) * timeout,
      "nobody waits past two deadlines, one of a retry, and one more for each layer above"
    )
    if (result.complete) complete.push({ index, from, until, what: seen(result) })
    return result
  })

  yield* record
  for (const op of ops) {
    switch (op.do) {
      case "register": {
        const { registry, seats } = worlds[op.layer]!
        if (seats.has(op.who)) break
        const manner: Manner = op.manner === "slow" ? { after: "1 second" } : op.manner
        const made = puppet(`p${op.who}`, candidatesOf(op.who), manner)
        const dispose = yield* registry.registerProvider(made.factory)
        order += 1
        seats.set(op.who, { puppet: made, dispose, order, stubborn: op.manner === "stubborn" })
        break
      }
      case "dispose": {
        const { gone, seats } = worlds[op.layer]!
        const seat = seats.get(op.who)
        if (seat === undefined) break
        yield* seat.dispose
        seats.delete(op.who)
        gone.push(seat)
        break
      }
      case "change":
      case "invalidate": {
        const seat = worlds[op.layer]!.seats.get(op.who)
        if (seat === undefined) break
        if (op.do === "change") seat.puppet.candidates = candidatesOf(op.who)
        yield* seat.puppet.control!.invalidate
        break
      }
      case "snapshot": {
        const abort = op.signal ? new AbortController() : undefined
        const fiber = yield* Effect.forkChild(snapshot(op.layer, op.revalidate, abort?.signal), {
          startImmediately: true
        })
        calls.push({ abort, fiber })
        break
      }
      case "get": {
        const { registry } = worlds[op.layer]!
        const fiber = yield* Effect.forkChild(Effect.exit(registry.get("a", { cwd: "/repo" })), {
          startImmediately: true
        })
        yield* tick
        yield* Fiber.interrupt(fiber)
        break
      }
      case "interrupt": {
        const call = calls.filter(({ fiber }) => fiber.pollUnsafe() === undefined)[op.who]
        if (call === undefined) break
        if (call.abort === undefined) yield* Fiber.interrupt(call.fiber)
        else {
          call.abort.abort()
          yield* Fiber.await(call.fiber)
        }
        break
      }
      case "advance":
        yield* TestClock.adjust(op.millis)
    }
    yield* record
    if (op.do === "advance") yield* tick
    for (const { gone } of worlds) {
      for (const { puppet, stubborn } of gone) {
        assert.isTrue(puppet.control!.signal.aborted)
        assert.isTrue(puppet.signals.every(({ aborted }) => aborted) || puppet.running === 0)
        if (!stubborn) assert.strictEqual(puppet.running, 0, "disposal stops the work")
      }
    }
  }
  // Everybody gets an answer in time: at worst the parent has asked twice, and only then it turns out that the child has to ask
  // again. No provider is waited for longer than its five seconds in any of these rounds.
  for (let second = 0; second < 16; second++) {
    yield* TestClock.adjust("1 second")
    yield* grace
  }
  for (const { fiber } of calls) {
    const exit = fiber.pollUnsafe()
    assert(exit !== undefined, "nobody waits past the deadlines")
    if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) yield* exit
  }
  for (const { from, index, until, what } of complete) {
    const possible = [...history[index]!].flatMap(([revision, states]) =>
      revision >= from && revision <= until ? [...states] : []
    )
    assert.include(possible, what, "a complete snapshot is exactly the winners of its revision")
  }
  for (const { seats } of worlds) {
    for (const { puppet, stubborn } of seats.values())
      if (!stubborn) assert.strictEqual(puppet.running, 0, "nobody is asked for nobody")
  }
  // Once everybody behaves, what comes is complete, whatever was seen before.
  for (const { seats } of worlds) for (const { puppet } of seats.values()) puppet.manner = "prompt"
  const bad = yield* child.snapshot({ cwd: "/repo" })
  const settled = bad.complete ? bad : yield* child.snapshot({ cwd: "/repo" })
  assert.isTrue(settled.complete, "an incomplete snapshot is not remembered")
  assert.strictEqual(seen(settled), expected(worlds[1]!, worlds[0]))
})

describe("the registry, whatever happens", () => {
  it.effect.prop(
    "[S-1] [S-3] [S-4] [S-5] tells the truth, in time, and lets go",
    { ops: Arbitrary.array(op, { minLength: 1, maxLength: 25 }) },
    ({ ops }) => Effect.scoped(play(ops)).pipe(quiet),
    { arbitrary: { runs: Number(process.env["RUNS"] ?? 1500) } }
  )
})
