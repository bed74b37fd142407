/** References to files and to other sessions, interrupted at any moment (F-4, R-6). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as FileReferences from "../../src/FileReferences.ts"
import { formatUri } from "../../src/pipeline/sessions/uri.ts"
import * as ContextSupply from "../../src/ContextSupply.ts"
import * as Inbox from "../../src/Inbox.ts"
import * as Session from "../../src/Session.ts"
import * as SessionReferences from "../../src/SessionReferences.ts"
import * as SessionStore from "../../src/SessionStore.ts"
import * as Memory from "../../src/testing/memoryFileSystem.ts"
import { eventually, settle, suspending, type Sweep, sweep } from "./sweep.ts"

const names = Array.from({ length: 30 }, (_, index) => [`/repo/d${index % 5}/f${index}.ts`, ""] as const)
const files = { "/repo/.git/": null, "/repo/.gitignore": "f7.ts\n", ...Object.fromEntries(names) }

const stack = Effect.gen(function* () {
  const { controls, fileSystem } = yield* Memory.make(files)
  const fs = suspending(fileSystem)
  const store = SessionStore.layerJsonl("/sessions")
  const session = Session.layer(
    SessionStore.SessionStore.use((sessions) => sessions.create({ cwd: "/repo", id: "main" }))
  )
  const layer = Layer.mergeAll(FileReferences.layer(), SessionReferences.layer({})).pipe(
    Layer.provideMerge(ContextSupply.layer),
    Layer.provideMerge(Inbox.layer),
    Layer.provideMerge(session),
    Layer.provideMerge(store),
    Layer.provideMerge(Layer.succeed(FileSystem.FileSystem, fs)),
    Layer.fresh
  )
  return { controls, context: yield* Layer.build(layer) }
})

type Services = FileReferences.FileReferences | SessionReferences.SessionReferences | SessionStore.SessionStore

const asking = (
  by: "fiber" | "signal",
  ask: (signal?: AbortSignal) => Effect.Effect<unknown, unknown, Services>
): Sweep<unknown> => ({
  by,
  make: Effect.gen(function* () {
    const { controls, context } = yield* stack
    yield* Effect.scoped(
      Effect.flatMap(
        SessionStore.SessionStore.use((store) => store.create({ cwd: "/repo", id: "other" })),
        (other) =>
          other.append([
            { type: "user/message", message: { id: "o", text: "said elsewhere", source: { kind: "user" } } }
          ])
      )
    ).pipe(Effect.provide(context))
    const held = yield* controls.openHandles
    const expected = yield* Effect.provide(ask(), context)
    yield* Effect.provide(
      FileReferences.FileReferences.use((references) => references.invalidate),
      context
    )
    return {
      operation: (signal) => Effect.provide(ask(by === "signal" ? signal : undefined), context),
      after: (exit) =>
        Effect.gen(function* () {
          if (Exit.isSuccess(exit)) assert.deepStrictEqual(exit.value, expected)
          assert.isTrue(yield* eventually(Effect.map(controls.openHandles, (open) => open === held)), "files are open")
          const asked = yield* controls.requests
          yield* settle
          assert.strictEqual(yield* controls.requests, asked, "something went on")
          assert.deepStrictEqual(yield* Effect.provide(ask(), context), expected)
        })
    }
  })
})

const list = (query: string) => (signal?: AbortSignal) =>
  FileReferences.FileReferences.use((references) => references.list(query, signal === undefined ? {} : { signal }))

const message = {
  id: "m",
  text: `see @[that](${formatUri("other")})`,
  source: { kind: "user" }
}

describe("references, interrupted at any moment", () => {
  const check = (name: string, given: Sweep<unknown>, least: number) =>
    it.live(name, () =>
      Effect.gen(function* () {
        const { interrupted } = yield* sweep(given)
        assert.isAtLeast(interrupted, least)
      })
    )
  for (const by of ["fiber", "signal"] as const) {
    check(`[F-4] a query of the index (${by})`, asking(by, list("f1")), 50)
    check(`[F-3] a query of a directory (${by})`, asking(by, list("d1/")), 10)
  }
  check(
    "[R-6] a snapshot of another session",
    asking("fiber", () =>
      SessionReferences.SessionReferences.use((references) =>
        Effect.map(references.prepare(message), (snapshot) => snapshot?.text.includes("said elsewhere"))
      )
    ),
    50
  )
  check(
    "[R-2] candidates",
    asking("fiber", () => SessionReferences.SessionReferences.use((references) => references.candidates(""))),
    20
  )
})
