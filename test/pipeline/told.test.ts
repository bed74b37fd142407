import { assert, describe, it } from "@effect/vitest"
import type { UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEvent, SessionEventInput } from "../../src/schemas/SessionEvent.ts"
import { History } from "../../src/pipeline/told.ts"

const own = (id: string, text = id): UserMessage => ({ id, text, source: { kind: "own" } })
const other = (id: string): UserMessage => ({ id, text: id, source: { kind: "user" } })

const telling = {
  initial: [] as ReadonlyArray<string>,
  announce: (told: ReadonlyArray<string>, message: UserMessage) => [...told, message.text],
  owns: ({ kind }: UserMessage["source"]) => kind === "own"
}

const history = (...events: ReadonlyArray<SessionEventInput>) => {
  const folded = new History(telling)
  const noticed = events.map((event, seq) => folded.add({ seq, at: seq * 10, ...event } as SessionEvent)?._tag)
  return { folded, noticed }
}
const logged = (message: UserMessage): SessionEventInput => ({ type: "user/message", message })
const waits = (message: UserMessage): SessionEventInput => ({ type: "inbox/inserted", position: "end", message })

describe("told and waiting, folded from the log", () => {
  it("[I-50] folds own messages only", () => {
    const { folded, noticed } = history(logged(other("u")), logged(own("a")), { type: "turn/end" }, logged(own("b")))
    assert.deepStrictEqual(folded.told, ["a", "b"])
    assert.deepStrictEqual(noticed, [undefined, "logged", undefined, "logged"])
    assert.deepStrictEqual([folded.last?.message.id, folded.last?.at], ["b", 30])
  })

  it("[I-32] what a compaction shadows is told no longer; the newest stays known", () => {
    const { folded, noticed } = history(logged(own("a")), logged(own("b")), {
      type: "compaction/checkpoint",
      keptFrom: 1
    })
    assert.deepStrictEqual(folded.told, ["b"])
    assert.strictEqual(noticed[2], "shadowed")
    const all = history(logged(own("a")), { type: "compaction/checkpoint", keptFrom: 99 })
    assert.deepStrictEqual(all.folded.told, [])
    assert.strictEqual(all.folded.last?.message.id, "a")
    assert.strictEqual(history(logged(own("a")), { type: "compaction/checkpoint", keptFrom: 0 }).noticed[1], undefined)
  })

  it("[I-21] waiting survives being claimed until it is logged or dropped", () => {
    const claimed = history(waits(own("a")), { type: "inbox/claimed", ids: ["a"] })
    assert.deepStrictEqual([claimed.folded.waiting?.id, claimed.folded.claimed], ["a", true])
    claimed.folded.release()
    assert.isFalse(claimed.folded.claimed)
    assert.strictEqual(history(waits(own("a")), logged(own("a"))).folded.waiting, undefined)
    assert.strictEqual(history(waits(own("a")), { type: "inbox/removed", id: "a" }).folded.waiting, undefined)
  })

  it("[I-21] put back it waits again, but only if it is still there", () => {
    const back = { type: "inbox/replaced", id: "a", message: own("a") } as const
    const again = history(waits(own("a")), { type: "inbox/claimed", ids: ["a"] }, back)
    assert.deepStrictEqual([again.folded.waiting?.id, again.folded.claimed, again.noticed[2]], ["a", false, "waits"])
    assert.strictEqual(history(waits(own("a")), logged(own("a")), back).folded.waiting, undefined)
    const newer = { type: "inbox/replaced", id: "a", message: own("b") } as const
    assert.deepStrictEqual(
      history(waits(own("a")), newer, back).folded.allWaiting.map(({ id }) => id),
      ["b"]
    )
  })

  it("[I-21] a message of somebody else that takes its place leaves none waiting", () => {
    const { folded, noticed } = history(waits(own("a")), { type: "inbox/replaced", id: "a", message: other("u") })
    assert.deepStrictEqual([folded.waiting, noticed[1]], [undefined, "moved"])
  })

  it("the revision moves with what concerns the kind, and with nothing else", () => {
    const { folded } = history(
      logged(other("u")),
      waits(other("v")),
      { type: "inbox/claimed", ids: ["v"] },
      { type: "step/end" }
    )
    assert.strictEqual(folded.revision, 0)
    assert.strictEqual(
      history(waits(own("a")), { type: "inbox/claimed", ids: ["a"] }, logged(own("a"))).folded.revision,
      3
    )
  })

  it("[I-21] says what became of a waiting message: it waits, waits again, or has moved", () => {
    const tags = (...events: ReadonlyArray<SessionEventInput>) => {
      const { folded } = history()
      return events.map((event, seq) => folded.add({ seq, at: 0, ...event } as SessionEvent))
    }
    const claim = (id: string): SessionEventInput => ({ type: "inbox/claimed", ids: [id] })
    const replace = (id: string, message: UserMessage): SessionEventInput => ({ type: "inbox/replaced", id, message })
    const remove = (id: string): SessionEventInput => ({ type: "inbox/removed", id })
    const waiting = (id: string, again = false) => ({ _tag: "waits" as const, id, again })
    const moved = { _tag: "moved" as const }
    // Only what was claimed, and comes back as itself, waits again.
    assert.deepStrictEqual(tags(waits(own("a")), claim("a"), replace("a", own("a"))), [
      waiting("a"),
      moved,
      waiting("a", true)
    ])
    assert.deepStrictEqual(tags(waits(own("a")), replace("a", own("a"))), [waiting("a"), waiting("a")])
    assert.deepStrictEqual(tags(waits(own("a")), claim("a"), replace("a", own("b"))), [
      waiting("a"),
      moved,
      waiting("b")
    ])
    // What is not there is neither put back nor removed nor claimed.
    assert.deepStrictEqual(tags(replace("a", own("a")), remove("a"), claim("a")), [undefined, undefined, undefined])
    assert.deepStrictEqual(tags(waits(own("a")), remove("b"), claim("b"), remove("a")), [
      waiting("a"),
      undefined,
      undefined,
      moved
    ])
    // Of others nothing is noticed, but that they take the place of one's own, or are it.
    assert.deepStrictEqual(tags(waits(other("u")), replace("u", other("v")), logged(other("v"))), [
      undefined,
      undefined,
      undefined
    ])
    assert.deepStrictEqual(tags(waits(own("a")), replace("a", other("u"))), [waiting("a"), moved])
    assert.deepStrictEqual(tags(waits(own("a")), logged(other("a"))), [waiting("a"), moved])
  })

  it("[I-44] the revision moves with what matters, and with nothing else", () => {
    const { folded } = history()
    const revisions = [
      { type: "turn/start" },
      logged(other("u")),
      waits(other("u")),
      waits(own("a")),
      { type: "inbox/claimed", ids: ["a"] },
      { type: "inbox/removed", id: "b" },
      logged(own("a")),
      { type: "compaction/checkpoint", keptFrom: 0 },
      { type: "compaction/checkpoint", keptFrom: 8 }
    ].map((event, seq) => (folded.add({ seq, at: 0, ...event } as SessionEvent), folded.revision))
    assert.deepStrictEqual(revisions, [0, 0, 0, 1, 2, 2, 3, 3, 4])
    assert.isTrue(folded.compacted)
  })

  it("[I-21] knows all that wait, if somebody else has written more than one", () => {
    const { folded } = history(waits(own("a")), waits(own("b")), { type: "inbox/claimed", ids: ["b"] })
    assert.deepStrictEqual(
      folded.allWaiting.map(({ id }) => id),
      ["a", "b"]
    )
    assert.isFalse(folded.claimed)
  })
})
