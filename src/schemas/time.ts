/** A length of time as it is configured. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const isTime = (input: unknown): input is Duration.Input =>
  (typeof input === "number" || typeof input === "string" || Duration.isDuration(input)) &&
  Option.exists(
    Option.map(Duration.fromInput(input as Duration.Input), Duration.toMillis),
    (millis) => millis > 0 && Number.isFinite(millis)
  )

/** Milliseconds, a text such as `"5 seconds"`, or a `Duration`: more than nothing, and not forever. */
export const PositiveTime = Schema.declare(isTime)
