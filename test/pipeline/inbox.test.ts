import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { inboxOf, InboxState } from "../../src/pipeline/inbox.ts"
import type { InboxEntry } from "../../src/pipeline/inbox.ts"
import type { UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEventInput } from "../../src/schemas/SessionEvent.ts"

const message = (id: string, text = id): UserMessage => ({ id, text, source: { kind: "user" } })
const inserted = (id: string, position: "front" | "end" = "end", text = id): SessionEventInput => ({
  type: "inbox/inserted",
  message: message(id, text),
  position
})
const claimed = (...ids: ReadonlyArray<string>): SessionEventInput => ({ type: "inbox/claimed", ids })
const ids = (messages: ReadonlyArray<UserMessage>) => messages.map((message) => message.id)
const shown = (state: InboxState) =>
  state.entries.map((entry) => (entry.state === "claimed" ? `(${entry.message.text})` : entry.message.text)).join(" ")

/** The same rules, on arrays that are rebuilt each time. */
const reference = (list: ReadonlyArray<InboxEntry>, event: SessionEventInput): ReadonlyArray<InboxEntry> => {
  const waiting = (message: UserMessage): InboxEntry => ({ message, state: "waiting" })
  const at = (id: string) => list.findIndex((entry) => entry.message.id === id)
  switch (event.type) {
    case "inbox/inserted": {
      const { message, position } = event as Extract<SessionEventInput, { readonly type: "inbox/inserted" }>
      if (at(message.id) >= 0) return list.with(at(message.id), waiting(message))
      return position === "front" ? [waiting(message), ...list] : [...list, waiting(message)]
    }
    case "inbox/replaced": {
      const { id, message } = event as Extract<SessionEventInput, { readonly type: "inbox/replaced" }>
      if (at(id) < 0 && message.id === id) return list
      if (at(id) < 0) return reference(list, { type: "inbox/inserted", message, position: "end" })
      return list
        .with(at(id), waiting(message))
        .filter((entry, index) => index === at(id) || entry.message.id !== message.id)
    }
    case "inbox/removed":
      return list.filter((entry) => entry.message.id !== (event as { readonly id?: unknown }).id)
    case "inbox/claimed": {
      const { ids } = event as Extract<SessionEventInput, { readonly type: "inbox/claimed" }>
      return list.map((entry) => (ids.includes(entry.message.id) ? { ...entry, state: "claimed" } : entry))
    }
    case "user/message":
      return list.filter((entry) => entry.message.id !== (event as { readonly message: UserMessage }).message.id)
    default:
      return list
  }
}

const Id = Schema.Literals(["a", "b", "c", "d", "e"])
const Position = Schema.Literals(["front", "end"])
const Step = Schema.Struct({
  type: Schema.Literals(["inserted", "inserted", "replaced", "removed", "claimed", "message", "other", "release"]),
  id: Id,
  other: Id,
  more: Schema.Array(Id),
  position: Position
})

const eventOf = (step: typeof Step.Type, text: string): SessionEventInput | undefined => {
  switch (step.type) {
    case "inserted":
      return inserted(step.id, step.position, text)
    case "replaced":
      return { type: "inbox/replaced", id: step.id, message: message(step.other, text) }
    case "removed":
      return { type: "inbox/removed", id: step.id }
    case "claimed":
      return claimed(step.id, ...step.more)
    case "message":
      return { type: "user/message", message: message(step.id, text) }
    case "other":
      return { type: "acme:inbox", ids: [step.id] }
    case "release":
      return undefined
  }
}

describe("inbox", () => {
  it.effect.prop(
    "[I-21] folds any log as the plain rules say",
    { story: Schema.Array(Step) },
    ({ story }) =>
      Effect.sync(() => {
        const state = new InboxState()
        let expected: ReadonlyArray<InboxEntry> = []
        for (const [index, step] of story.entries()) {
          const event = eventOf(step, `text ${index}`)
          if (event === undefined) {
            state.release()
            expected = expected.map((entry) => ({ ...entry, state: "waiting" }))
          } else {
            state.add(event)
            expected = reference(expected, event)
          }
          assert.deepStrictEqual(state.entries, expected)
          assert.deepStrictEqual(
            state.pending,
            expected.filter((entry) => entry.state === "waiting").map((entry) => entry.message)
          )
          for (const entry of expected) assert.deepStrictEqual(state.entry(entry.message.id), entry)
          assert.strictEqual(state.entry("f"), undefined)
        }
      }),
    { arbitrary: { runs: 500, size: 30 } }
  )

  it("[I-21] a claimed message that is inserted again waits at its recorded place, whatever the position", () => {
    const state = inboxOf([inserted("a"), inserted("b"), inserted("c"), claimed("a", "b", "c")])
    assert.strictEqual(shown(state), "(a) (b) (c)")
    state.add(inserted("b", "front", "b2"))
    assert.strictEqual(shown(state), "(a) b2 (c)")
    assert.deepStrictEqual(ids(state.pending), ["b"])
  })

  it("[I-21] a claimed message can be replaced in its place, and then the new one waits", () => {
    const state = inboxOf([inserted("a"), inserted("b"), claimed("a", "b")])
    state.add({ type: "inbox/replaced", id: "a", message: message("c") })
    assert.strictEqual(shown(state), "c (b)")
  })

  it("[I-21] putting back what was logged or dropped meanwhile does nothing; anything else unknown is added", () => {
    const back = (id: string, other = id): SessionEventInput => ({
      type: "inbox/replaced",
      id,
      message: message(other)
    })
    const logged: SessionEventInput = { type: "user/message", message: message("a") }
    const log = [inserted("a"), inserted("b"), inserted("c"), claimed("a", "b", "c"), logged]
    const state = inboxOf([...log, { type: "inbox/removed", id: "b" }, back("a"), back("b"), back("c")])
    assert.strictEqual(shown(state), "c")
    state.add(back("gone", "d"))
    assert.strictEqual(shown(state), "c d")
  })

  it("[I-33] what was claimed but neither logged nor dropped waits again, once", () => {
    const state = inboxOf([
      ...["a", "b", "c", "d"].map((id) => inserted(id)),
      claimed("a", "b", "c"),
      { type: "user/message", message: message("a") },
      { type: "inbox/removed", id: "b" }
    ])
    assert.strictEqual(shown(state), "(c) d")
    state.release()
    state.release()
    assert.strictEqual(shown(state), "c d")
  })

  it("hands out arrays that later events do not change", () => {
    const state = inboxOf([inserted("a")])
    const { entries, pending } = state
    assert.strictEqual(state.pending, pending)
    state.add(claimed("a"))
    assert.deepStrictEqual([entries.length, entries[0]!.state, pending.length], [1, "waiting", 1])
  })
})
