/** What lies before a step: the preceding visible message, and the zones its turn was asked in. */
import type { UserMessage } from "../../schemas/Message.ts"
import { type SessionEvent, surfaceTypes } from "../../schemas/SessionEvent.ts"
import { keptFrom } from "../surface.ts"
import { parseZone, type Zone } from "./zone.ts"

/** In which zone a turn's requests were made, as far as they say so. */
export type RequestZone =
  | { readonly _tag: "One"; readonly zone: Zone }
  | { readonly _tag: "Mixed"; readonly zones: ReadonlyArray<Zone> }
  | { readonly _tag: "Unavailable" }

const zoneOf = ({ source }: UserMessage): Zone | undefined => {
  const timeZone = source.kind === "user" ? source["timeZone"] : undefined
  return typeof timeZone === "string" ? parseZone(timeZone) : undefined
}

/** A fold of the log, one event at a time; an event costs the same however long the log is. */
export class Before {
  #message: { readonly seq: number; readonly at: number } | undefined
  #summaryAt: number | undefined
  /** By resolved name, so there are never more than zones in the world. */
  #zones = new Map<string, Zone>()

  add(event: SessionEvent): void {
    if (event.type === "turn/start" || event.type === "turn/end") this.#zones.clear()
    if (event.type === "user/message") this.#note(this.#zones, event.message)
    if (event.type === "compaction/checkpoint") {
      this.#summaryAt = event.at
      if (this.#message !== undefined && this.#message.seq < keptFrom(event)) this.#message = undefined
    } else if (surfaceTypes.has(event.type)) this.#message = { seq: event.seq, at: event.at }
  }

  #note(zones: Map<string, Zone>, message: UserMessage): void {
    const zone = zoneOf(message)
    if (zone !== undefined && !zones.has(zone.zone.id)) zones.set(zone.zone.id, zone)
  }

  /** When the last message that the model can see was logged: a summary, if it keeps none. Nothing, if there is none at all. */
  get visibleAt(): number | undefined {
    return this.#message?.at ?? this.#summaryAt
  }

  /** The zone of the open turn and of what a step has claimed for it. A message that names none, or none there is, says nothing. */
  requestZone(claimed: ReadonlyArray<UserMessage>): RequestZone {
    const found = new Map(this.#zones)
    for (const message of claimed) this.#note(found, message)
    const zones = [...found.values()]
    const [zone, ...others] = zones
    if (zone === undefined) return { _tag: "Unavailable" }
    return others.length === 0 ? { _tag: "One", zone } : { _tag: "Mixed", zones }
  }
}
