/**
 * A skill file taken apart: the fences, the YAML between them, and the body behind (S-22, S-26).
 */
import { decodeText } from "../utf8.ts"
import { type FieldsProblem, readFields, type SkillFields, type SkillFinding } from "./fields.ts"
import { plainYaml } from "./plainYaml.ts"
import { realYaml, type YamlLibrary, type YamlProblem } from "./realYaml.ts"

/** The closing fence has to come within this many bytes. */
export const maxHeadBytes = 65_536

/** Why a file holds no skill. */
export type MalformedCode =
  | "Binary"
  | "NoFrontmatter"
  | "UnclosedFrontmatter"
  | YamlProblem["code"]
  | FieldsProblem["code"]

/** The file holds no skill. `line` is counted from 1 in the file. */
export interface Malformed {
  readonly _tag: "Malformed"
  readonly code: MalformedCode
  readonly line: number
  readonly message: string
}

const malformed = (code: MalformedCode, line: number, message: string): Malformed => ({
  _tag: "Malformed",
  code,
  line,
  message
})

/**
 * The source between the fences, with `\n` as line end, and where the body begins, in UTF-16 units. `repaired`: the source
 * holds bytes that are no text.
 */
export interface Head {
  readonly _tag: "Head"
  readonly source: string
  readonly body: number
  readonly repaired: boolean
}

const fence = /^---[ \t]*$/
const lineEnd = /\r\n|\n|\r/g

/**
 * Finds the fences in the beginning of a file; `whole` says that there is no more of it. A fence is a line of exactly
 * `---`, blanks behind it apart. `undefined`: the beginning is too short to tell.
 */
export const splitHead = (text: string, whole: boolean, repaired = false): Head | Malformed | undefined => {
  // Whatever else follows: it need not be read to the end of a first line that may be long.
  if (text.length >= 3 && !text.startsWith("---")) return noFrontmatter(text.slice(0, 3))
  let line = 0
  let start = 0
  let opened = 0
  lineEnd.lastIndex = 0
  for (;;) {
    const end = lineEnd.exec(text)
    // A carriage return at the very end may be half of a line end.
    const unfinished = end === null || (end[0] === "\r" && end.index === text.length - 1)
    if (unfinished && !whole) return undefined
    const content = text.slice(start, end?.index ?? text.length)
    const next = end === null ? text.length : end.index + end[0].length
    line += 1
    if (line === 1) {
      if (!fence.test(content)) return noFrontmatter(content)
      opened = next
    } else if (fence.test(content)) {
      const given = text.slice(opened, start)
      const source = given.includes("\r") ? given.replace(lineEnd, "\n") : given
      return { _tag: "Head", source, body: next, repaired: repaired && source.includes("\ufffd") }
    }
    if (end === null) return unclosed()
    start = next
  }
}

const noFrontmatter = (first: string): Malformed =>
  malformed(
    "NoFrontmatter",
    1,
    /^---[ \t]*\S/.test(first)
      ? "the first line must be exactly ---; nothing may follow it, no language either"
      : "the first line must be exactly ---, followed by the frontmatter and another line of ---"
  )

const unclosed = (): Malformed =>
  malformed("UnclosedFrontmatter", 1, "the frontmatter is not closed; write a line of exactly --- behind it")

/** The same for a frontmatter that does not end where it has to. */
export const closesTooLate = (): Malformed =>
  malformed(
    "UnclosedFrontmatter",
    1,
    `the frontmatter does not close within ${maxHeadBytes} bytes; close it with a line of exactly ---`
  )

/** A code point that the end of `bytes` has cut in two is taken away. */
const wholeCodePoints = (bytes: Uint8Array): Uint8Array => {
  const [first, second] = bytes
  const utf16 = first === 0xff && second === 0xfe ? 1 : first === 0xfe && second === 0xff ? 0 : undefined
  if (utf16 !== undefined) {
    const even = bytes.length & ~1
    const high = bytes[even - 2 + utf16]
    return bytes.subarray(0, high !== undefined && (high & 0xfc) === 0xd8 ? even - 2 : even)
  }
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

const lineFeed = 0x0a
const dashes = Buffer.from("\n---")

/** The part of `bytes` up to where the frontmatter seems to end: what is behind need not be decoded to find out. */
const upToFence = (bytes: Uint8Array): Uint8Array | undefined => {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const fence = buffer.indexOf(dashes, dashes.length)
  const end = fence === -1 ? -1 : buffer.indexOf(lineFeed, fence + dashes.length)
  return end === -1 ? undefined : bytes.subarray(0, end + 1)
}

/** Where a frontmatter begins that nothing is unusual about. */
const opening = Buffer.from("---\n")

/**
 * The same for the first `length` bytes of `buffer`, where there is nothing unusual: text in UTF-8 with `\n` as line end, between
 * fences of exactly `---`. `undefined`: it takes `readHead` to tell.
 */
export const plainHead = (buffer: Buffer, length: number): Head | undefined => {
  if (length < opening.length || buffer.readUInt32BE(0) !== opening.readUInt32BE(0)) return undefined
  const fence = buffer.indexOf(dashes, opening.length - 1)
  const end = fence + dashes.length
  if (fence === -1 || end >= length || buffer[end] !== lineFeed) return undefined
  const nul = buffer.indexOf(0)
  if (nul !== -1 && nul < length) return undefined
  const source = buffer.toString("utf8", opening.length, fence + 1)
  if (source.includes("\ufffd") || source.includes("\r")) return undefined
  return { _tag: "Head", source, body: opening.length + source.length + opening.length, repaired: false }
}

const splitBytes = (bytes: Uint8Array, whole: boolean): Head | Malformed | undefined => {
  const decoded = decodeText(whole ? bytes : wholeCodePoints(bytes))
  return decoded._tag === "Binary"
    ? malformed("Binary", 1, "it holds NUL bytes and is no text")
    : splitHead(decoded.text, whole, decoded.repaired)
}

/** Decodes the beginning of a file and finds its fences. `undefined`: it is too short to tell. */
export const readHead = (bytes: Uint8Array, whole: boolean): Head | Malformed | undefined => {
  // With a NUL it is UTF-16, or no text at all: both take all of it.
  const part = bytes.includes(0) ? undefined : upToFence(bytes)
  const head = part === undefined ? undefined : splitBytes(part, false)
  return head?._tag === "Head" ? head : splitBytes(bytes, whole)
}

/** A skill as its file describes it, and what there is to say about it. */
export interface ReadSkill {
  readonly _tag: "Skill"
  readonly skill: SkillFields
  readonly findings: ReadonlyArray<SkillFinding>
}

/**
 * What a frontmatter says. `expected` is the name that the directory or the file promises. `undefined`: it takes the YAML
 * library to tell, which was not given.
 */
export const readFrontmatter = (
  head: Head,
  expected: string,
  yaml?: YamlLibrary
): ReadSkill | Malformed | undefined => {
  const { source } = head
  const findings: Array<SkillFinding> = []
  if (head.repaired) {
    const message = "the frontmatter is no valid UTF-8; what could not be decoded was replaced"
    findings.push({ tag: "InvalidUtf8", code: "InvalidUtf8", line: 1, message })
  }
  let fields: Readonly<Record<string, unknown>> | undefined = plainYaml(source)
  if (fields === undefined) {
    if (yaml === undefined) return undefined
    const result = realYaml(yaml, source)
    // The first line of the source is the second of the file.
    if (result._tag === "Problem")
      return malformed(result.problem.code, result.problem.line + 1, result.problem.message)
    for (const line of result.repaired) {
      const message = "the text holds a colon and a blank and is taken literally; quote it"
      findings.push({ tag: "FrontmatterRepaired", code: "UnquotedColon", line: line + 1, message })
    }
    fields = result.fields
  }
  const read = readFields(fields, source, expected)
  return read._tag === "Problem"
    ? malformed(read.problem.code, read.problem.line, read.problem.message)
    : {
        _tag: "Skill",
        skill: read.skill,
        findings: findings.length === 0 ? read.findings : [...findings, ...read.findings]
      }
}
