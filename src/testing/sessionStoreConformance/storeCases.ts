/** What a store promises about its sessions. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { check, failsWith, note, same, testCase } from "./check.ts"
import type { ConformanceCase } from "./check.ts"

/** Ids that a store with files, tables or keys could confuse with each other or with something else. */
export const hostileIds: ReadonlyArray<string> = [
  ".",
  "..",
  "a/b",
  "a\\b",
  "../../escape",
  "a",
  "A",
  "ä",
  "a\u0308",
  "%61",
  "a b",
  " ",
  "a\0b",
  "line\nbreak",
  "con",
  "nul.txt",
  "~",
  "emoji 🙂",
  "lone \ud800",
  "__proto__",
  "x".repeat(1_000),
  `${"x".repeat(1_000)}y`,
  "ü".repeat(400)
]

const create = (store: Parameters<Parameters<typeof testCase>[2]>[0], id: string) =>
  Effect.asVoid(Effect.scoped(store.create({ cwd: `/of/${id.length}`, id })))

export const storeCases: ReadonlyArray<ConformanceCase> = [
  testCase("an empty store lists nothing and finds nothing", [], (store) =>
    Effect.gen(function* () {
      yield* same(yield* store.list, [], "the list")
      yield* failsWith(Effect.scoped(store.open("s")), "SessionNotFound", "open")
      yield* failsWith(store.surface("s"), "SessionNotFound", "surface")
      yield* failsWith(Effect.scoped(store.open("")), "SessionNotFound", "open with an empty id")
      yield* same(yield* store.list, [], "the list afterwards")
    })
  ),

  testCase("create makes one session of an id", [], (store) =>
    Effect.gen(function* () {
      yield* create(store, "s")
      yield* failsWith(Effect.scoped(store.create({ cwd: "/other", id: "s" })), "SessionConflict", "a second create")
      const made = yield* Effect.forEach([1, 2, 3], () => store.create({ cwd: "/" }))
      yield* check(new Set(["s", ...made.map((session) => session.id)]).size === 4, "made ids are new")
      yield* check(
        Exit.isFailure(yield* Effect.exit(Effect.scoped(store.create({ cwd: "/", id: "" })))),
        "an empty id is refused"
      )
      yield* same((yield* store.list).length, 4, "sessions in the list")
    })
  ),

  testCase("one writer at a time, until its scope ends", [], (store) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(store.create({ cwd: "/", id: "s" }), scope)
      yield* session.append([note({})])
      yield* failsWith(Effect.scoped(store.open("s")), "SessionConflict", "open while it is written")
      yield* failsWith(
        Effect.scoped(store.create({ cwd: "/", id: "s" })),
        "SessionConflict",
        "create while it is written"
      )
      yield* session.append([note({})])
      yield* Scope.close(scope, Exit.void)
      const results = yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.exit(store.open("s")), {
        concurrency: "unbounded"
      })
      yield* same(results.filter(Exit.isSuccess).length, 1, "writers that opened it side by side")
    })
  ),

  testCase("a session whose scope has ended cannot be written any more", [], (store) =>
    Effect.gen(function* () {
      const session = yield* Effect.scoped(store.create({ cwd: "/", id: "s" }))
      yield* check(Exit.isFailure(yield* Effect.exit(session.append([note({})]))), "append fails")
      yield* check(Exit.isFailure(yield* Effect.exit(session.transact(() => [0, [note({})]]))), "transact fails")
      yield* same((yield* store.surface("s")).capturedThroughSeq, -1, "the last `seq`")
    })
  ),

  testCase("anybody reads, whoever writes", [], (store) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(store.create({ cwd: "/repo", id: "s" }), scope)
      const empty = yield* store.surface("s")
      yield* same([empty.events, empty.capturedThroughSeq], [[], -1], "an empty session")
      yield* same(
        [empty.summary.cwd, empty.summary.running, "title" in empty.summary],
        ["/repo", true, false],
        "its summary"
      )
      yield* session.append([
        { type: "session/title", title: "first" },
        { type: "assistant/message", text: "hi" }
      ])
      yield* session.append([{ type: "session/title", title: "second" }, { type: "turn/end" }])
      const read = yield* store.surface("s")
      yield* same(read.events, yield* session.surface, "the surface")
      yield* same([read.capturedThroughSeq, read.summary.title], [3, "second"], "the last `seq` and the latest title")
      yield* same(yield* store.list, [read.summary], "the list")
      yield* Scope.close(scope, Exit.void)
      yield* same((yield* store.surface("s")).summary.running, false, "running afterwards")
      yield* same(
        (yield* store.list).map((summary) => summary.running),
        [false],
        "running in the list afterwards"
      )
    })
  ),

  testCase("the list is newest first and of equal age by id", [], (store) =>
    Effect.gen(function* () {
      for (const id of ["b", "a", "c", "B"]) yield* create(store, id)
      const list = yield* store.list
      yield* same(list.map(({ id }) => id).toSorted(), ["B", "a", "b", "c"], "the ids")
      const ordered = list.every((summary, index) => {
        const before = list[index - 1]
        return (
          before === undefined ||
          before.createdAt > summary.createdAt ||
          (before.createdAt === summary.createdAt && before.id < summary.id)
        )
      })
      yield* check(ordered, `the order of ${JSON.stringify(list)}`)
    })
  ),

  testCase("any id is a session of its own", [], (store) =>
    Effect.gen(function* () {
      for (const id of hostileIds) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* store.create({ cwd: "/", id })
            yield* session.append([{ type: "session/title", title: `of ${id}` }])
          })
        )
      }
      const list = yield* store.list
      yield* same(list.map(({ id }) => id).toSorted(), hostileIds.toSorted(), "the ids")
      yield* same(
        list.map(({ title }) => title),
        list.map(({ id }) => `of ${id}`),
        "the titles"
      )
      for (const id of hostileIds) {
        const session = yield* Effect.scoped(store.open(id))
        yield* same(session.id, id, "the id of an opened session")
        yield* same((yield* session.log).length, 1, "events in its log")
      }
    })
  )
]
