/** Durations as scenarios write them. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const parse = (text: string): Option.Option<Duration.Duration> => Duration.fromInput(text as Duration.Input)

/** A duration as text: `"50 millis"`, `"1 hour"`. */
export const DurationText = Schema.String.check(
  Schema.makeFilter((text) => Option.isSome(parse(text)) || 'Expected a duration such as "50 millis"')
)

/** Milliseconds of a checked duration text. */
export const toMillis = (text: string): number => Duration.toMillis(Option.getOrThrow(parse(text)))
