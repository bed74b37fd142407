import { assert, describe, it } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import * as InboxLayer from "../../../src/layers/inbox/inbox.ts"
import { layer, layerIn } from "../../../src/layers/ambient/time.ts"
import { makeMemorySession } from "../../../src/layers/makeSession.ts"
import { layer as supplyLayer } from "../../../src/layers/supply/contextSupply.ts"
import { parseZone } from "../../../src/pipeline/time/zone.ts"
import { Session } from "../../../src/services/Session.ts"
import { asked, type Brought, makeAgent } from "./agent.ts"

const newYork = Effect.succeed(parseZone("America/New_York")!)
const time = (config: unknown = {}) => layerIn(config, newYork)
const begin = TestClock.setTime(Date.parse("2026-03-08T06:59:30Z"))
const pass = (span: Duration.Input) => TestClock.adjust(span)

/** The lines of the one message that was brought. */
const lines = ({ messages }: Brought): ReadonlyArray<string> => {
  assert.lengthOf(messages, 1)
  return messages[0]!.text.split("\n").slice(1, -1)
}
const elapsed = (brought: Brought) =>
  lines(brought)
    .at(-1)!
    .replace(/^Time since the preceding /, "")

describe("[T-1] the time", () => {
  it.effect("is one message after what was claimed, with a source that says what it is and no more", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time())
      const { diagnostics, messages } = yield* agent.prompt([asked("a")])
      assert.deepStrictEqual(
        messages.map(({ source }) => source),
        [{ kind: "time-context", version: 1 }]
      )
      assert.strictEqual(messages[0]!.text.split("\n")[1], "Local time: 2026-03-08T01:59:30-05:00 (America/New_York)")
      assert.deepStrictEqual(diagnostics, [])
    })
  )

  it.effect("moves on over a change of daylight saving, and elapsed time does not", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time())
      yield* agent.prompt([asked("a")])
      yield* pass("45 seconds")
      const next = yield* agent.step()
      assert.strictEqual(lines(next)[0], "Local time: 2026-03-08T03:00:15-04:00 (America/New_York)")
      assert.strictEqual(elapsed(next), "reading of the time: 45s")
    })
  )

  it.effect(
    "counts from the preceding visible message in the first step, and from the preceding reading in later ones",
    () =>
      Effect.gen(function* () {
        yield* begin
        const agent = yield* makeAgent(time())
        assert.strictEqual(elapsed(yield* agent.prompt([asked("a")])), "message: nothing precedes this one")
        yield* pass("10 seconds")
        yield* agent.append({ type: "assistant/message", text: "x" })
        yield* pass("5 seconds")
        assert.strictEqual(elapsed(yield* agent.step([asked("b")])), "reading of the time: 15s")
        yield* pass("20 seconds")
        yield* agent.append({ type: "assistant/message", text: "y" })
        yield* pass("7 seconds")
        assert.strictEqual(elapsed(yield* agent.prompt([asked("c")])), "message: 7s")
      })
  )

  it.effect("counts from a summary that kept nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time())
      yield* agent.prompt([asked("a")])
      yield* pass("1 hour")
      yield* agent.compact
      yield* pass("3 seconds")
      assert.strictEqual(elapsed(yield* agent.prompt([asked("b")])), "message: 3s")
    })
  )

  it.effect("a later step without any reading has nothing to count from", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent<never>(Layer.empty)
      yield* agent.prompt([asked("a")])
      yield* agent.restart(Layer.orDie(time()))
      assert.strictEqual(elapsed(yield* agent.step()), "reading of the time: nothing precedes this one")
    })
  )

  it.effect("a clock that goes back counts as zero", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time())
      yield* agent.prompt([asked("a")])
      yield* TestClock.setTime(Date.parse("2026-03-01T00:00:00Z"))
      const next = yield* agent.step()
      assert.strictEqual(lines(next)[0], "Local time: 2026-02-28T19:00:00-05:00 (America/New_York)")
      assert.strictEqual(elapsed(next), "reading of the time: 0s")
      assert.strictEqual(elapsed(yield* agent.prompt([asked("b")])), "message: 0s")
    })
  )

  it.effect("resumes after days, over a year's end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2025-12-30T12:00:00Z"))
      const agent = yield* makeAgent(time())
      yield* agent.prompt([asked("a", "Pacific/Auckland")])
      yield* pass("3 days")
      yield* agent.restart(time())
      assert.deepStrictEqual(lines(yield* agent.prompt([asked("b", "Pacific/Auckland")])), [
        "Local time: 2026-01-03T01:00:00+13:00 (Pacific/Auckland)",
        "Local time of this agent: 2026-01-02T07:00:00-05:00 (America/New_York)",
        "Time zone of the request: Pacific/Auckland",
        "Time since the preceding message: 3d"
      ])
    })
  )

  it.effect("knows the zones of the whole turn, also after a restart inside it", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time())
      yield* agent.prompt([asked("a", "Asia/Tokyo")])
      yield* agent.restart(time())
      assert.include(lines(yield* agent.step()), "Time zone of the request: Asia/Tokyo")
      assert.match(
        lines(yield* agent.step([asked("b", "Europe/Berlin")])).join("\n"),
        /request: mixed \(Asia\/Tokyo, Europe\/Berlin\)/
      )
      assert.match(lines(yield* agent.prompt([asked("c")])).join("\n"), /request: unavailable/)
    })
  )

  it.effect("falls back on the configured zone before that of the process", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time({ timeZone: "Asia/Kathmandu" }))
      assert.strictEqual(
        lines(yield* agent.prompt([asked("a", "Mars/Base")]))[0],
        "Local time: 2026-03-08T12:44:30+05:45 (Asia/Kathmandu)"
      )
      assert.include(lines(yield* agent.prompt([asked("b", "UTC")])), "Local time: 2026-03-08T06:59:30+00:00 (UTC)")
    })
  )

  it.effect("without a configuration, takes the zone of the process", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(layer())
      const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
      assert.include(lines(yield* agent.prompt([asked("a")]))[0], `(${zone})`)
    })
  )

  it.effect("goes with a step that is entered, and with no other", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time({ refreshIntervalMs: 1000 }))
      assert.lengthOf((yield* agent.prompt([asked("a")], { decision: "reject" })).messages, 0)
      // What was not logged was not told, so the interval has not begun.
      assert.lengthOf((yield* agent.prompt([asked("b")])).messages, 1)
    })
  )
})

describe("[T-1] the refresh interval", () => {
  const config = { refreshIntervalMs: 60_000 }
  it.effect("is measured against the log: over steps and turns, a compaction, and a restart", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time(config))
      assert.lengthOf((yield* agent.prompt([asked("a")])).messages, 1)
      yield* pass("30 seconds")
      assert.lengthOf((yield* agent.step()).messages, 0)
      yield* agent.compact
      assert.lengthOf((yield* agent.prompt([asked("b")])).messages, 0)
      yield* agent.restart(time(config))
      yield* pass("29999 millis")
      assert.lengthOf((yield* agent.step()).messages, 0)
      yield* pass("1 millis")
      assert.strictEqual(elapsed(yield* agent.step()), "reading of the time: 1m")
    })
  )

  it.effect("a damaged or foreign reading does not count, and is reported", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time(config))
      yield* agent.append({
        type: "user/message",
        message: { id: "odd", text: "", source: { kind: "time-context", version: 2 } }
      })
      const { diagnostics, messages } = yield* agent.prompt([asked("a")])
      assert.lengthOf(messages, 1)
      assert.deepStrictEqual(diagnostics, ["HistoryIgnored"])
    })
  )

  it.effect("a clock set back by more than the interval makes the time due", () =>
    Effect.gen(function* () {
      yield* begin
      const agent = yield* makeAgent(time(config))
      yield* agent.prompt([asked("a")])
      yield* TestClock.setTime(Date.parse("2026-03-08T06:59:00Z"))
      assert.lengthOf((yield* agent.step()).messages, 0)
      yield* TestClock.setTime(Date.parse("2026-03-08T06:00:00Z"))
      assert.lengthOf((yield* agent.step()).messages, 1)
    })
  )
})

describe("[T-1] the configuration", () => {
  const around = supplyLayer.pipe(
    Layer.provideMerge(InboxLayer.layer),
    Layer.provideMerge(Layer.effect(Session, makeMemorySession()))
  )
  const build = (config: unknown) =>
    Effect.flip(Effect.scoped(Layer.build(Layer.provide(time(config), Layer.fresh(around)))))

  it.effect.each(["Mars/Base", "", "+05:30"])("the zone %j is an error when the layer is built", (timeZone) =>
    Effect.gen(function* () {
      const error = yield* build({ timeZone })
      assert.strictEqual(error._tag, "InvalidTimeZone")
      assert.include(error.message, JSON.stringify(timeZone))
    })
  )

  it.effect.each([{ refreshIntervalMs: -1 }, { refreshIntervalMs: 1.5 }, { timeZone: 5 }, { interval: 1 }, "yes"])(
    "%j is an invalid configuration",
    (config) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* build(config))._tag, "InvalidConfiguration")
      })
  )
})
