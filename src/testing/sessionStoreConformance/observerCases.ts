/** What a session promises to those who follow its log, and what of it the model sees. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { SessionEvent, SessionEventInput } from "../../schemas/SessionEvent.ts"
import { check, note, same, testCase } from "./check.ts"
import type { ConformanceCase } from "./check.ts"

const text = (value: string): SessionEventInput => ({ type: "assistant/message", text: value })

export const observerCases: ReadonlyArray<ConformanceCase> = [
  testCase("an observer sees the log and then each event, once and in order, inside the append", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      yield* session.append([note({ n: 0 }), note({ n: 1 })])
      const seen: Array<SessionEvent> = []
      yield* session.observe((event) => seen.push(event))
      yield* same(seen, yield* session.log, "the replay")
      yield* session.append([note({ n: 2 }), note({ n: 3 })])
      yield* session.transact(() => [undefined, [note({ n: 4 })]])
      yield* same(seen, yield* session.log, "what was seen when the appends had returned")
    })
  ),

  testCase("registering among running appends misses nothing and sees nothing twice", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      const views: Array<Array<number>> = []
      const observe = Effect.suspend(() => {
        const view: Array<number> = []
        views.push(view)
        return session.observe((event) => view.push(event.seq))
      })
      const work = Array.from({ length: 60 }, (_, n) =>
        n % 3 === 0
          ? Effect.andThen(Effect.yieldNow, observe)
          : Effect.asVoid(session.append([note({ n }), note({ n })]))
      )
      yield* Effect.all(work, { concurrency: "unbounded" })
      const all = (yield* session.log).map((event) => event.seq)
      for (const view of views) yield* same(view, all, "what one observer saw")
    })
  ),

  testCase("an observer ends with its scope", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      const scope = yield* Scope.make()
      let seen = 0
      yield* Scope.provide(
        session.observe(() => seen++),
        scope
      )
      yield* session.append([note({})])
      yield* Scope.close(scope, Exit.void)
      yield* session.append([note({})])
      yield* same(seen, 1, "events seen")
    })
  ),

  testCase("an observer that throws breaks neither the append nor the others, and stays", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      yield* session.append([note({})])
      const seen: Array<string> = []
      yield* session.observe((event) => {
        seen.push(`a${event.seq}`)
        throw new Error("thrown by an observer")
      })
      yield* session.observe((event) => seen.push(`b${event.seq}`))
      yield* session.append([note({}), note({})])
      yield* same(seen.toSorted(), ["a0", "a1", "a2", "b0", "b1", "b2"], "what both have seen")
      yield* same((yield* session.log).length, 3, "events in the log")
    })
  ),

  testCase("an observer or a decision that calls back is refused instead of waiting for itself", [], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      const exits: Array<Exit.Exit<unknown, unknown>> = []
      const callBack = () => {
        exits.push(Effect.runSyncExit(session.append([note({ from: "inside" })])))
        exits.push(Effect.runSyncExit(session.transact(() => [0, [note({ from: "inside" })]])))
        exits.push(Effect.runSyncExit(Effect.scoped(session.observe(() => {}))))
      }
      let calls = 0
      yield* session.observe(() => {
        if (calls++ === 0) callBack()
      })
      yield* session.append([note({})])
      yield* session.transact(() => [callBack(), []])
      yield* same(
        exits.map((exit) => Exit.hasDies(exit)),
        Array.from({ length: 6 }, () => true),
        "all six die"
      )
      yield* session.append([note({})])
      yield* same((yield* session.log).length, 2, "events in the log")
    })
  ),

  testCase("the surface is what checkpoints leave: the latest one, then what is visible, in order", ["I-32"], (store) =>
    Effect.gen(function* () {
      const session = yield* store.create({ cwd: "/", id: "s" })
      const seqs = Effect.map(session.surface, (events) => events.map((event) => event.seq))
      yield* session.append([text("0"), { type: "step/end" }, text("2"), note({ n: 3 }), text("4")])
      yield* same(yield* seqs, [0, 2, 4], "before compaction")
      yield* session.append([{ type: "compaction/checkpoint", keptFrom: 4, text: "so far" }, text("6")])
      yield* same(yield* seqs, [5, 4, 6], "after a checkpoint")
      yield* session.append([{ type: "compaction/checkpoint", keptFrom: 0 }, text("8")])
      yield* same(
        yield* seqs,
        [7, 4, 5, 6, 8],
        "an earlier checkpoint stays in its place, and what it shadowed stays away"
      )
      yield* session.append([{ type: "compaction/checkpoint", keptFrom: 1_000 }])
      yield* same(yield* seqs, [9], "a checkpoint cannot keep events from behind itself")
      yield* same((yield* session.log).length, 10, "the log keeps everything")
      const read = yield* store.surface("s")
      yield* same(read.events, yield* session.surface, "what a reader sees")
      yield* check(read.capturedThroughSeq === 9, "capturedThroughSeq is the `seq` of the last event")
    })
  )
]
