/** Time as it is configured and logged (T-1). */
import * as Schema from "effect/Schema"
import { decodeConfiguration } from "./Configuration.ts"

/** The source kind of a reading of the clock. */
export const timeSourceKind = "time-context"

/** The source of a reading. When it was taken stands on its event in the log; nothing is read back out of its text. */
export const TimeContextSource = Schema.Struct({
  kind: Schema.Literal(timeSourceKind),
  version: Schema.Literal(1)
}).annotate({ identifier: "TimeContextSource" })
export interface TimeContextSource extends Schema.Schema.Type<typeof TimeContextSource> {}

/**
 * The configuration of time.
 *
 * - `timeZone`: an IANA name, for requests that do not say where they were made; that of the process, when absent.
 * - `refreshIntervalMs`: how long a reading lasts, in milliseconds; 0, the default, means that every step gets one.
 */
export const TimeConfig = Schema.Struct({
  timeZone: Schema.optionalKey(Schema.String.annotate({ description: `an IANA time zone, such as "Europe/Berlin"` })),
  refreshIntervalMs: Schema.optionalKey(
    Schema.Natural.annotate({ description: "a whole number of milliseconds, at least 0" })
  )
}).annotate({ identifier: "TimeConfig" })
export interface TimeConfig extends Schema.Schema.Type<typeof TimeConfig> {}

/** Decodes `time` from anything; fails with `InvalidConfiguration` that names key, value and what is allowed. */
export const decodeTimeConfig = decodeConfiguration("time", TimeConfig)

/** What is not configured is this. */
export const timeDefaults = { refreshIntervalMs: 0 } as const

/** The configured time zone is no IANA name that this machine knows. */
export class InvalidTimeZone extends Schema.TaggedError<InvalidTimeZone>()("InvalidTimeZone", {
  timeZone: Schema.String
}) {
  override get message() {
    const shown = this.timeZone.length > 100 ? `${this.timeZone.slice(0, 99)}…` : this.timeZone
    return `time.timeZone: ${JSON.stringify(shown)} is no IANA time zone; use a name such as "Europe/Berlin", or leave it out for the zone of the process`
  }
}
