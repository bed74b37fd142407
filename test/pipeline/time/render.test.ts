import { assert, describe, it } from "@effect/vitest"
import { type Reading, renderReading } from "../../../src/pipeline/time/render.ts"
import { parseZone, type Zone } from "../../../src/pipeline/time/zone.ts"

const zone = (name: string): Zone => parseZone(name)!
const reading = (more: Partial<Reading> = {}): Reading => ({
  now: Date.parse("2026-07-01T10:00:00Z"),
  own: zone("America/New_York"),
  request: { _tag: "Unavailable" },
  elapsed: { since: "message", millis: 61_000 },
  ...more
})
const lines = (more?: Partial<Reading>) => renderReading(reading(more)).split("\n")
const advice = "Ask the user which time zone is meant before relying on a local date or time."

describe("[T-1] a reading", () => {
  it("is one framed block", () => {
    assert.deepStrictEqual(lines(), [
      "<system-reminder>",
      "Local time: 2026-07-01T06:00:00-04:00 (America/New_York)",
      `Time zone of the request: unavailable. ${advice}`,
      "Time since the preceding message: 1m 1s",
      "</system-reminder>"
    ])
  })
  it("is local to the request, and tells the agent's own time beside it", () => {
    assert.deepStrictEqual(lines({ request: { _tag: "One", zone: zone("Asia/Kathmandu") } }).slice(1, 4), [
      "Local time: 2026-07-01T15:45:00+05:45 (Asia/Kathmandu)",
      "Local time of this agent: 2026-07-01T06:00:00-04:00 (America/New_York)",
      "Time zone of the request: Asia/Kathmandu"
    ])
  })
  it("says it once if both are in one zone, by whatever name", () => {
    assert.deepStrictEqual(lines({ request: { _tag: "One", zone: zone("US/Eastern") } }).slice(1, 3), [
      "Local time: 2026-07-01T06:00:00-04:00 (US/Eastern)",
      "Time zone of the request: US/Eastern"
    ])
  })
  it("names mixed zones, a few of them, and advises to ask", () => {
    const names = [
      "Asia/Tokyo",
      "Europe/Berlin",
      "UTC",
      "Asia/Kathmandu",
      "America/Lima",
      "Africa/Lagos",
      "Europe/Rome"
    ]
    const mixed = lines({ request: { _tag: "Mixed", zones: names.map(zone) } })
    assert.strictEqual(mixed[1], "Local time: 2026-07-01T06:00:00-04:00 (America/New_York)")
    assert.strictEqual(
      mixed[2],
      `Time zone of the request: mixed (Asia/Tokyo, Europe/Berlin, UTC, Asia/Kathmandu, America/Lima and 2 more). ${advice}`
    )
  })
  it("says what elapsed time counts from, and when there is nothing to count from", () => {
    assert.include(
      lines({ elapsed: { since: "reading", millis: 0 } }),
      "Time since the preceding reading of the time: 0s"
    )
    assert.include(
      lines({ elapsed: { since: "message", millis: undefined } }),
      "Time since the preceding message: nothing precedes this one"
    )
  })
})
