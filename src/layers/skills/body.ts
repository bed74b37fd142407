/** One skill loaded from its file, whole and anew each time (S-26, S-43). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { maxHeadBytes, readFrontmatter, readHead } from "../../pipeline/skills/frontmatter.ts"
import * as Paths from "../../pipeline/paths.ts"
import { mayBeSkill, skillFileName } from "../../pipeline/skills/roots.ts"
import { decodeText } from "../../pipeline/utf8.ts"
import type { ProvidedSkill, Skill, SkillFiles } from "../../schemas/Skill.ts"
import { SkillTooLarge, SkillUnavailable } from "../../schemas/SkillRegistryError.ts"
import { listDirectory, probeFile, readFile } from "../filesystem/probe.ts"
import { yamlLibrary } from "./yaml.ts"

/** How many files beside a skill are named, how deep they are looked for, in how many directories, and after how many entries. */
const maxFiles = 50
const maxDepth = 2
const maxDirectories = 32
const maxEntries = 4096

/**
 * The files that come with the SKILL.md in `directory`: beside it and one directory deeper, in order. Loading a skill costs no
 * more listings than these bounds allow, whatever lies beside it; `truncated` says that something may have been left out.
 */
const filesBeside = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  directory: string
): Effect.fn.Return<SkillFiles> {
  const paths: Array<string> = []
  let truncated = false
  let level: ReadonlyArray<string> = [""]
  let listings = 0
  let seen = 0
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: Array<string> = []
    for (const prefix of level) {
      if (listings === maxDirectories || seen > maxEntries) return { paths, truncated: true }
      listings += 1
      const listed = yield* listDirectory(fs, Paths.resolve(directory, `./${prefix}`))
      if ("_tag" in listed) {
        truncated ||= depth > 0 && listed._tag === "Unavailable"
        continue
      }
      seen += listed.length
      const entries = listed.filter(({ name }) => mayBeSkill(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
      for (const { name, type } of entries) {
        const path = prefix + name
        if (type === "Directory") next.push(`${path}/`)
        else if (path !== skillFileName) paths.push(path)
      }
      if (paths.length > maxFiles) return { paths: paths.slice(0, maxFiles), truncated: true }
    }
    // What is deeper is there, but not named.
    if (depth === maxDepth - 1 && next.length > 0) truncated = true
    level = next
  }
  return { paths, truncated }
})

/** The skill in `path`, or `undefined` when the file is gone. */
export const loadSkillFile = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  { name, resourceBase }: Skill,
  path: string,
  maxBytes: number
): Effect.fn.Return<ProvidedSkill | undefined, SkillTooLarge | SkillUnavailable | string> {
  const tooLarge = (bytes: number) => new SkillTooLarge({ name, path, bytes, maxBytes })
  const presence = yield* probeFile(fs, path)
  if (presence._tag === "Absent") return undefined
  if (presence._tag === "Unavailable") return yield* Effect.fail(`${path} cannot be read now (${presence.reason})`)
  if (presence.size > maxBytes) return yield* tooLarge(presence.size)
  const result = yield* readFile(fs, path, presence.size, maxBytes)
  if (result._tag === "Absent") return undefined
  if (result._tag === "Unavailable") return yield* Effect.fail(`${path} cannot be read now (${result.reason})`)
  if (result._tag === "Oversized") return yield* tooLarge(result.atLeast)
  const { bytes } = result
  const broken = (detail: string) => new SkillUnavailable({ name, detail: `${path}: ${detail}` })
  const decoded = decodeText(bytes)
  if (decoded._tag === "Binary") return yield* broken("it holds NUL bytes and is no text")
  const head = readHead(bytes.subarray(0, maxHeadBytes), bytes.length <= maxHeadBytes)
  if (head === undefined) return yield* broken("the frontmatter is too long")
  if (head._tag === "Malformed") return yield* broken(head.message)
  const read = readFrontmatter(head, name) ?? readFrontmatter(head, name, yield* yamlLibrary)!
  if (read._tag === "Malformed") return yield* broken(read.message)
  const content = decoded.text.slice(head.body)
  const beside = path.endsWith(`/${skillFileName}`) || path.endsWith(`\\${skillFileName}`)
  const files = beside && resourceBase?.kind === "directory" ? yield* filesBeside(fs, resourceBase.path) : undefined
  const none = files === undefined || (files.paths.length === 0 && !files.truncated)
  return { ...read.skill, content, path, ...(none ? {} : { files }) }
})
