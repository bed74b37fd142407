import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { localIso, parseZone, sameZone, type Zone } from "../../../src/pipeline/time/zone.ts"

const zone = (name: string): Zone => {
  const found = parseZone(name)
  assert.isDefined(found, name)
  return found!
}
const at = (instant: string, name: string) => localIso(Date.parse(instant), zone(name))

describe("[T-1] local time", () => {
  const cases: ReadonlyArray<readonly [what: string, instant: string, zone: string, local: string]> = [
    ["the last second of winter time", "2026-03-08T06:59:59.999Z", "America/New_York", "2026-03-08T01:59:59-05:00"],
    ["the first second of summer time", "2026-03-08T07:00:00Z", "America/New_York", "2026-03-08T03:00:00-04:00"],
    ["an hour's first pass", "2026-11-01T05:30:00Z", "America/New_York", "2026-11-01T01:30:00-04:00"],
    ["the same hour's second pass", "2026-11-01T06:30:00Z", "America/New_York", "2026-11-01T01:30:00-05:00"],
    ["a quarter of an hour", "2026-06-01T00:00:00Z", "Asia/Kathmandu", "2026-06-01T05:45:00+05:45"],
    [
      "half an hour of daylight saving, off",
      "2026-04-04T15:00:00Z",
      "Australia/Lord_Howe",
      "2026-04-05T01:30:00+10:30"
    ],
    ["half an hour of daylight saving, on", "2026-04-04T14:59:59Z", "Australia/Lord_Howe", "2026-04-05T01:59:59+11:00"],
    ["a negative half hour", "2026-01-15T12:00:00Z", "America/St_Johns", "2026-01-15T08:30:00-03:30"],
    ["the year before", "2026-01-01T04:59:59Z", "America/New_York", "2025-12-31T23:59:59-05:00"],
    ["the year after", "2025-12-31T10:00:00Z", "Pacific/Kiritimati", "2026-01-01T00:00:00+14:00"],
    ["UTC", "2026-01-01T00:00:00Z", "UTC", "2026-01-01T00:00:00+00:00"],
    ["before 1970", "1969-12-31T23:59:59.001Z", "UTC", "1969-12-31T23:59:59+00:00"],
    [
      "an offset with seconds, rounded together with the time",
      "1970-01-01T00:00:00Z",
      "Africa/Monrovia",
      "1969-12-31T23:16:00-00:44"
    ]
  ]
  it.each(cases)("%s: %s in %s is %s", (_, instant, name, local) => {
    assert.strictEqual(at(instant, name), local)
  })

  const names = [
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "Pacific/Apia",
    "UTC"
  ] as const
  const instants = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))
  it.effect.prop(
    "names the very second, and shows it as the platform does",
    { name: Schema.Literals(names), instant: instants },
    ({ instant, name }) =>
      Effect.sync(() => {
        const local = localIso(instant, zone(name))
        assert.match(local, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
        // Liberia counted seconds until 1972; every zone here has whole minutes.
        assert.strictEqual(Date.parse(local), Math.floor(instant / 1000) * 1000)
        const options = { timeZone: name, dateStyle: "short", timeStyle: "medium" } as const
        assert.strictEqual(
          local.slice(0, 19).replace("T", " "),
          new Intl.DateTimeFormat("sv-SE", options).format(instant)
        )
      }),
    { arbitrary: { runs: 300 } }
  )
})

describe("[T-1] zones", () => {
  it.each([
    "",
    " UTC",
    "Mars/Base",
    "+05:30",
    "-08:00",
    "Etc/Unknown",
    "UTC\n",
    "a".repeat(100),
    "Europe/Berlin</x>",
    "undefined"
  ])("%j is none", (name) => assert.isUndefined(parseZone(name)))

  it("keep the spelling they were given by, but for letter case", () => {
    assert.strictEqual(zone("Asia/Kathmandu").name, "Asia/Kathmandu")
    assert.strictEqual(zone("Asia/Kolkata").name, "Asia/Kolkata")
    assert.strictEqual(zone("europe/berlin").name, "Europe/Berlin")
    assert.strictEqual(zone("Etc/GMT+3").name, "Etc/GMT+3")
  })

  it("are the same by any of their names", () => {
    assert.isTrue(sameZone(zone("Asia/Kolkata"), zone("Asia/Calcutta")))
    assert.isTrue(sameZone(zone("EUROPE/BERLIN"), zone("Europe/Berlin")))
    assert.isFalse(sameZone(zone("Europe/Berlin"), zone("Europe/Paris")))
  })
})
