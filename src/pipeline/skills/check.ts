/**
 * What keeps a skill from being published: strict against the Agent Skills format, where the library itself is lenient with
 * whatever is unambiguous.
 */
import { allowedName, isSkillName } from "../../schemas/Skill.ts"
import { decodeText } from "../utf8.ts"
import { flags, isFlagValue, lineOfField, meantFlag } from "./fields.ts"
import { closesTooLate, type Head, maxHeadBytes, readHead } from "./frontmatter.ts"
import { realYaml, type YamlLibrary } from "./realYaml.ts"

/** One thing to mend. `error`: some agent will not load the skill, or not as it was meant. */
export interface CheckFinding {
  readonly path: string
  readonly line: number
  readonly code: string
  readonly severity: "error" | "warning"
  readonly message: string
}

/** A file to check. `expected` is the name of its directory, or of the file when `flat`. */
export interface CheckedFile {
  readonly path: string
  readonly expected: string
  readonly flat: boolean
  readonly bytes: Uint8Array
}

const maxDescription = 1024
const maxCompatibility = 500

/** The fields of the format, and those that this library and some agents know beside them. */
const fields = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]
const extensions: ReadonlyArray<string> = ["whenToUse", "when_to_use", ...flags]

type Say = (severity: CheckFinding["severity"], line: number, code: string, message: string) => void
type Fields = Readonly<Record<string, unknown>>

const lengthOf = (text: string): number => Array.from(text).length

const kindOf = (value: unknown): string =>
  value === null
    ? "empty"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "a mapping"
        : `a ${typeof value}`

const checkName = (name: unknown, expected: string, line: number, say: Say): void => {
  if (typeof name !== "string")
    return say("error", line, "InvalidName", `name is ${kindOf(name)}, must be a text: ${allowedName}`)
  if (!isSkillName(name)) {
    say(
      "error",
      line,
      "InvalidName",
      `name is ${JSON.stringify(name)} (${lengthOf(name)} characters), must be ${allowedName}`
    )
  }
  if (name !== expected) {
    say(
      "error",
      line,
      "NameMismatch",
      `name is ${JSON.stringify(name)}, must be that of its place, ${JSON.stringify(expected)}`
    )
  }
}

const checkText = (key: string, value: unknown, most: number, line: number, say: Say): void => {
  const code = `Invalid${key[0]!.toUpperCase()}${key.slice(1)}`
  if (typeof value !== "string") return say("error", line, code, `${key} is ${kindOf(value)}, must be a text; quote it`)
  if (value.trim() === "") return say("error", line, code, `${key} is blank, must say something`)
  const length = lengthOf(value)
  if (length > most) say("error", line, code, `${key} has ${length} characters, must have at most ${most}`)
}

const checkMetadata = (metadata: unknown, source: string, line: number, say: Say): void => {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
    return say("error", line, "InvalidMetadata", `metadata is ${kindOf(metadata)}, must be a mapping of keys to texts`)
  }
  const lines = source.split("\n")
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value === "string") continue
    const index = lines.findIndex((text, at) => at + 2 > line && text.trimStart().replace(/^["']/, "").startsWith(key))
    const message = `metadata.${key} is ${kindOf(value)}, must be a text; quote it`
    say("error", index === -1 ? line : index + 2, "InvalidMetadata", message)
  }
}

const checkFields = (found: Fields, head: Head, file: CheckedFile, say: Say): void => {
  const line = (key: string) => lineOfField(head.source, key)
  const has = (key: string) => Object.hasOwn(found, key)
  for (const key of ["name", "description"]) {
    if (!has(key)) say("error", 1, "MissingField", `the field ${key} is missing, must be there`)
  }
  if (has("name")) checkName(found["name"], file.expected, line("name"), say)
  if (has("description")) checkText("description", found["description"], maxDescription, line("description"), say)
  if (has("compatibility"))
    checkText("compatibility", found["compatibility"], maxCompatibility, line("compatibility"), say)
  if (has("license")) checkText("license", found["license"], Infinity, line("license"), say)
  if (has("metadata")) checkMetadata(found["metadata"], head.source, line("metadata"), say)
  const tools = found["allowed-tools"]
  if (has("allowed-tools") && typeof tools !== "string") {
    say(
      "error",
      line("allowed-tools"),
      "InvalidAllowedTools",
      `allowed-tools is ${kindOf(tools)}, must be one text with blanks between the tools`
    )
  }
  for (const key of Object.keys(found)) if (!fields.includes(key)) checkOther(key, found[key], line(key), say)
}

const checkOther = (key: string, value: unknown, line: number, say: Say): void => {
  const flag = meantFlag(key)
  if (flag !== undefined)
    return say("error", line, "MisspelledFlag", `${JSON.stringify(key)} is no field, must be written ${flag}`)
  if (!extensions.includes(key)) {
    return say(
      "error",
      line,
      "UnknownField",
      `${JSON.stringify(key)} is no field, must be one of ${fields.join(", ")}; put your own into metadata`
    )
  }
  const isFlag = (flags as ReadonlyArray<string>).includes(key)
  if (isFlag && !isFlagValue(value)) return say("error", line, "InvalidFlag", `${key} must be true or false`)
  if (!isFlag && typeof value !== "string")
    return say("error", line, "InvalidWhenToUse", `${key} is ${kindOf(value)}, must be a text; quote it`)
  say("warning", line, "ExtensionField", `${key} is no field of the Agent Skills format; some agents ignore it`)
}

const checkHead = (head: Head, file: CheckedFile, yaml: YamlLibrary, say: Say): void => {
  const result = realYaml(yaml, head.source)
  if (result._tag === "Problem") {
    const { code, line, message } = result.problem
    return say("error", line + 1, code, message)
  }
  for (const line of result.repaired) {
    say(
      "error",
      line + 1,
      "UnquotedColon",
      "the text holds a colon and a blank, which most agents cannot read; must be quoted"
    )
  }
  checkFields(result.fields, head, file, say)
}

/** Everything that is wrong with one file, by line. */
export const checkSkill = (file: CheckedFile, yaml: YamlLibrary): ReadonlyArray<CheckFinding> => {
  const findings: Array<CheckFinding> = []
  const say: Say = (severity, line, code, message) => findings.push({ path: file.path, line, code, severity, message })
  const { bytes } = file
  const decoded = decodeText(bytes)
  if (decoded._tag === "Binary") {
    say("error", 1, "Binary", "it holds NUL bytes, must be a UTF-8 text")
    return findings
  }
  const [first, second, third] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    say("error", 1, "NotUtf8", "it is UTF-16, must be UTF-8")
  else if (decoded.repaired) say("error", 1, "NotUtf8", "it holds bytes that are no text, must be UTF-8")
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    say(
      "warning",
      1,
      "ByteOrderMark",
      "it begins with a byte-order mark, behind which some agents do not find the frontmatter; leave it out"
    )
  }
  if (file.flat) {
    say(
      "warning",
      1,
      "FlatFile",
      `the Agent Skills format wants ${file.expected}/SKILL.md; some agents do not find a flat file`
    )
  }
  const head = readHead(bytes.subarray(0, maxHeadBytes), bytes.length <= maxHeadBytes) ?? closesTooLate()
  if (head._tag === "Malformed") say("error", head.line, head.code, head.message)
  else {
    checkHead(head, file, yaml, say)
    if (decoded.text.slice(head.body).trim() === "") {
      say(
        "warning",
        head.source.split("\n").length + 1,
        "EmptyBody",
        "there are no instructions behind the frontmatter; write some"
      )
    }
  }
  return findings.sort((a, b) => a.line - b.line)
}
