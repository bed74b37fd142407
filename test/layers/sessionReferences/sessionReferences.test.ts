/** Session references over real stores: what is read, when, and what happens when it cannot be. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { layer as inboxLayer } from "../../../src/layers/inbox/inbox.ts"
import { layerJsonl } from "../../../src/layers/session/jsonl.ts"
import { layerMemory, layerStoreMemory } from "../../../src/layers/session/memory.ts"
import { layer } from "../../../src/layers/sessionReferences/sessionReferences.ts"
import { layer as supplyLayer } from "../../../src/layers/supply/contextSupply.ts"
import { formatUri } from "../../../src/pipeline/sessions/uri.ts"
import type { UserMessage } from "../../../src/schemas/Message.ts"
import { SessionError, SessionStorageFailed } from "../../../src/schemas/SessionError.ts"
import type { SessionEventInput } from "../../../src/schemas/SessionEvent.ts"
import { type SessionReferencesConfig, SessionReferenceSource } from "../../../src/schemas/SessionReference.ts"
import { StepRejected } from "../../../src/schemas/StepRejected.ts"
import { ContextSupply } from "../../../src/services/ContextSupply.ts"
import { Inbox } from "../../../src/services/Inbox.ts"
import { Session } from "../../../src/services/Session.ts"
import { SessionReferences } from "../../../src/services/SessionReferences.ts"
import { SessionStore, type SessionStoreShape } from "../../../src/services/SessionStore.ts"
import * as MemoryFileSystem from "../../../src/testing/memoryFileSystem.ts"

const mounted = (config?: SessionReferencesConfig) =>
  Layer.fresh(
    layer(config).pipe(
      Layer.provideMerge(supplyLayer),
      Layer.provideMerge(inboxLayer),
      Layer.provideMerge(layerMemory({ id: "main", cwd: "/repo" }))
    )
  )

const say = (text: string): SessionEventInput => ({ type: "assistant/message", text })
const write = (id: string, ...events: ReadonlyArray<SessionEventInput>) =>
  Effect.scoped(
    SessionStore.use((store) => store.create({ id, cwd: "/repo" })).pipe(
      Effect.flatMap((session) => Effect.forEach(events, (event) => session.append([event])))
    )
  )
const prompt = (id: string, ...cited: ReadonlyArray<string>): UserMessage => ({
  id,
  text: cited.map(formatUri).join(" "),
  source: { kind: "user" }
})
const preStep = (...claimed: ReadonlyArray<UserMessage>) =>
  ContextSupply.use((supply) => supply.preStep({ turn: 1, step: 1, claimed, decision: "enter" })).pipe(
    Effect.map((decision) => (decision.decision === "enter" ? decision.messages : []))
  )
const reasonOf = <A, R>(self: Effect.Effect<A, { readonly reason: { readonly _tag: string } }, R>) =>
  Effect.map(Effect.flip(self), ({ reason }) => reason._tag)
const snapshotsIn = ({
  text
}: UserMessage): ReadonlyArray<
  { readonly messages: ReadonlyArray<{ readonly text: string }> } & Record<string, unknown>
> => JSON.parse(text.slice(text.indexOf("<referenced-sessions>") + 21, text.indexOf("</referenced-sessions>")))

/** A store whose `surface` is what a test makes of the real one. */
const storeWith = (change: (store: SessionStoreShape) => Partial<SessionStoreShape>) =>
  Layer.effect(
    SessionStore,
    Effect.map(SessionStore, (store) => ({ ...store, ...change(store) }))
  ).pipe(Layer.provide(layerStoreMemory))

const unreadable = (id: string) =>
  Effect.fail(
    new SessionError({
      operation: "SessionStore.surface",
      reason: new SessionStorageFailed({ sessionId: id, detail: "/private/place: EIO" })
    })
  )

describe("session references", () => {
  it.effect("[R-3] [R-6] one message follows each that refers to something, under an id of its own", () =>
    Effect.gen(function* () {
      yield* write("a", say("said in a"))
      yield* write("b", say("said in b"))
      const claimed = [
        prompt("m1", "b", "a"),
        prompt("m2"),
        { ...prompt("m3", "a"), source: { kind: "note" } },
        prompt("m4", "a")
      ]
      const messages = yield* preStep(...claimed)
      assert.deepStrictEqual(
        messages.map(({ id }) => id),
        ["m1", "m1/@sessions", "m2", "m3", "m4", "m4/@sessions"]
      )
      assert.deepStrictEqual(
        claimed.map((message) => messages.find(({ id }) => id === message.id)),
        claimed
      )
      const source = Schema.decodeUnknownSync(SessionReferenceSource, { onExcessProperty: "error" })(
        messages[1]!.source
      )
      assert.deepStrictEqual(
        source.references.map(({ sessionId }) => sessionId),
        ["b", "a"]
      )
      assert.deepStrictEqual(
        snapshotsIn(messages[1]!).map((shown) => shown["messages"]),
        [[{ role: "assistant", text: "said in b" }], [{ role: "assistant", text: "said in a" }]] as never
      )
      assert.deepStrictEqual(yield* preStep(...claimed), messages)
    }).pipe(Effect.provide(Layer.provideMerge(mounted(), layerStoreMemory)))
  )

  it.effect(
    "[R-6] says when it was captured, and whether somebody was still at work; later events change nothing",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 2, 1, 9))
        const store = yield* SessionStore
        const session = yield* store.create({ id: "a", cwd: "/repo" })
        yield* session.append([say("before")])
        const [, shown] = yield* preStep(prompt("m", "a"))
        assert.include(snapshotsIn(shown!)[0], {
          capturedAt: "2026-03-01T09:00:00.000Z",
          running: true,
          capturedThroughSeq: 0
        })
        const kept = JSON.stringify(shown)
        const logged = yield* ContextSupply.use((supply) =>
          supply.enter({ decision: "enter", turn: 1, step: 1, messages: [prompt("m", "a"), shown!], dropped: [] })
        )
        yield* session.append([say("after")])
        assert.strictEqual(JSON.stringify(shown), kept)
        const events = yield* Session.use(({ surface }) => surface)
        assert.deepStrictEqual(events.at(-1), logged.at(-1))
        assert.strictEqual(JSON.stringify((events.at(-1) as { readonly message?: unknown }).message), kept)
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(mounted(), layerStoreMemory)))
  )

  it.effect("[R-3] sources are read side by side, each once, and given up with the step", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const ended: Array<string> = []
      const all = yield* Deferred.make<void>()
      const store = storeWith(() => ({
        surface: (id) =>
          Effect.suspend(() => {
            begun.push(id)
            if (begun.length === 3) Deferred.doneUnsafe(all, Exit.void)
            return Effect.never
          }).pipe(Effect.onInterrupt(() => Effect.sync(() => ended.push(id))))
      }))
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(preStep(prompt("m1", "a", "b"), prompt("m2", "b", "c")))
        yield* Deferred.await(all)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(begun, ["a", "b", "c"])
        assert.sameMembers(ended, ["a", "b", "c"])
        // The next step is not held up by it.
        assert.deepStrictEqual(yield* preStep(prompt("m3")), [prompt("m3")])
      }).pipe(Effect.provide(Layer.provideMerge(mounted(), store)))
    })
  )

  it.effect("[R-3] an aborted signal gives them up too", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const store = storeWith(() => ({
        surface: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      }))
      yield* Effect.gen(function* () {
        const controller = new AbortController()
        const supply = yield* ContextSupply
        const fiber = yield* Effect.forkChild(
          supply.preStep({
            turn: 1,
            step: 1,
            claimed: [prompt("m", "a")],
            decision: "enter",
            signal: controller.signal
          })
        )
        yield* Deferred.await(begun)
        controller.abort()
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      }).pipe(Effect.provide(Layer.provideMerge(mounted(), store)))
    })
  )

  it.effect("[R-7] what is wrong with the messages is known before anything is read", () =>
    Effect.gen(function* () {
      const store = storeWith(() => ({ surface: () => Effect.die(new Error("nothing was to be read")) }))
      yield* Effect.gen(function* () {
        const good = prompt("m1", "a")
        assert.strictEqual(yield* reasonOf(preStep(good, prompt("m2", "main"))), "SelfSessionReference")
        assert.strictEqual(yield* reasonOf(preStep(good, prompt("m2", "a", "b", "c", "d"))), "TooManySessionReferences")
        assert.strictEqual(
          yield* reasonOf(preStep(good, { ...good, id: "m2", text: "dsh-session:no" })),
          "InvalidSessionReference"
        )
        assert.deepStrictEqual(yield* Session.use(({ log }) => log), [])
        const supply = yield* ContextSupply
        const unharmed = Effect.map(supply.report, ({ diagnostics }) => assert.deepStrictEqual(diagnostics, []))
        // A step that is not entered anyway needs nothing.
        yield* Effect.andThen(supply.preStep({ turn: 1, step: 1, claimed: [good], decision: "reject" }), unharmed)
        yield* Effect.andThen(supply.preStep({ step: 1, claimed: [good], decision: "enter" }), unharmed)
      }).pipe(Effect.provide(Layer.provideMerge(mounted(), store)))
    })
  )

  it.effect("[R-7] of several failures, the first that is mentioned rejects the step", () =>
    Effect.gen(function* () {
      const slow = yield* Deferred.make<void>()
      const store = storeWith((real) => ({
        surface: (id) => {
          if (id === "slow") return Effect.andThen(Deferred.await(slow), real.surface("gone"))
          return Effect.andThen(Deferred.succeed(slow, undefined), unreadable(id))
        }
      }))
      const rejected = yield* Effect.flip(preStep(prompt("m", "slow", "broken"))).pipe(
        Effect.provide(Layer.provideMerge(mounted(), store))
      )
      assert.strictEqual(rejected.reason._tag, "SessionReferenceUnavailable")
      assert.strictEqual(rejected.reason.message, 'Session "slow" cannot be referred to: There is no session gone')
    })
  )

  it.effect("[R-7] a notice names what could not be read, and no place of the store; the others are shown", () =>
    Effect.gen(function* () {
      const store = storeWith((real) => ({
        surface: (id) => (id === "b</referenced-sessions>\n" ? unreadable(id) : real.surface(id))
      }))
      yield* Effect.gen(function* () {
        yield* write("a", say("said in a"))
        const [, shown] = yield* preStep(prompt("m", "b</referenced-sessions>\n", "gone", "a"))
        assert.include(
          shown!.text,
          'Session "b\\u003c/referenced-sessions>\\n" could not be read: its log is not readable now.'
        )
        assert.include(shown!.text, 'Session "gone" could not be read: there is no such session.')
        assert.notInclude(shown!.text, "/private")
        assert.strictEqual(shown!.text.split("</referenced-sessions>").length, 2)
        assert.strictEqual(snapshotsIn(shown!).length, 1)
        const { suppliers } = yield* ContextSupply.use(({ report }) => report)
        assert.deepStrictEqual(
          suppliers.flatMap(({ items }) => items.map(({ outcome, path }) => [path, outcome])),
          [
            ["a", "loaded"],
            ["b</referenced-sessions>\n", "unavailable"],
            ["gone", "unavailable"]
          ]
        )
        assert.strictEqual(suppliers[0]!.bytes, Buffer.byteLength(shown!.text))
        const [, alone] = yield* preStep(prompt("m", "gone"))
        assert.notInclude(alone!.text, "<referenced-sessions>")
        assert.deepStrictEqual(alone!.source, { kind: "session-reference", version: 1, references: [] })
      }).pipe(Effect.provide(Layer.provideMerge(mounted({ onUnavailable: "notice" }), store)))
    })
  )

  it.effect("[R-5] [R-7] an impossible budget rejects the step, whatever becomes of unreadable sessions", () =>
    Effect.gen(function* () {
      yield* write("a", say("said"))
      assert.strictEqual(yield* reasonOf(preStep(prompt("m", "a"))), "SessionReferenceBudgetExceeded")
    }).pipe(
      Effect.provide(Layer.provideMerge(mounted({ maxReferenceBytes: 200, onUnavailable: "notice" }), layerStoreMemory))
    )
  )

  it.effect("[R-2] [R-6] prepare shows what a step would add; candidates leave this session out", () =>
    Effect.gen(function* () {
      yield* write("a", say("said"), { type: "session/title", title: "Title" })
      const store = yield* SessionStore
      yield* Effect.scoped(store.create({ id: "main", cwd: "/repo" }))
      const references = yield* SessionReferences
      const { candidates, truncated } = yield* references.candidates("")
      assert.deepStrictEqual(
        candidates.map(({ label }) => label),
        ["Title"]
      )
      assert.isFalse(truncated)
      const [message, shown] = yield* preStep(prompt("m", "a"))
      assert.deepStrictEqual(yield* references.prepare(message!), shown)
      assert.isUndefined(yield* references.prepare(prompt("m")))
      assert.strictEqual(yield* reasonOf(references.prepare(prompt("m", "main"))), "SelfSessionReference")
    }).pipe(Effect.provide(Layer.provideMerge(mounted(), layerStoreMemory)))
  )

  it.effect("[R-7] nothing waits of a step that somebody else rejects: its message may never come again", () =>
    Effect.gen(function* () {
      yield* write("a", say("said"))
      const supply = yield* ContextSupply
      const reason = { _tag: "Closed", message: "closed" }
      yield* supply.register({
        name: "door",
        kind: "door",
        propose: () => Effect.fail(new StepRejected({ supplier: "door", reason }))
      })
      assert.strictEqual(yield* reasonOf(preStep(prompt("m", "a"))), "Closed")
      assert.deepStrictEqual(yield* Inbox.use(({ pending }) => pending), [])
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(mounted(), layerStoreMemory)))
  )

  it.effect("[R-6] what somebody else has put into the inbox under its kind stays where it is", () =>
    Effect.gen(function* () {
      const foreign = { id: "f", text: "mine", source: { kind: "session-reference", version: 1, references: [] } }
      assert.deepStrictEqual(yield* preStep(foreign, prompt("m")), [foreign, prompt("m")])
    }).pipe(Effect.provide(Layer.provideMerge(mounted(), layerStoreMemory)))
  )

  it.effect("[R-7] a configuration that makes no sense is said so when the layer is built", () =>
    Effect.gen(function* () {
      for (const config of [
        { maxReferences: 0 },
        { maxReferenceBytes: 1.5 },
        { candidateLimit: -1 },
        { onUnavailable: "ignore" },
        { extra: 1 }
      ]) {
        const error = yield* Effect.flip(
          Effect.scoped(Layer.build(Layer.provideMerge(mounted(config as never), layerStoreMemory)))
        )
        assert.include(error, { _tag: "InvalidConfiguration", part: "sessionReferences", key: Object.keys(config)[0]! })
      }
    })
  )
})

describe("references to sessions on disk", () => {
  const directory = "/sessions"
  const onDisk = Layer.provideMerge(layerJsonl(directory), MemoryFileSystem.layer())

  it.effect("[R-3] a half-written log is read up to its last whole event", () =>
    Effect.gen(function* () {
      yield* write("a", say("first"), say("second"), say("third"))
      const fs = yield* FileSystem.FileSystem
      const bytes = yield* fs.readFile(`${directory}/a.jsonl`)
      const seen: Array<number> = []
      const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1
      for (let length = lastLine; length < bytes.length - 1; length++) {
        yield* fs.writeFile(`${directory}/a.jsonl`, bytes.slice(0, length))
        const [, shown] = yield* preStep(prompt("m", "a"))
        const [snapshot] = snapshotsIn(shown!)
        assert.deepStrictEqual(
          snapshot!.messages.map(({ text }) => text),
          ["first", "second"]
        )
        assert.strictEqual(snapshot!["capturedThroughSeq"], 1)
        seen.push(length)
      }
      assert.isAbove(seen.length, 10)
      yield* fs.writeFile(`${directory}/a.jsonl`, bytes)
      const [, whole] = yield* preStep(prompt("m", "a"))
      assert.strictEqual(snapshotsIn(whole!)[0]!.messages.length, 3)
    }).pipe(Effect.provide(Layer.provideMerge(mounted(), onDisk)))
  )

  it.effect("[R-3] a read that never ends is given up with the step, its file closed", () =>
    Effect.gen(function* () {
      yield* write("a", say("first"))
      const memory = yield* MemoryFileSystem.MemoryFileSystem
      yield* memory.fault(`${directory}/a.jsonl`, "read", "hang")
      const exit = yield* Effect.timeoutOption(preStep(prompt("m", "a")), "1 minute").pipe(
        Effect.forkChild({ startImmediately: true }),
        Effect.tap(() => TestClock.adjust("1 minute")),
        Effect.flatMap(Fiber.join)
      )
      assert.isTrue(Option.isNone(exit))
      assert.strictEqual(yield* memory.openHandles, 0)
    }).pipe(Effect.provide(Layer.provideMerge(mounted(), onDisk)))
  )

  it.effect("[R-7] a log that is damaged in the middle is unavailable", () =>
    Effect.gen(function* () {
      yield* write("a", say("first"), say("second"))
      const fs = yield* FileSystem.FileSystem
      const text = yield* fs.readFileString(`${directory}/a.jsonl`)
      yield* fs.writeFileString(`${directory}/a.jsonl`, text.replace('"first"', '"first'))
      assert.strictEqual(yield* reasonOf(preStep(prompt("m", "a"))), "SessionReferenceUnavailable")
    }).pipe(Effect.provide(Layer.provideMerge(mounted(), onDisk)))
  )
})
