import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Inbox from "../../../src/Inbox.ts"
import type { UserMessage } from "../../../src/schemas/Message.ts"
import type { SessionEventInput } from "../../../src/schemas/SessionEvent.ts"
import * as Session from "../../../src/Session.ts"

const message = (id: string): UserMessage => ({ id, text: `text of ${id}`, source: { kind: "user" } })
const inserted = (id: string, position: "front" | "end" = "end") =>
  ({ type: "inbox/inserted", message: message(id), position }) as const
const ids = (messages: ReadonlyArray<UserMessage>) => messages.map(({ id }) => id)
const logged = (id: string): SessionEventInput => ({ type: "user/message", message: message(id) })

/** An inbox that is built over the session at hand now, as after a restart. */
const built = Effect.provide(Inbox.Inbox, Inbox.layer, { local: true })

describe("Inbox", () => {
  it.effect("[I-21] claims everything that waits, in order, and keeps its places", () =>
    Effect.gen(function* () {
      const inbox = yield* Inbox.Inbox
      const session = yield* Session.Session
      assert.deepStrictEqual(yield* inbox.claim, [])
      assert.deepStrictEqual(yield* session.log, [])
      yield* inbox.update(() => [undefined, [inserted("b"), inserted("a", "front")]])
      assert.deepStrictEqual(yield* inbox.pending, [message("a"), message("b")])
      assert.deepStrictEqual(yield* inbox.claim, [message("a"), message("b")])
      assert.deepStrictEqual(yield* inbox.pending, [])
      yield* inbox.update(() => [undefined, [inserted("c"), inserted("a")]])
      assert.deepStrictEqual(ids(yield* inbox.pending), ["a", "c"])
      yield* session.append([logged("a")])
      assert.deepStrictEqual(ids(yield* inbox.pending), ["c"])
      assert.deepStrictEqual(
        (yield* session.log).map(({ type }) => type),
        ["inbox/inserted", "inbox/inserted", "inbox/claimed", "inbox/inserted", "inbox/inserted", "user/message"]
      )
    }).pipe(Effect.provide(Inbox.layer), Effect.provide(Session.layerMemory()))
  )

  it.effect("decides from what is pending at that moment, one decision after another", () =>
    Effect.gen(function* () {
      const inbox = yield* Inbox.Inbox
      const add = inbox.update((pending) => [pending.length, [inserted(`m${pending.length}`)]])
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => add),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.toSorted((a, b) => a - b),
        Array.from({ length: 20 }, (_, n) => n)
      )
      assert.strictEqual((yield* inbox.pending).length, 20)
      assert.strictEqual(yield* inbox.update((pending) => [pending[3]!.id, []]), "m3")
    }).pipe(Effect.provide(Inbox.layerMemory))
  )

  it.effect(
    "[I-33] after a restart waiting messages wait, and so do claimed ones that were neither logged nor dropped",
    () =>
      Effect.gen(function* () {
        const session = yield* Session.Session
        yield* session.append([inserted("a"), inserted("b"), inserted("c"), inserted("d")])
        yield* session.append([{ type: "inbox/claimed", ids: ["a", "b", "c"] }])
        yield* session.append([logged("a"), { type: "inbox/removed", id: "b" }])
        yield* Effect.gen(function* () {
          const inbox = yield* Inbox.Inbox
          assert.deepStrictEqual(ids(yield* inbox.pending), ["c", "d"])
          yield* inbox.claim
          assert.deepStrictEqual(yield* inbox.pending, [])
        }).pipe(Effect.provide(Inbox.layer, { local: true }))
        assert.deepStrictEqual(ids(yield* Effect.flatMap(built, (inbox) => inbox.pending)), ["c", "d"])
      }).pipe(Effect.provide(Session.layerMemory()))
  )

  it.effect("[I-33] what is claimed while the inbox is being built is not released", () =>
    Effect.gen(function* () {
      const session = yield* Session.Session
      yield* session.append([inserted("old"), { type: "inbox/claimed", ids: ["old"] }, inserted("new")])
      // A session that has grown by a claim when the replay has ended and nobody has looked at the inbox yet.
      const claim = Effect.orDie(session.append([{ type: "inbox/claimed", ids: ["new"] }]))
      const growing: Session.SessionShape = {
        ...session,
        observe: (observer) => Effect.tap(session.observe(observer), () => claim)
      }
      const inbox = yield* Effect.provideService(built, Session.Session, growing)
      assert.deepStrictEqual(ids(yield* inbox.pending), ["old"])
    }).pipe(Effect.provide(Session.layerMemory()))
  )
})
