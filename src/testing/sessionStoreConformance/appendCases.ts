/** What a session promises about its log. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { SessionEvent, SessionEventInput } from "../../schemas/SessionEvent.ts"
import { check, contiguous, failsWith, note, same, testCase } from "./check.ts"
import type { ConformanceCase } from "./check.ts"

const writers = 30
const batchOf = (writer: number, size: number): [SessionEventInput, ...Array<SessionEventInput>] => [
  note({ writer, index: 0, size }),
  ...Array.from({ length: size - 1 }, (_, index) => note({ writer, index: index + 1, size }))
]

/** Batches must stand whole and unmixed; gives the writers in the order of the log. */
const wholeBatches = (log: ReadonlyArray<SessionEvent>) =>
  Effect.gen(function* () {
    const found: Array<number> = []
    for (let at = 0; at < log.length;) {
      const { size, writer } = log[at] as SessionEvent & { readonly writer: number; readonly size: number }
      const batch = log.slice(at, at + size).map(({ at: _at, seq: _seq, ...fields }) => fields)
      yield* same(batch, batchOf(writer, size), "a batch in the log")
      found.push(writer)
      at += size
    }
    return found
  })

export const appendCases: ReadonlyArray<ConformanceCase> = [
  testCase("append stamps events and returns them as the log has them", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/repo", id: "s" })
      yield* same([session.id, session.cwd], ["s", "/repo"], "id and cwd")
      yield* same(yield* session.log, [], "a new log")
      const before = yield* Clock.currentTimeMillis
      const first = yield* session.append([{ type: "turn/start" }, { type: "step/start", step: 1 }])
      const second = yield* session.append([{ type: "step/end" }])
      const after = yield* Clock.currentTimeMillis
      const log = yield* session.log
      yield* same([...first, ...second], log, "what append returns")
      yield* contiguous(log)
      yield* same(
        log.map((event) => event.type),
        ["turn/start", "step/start", "step/end"],
        "types"
      )
      yield* check(
        log.every(({ at }) => at >= before && at <= after),
        "`at` is the clock's time of the append"
      )
    })
  ),

  testCase("a batch with one invalid event is not logged at all", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      const invalid = [
        { type: "turn/start", turn: -1 },
        { type: "user/message" },
        { type: "test:note", value: undefined },
        { type: "test:note", value: Number.NaN },
        { type: "" }
      ] as unknown as ReadonlyArray<SessionEventInput>
      for (const event of invalid) {
        yield* failsWith(session.append([note({}), event]), "InvalidSessionEvent", JSON.stringify(event))
        yield* failsWith(
          session.transact(() => [0, [note({}), event]]),
          "InvalidSessionEvent",
          JSON.stringify(event)
        )
      }
      yield* same(yield* session.log, [], "the log")
      yield* session.append([note({})])
      yield* contiguous(yield* session.log)
    })
  ),

  testCase("unknown types and further fields are kept as they are", ["I-54"], (store) =>
    Effect.gen(function* () {
      const events: [SessionEventInput, ...Array<SessionEventInput>] = [
        note({ deep: [{ a: [1, -2.5e-7, null, true, "\u2028\n\ud800 ü 🙂"] }], "": {}, message: 3 }),
        { type: "session/title", title: "T", further: { by: "x" } } as SessionEventInput
      ]
      yield* Effect.scoped(Effect.flatMap(store.create({ cwd: "/", id: "s" }), (session) => session.append(events)))
      const session = yield* store.open("s")
      const log = yield* session.log
      yield* same(
        log.map(({ at: _at, seq: _seq, ...fields }) => fields),
        events,
        "the log after opening again"
      )
    })
  ),

  testCase("concurrent appends stay whole, and contiguous", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      const ids = Array.from({ length: writers }, (_, writer) => writer)
      yield* Effect.forEach(ids, (writer) => session.append(batchOf(writer, 1 + (writer % 4))), {
        concurrency: "unbounded"
      })
      const log = yield* session.log
      yield* contiguous(log)
      yield* same(
        (yield* wholeBatches(log)).toSorted((a, b) => a - b),
        ids,
        "the writers"
      )
    })
  ),

  testCase("an interrupted append has logged its whole batch or nothing, and frees the lock", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
      for (let writer = 0; writer < writers; writer++) {
        fibers.push(yield* Effect.forkChild(session.append(batchOf(writer, 3)), { startImmediately: writer % 2 === 0 }))
        if (writer % 5 === 0) yield* Effect.yieldNow
      }
      const exits: Array<Exit.Exit<unknown, unknown>> = []
      for (const [writer, fiber] of fibers.entries()) {
        if (writer % 3 !== 0) yield* Fiber.interrupt(fiber)
        exits.push(yield* Fiber.await(fiber))
      }
      const logged = yield* wholeBatches(yield* session.log)
      yield* contiguous(yield* session.log)
      for (const [writer, exit] of exits.entries()) {
        if (writer % 3 === 0) yield* check(Exit.isSuccess(exit), "an append nobody interrupted succeeds")
        if (Exit.isSuccess(exit)) yield* check(logged.includes(writer), "an append that succeeded is in the log")
      }
      yield* session.append([note({ after: true })])
    })
  ),

  testCase("transact decides under the lock", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      let count = 0
      yield* session.observe(() => count++)
      const count1 = session.transact(() => [count, [note({ count })]])
      const answers = yield* Effect.all(
        Array.from({ length: writers }, () => count1),
        { concurrency: "unbounded" }
      )
      const expected = Array.from({ length: writers }, (_, index) => index)
      yield* same(
        answers.toSorted((a, b) => a - b),
        expected,
        "the decisions"
      )
      const log = yield* session.log
      yield* same(
        log.map((event) => (event as unknown as { readonly count: number }).count),
        expected,
        "their events"
      )
    })
  ),

  testCase("transact without events writes nothing; one that throws dies and frees the lock", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      yield* same(yield* session.transact(() => ["answer", []]), "answer", "the answer")
      yield* same(yield* session.log, [], "the log")
      const thrown = new Error("thrown by a decision")
      const exit = yield* Effect.exit(
        session.transact((): readonly [0, []] => {
          throw thrown
        })
      )
      yield* check(
        Exit.isFailure(exit) && exit.cause.reasons.some((reason) => reason._tag === "Die" && reason.defect === thrown),
        "it dies with what was thrown"
      )
      yield* session.append([note({})])
      yield* same((yield* session.log).length, 1, "events after an append")
    })
  ),

  testCase("what was handed out or handed in is not the log itself", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      const list = [1]
      yield* session.append([note({ list }), { type: "assistant/message", text: "a" }])
      const [log, surface] = [yield* session.log, yield* session.surface]
      list.push(2)
      yield* session.append([{ type: "assistant/message", text: "b" }])
      yield* same([log.length, surface.length], [2, 1], "what was read before the second append")
      yield* same(
        ((yield* session.log)[0] as unknown as { readonly list: ReadonlyArray<number> }).list,
        [1],
        "the logged list"
      )
    })
  )
]
