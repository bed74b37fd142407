import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { inboxOf } from "../../src/pipeline/inbox.ts"
import { Carried } from "../../src/pipeline/sessionCarried.ts"
import { Surface, surfaceOf } from "../../src/pipeline/surface.ts"
import { Before } from "../../src/pipeline/time/before.ts"
import { History } from "../../src/pipeline/told.ts"
import type { UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEvent, SessionEventInput } from "../../src/schemas/SessionEvent.ts"

const zones = ["Europe/Berlin", "Asia/Tokyo"]

/** A message is what its number says, everywhere in a log. */
const message = (number: number): UserMessage => {
  const kind = ["user", "instructions", "time"][number % 3]!
  const zone = zones[number % 5]
  return {
    id: `m${number}`,
    text: `text ${number}`,
    source: { kind, ...(kind === "user" && zone !== undefined ? { timeZone: zone } : {}) }
  }
}

/** Some that are known, and now and then new ones. */
const randomEvent = Effect.fnUntraced(function* (seq: number): Effect.fn.Return<SessionEventInput> {
  const known = yield* Random.nextIntBetween(0, seq + 1)
  const id = `m${known}`
  switch (yield* Random.nextIntBetween(0, 15)) {
    case 0:
    case 1:
      return { type: "user/message", message: message(known) }
    case 2:
    case 3:
    case 4:
      return { type: "inbox/inserted", message: message(known), position: seq % 2 === 0 ? "front" : "end" }
    case 5:
      // Another message of the same kind, which nobody has seen.
      return { type: "inbox/replaced", id, message: message(999 + seq * 3 + (known % 3)) }
    case 6:
      return { type: "inbox/replaced", id, message: message(known) }
    case 7:
      return { type: "inbox/removed", id }
    case 8:
      return { type: "inbox/claimed", ids: [id, `m${yield* Random.nextIntBetween(0, seq + 1)}`] }
    case 9:
      return { type: "compaction/checkpoint", keptFrom: yield* Random.nextIntBetween(0, seq + 3) }
    case 10:
      return { type: "turn/start", turn: seq }
    case 11:
      return { type: "turn/end" }
    case 12:
      return { type: "session/title", title: id }
    default:
      return { type: "assistant/message", text: String(seq) }
  }
})

/** Everything that this library folds from a log. */
const folded = (events: ReadonlyArray<SessionEvent>) => {
  const history = (kind: string) => {
    const fold = new History<ReadonlyArray<string>>({
      initial: [],
      announce: (told, own) => [...told, own.id],
      owns: (source) => source.kind === kind
    })
    for (const event of events) fold.add(event)
    return [fold.told, fold.last, fold.allWaiting, fold.claimed]
  }
  const before = new Before()
  for (const event of events) before.add(event)
  return {
    inbox: inboxOf(events).entries,
    surface: surfaceOf(events),
    histories: ["user", "instructions", "time"].map(history),
    before: [before.visibleAt, before.requestZone([])],
    title: events.findLast((event) => event.type === "session/title"),
    turn: events.findLast((event) => event.type === "turn/start")
  }
}

describe("[I-33] what of a shadowed log is carried on", () => {
  it.effect("leaves every fold where the whole log leaves it, also when it was itself opened from a part", () =>
    Effect.gen(function* () {
      for (let run = 0; run < 400; run++) {
        const log: Array<SessionEvent> = []
        let carried = new Carried()
        let surface = new Surface()
        for (let seq = 0; seq < 60; seq++) {
          const event: SessionEvent = { seq, at: seq * 10, ...(yield* randomEvent(seq)) }
          log.push(event)
          carried.add(event)
          surface.add(event)
          const floor = surface.floor
          const below = carried.below(floor)
          const part = [...below.map((index) => log[index]!), ...log.slice(floor)]
          assert.deepStrictEqual(folded(part), folded(log), `run ${run}, event ${seq}`)
          if (run % 2 === 0) continue
          carried = new Carried()
          surface = new Surface()
          for (const event of part) {
            carried.add(event)
            surface.add(event)
          }
        }
        assert.isBelow(carried.below(log.length).length, log.length)
      }
    }).pipe(Random.withSeed("carried"))
  )
})
