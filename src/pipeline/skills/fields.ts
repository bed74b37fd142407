/**
 * What the fields of a frontmatter say about a skill (S-23).
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { copyJson } from "../../schemas/json.ts"
import { allowedName, isSkillName, type SkillInvocation } from "../../schemas/Skill.ts"

/** Why fields make no skill. `line` is counted from 1 in the file. */
export interface FieldsProblem {
  readonly code: "MissingField" | "InvalidName" | "InvalidDescription" | "InvalidFlag" | "MisspelledFlag"
  readonly line: number
  readonly message: string
}

/** Something about a skill that loads nevertheless. */
export interface SkillFinding {
  readonly tag: "FrontmatterRepaired" | "SkillFieldDropped" | "SkillNameMismatch" | "InvalidUtf8"
  readonly code: string
  readonly line: number
  readonly message: string
}

/** What the fields of a skill file say. */
export interface SkillFields {
  readonly name: string
  readonly description: string
  readonly invocation: SkillInvocation
  readonly whenToUse?: string
  readonly metadata?: Record<string, Schema.Json>
  readonly license?: string
  readonly compatibility?: string
  readonly allowedTools?: string | ReadonlyArray<string>
}

const escapedForPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The line of a field in the file. */
export const lineOfField = (source: string, key: string): number => {
  const found = new RegExp(`^["']?${escapedForPattern(key)}["']?[ \t]*:`, "m").exec(source)
  return found === null ? 1 : source.slice(0, found.index).split("\n").length + 1
}

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  off: false,
  "0": false
}

/** A YAML boolean, or a word or digit for one. */
const toBoolean = (value: unknown): boolean | undefined => {
  if (typeof value === "boolean") return value
  if (typeof value !== "string" && typeof value !== "number") return undefined
  const word = String(value).toLowerCase()
  return Object.hasOwn(words, word) ? words[word] : undefined
}

export const flags = ["disable-model-invocation", "user-invocable"] as const
const squeezed = (key: string): string => key.replace(/[-_ ]/g, "").toLowerCase()
const squeezedFlags = ["disablemodelinvocation", "userinvocable"] as const

/** Whether a flag can have this value. */
export const isFlagValue = (value: unknown): boolean => toBoolean(value) !== undefined

/** The flag that a key was meant to be without being spelled like it: ignored, it would not forbid what it should. */
export const meantFlag = (key: string): string | undefined => {
  // Squeezing only takes away.
  if (key.length < squeezedFlags[1].length) return undefined
  const found = (squeezedFlags as ReadonlyArray<string>).indexOf(squeezed(key))
  return found === -1 || key === flags[found] ? undefined : flags[found]
}

const article = (value: unknown): string =>
  value === null || value === undefined
    ? "nothing"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`

const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): value is string | ReadonlyArray<string> =>
  isText(value) || (Array.isArray(value) && value.every(isText))

/** One level of texts and booleans, as most metadata are: JSON as it is. */
const isFlat = (value: object): value is Record<string, Schema.Json> => {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key]
    if (typeof field !== "string" && typeof field !== "boolean") return false
  }
  return true
}

const toMetadata = (value: unknown): Record<string, Schema.Json> | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  if (isFlat(value)) return value
  const copy = copyJson(value)
  return Result.isSuccess(copy) ? (copy.success as Record<string, Schema.Json>) : undefined
}

export type FieldsResult =
  | { readonly _tag: "Skill"; readonly skill: SkillFields; readonly findings: ReadonlyArray<SkillFinding> }
  | { readonly _tag: "Problem"; readonly problem: FieldsProblem }

const problem = (code: FieldsProblem["code"], line: number, message: string): FieldsResult => ({
  _tag: "Problem",
  problem: { code, line, message }
})

const missing = (key: string, source: string): FieldsResult =>
  problem("MissingField", lineOfField(source, key), `the field ${key} is missing; write a text`)

const invalidFlag = (flag: string, fields: Readonly<Record<string, unknown>>, source: string): FieldsResult =>
  problem("InvalidFlag", lineOfField(source, flag), `${flag} is ${describe(fields[flag])}, must be true or false`)

const own = (fields: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(fields, key) ? fields[key] : undefined

/** A field that a skill may do without. */
interface OptionalField {
  readonly key: string
  readonly to: keyof SkillFields
  /** What counts of a value; `undefined` if it is of a wrong type. */
  readonly accept: (value: unknown) => unknown
  readonly allowed: string
}

const asText = (value: unknown) => (isText(value) ? value : undefined)
const asTexts = (value: unknown) => (isTexts(value) ? value : undefined)

/** Of two for the same thing the first that holds something counts. */
const optional: ReadonlyArray<OptionalField> = [
  { key: "whenToUse", to: "whenToUse", accept: asText, allowed: "a text" },
  { key: "when_to_use", to: "whenToUse", accept: asText, allowed: "a text" },
  { key: "metadata", to: "metadata", accept: toMetadata, allowed: "a mapping of plain values" },
  { key: "license", to: "license", accept: asText, allowed: "a text" },
  { key: "compatibility", to: "compatibility", accept: asText, allowed: "a text" },
  { key: "allowed-tools", to: "allowedTools", accept: asTexts, allowed: "a text or a list of texts" }
]

/**
 * What `fields` say; they were read from `source`. Nothing that forbids is ever dropped, everything optional is dropped
 * with a finding when its type is wrong (S-23). `expected` is the name that the directory or file promises.
 */
export const readFields = (
  fields: Readonly<Record<string, unknown>>,
  source: string,
  expected: string
): FieldsResult => {
  for (const key in fields) {
    const flag = meantFlag(key)
    if (flag !== undefined)
      return problem("MisspelledFlag", lineOfField(source, key), `${JSON.stringify(key)} is no field; write ${flag}`)
  }
  const name = own(fields, "name")
  const description = own(fields, "description")
  if (name === undefined || name === null) return missing("name", source)
  if (description === undefined || description === null) return missing("description", source)
  if (!isText(name)) {
    const message = `name is ${article(name)}, must be a text; quote it`
    return problem("InvalidName", lineOfField(source, "name"), message)
  }
  if (!isSkillName(name)) {
    const message = `name is ${JSON.stringify(name.slice(0, 100))}, must be ${allowedName}`
    return problem("InvalidName", lineOfField(source, "name"), message)
  }
  if (!isText(description)) {
    const message = `description is ${article(description)}, must be a text; quote it`
    return problem("InvalidDescription", lineOfField(source, "description"), message)
  }
  if (description.trim() === "") {
    const message = "description is blank; say what the skill is for"
    return problem("InvalidDescription", lineOfField(source, "description"), message)
  }
  const disabled = Object.hasOwn(fields, flags[0]) ? toBoolean(fields[flags[0]]) : false
  const invocable = Object.hasOwn(fields, flags[1]) ? toBoolean(fields[flags[1]]) : true
  if (disabled === undefined) return invalidFlag(flags[0], fields, source)
  if (invocable === undefined) return invalidFlag(flags[1], fields, source)
  const skill: { -readonly [Key in keyof SkillFields]: SkillFields[Key] } = {
    name,
    description,
    invocation: { modelInvocable: !disabled, userInvocable: invocable }
  }
  const findings: Array<SkillFinding> = []
  for (const { accept, allowed, key, to } of optional) {
    const value = own(fields, key)
    if (value === undefined || skill[to] !== undefined) continue
    const accepted = accept(value)
    if (accepted !== undefined) skill[to] = accepted as never
    else {
      const message = `${key} is ${article(value)} and is left out; it must be ${allowed}`
      findings.push({ tag: "SkillFieldDropped", code: "FieldDropped", line: lineOfField(source, key), message })
    }
  }
  if (name !== expected) {
    const message = `the skill is named ${name}, its place says ${JSON.stringify(expected)}; give both one name`
    findings.push({ tag: "SkillNameMismatch", code: "NameMismatch", line: lineOfField(source, "name"), message })
  }
  return { _tag: "Skill", skill, findings }
}

const describe = (value: unknown): string =>
  isText(value) ? JSON.stringify(value.slice(0, 100)) : typeof value === "number" ? String(value) : article(value)
