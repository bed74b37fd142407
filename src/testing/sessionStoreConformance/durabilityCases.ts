/** What a store that outlives its layer promises beyond that. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { SessionEvent } from "../../schemas/SessionEvent.ts"
import type { SessionSummary } from "../../services/SessionStore.ts"
import { contiguous, note, same, withStore } from "./check.ts"
import type { ConformanceCase } from "./check.ts"
import { hostileIds } from "./storeCases.ts"

export const durabilityCases: ReadonlyArray<ConformanceCase> = [
  {
    name: "logs survive the store, byte for byte, and go on where they ended",
    rules: [],
    run: (layer) =>
      Effect.gen(function* () {
        const written = yield* Ref.make<ReadonlyArray<SessionEvent>>([])
        for (let round = 0; round < 3; round++) {
          yield* withStore((store) =>
            Effect.gen(function* () {
              const session = yield* round === 0 ? store.create({ cwd: "/repo", id: "s" }) : store.open("s")
              const log = yield* session.log
              yield* same(JSON.stringify(log), JSON.stringify(yield* Ref.get(written)), "the log of the round before")
              yield* same(session.cwd, "/repo", "cwd")
              yield* session.append([note({ round, text: "\u2028 ü 🙂 \ud800 \\n \n" }), { type: "turn/start" }])
              yield* session.transact(() => [undefined, [{ type: "compaction/checkpoint", keptFrom: log.length }]])
              yield* contiguous(yield* session.log)
              yield* Ref.set(written, yield* session.log)
            })
          )(layer)
        }
      })
  },
  {
    name: "summaries and surfaces survive the store",
    rules: [],
    run: (layer) =>
      Effect.gen(function* () {
        const before = yield* Ref.make<ReadonlyArray<SessionSummary>>([])
        yield* withStore((store) =>
          Effect.gen(function* () {
            for (const id of hostileIds) {
              yield* Effect.scoped(
                Effect.flatMap(store.create({ cwd: "/", id }), (session) =>
                  session.append([
                    { type: "session/title", title: `of ${id}` },
                    { type: "assistant/message", text: id }
                  ])
                )
              )
            }
            yield* Ref.set(before, yield* store.list)
          })
        )(layer)
        yield* withStore((store) =>
          Effect.gen(function* () {
            yield* same(yield* store.list, yield* Ref.get(before), "the list")
            for (const id of hostileIds) {
              const { events } = yield* store.surface(id)
              yield* same(
                events.map((event) => (event as { readonly text?: unknown }).text),
                [id],
                "the surface"
              )
            }
          })
        )(layer)
      })
  }
]
