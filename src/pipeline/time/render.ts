/** A reading of the clock, as the model sees it. */
import { close, open } from "../frame.ts"
import type { RequestZone } from "./before.ts"
import { compact } from "./elapsed.ts"
import { localIso, sameZone, type Zone } from "./zone.ts"

/** What elapsed time is counted from, and how much it is in milliseconds; nothing, if nothing precedes. */
export interface Elapsed {
  readonly since: "message" | "reading"
  readonly millis: number | undefined
}

/** A sample. `now`: epoch milliseconds; `own`: the zone for requests that do not say where they were made. */
export interface Reading {
  readonly now: number
  readonly own: Zone
  readonly request: RequestZone
  readonly elapsed: Elapsed
}

const namedZones = 5

const list = (zones: ReadonlyArray<Zone>): string => {
  const names = zones.slice(0, namedZones).map(({ name }) => name)
  const more = zones.length - names.length
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const advice = "Ask the user which time zone is meant before relying on a local date or time."

const requestLine = (request: RequestZone): string => {
  switch (request._tag) {
    case "One":
      return request.zone.name
    case "Mixed":
      return `mixed (${list(request.zones)}). ${advice}`
    case "Unavailable":
      return `unavailable. ${advice}`
  }
}

const shown = (now: number, zone: Zone): string => `${localIso(now, zone)} (${zone.name})`

/** The whole message. */
export const renderReading = ({ elapsed, now, own, request }: Reading): string => {
  const local = request._tag === "One" ? request.zone : own
  const span = elapsed.millis === undefined ? "nothing precedes this one" : compact(elapsed.millis)
  const lines = [
    `Local time: ${shown(now, local)}`,
    ...(sameZone(local, own) ? [] : [`Local time of this agent: ${shown(now, own)}`]),
    `Time zone of the request: ${requestLine(request)}`,
    `Time since the preceding ${elapsed.since === "message" ? "message" : "reading of the time"}: ${span}`
  ]
  return `${open}${lines.join("\n")}\n${close}`
}
