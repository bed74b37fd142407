import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Before } from "../../../src/pipeline/time/before.ts"
import { surfaceOf } from "../../../src/pipeline/surface.ts"
import type { UserMessage } from "../../../src/schemas/Message.ts"
import type { SessionEvent, SessionEventInput } from "../../../src/schemas/SessionEvent.ts"

const message = (id: string, source: UserMessage["source"]): UserMessage => ({ id, text: id, source })
const asked = (id: string, timeZone?: string) =>
  message(id, { kind: "user", ...(timeZone === undefined ? {} : { timeZone }) })
const logged = (...inputs: ReadonlyArray<SessionEventInput>): ReadonlyArray<SessionEvent> =>
  inputs.map((input, seq) => ({ seq, at: 1000 + seq * 10, ...input }))

const start = { type: "turn/start" } as const
const end = { type: "turn/end" } as const
const user = (id: string, timeZone?: string) => ({ type: "user/message", message: asked(id, timeZone) }) as const

const zoneAfter = (events: ReadonlyArray<SessionEventInput>, claimed: ReadonlyArray<UserMessage> = []) => {
  const before = new Before()
  for (const event of logged(...events)) before.add(event)
  const found = before.requestZone(claimed)
  return found._tag === "One"
    ? found.zone.name
    : found._tag === "Mixed"
      ? found.zones.map(({ name }) => name)
      : "unavailable"
}

describe("[T-1] the zone of the request", () => {
  it("is that of the messages claimed for the step", () => {
    assert.strictEqual(zoneAfter([start], [asked("a", "Europe/Berlin")]), "Europe/Berlin")
  })
  it("is that of the messages already logged in this turn", () => {
    assert.strictEqual(zoneAfter([start, user("a", "Europe/Berlin")]), "Europe/Berlin")
  })
  it("is one if the messages agree, by whatever name, and those that name none say nothing", () => {
    assert.strictEqual(
      zoneAfter([start, user("a", "Asia/Kolkata"), user("b")], [asked("c", "Asia/Calcutta")]),
      "Asia/Kolkata"
    )
  })
  it("is mixed if they do not", () => {
    assert.deepStrictEqual(zoneAfter([start, user("a", "Asia/Tokyo")], [asked("b", "Europe/Berlin")]), [
      "Asia/Tokyo",
      "Europe/Berlin"
    ])
  })
  it("is unavailable if none names a zone that exists", () => {
    assert.strictEqual(zoneAfter([start], [asked("a"), asked("b", "Mars/Base"), asked("c", "")]), "unavailable")
  })
  it("is not that of an earlier turn", () => {
    assert.strictEqual(zoneAfter([start, user("a", "Asia/Tokyo"), end, start], [asked("b")]), "unavailable")
    assert.strictEqual(zoneAfter([start, user("a", "Asia/Tokyo"), start]), "unavailable")
    assert.strictEqual(zoneAfter([start, user("a", "Asia/Tokyo"), end]), "unavailable")
  })
  it("comes from users alone", () => {
    const forged = message("a", { kind: "motto", timeZone: "Asia/Tokyo" })
    assert.strictEqual(zoneAfter([start, { type: "user/message", message: forged }], [forged]), "unavailable")
    assert.strictEqual(zoneAfter([start], [message("a", { kind: "user", timeZone: 5 })]), "unavailable")
  })
  it("asking leaves nothing behind", () => {
    const before = new Before()
    before.requestZone([asked("a", "Asia/Tokyo")])
    assert.strictEqual(before.requestZone([])._tag, "Unavailable")
  })
})

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const Happening = Schema.Struct({
  what: Schema.Literals([
    "turn/start",
    "user/message",
    "assistant/message",
    "tool/result",
    "compaction/checkpoint",
    "step/end"
  ]),
  back: upTo(4)
})

describe("[T-1] the preceding visible message", () => {
  it.effect.prop(
    "is the last one of the surface, whatever has been compacted; with nothing else left, the summary",
    { happenings: Schema.Array(Happening).check(Schema.isMaxLength(20)) },
    ({ happenings }) =>
      Effect.sync(() => {
        const before = new Before()
        const log: Array<SessionEvent> = []
        assert.isUndefined(before.visibleAt)
        for (const [seq, { back, what }] of happenings.entries()) {
          const input: SessionEventInput =
            what === "user/message"
              ? { type: what, message: asked(`m${seq}`) }
              : what === "assistant/message"
                ? { type: what, text: "" }
                : what === "tool/result"
                  ? { type: what, token: "t", outcome: "ok" }
                  : what === "compaction/checkpoint"
                    ? { type: what, keptFrom: Math.max(0, seq + 1 - back) }
                    : { type: what }
          const event = { seq, at: 5000 - seq, ...input }
          log.push(event)
          before.add(event)
          const surface = surfaceOf(log)
          const last = surface.findLast(({ type }) => type !== "compaction/checkpoint") ?? surface[0]
          assert.strictEqual(before.visibleAt, last?.at)
        }
      }),
    { arbitrary: { runs: 500 } }
  )
})
