import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { layer as inboxLayer } from "../../../src/layers/inbox/inbox.ts"
import { layerMemory } from "../../../src/layers/session/memory.ts"
import { layer as supplyLayer } from "../../../src/layers/supply/contextSupply.ts"
import { StepRejected } from "../../../src/schemas/StepRejected.ts"
import {
  ContextSupply,
  type Contribution,
  type Supplier,
  type ToolExecution
} from "../../../src/services/ContextSupply.ts"
import { Inbox } from "../../../src/services/Inbox.ts"
import { Session } from "../../../src/services/Session.ts"

const perSession = supplyLayer.pipe(Layer.provideMerge(inboxLayer), Layer.provideMerge(layerMemory()), Layer.fresh)

const message = (id: string, kind = "user") => ({ id, text: id, source: { kind } })
const contribution = (id: string, kind: string, more: Partial<Contribution> = {}): Contribution => ({
  message: message(id, kind),
  placement: { at: "afterClaimed" },
  ifNotEntered: "wait",
  ...more
})
const supplier = (name: string, propose: Supplier["propose"], more: Partial<Supplier> = {}): Supplier => ({
  name,
  kind: name,
  propose,
  ...more
})
const step = (...claimed: ReadonlyArray<string>) =>
  ({ turn: 1, step: 1, claimed: claimed.map((id) => message(id)), decision: "enter" }) as const

const play = <A, E>(test: (supply: ContextSupply["Service"]) => Effect.Effect<A, E, Session | Inbox | ContextSupply>) =>
  Effect.scoped(Effect.flatMap(ContextSupply, test)).pipe(Effect.provide(perSession)) as Effect.Effect<A, E>

const ids = (messages: ReadonlyArray<{ readonly id: string }>) => messages.map(({ id }) => id)

describe("context supply", () => {
  it.effect("[C-1] [C-4] places contributions and logs them with the step, in one append", () =>
    play((supply) =>
      Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* supply.register(supplier("b", () => Effect.succeed([contribution("b1", "b")])))
            yield* supply.register(supplier("a", () => Effect.succeed([contribution("a1", "a")])))
            const decision = yield* supply.preStep(step("p"))
            assert.isTrue(decision.decision === "enter")
            if (decision.decision !== "enter") return
            assert.deepStrictEqual(ids(decision.messages), ["p", "a1", "b1"])
            const events = yield* supply.enter(decision)
            assert.deepStrictEqual(
              events.map(({ type }) => type),
              ["step/start", "user/message", "user/message", "user/message"]
            )
          })
        )
      })
    )
  )

  it.effect("[C-2] a supplier that fails or dies costs only its own contribution, and its claimed message stays", () =>
    play((supply) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* supply.register(supplier("broken", () => Effect.die(new Error("boom"))))
          yield* supply.register(
            supplier("thrower", () => {
              throw new Error("at once")
            })
          )
          yield* supply.register(supplier("fine", () => Effect.succeed([contribution("f1", "fine")])))
          const decision = yield* supply.preStep({
            turn: 1,
            step: 1,
            claimed: [message("old", "broken"), message("p")],
            decision: "enter"
          })
          assert.deepStrictEqual(decision.decision === "enter" ? ids(decision.messages) : [], ["old", "p", "f1"])
          const { diagnostics } = yield* supply.report
          assert.deepStrictEqual(
            diagnostics.map(({ tag }) => tag),
            ["SupplierFailed", "SupplierFailed"]
          )
        })
      )
    )
  )

  it.effect("[C-2] a rejection is a typed error, and does not stop others from keeping what they composed", () =>
    play((supply) =>
      Effect.scoped(
        Effect.gen(function* () {
          const inbox = yield* Inbox
          const session = yield* Session
          const reason = Object.assign(new Error("no"), { _tag: "TooMany" as const })
          yield* supply.register(supplier("strict", () => new StepRejected({ supplier: "strict", reason })))
          yield* supply.register(supplier("keeper", () => Effect.succeed([contribution("k1", "keeper")])))
          const error = yield* Effect.flip(supply.preStep(step("p")))
          assert.strictEqual(error.reason._tag, "TooMany")
          assert.deepStrictEqual(ids(yield* inbox.pending), ["k1"])
          assert.deepStrictEqual(
            (yield* session.log).map(({ type }) => type),
            ["inbox/inserted"]
          )
        })
      )
    )
  )

  it.effect("[I-21] not entered: one message waits, in the place of what it supersedes; `drop` is forgotten", () =>
    play((supply) =>
      Effect.scoped(
        Effect.gen(function* () {
          const inbox = yield* Inbox
          const post = (id: string, kind: string) =>
            inbox.update(() => [undefined, [{ type: "inbox/inserted", position: "end", message: message(id, kind) }]])
          yield* post("k0", "keeper")
          yield* post("note", "user")
          yield* supply.register(
            supplier("keeper", () =>
              Effect.succeed([contribution("k1", "keeper"), contribution("d1", "keeper", { ifNotEntered: "drop" })])
            )
          )
          const claimed = yield* inbox.claim
          assert.strictEqual(
            (yield* supply.preStep({ turn: 1, step: 1, claimed, decision: "reject" })).decision,
            "reject"
          )
          assert.deepStrictEqual(ids(yield* inbox.pending), ["k1"])
          yield* inbox.update(() => [
            undefined,
            claimed.map((entry) => ({ type: "inbox/replaced" as const, id: entry.id, message: entry }))
          ])
          assert.deepStrictEqual(ids(yield* inbox.pending), ["k1", "note"])
        })
      )
    )
  )

  it.effect("without an open turn nothing can be entered", () =>
    play((supply) =>
      Effect.gen(function* () {
        const decision = yield* supply.preStep({ step: 1, claimed: [], decision: "enter" })
        assert.strictEqual(decision.decision, "reject")
      })
    )
  )

  it.effect("names are unique, and free again when the scope of a registration ends", () =>
    play((supply) =>
      Effect.gen(function* () {
        const one = supplier("one", () => Effect.succeed([]))
        const error = yield* Effect.scoped(Effect.andThen(supply.register(one), Effect.flip(supply.register(one))))
        assert.strictEqual(error._tag, "DuplicateSupplier")
        yield* Effect.scoped(supply.register(one))
      })
    )
  )

  it.effect(
    "[I-42] tool results reach observers at once and suppliers when they count; what they throw stays inside",
    () =>
      play((supply) =>
        Effect.scoped(
          Effect.gen(function* () {
            const session = yield* Session
            const seen: Array<string> = []
            const counted: Array<string> = []
            const execution = (token: string, parent?: string): ToolExecution => ({
              name: "read",
              arguments: {},
              outcome: "ok",
              token,
              ...(parent === undefined ? {} : { parent })
            })
            yield* supply.onToolResult(({ token }) => seen.push(token))
            yield* supply.onToolResult(() => {
              throw new Error("observer")
            })
            yield* supply.register(
              supplier("listener", () => Effect.succeed([]), {
                touched: (executions) => {
                  counted.push(...executions.map(({ token }) => token))
                  throw new Error("supplier")
                }
              })
            )
            yield* session.append([{ type: "step/start" }])
            yield* supply.toolResult(execution("inner", "outer"))
            yield* supply.toolResult(execution("outer"))
            assert.deepStrictEqual([seen, counted], [["inner", "outer"], []])
            yield* session.append([{ type: "step/end" }])
            assert.deepStrictEqual(counted, ["inner", "outer"])
            const { diagnostics } = yield* supply.report
            assert.strictEqual(diagnostics.filter(({ tag }) => tag === "SupplierFailed").length, 3)
          })
        )
      )
  )

  it.effect("[I-13] an aborted pre-step is interrupted, has changed nothing, and the next one works", () =>
    play((supply) =>
      Effect.scoped(
        Effect.gen(function* () {
          const inbox = yield* Inbox
          let hangs = true
          yield* supply.register(
            supplier("slow", () => (hangs ? Effect.never : Effect.succeed([contribution("s1", "slow")])))
          )
          const controller = new AbortController()
          const fiber = yield* Effect.forkChild(supply.preStep({ ...step("p"), signal: controller.signal }), {
            startImmediately: true
          })
          controller.abort()
          const exit = yield* Fiber.await(fiber)
          assert.strictEqual(exit._tag, "Failure")
          assert.deepStrictEqual(yield* inbox.pending, [])
          hangs = false
          const decision = yield* supply.preStep(step("p"))
          assert.deepStrictEqual(decision.decision === "enter" ? ids(decision.messages) : [], ["p", "s1"])
        })
      )
    )
  )
})
