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

const toMetadata = (value: unknown): Record<string, Schema.Json> | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
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

const missing = (key: string, line: (key: string) => number): FieldsResult =>
  problem("MissingField", line(key), `the field ${key} is missing; write a text`)

const invalidFlag = (
  flag: string,
  fields: Readonly<Record<string, unknown>>,
  line: (key: string) => number
): FieldsResult => problem("InvalidFlag", line(flag), `${flag} is ${describe(fields[flag])}, must be true or false`)

/**
 * What `fields` say; they were read from `source`. Nothing that forbids is ever dropped, everything optional is dropped
 * with a finding when its type is wrong (S-23). `expected` is the name that the directory or file promises.
 */
export const readFields = (
  fields: Readonly<Record<string, unknown>>,
  source: string,
  expected: string
): FieldsResult => {
  const line = (key: string) => lineOfField(source, key)
  const own = (key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined)
  for (const key of Object.keys(fields)) {
    const flag = meantFlag(key)
    if (flag !== undefined)
      return problem("MisspelledFlag", line(key), `${JSON.stringify(key)} is no field; write ${flag}`)
  }
  const name = own("name")
  const description = own("description")
  if (name === undefined || name === null) return missing("name", line)
  if (description === undefined || description === null) return missing("description", line)
  if (!isText(name)) return problem("InvalidName", line("name"), `name is ${article(name)}, must be a text; quote it`)
  if (!isSkillName(name)) {
    return problem("InvalidName", line("name"), `name is ${JSON.stringify(name.slice(0, 100))}, must be ${allowedName}`)
  }
  if (!isText(description)) {
    return problem(
      "InvalidDescription",
      line("description"),
      `description is ${article(description)}, must be a text; quote it`
    )
  }
  if (description.trim() === "")
    return problem("InvalidDescription", line("description"), "description is blank; say what the skill is for")
  const disabled = Object.hasOwn(fields, flags[0]) ? toBoolean(fields[flags[0]]) : false
  const invocable = Object.hasOwn(fields, flags[1]) ? toBoolean(fields[flags[1]]) : true
  if (disabled === undefined) return invalidFlag(flags[0], fields, line)
  if (invocable === undefined) return invalidFlag(flags[1], fields, line)
  const findings: Array<SkillFinding> = []
  const optional = <A>(key: string, accept: (value: unknown) => A | undefined, allowed: string): A | undefined => {
    const value = own(key)
    if (value === undefined) return undefined
    const accepted = accept(value)
    if (accepted === undefined) {
      const message = `${key} is ${article(value)} and is left out; it must be ${allowed}`
      findings.push({ tag: "SkillFieldDropped", code: "FieldDropped", line: line(key), message })
    }
    return accepted
  }
  const text = (key: string) => optional(key, (value) => (isText(value) ? value : undefined), "a text")
  const whenToUse = text("whenToUse") ?? text("when_to_use")
  const metadata = optional("metadata", toMetadata, "a mapping of plain values")
  const license = text("license")
  const compatibility = text("compatibility")
  const allowedTools = optional(
    "allowed-tools",
    (value) => (isTexts(value) ? value : undefined),
    "a text or a list of texts"
  )
  if (name !== expected) {
    const message = `the skill is named ${name}, its place says ${JSON.stringify(expected)}; give both one name`
    findings.push({ tag: "SkillNameMismatch", code: "NameMismatch", line: line("name"), message })
  }
  return {
    _tag: "Skill",
    skill: {
      name,
      description,
      invocation: { modelInvocable: !disabled, userInvocable: invocable },
      ...(whenToUse === undefined ? {} : { whenToUse }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(license === undefined ? {} : { license }),
      ...(compatibility === undefined ? {} : { compatibility }),
      ...(allowedTools === undefined ? {} : { allowedTools })
    },
    findings
  }
}

const describe = (value: unknown): string =>
  isText(value) ? JSON.stringify(value.slice(0, 100)) : typeof value === "number" ? String(value) : article(value)
