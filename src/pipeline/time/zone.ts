/** Time zones by name, and the time of day in one. */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

/**
 * A zone that exists. `name` is the spelling it was given by, since platforms resolve names to spellings of their own
 * (`Asia/Kathmandu` to `Asia/Katmandu`); `zone.id` is the resolved one, and the same for all names of a zone.
 */
export interface Zone {
  readonly name: string
  readonly zone: DateTime.TimeZone.Named
}

// Platforms also take offsets such as `+05:30`, which are no zones: they know no daylight saving.
const looksLikeAName = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/

/** The zone of an IANA name, in any letter case; nothing for anything else. */
export const parseZone = (given: string): Zone | undefined => {
  if (!looksLikeAName.test(given)) return undefined
  const zone = Option.getOrUndefined(DateTime.zoneMakeNamed(given))
  if (zone === undefined) return undefined
  return { name: zone.id.toLowerCase() === given.toLowerCase() ? zone.id : given, zone }
}

export const utc: Zone = { name: "UTC", zone: DateTime.zoneMakeNamedUnsafe("UTC") }

/** Whether two names mean one zone. */
export const sameZone = (a: Zone, b: Zone): boolean => a.zone.id === b.zone.id

const minute = 60_000
const twoDigits = (value: number): string => String(value).padStart(2, "0")

/**
 * An instant, in epoch milliseconds, as the clocks of a zone show it: ISO 8601 to the second, with the numeric offset.
 * Old offsets with seconds are rounded to the minute, and the time with them, so the text still names the instant.
 */
export const localIso = (at: number, { zone }: Zone): string => {
  const instant = DateTime.makeUnsafe(at)
  const offset = Math.round(DateTime.zonedOffset(DateTime.setZone(instant, zone)) / minute)
  const shown = DateTime.formatIso(DateTime.add(instant, { minutes: offset })).replace(/(?:\.\d+)?Z$/, "")
  const size = Math.abs(offset)
  return `${shown}${offset < 0 ? "-" : "+"}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`
}
