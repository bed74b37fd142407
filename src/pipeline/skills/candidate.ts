/** What providers and programs hand over, checked (S-2, S-6, S-7). */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { ProvidedSkill, RuntimeSkill, type Skill, SkillCandidate, type SkillDefinition } from "../../schemas/Skill.ts"
import { SkillCandidateInvalid } from "../../schemas/SkillRegistryError.ts"

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first field that is wrong, and what is allowed there. `field` is empty when it is no object at all. */
interface Wrong {
  readonly field: string
  readonly allowed: string
}

const check = <const Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields> & Schema.ConstraintDecoder<unknown>
): ((input: unknown) => Result.Result<Schema.Struct<Fields>["Type"], Wrong>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (input) =>
    Result.mapError(decode(input), ({ issue }): Wrong => {
      const [first] = toIssues(issue).issues
      const path = (first?.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))
      const key = path[0]
      if (key === undefined) return { field: "", allowed: "an object" }
      const described = Schema.resolveAnnotations(schema.fields[key as keyof Fields] as Schema.Top)?.description
      return { field: path.map(String).join("."), allowed: described ?? first!.message }
    })
}

const checkCandidate = check(SkillCandidate)
const checkProvided = check(ProvidedSkill)
const checkRuntime = check(RuntimeSkill)

const nameOf = (input: unknown, index: number): string =>
  typeof input === "object" && input !== null && "name" in input && typeof input.name === "string"
    ? input.name
    : String(index)

const invalid = (provider: string, candidate: string, wrong: Wrong) =>
  new SkillCandidateInvalid({ provider, candidate, ...wrong })

/** Lists that `vetted` has made. */
const vettedLists = new WeakSet<object>()

/**
 * A list of candidates whose every field has been checked already, and that nobody else has seen: it is taken as it is, for checking
 * a thousand takes milliseconds. A copy of it is checked like any other.
 */
export const vetted = (skills: ReadonlyArray<Skill>): ReadonlyArray<Skill> => {
  vettedLists.add(skills)
  return skills
}

/** Whether a list was vetted, and for this provider. */
const isVetted = (provider: string, inputs: ReadonlyArray<unknown>): inputs is ReadonlyArray<Skill> =>
  vettedLists.has(inputs) && (inputs as ReadonlyArray<Skill>).every((skill) => skill.provider === provider)

/** The candidates of a provider, or the first that is malformed. */
export const decodeCandidates = (
  provider: string,
  inputs: ReadonlyArray<unknown>
): Result.Result<ReadonlyArray<Skill>, SkillCandidateInvalid> => {
  if (isVetted(provider, inputs)) return Result.succeed(inputs)
  const skills: Array<Skill> = []
  for (const [index, input] of inputs.entries()) {
    const decoded = checkCandidate(input)
    if (Result.isFailure(decoded)) return Result.fail(invalid(provider, nameOf(input, index), decoded.failure))
    const candidate = decoded.success
    if (candidate.provider !== undefined && candidate.provider !== provider) {
      return Result.fail(
        invalid(provider, candidate.name, { field: "provider", allowed: `left out, or ${JSON.stringify(provider)}` })
      )
    }
    skills.push({ ...candidate, provider })
  }
  return Result.succeed(skills)
}

/** What a provider has loaded for `skill`, completed by what the candidate said; or what is wrong with it. */
export const decodeProvided = (skill: Skill, input: unknown): Result.Result<SkillDefinition, string> =>
  Result.match(checkProvided(input), {
    onFailure: ({ allowed, field }) => Result.fail(`${field === "" ? "the answer" : field} must be ${allowed}`),
    onSuccess: (provided) => {
      const { locator: _, rank: __, ...offered } = skill
      return Result.succeed({ ...offered, ...provided, provider: skill.provider })
    }
  })

/** A skill that a program registers itself. */
export const decodeRuntime = (provider: string, input: unknown): Result.Result<RuntimeSkill, SkillCandidateInvalid> =>
  Result.mapError(checkRuntime(input), (wrong) => invalid(provider, nameOf(input, 0), wrong))
