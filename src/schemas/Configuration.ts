/**
 * Configuration decoded with messages people can act on: which key, what was given, what is allowed.
 *
 * Every configurable part is a `Schema.Struct` whose fields carry a `description` that says what is allowed.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/**
 * A configuration value cannot be used. `key` is the dotted path below `part` (empty when the whole part is wrong),
 * `given` is the value as JSON, shortened to 200 characters.
 */
export class InvalidConfiguration extends Schema.TaggedError<InvalidConfiguration>()("InvalidConfiguration", {
  part: Schema.String,
  key: Schema.String,
  given: Schema.String,
  allowed: Schema.String
}) {
  override get message() {
    const name = this.key === "" ? this.part : `${this.part}.${this.key}`
    return `${name}: ${this.given === "nothing" ? "is missing" : `was ${this.given}`}, must be ${this.allowed}`
  }
}

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A value as a message shows it, in at most 200 characters. */
export const shown = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "symbol") return String(value)
  if (typeof value === "function") return "a function"
  const json = Result.getOrElse(
    Result.try(() => JSON.stringify(value) ?? typeof value),
    () => "a value that is not JSON"
  )
  return json.length > 200 ? `${json.slice(0, 199)}…` : json
}

const at = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input
  )

/** How many letters have to come, go or change to make `b` of `a`. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1]
    for (const [at, other] of [...b].entries())
      next.push(Math.min(next[at]! + 1, row[at + 1]! + 1, row[at]! + (letter === other ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}

/** What to do about a key that there is not: the keys that there are, and the one that may have been meant. */
export const leftOut = (key: string, keys: ReadonlyArray<string>): string => {
  const given = key.slice(0, 64).toLowerCase()
  const [nearest] = keys
    .map((known) => ({ known, away: distance(given, known.toLowerCase()) }))
    .filter(({ away, known }) => away <= Math.min(3, known.length / 3))
    .sort((a, b) => a.away - b.away)
  return `left out: the keys are ${keys.join(", ")}${nearest === undefined ? "" : ` (perhaps ${nearest.known} was meant)`}`
}

/**
 * A decoder for one part of the configuration. Unknown keys are errors that name the keys there are.
 *
 * **Example**
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import { decodeConfiguration } from "./Configuration.ts"
 *
 * const decodeTime = decodeConfiguration("time", Schema.Struct({
 *   refreshIntervalMs: Schema.Natural.annotate({ description: "a whole number of milliseconds, at least 0" })
 * }))
 * ```
 */
export const decodeConfiguration = <const Fields extends Schema.Struct.Fields>(
  part: string,
  schema: Schema.Struct<Fields> & Schema.ConstraintDecoder<unknown>
): ((input: unknown) => Effect.Effect<Schema.Struct<Fields>["Type"], InvalidConfiguration>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const keys = Object.keys(schema.fields)
  const describe = (key: PropertyKey | undefined): string | undefined => {
    const field = key === undefined ? undefined : schema.fields[key as keyof Fields]
    return field === undefined ? undefined : Schema.resolveAnnotations(field as Schema.Top)?.description
  }
  return (input) => {
    const result = decode(input)
    if (Result.isSuccess(result)) return Effect.succeed(result.success)
    const issues = toIssues(result.failure.issue).issues
    const issue = issues[0]!
    const path = (issue.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))
    const key = path[0]
    const allowed =
      key === undefined
        ? `an object with the keys ${keys.join(", ")}`
        : !keys.includes(String(key))
          ? leftOut(String(key), keys)
          : (describe(key) ?? issue.message)
    return Effect.fail(
      new InvalidConfiguration({ part, key: path.map(String).join("."), given: shown(at(input, path)), allowed })
    )
  }
}
