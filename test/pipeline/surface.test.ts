import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { keptFrom, Surface, surfaceOf } from "../../src/pipeline/surface.ts"
import type { SessionEvent } from "../../src/schemas/SessionEvent.ts"
import { surfaceTypes } from "../../src/schemas/SessionEvent.ts"

const text = (seq: number): SessionEvent => ({ seq, at: 0, type: "assistant/message", text: `text ${seq}` })
const checkpoint = (seq: number, kept: number): SessionEvent => ({
  seq,
  at: 0,
  type: "compaction/checkpoint",
  keptFrom: kept
})
const seqs = (events: ReadonlyArray<SessionEvent>) => events.map((event) => event.seq)

/** Every checkpoint in turn strikes out what lies before it. */
const reference = (log: ReadonlyArray<SessionEvent>): ReadonlyArray<SessionEvent> => {
  const shadowed = new Set<SessionEvent>()
  let latest: SessionEvent | undefined
  for (const event of log) {
    if (event.type !== "compaction/checkpoint") continue
    latest = event
    const from = Math.min((event as { readonly keptFrom: number }).keptFrom, event.seq)
    for (const other of log) if (other.seq < from) shadowed.add(other)
  }
  const visible = log.filter((event) => surfaceTypes.has(event.type) && !shadowed.has(event) && event !== latest)
  return latest === undefined ? visible : [latest, ...visible]
}

const Story = Schema.Array(
  Schema.Struct({
    type: Schema.Literals(["text", "text", "step", "unknown", "checkpoint"]),
    keptFrom: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
  })
)

const logOf = (story: typeof Story.Type): ReadonlyArray<SessionEvent> =>
  story.map((step, seq): SessionEvent => {
    switch (step.type) {
      case "text":
        return text(seq)
      case "step":
        return { seq, at: 0, type: "step/start" }
      case "unknown":
        return { seq, at: 0, type: "acme:note", text: "?" }
      case "checkpoint":
        return checkpoint(seq, step.keptFrom)
    }
  })

describe("surface", () => {
  it.effect.prop(
    "[I-32] is what the checkpoints of any log leave, after every event",
    { story: Story },
    ({ story }) =>
      Effect.sync(() => {
        const log = logOf(story)
        const surface = new Surface()
        for (const [index, event] of log.entries()) {
          surface.add(event)
          const expected = reference(log.slice(0, index + 1))
          assert.deepStrictEqual(seqs(surface.events), seqs(expected))
          for (const earlier of log.slice(0, index + 1)) {
            const visible = surfaceTypes.has(earlier.type) && earlier.seq >= surface.floor
            assert.strictEqual(visible, expected.includes(earlier))
          }
        }
        assert.deepStrictEqual(surfaceOf(log), reference(log))
      }),
    { arbitrary: { runs: 500, size: 40 } }
  )

  it("[I-32] begins with the latest checkpoint; an earlier one that is kept stays in its place", () => {
    const log = [text(0), checkpoint(1, 1), text(2), checkpoint(3, 1), text(4)]
    assert.deepStrictEqual(seqs(surfaceOf(log)), [3, 1, 2, 4])
  })

  it("[I-32] never brings back what an earlier checkpoint has shadowed", () => {
    const log = [text(0), text(1), checkpoint(2, 2), text(3), checkpoint(4, 0)]
    assert.deepStrictEqual(seqs(surfaceOf(log)), [4, 2, 3])
  })

  it("[I-32] a checkpoint cannot keep events from a place behind itself", () => {
    assert.strictEqual(keptFrom({ seq: 2, keptFrom: 9 }), 2)
    assert.deepStrictEqual(seqs(surfaceOf([text(0), text(1), checkpoint(2, 9), text(3)])), [2, 3])
  })

  it("hands out arrays that later events do not change", () => {
    const surface = new Surface()
    surface.add(text(0))
    const before = surface.events
    assert.strictEqual(surface.events, before)
    surface.add(text(1))
    surface.add(checkpoint(2, 2))
    assert.deepStrictEqual(seqs(before), [0])
    assert.deepStrictEqual(seqs(surface.events), [2])
  })
})
