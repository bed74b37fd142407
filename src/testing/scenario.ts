/**
 * Scenario files: a small file tree, a configuration, and steps with what must be seen after each.
 *
 * Reading one is strict: a key or verb that is not known is an error that names it and where it stands, at every level. A
 * reader that skips what it does not know would prove nothing.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { Entry } from "./scenario/content.ts"
import {
  AgentConfiguration,
  isPartStep,
  partsOf,
  type PartName,
  partVerbs,
  type PlainStep,
  type Step,
  verbs
} from "./scenario/steps.ts"

const optional = Schema.optionalKey

const Instant = Schema.String.check(
  Schema.makeFilter((text) => Number.isFinite(Date.parse(text)) || 'Expected a time such as "2026-03-01T09:00:00Z"')
)

const OperatingSystem = Schema.Struct({
  home: optional(Schema.String),
  env: optional(Schema.Record(Schema.String, Schema.String)),
  clock: optional(Instant),
  timeZone: optional(Schema.String)
})

const isEntryPath = (path: string, entry: Entry): boolean =>
  path.startsWith("/") && path.endsWith("/") === (entry === null)

const Files = Schema.Record(Schema.String, Entry).check(
  Schema.makeFilter((files) => {
    const wrong = Object.entries(files).find(([path, entry]) => !isEntryPath(path, entry))
    return (
      wrong === undefined ||
      `Expected ${JSON.stringify(wrong[0])} to be absolute, and to be null exactly if it ends in "/"`
    )
  })
)

const Outer = Schema.Struct({
  name: Schema.NonEmptyString,
  rules: optional(Schema.Array(Schema.String)),
  os: optional(OperatingSystem),
  files: optional(Files),
  cwd: Schema.String.check(Schema.makeFilter((cwd) => cwd.startsWith("/") || "Expected an absolute path")),
  config: optional(AgentConfiguration),
  steps: Schema.Array(Schema.Json)
})

/** A scenario, checked. */
export interface Scenario extends Omit<typeof Outer.Type, "steps"> {
  readonly steps: ReadonlyArray<Step>
}

/** One thing that is wrong: `where` is a path such as `steps[3].expect.inbox[0].sorce`. */
export interface ScenarioProblem {
  readonly where: string
  readonly what: string
}

/** A scenario cannot be played: everything that is wrong with it, and where. */
export class ScenarioInvalid extends Schema.TaggedError<ScenarioInvalid>()("ScenarioInvalid", {
  problems: Schema.Array(Schema.Struct({ where: Schema.String, what: Schema.String }))
}) {
  override get message() {
    return this.problems.map(({ what, where }) => (where === "" ? what : `${where}: ${what}`)).join("\n")
  }
}

type Path = ReadonlyArray<PropertyKey>

const spell = (path: Path): string =>
  path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`
      return /^[A-Za-z_]\w*$/.test(String(key)) ? `${index === 0 ? "" : "."}${String(key)}` : `[${JSON.stringify(key)}]`
    })
    .join("")

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const problemsOf = (issue: SchemaIssue.Issue, at: Path): ReadonlyArray<ScenarioProblem> =>
  issuesOf(issue).issues.map(({ message, path = [] }) => {
    const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
    const last = keys.at(-1)
    const what = message === "Expected no excess property" ? `there is no key ${JSON.stringify(last)} here` : message
    return { where: spell([...at, ...keys]), what }
  })

const strict = { errors: "all", onExcessProperty: "error" } as const

const decodeOuter = Schema.decodeUnknownResult(Outer, strict)

const decoders = new Map(
  Object.entries(verbs).map(([name, schema]) => [
    name,
    Schema.decodeUnknownResult(schema as unknown as Schema.ConstraintDecoder<{ readonly do: string }>, strict)
  ])
)

const decodeStep = (input: unknown, at: Path, nested: boolean): Result.Result<Step, ReadonlyArray<ScenarioProblem>> => {
  const name = typeof input === "object" && input !== null ? (input as { readonly do?: unknown }).do : undefined
  const decoder = typeof name === "string" && !(nested && name === "cancel") ? decoders.get(name) : undefined
  if (decoder === undefined) {
    const known = [...decoders.keys()].filter((verb) => !nested || verb !== "cancel").join(", ")
    return Result.fail([
      { where: spell([...at, "do"]), what: `there is no verb ${JSON.stringify(name) ?? "at all"}; verbs are ${known}` }
    ])
  }
  const decoded = decoder(input)
  const own = Result.isFailure(decoded) ? problemsOf(decoded.failure.issue, at) : []
  if (name !== "cancel") {
    return Result.isSuccess(decoded) ? Result.succeed(decoded.success as Step) : Result.fail(own)
  }
  const inner = decodeStep((input as { readonly while?: unknown }).while, [...at, "while"], true)
  if (Result.isFailure(decoded)) return Result.fail([...own, ...(Result.isFailure(inner) ? inner.failure : [])])
  return Result.map(inner, (step) => ({ ...decoded.success, while: step }) as Step)
}

/**
 * Reads a scenario from the value of its JSON. Fails with `ScenarioInvalid`, which lists every unknown key and verb, and
 * every value of the wrong kind, with its place.
 */
export const decodeScenario = (input: unknown): Effect.Effect<Scenario, ScenarioInvalid> => {
  const decoded = decodeOuter(input)
  const problems = Result.isFailure(decoded) ? [...problemsOf(decoded.failure.issue, [])] : []
  const given = typeof input === "object" && input !== null ? (input as { readonly steps?: unknown }).steps : undefined
  const steps: Array<Step> = []
  for (const [index, step] of (Array.isArray(given) ? given : []).entries()) {
    const result = decodeStep(step, ["steps", index], false)
    if (Result.isSuccess(result)) steps.push(result.success)
    else problems.push(...result.failure)
  }
  return Result.isFailure(decoded) || problems.length > 0
    ? Effect.fail(new ScenarioInvalid({ problems }))
    : Effect.succeed({ ...decoded.success, steps })
}

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** Reads a scenario from the text of its file. Fails with `ScenarioInvalid`, also when the text is no JSON. */
export const parseScenario = (text: string): Effect.Effect<Scenario, ScenarioInvalid> =>
  decodeJson(text).pipe(
    Effect.mapError(
      ({ message }) => new ScenarioInvalid({ problems: [{ where: "", what: `it is no JSON: ${message}` }] })
    ),
    Effect.flatMap(decodeScenario)
  )

const inner = (step: Step): PlainStep => (step.do === "cancel" ? step.while : step)

/** The parts of the library a scenario needs, for its configurations and for its verbs. */
export const partsOfScenario = ({ config = {}, steps }: Scenario): ReadonlyArray<PartName> => {
  const needed = steps.map(inner).flatMap((step) => {
    if (isPartStep(step)) return [partVerbs[step.do]]
    return step.do === "resume" && step.config !== undefined ? partsOf(step.config) : []
  })
  return [...new Set([...partsOf(config), ...needed])]
}
