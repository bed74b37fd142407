import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import { layer as inboxLayer } from "../../../src/layers/inbox/inbox.ts"
import { layerMemory } from "../../../src/layers/session/memory.ts"
import { layer as supplyLayer } from "../../../src/layers/supply/contextSupply.ts"
import { makeProjection } from "../../../src/layers/supply/projection.ts"
import type { Moment } from "../../../src/layers/supply/projector.ts"
import { ContextSupply, type Supplier, type ToolExecution } from "../../../src/services/ContextSupply.ts"
import { Inbox } from "../../../src/services/Inbox.ts"
import { Session } from "../../../src/services/Session.ts"

const perSession = supplyLayer.pipe(Layer.provideMerge(inboxLayer), Layer.provideMerge(layerMemory()), Layer.fresh)

const message = (id: string, kind = "user") => ({ id, text: id, source: { kind } })
const says = (id: string, kind: string) =>
  Effect.succeed([{ message: message(id, kind), placement: { at: "afterClaimed" }, ifNotEntered: "wait" }] as const)
const supplier = (name: string, propose: Supplier["propose"], more: Partial<Supplier> = {}): Supplier => ({
  name,
  kind: name,
  propose,
  ...more
})
const step = (...claimed: ReadonlyArray<ReturnType<typeof message>>) =>
  ({ turn: 1, step: 1, claimed, decision: "enter" }) as const
const execution = (token: string, more: Partial<ToolExecution> = {}): ToolExecution => ({
  name: "read",
  arguments: {},
  outcome: "ok",
  token,
  ...more
})

const play = <A, E>(
  test: (supply: ContextSupply["Service"]) => Effect.Effect<A, E, Session | Inbox | ContextSupply | Scope>
) => Effect.scoped(Effect.flatMap(ContextSupply, test)).pipe(Effect.provide(perSession)) as Effect.Effect<A, E>

/** What came out of a step, by id. */
const entered = (supply: ContextSupply["Service"], ...claimed: ReadonlyArray<ReturnType<typeof message>>) =>
  Effect.map(supply.preStep(step(...claimed)), (decision) =>
    decision.decision === "enter" ? decision.messages.map(({ id }) => id) : []
  )

/** What a host without types may hand over. */
const untyped = <A>(value: unknown): A => value as A

describe("a context supply among strangers", () => {
  it.effect("[C-2] a supplier that interrupts itself is a failure; the step goes on", () =>
    play((supply) =>
      Effect.gen(function* () {
        yield* supply.register(supplier("gone", () => Effect.interrupt))
        yield* supply.register(supplier("fine", () => says("f1", "fine")))
        assert.deepStrictEqual(yield* entered(supply, message("p")), ["p", "f1"])
        assert.deepStrictEqual(
          (yield* supply.report).diagnostics.map(({ tag }) => tag),
          ["SupplierFailed"]
        )
      })
    )
  )

  for (const [what, proposed] of [
    ["nothing", undefined],
    ["no list", {}],
    ["a hole", [undefined]],
    ["no message", [{ placement: { at: "end" } }]],
    ["a message without a source", [{ message: { id: "x", text: "x" }, placement: { at: "end" } }]],
    ["no placement", [{ message: message("x", "odd") }]]
  ] as const) {
    it.effect(`[C-2] a supplier that proposes ${what} costs only its own contribution`, () =>
      play((supply) =>
        Effect.gen(function* () {
          yield* supply.register(supplier("odd", () => Effect.succeed(untyped(proposed))))
          yield* supply.register(supplier("fine", () => says("f1", "fine")))
          assert.deepStrictEqual(yield* entered(supply, message("mine", "odd"), message("p")), ["mine", "p", "f1"])
          const { diagnostics } = yield* supply.report
          assert.strictEqual(diagnostics.length, 1)
          assert.include(diagnostics[0]!.message, "odd contributes nothing")
        })
      )
    )
  }

  it.effect("[C-2] a supplier that cannot say what is its own leaves its claimed message where it is", () =>
    play((supply) =>
      Effect.gen(function* () {
        yield* supply.register(
          supplier("odd", () => says("o1", "odd"), {
            owns: () => {
              throw new Error("own")
            }
          })
        )
        yield* supply.register(supplier("fine", () => says("f1", "fine")))
        assert.deepStrictEqual(yield* entered(supply, message("mine", "odd"), message("p")), ["mine", "p", "f1"])
      })
    )
  )

  it.effect("[C-3] a supplier that cannot explain itself does not hide what the others explain", () =>
    play((supply) =>
      Effect.gen(function* () {
        const report = { supplier: "fine", occasion: "pre-step", bytes: 0, items: [], diagnostics: [] } as const
        const thrower = Effect.suspend((): Effect.Effect<never> => {
          throw new Error("explain")
        })
        yield* supply.register(supplier("a", () => Effect.succeed([]), { explain: thrower }))
        yield* supply.register(supplier("fine", () => Effect.succeed([]), { explain: Effect.succeed([report]) }))
        const { diagnostics, suppliers } = yield* supply.report
        assert.deepStrictEqual(suppliers, [report])
        assert.include(diagnostics[0]!.message, "a explains nothing")
      })
    )
  )

  it.effect("settled: one that dies does not end the wait for another", () =>
    play((supply) =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<void>()
        yield* supply.register(supplier("a", () => Effect.succeed([]), { settled: Effect.die("settled") }))
        yield* supply.register(supplier("b", () => Effect.succeed([]), { settled: Deferred.await(done) }))
        const fiber = yield* Effect.forkChild(supply.settled, { startImmediately: true })
        assert.isUndefined(fiber.pollUnsafe())
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(fiber)
      })
    )
  )

  it.effect("a callback that throws what has no text stays inside as well", () =>
    play((supply) =>
      Effect.gen(function* () {
        const session = yield* Session
        yield* supply.register(
          supplier("odd", () => Effect.succeed([]), {
            touched: () => {
              throw Object.create(null)
            }
          })
        )
        yield* supply.onToolResult(() => {
          throw Object.create(null)
        })
        yield* session.append([{ type: "step/start" }])
        yield* supply.toolResult(execution("t"))
        yield* session.append([{ type: "step/end" }])
        assert.strictEqual((yield* supply.report).diagnostics.length, 2)
      })
    )
  )

  it.effect("an observer registered twice is told twice, and each registration ends with its own scope", () =>
    play((supply) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        const observer = ({ token }: ToolExecution) => void seen.push(token)
        yield* supply.onToolResult(observer)
        yield* Effect.scoped(Effect.andThen(supply.onToolResult(observer), supply.toolResult(execution("one"))))
        yield* supply.toolResult(execution("two"))
        assert.deepStrictEqual(seen, ["one", "one", "two"])
      })
    )
  )

  it.effect("[I-42] no parent is none, however a host writes it, and no call is its own", () =>
    play((supply) =>
      Effect.gen(function* () {
        const counted: Array<string> = []
        yield* supply.register(
          supplier("listener", () => Effect.succeed([]), {
            touched: (executions) => void counted.push(...executions.map(({ token }) => token))
          })
        )
        yield* supply.toolResult(execution("a", { parent: untyped(null) }))
        yield* supply.toolResult(execution("b", { parent: "b" }))
        yield* supply.toolResult(execution(untyped(undefined), { parent: untyped(undefined) }))
        yield* supply.toolResult(execution(untyped(Object.freeze({ odd: true }))))
        assert.strictEqual(counted.length, 4)
      })
    )
  )

  it.effect("[C-3] what a host that never prepares a step does wrong is counted, not collected", () =>
    play((supply) =>
      Effect.gen(function* () {
        yield* supply.onToolResult(() => {
          throw new Error("observer")
        })
        for (let at = 0; at < 1000; at++) yield* supply.toolResult(execution(`t${at}`))
        const { diagnostics } = yield* supply.report
        assert.strictEqual(diagnostics.length, 101)
        assert.include(diagnostics[100]!.message, "900 more")
      })
    )
  )

  it.effect("[C-1] a supplier registered after the first step is asked from the next on", () =>
    play((supply) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* entered(supply, message("p")), ["p"])
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* supply.register(supplier("late", () => says("l1", "late")))
            assert.deepStrictEqual(yield* entered(supply, message("p")), ["p", "l1"])
          })
        )
        assert.deepStrictEqual(yield* entered(supply, message("p")), ["p"])
      })
    )
  )
})

/** A projector that remembers what it has looked at, and says something about every path. */
const watching = (looks: Array<Moment<number>>, silent = false) =>
  makeProjection<number, true>({
    name: "watching",
    kind: "watching",
    placement: "end",
    ifNotEntered: "wait",
    initial: 0,
    announce: (told) => told + 1,
    touches: ({ arguments: given }) => {
      const { path } = given as { readonly path: string | ReadonlyArray<string> }
      return typeof path === "string" ? [path] : path
    },
    due: ({ touched }) => touched.length > 0,
    observe: (now) =>
      Effect.sync(() => {
        looks.push(now)
        return Option.some(true as const)
      }),
    write: ({ touched }) =>
      silent ? undefined : { text: `${touched.length}`, source: { kind: "watching" }, waits: "end" }
  })

describe("a projection among strangers", () => {
  it.effect("[I-42] an execution that cannot be understood costs none of the others its touch", () =>
    play((supply) =>
      Effect.gen(function* () {
        const session = yield* Session
        const looks: Array<Moment<number>> = []
        const { supplier: watcher } = yield* watching(looks)
        yield* supply.register(watcher)
        const hostile = {
          get path(): string {
            throw new Error("getter")
          }
        }
        yield* session.append([{ type: "step/start" }])
        yield* supply.toolResult(execution("a", { arguments: { path: "/a" } }))
        yield* supply.toolResult(execution("x", { arguments: hostile }))
        yield* supply.toolResult(execution("b", { arguments: { path: "/b" } }))
        yield* session.append([{ type: "step/end" }])
        yield* supply.settled
        assert.deepStrictEqual(looks.at(-1)?.touched, ["/a", "/b"])
        const { suppliers } = yield* supply.report
        assert.include(suppliers[0]?.diagnostics[0]?.message, "cannot tell what a tool has touched")
      })
    )
  )

  it.effect("[I-44] a hundred thousand touches behind one step are one look, of each path once", () =>
    play((supply) =>
      Effect.gen(function* () {
        const session = yield* Session
        const inbox = yield* Inbox
        const looks: Array<Moment<number>> = []
        const { supplier: watcher } = yield* watching(looks)
        yield* supply.register(watcher)
        yield* session.append([{ type: "step/start" }])
        const paths = Array.from({ length: 100_000 }, (_, at) => `/f${at % 50_000}`)
        yield* supply.toolResult(execution("many", { arguments: { path: paths } }))
        for (let at = 0; at < 1000; at++) {
          yield* supply.toolResult(execution(`t${at}`, { arguments: { path: "/f0" }, parent: `p${at}` }))
        }
        yield* session.append([{ type: "step/end" }, { type: "turn/end" }])
        yield* supply.settled
        assert.strictEqual(looks.at(-1)?.touched.length, 50_000)
        assert.strictEqual((yield* inbox.pending).length, 1)
        assert.isBelow(looks.length, 4)
      })
    )
  )

  it.effect("[I-45] a signal that has aborted before keeps the touch for the next step", () =>
    play((supply) =>
      Effect.gen(function* () {
        const looks: Array<Moment<number>> = []
        const { supplier: watcher } = yield* watching(looks)
        yield* supply.register(watcher)
        yield* supply.toolResult(execution("a", { arguments: { path: "/a" }, signal: AbortSignal.abort() }))
        yield* supply.settled
        assert.deepStrictEqual(looks, [])
        assert.strictEqual((yield* entered(supply, message("p"))).length, 2)
        assert.deepStrictEqual(looks[0]?.touched, ["/a"])
      })
    )
  )

  it.effect("[I-45] something that is no signal costs the look behind it, not the touch", () =>
    play((supply) =>
      Effect.gen(function* () {
        const looks: Array<Moment<number>> = []
        const { supplier: watcher } = yield* watching(looks)
        yield* supply.register(watcher)
        yield* supply.toolResult(execution("a", { arguments: { path: "/a" }, signal: untyped({}) }))
        yield* supply.settled
        assert.strictEqual((yield* entered(supply, message("p"))).length, 2)
        assert.deepStrictEqual(looks.at(-1)?.touched, ["/a"])
      })
    )
  )

  it.effect("[C-3] the report of a session without steps keeps the latest hundred looks", () =>
    play((supply) =>
      Effect.gen(function* () {
        const { supplier: watcher } = yield* watching([], true)
        yield* supply.register(watcher)
        for (let at = 0; at < 300; at++) {
          yield* supply.toolResult(execution(`t${at}`, { arguments: { path: "/a" } }))
          yield* supply.settled
        }
        assert.strictEqual((yield* supply.report).suppliers.length, 100)
        yield* supply.preStep(step(message("p")))
        assert.strictEqual((yield* supply.report).suppliers.length, 0)
      })
    )
  )

  it.effect("settled: waits for touches that arrive while it waits", () =>
    play((supply) =>
      Effect.gen(function* () {
        const looks: Array<Moment<number>> = []
        const { supplier: watcher } = yield* watching(looks)
        yield* supply.register(watcher)
        yield* supply.toolResult(execution("a", { arguments: { path: "/a" } }))
        const fiber = yield* Effect.forkChild(supply.settled, { startImmediately: true })
        for (let at = 0; at < 20; at++) {
          yield* supply.toolResult(execution(`t${at}`, { arguments: { path: `/t${at}` } }))
          yield* Effect.yieldNow
        }
        yield* Fiber.join(fiber)
        assert.isTrue(looks.some(({ touched }) => touched.includes("/t19")))
      })
    )
  )
})
