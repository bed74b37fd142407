/** One look at all roots: the skills that are there, and everything that is not one (S-20 to S-25). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { vetted } from "../../pipeline/skills/candidate.ts"
import type { Malformed, ReadSkill } from "../../pipeline/skills/frontmatter.ts"
import type { Root } from "../../pipeline/skills/roots.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { Skill } from "../../schemas/Skill.ts"
import { distinct, findFiles, type FoundFile, type ListedRoot, loss, type Loss, type SkillPlace } from "./entries.ts"
import type { FastFiles } from "./fastFiles.ts"
import { type FileMemory, type Heads, readKnown } from "./heads.ts"

/** The name that the provider registers under. */
export const providerName = "filesystem"

/** What was found. `complete` says that nothing that may be a skill was left out. */
export interface Look {
  readonly candidates: ReadonlyArray<Skill>
  readonly complete: boolean
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const toCandidate = ({ directory, path, root }: SkillPlace, { skill }: ReadSkill): Skill => {
  const { allowedTools, compatibility, description, invocation, license, metadata, name, whenToUse } = skill
  const candidate: { -readonly [Key in keyof Skill]: Skill[Key] } = {
    name,
    description,
    invocation,
    source: root.source,
    provider: providerName,
    rank: root.rank,
    locator: path,
    path,
    resourceBase: { kind: "directory", path: directory ?? root.path }
  }
  // Field by field, which takes a fraction of what a thousand spreads do.
  if (whenToUse !== undefined) candidate.whenToUse = whenToUse
  if (metadata !== undefined) candidate.metadata = metadata
  if (license !== undefined) candidate.license = license
  if (compatibility !== undefined) candidate.compatibility = compatibility
  if (allowedTools !== undefined) candidate.allowedTools = allowedTools
  return candidate
}

const malformedLoss = (path: string, { code, line, message }: Malformed): Loss =>
  loss("SkillMalformed", path, code, message, line)

const findingsOf = (path: string, { findings }: ReadSkill): ReadonlyArray<Diagnostic> =>
  findings.map(({ code, line, message, tag }) => ({ tag, path, line, code, message: `${path}: ${message}` }))

const isFound = (file: FoundFile | Loss | undefined): file is FoundFile => file !== undefined && "present" in file
const isLoss = (value: unknown): value is Loss => typeof value === "object" && value !== null && "unreadable" in value

/** Looks at the files of `listed` roots, in their order. Files are probed, and then read, side by side. */
export const lookAtFiles = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  fast: FastFiles | undefined,
  heads: Heads,
  listed: ReadonlyArray<ListedRoot>
): Effect.fn.Return<Look> {
  const places = listed.flatMap(({ places }) => places)
  const memories = new Map<Root, FileMemory>(
    listed.map(({ root }) => [root, { before: heads.known(fs, root.path), after: new Map() }])
  )
  const remembered = ({ path, root }: SkillPlace) => memories.get(root)!.before?.has(path) === true
  const probed = yield* findFiles(fs, fast, places, remembered)
  const found = yield* distinct(fs, probed.filter(isFound))
  const read = yield* readKnown(fs, fast, heads, found, ({ place }) => memories.get(place.root)!)
  for (const { known, root } of listed) if (known) heads.remember(fs, root.path, memories.get(root)!.after)
  const candidates: Array<Skill> = []
  const losses = [...listed.flatMap(({ losses }) => losses), ...probed.filter(isLoss)]
  const diagnostics: Array<Diagnostic> = []
  for (let index = 0; index < read.length; index++) {
    const { place } = found[index]!
    const outcome = read[index]
    if (outcome === undefined) continue
    if (isLoss(outcome)) losses.push(outcome)
    else if (outcome._tag === "Malformed") losses.push(malformedLoss(place.path, outcome))
    else {
      candidates.push(toCandidate(place, outcome))
      if (outcome.findings.length > 0) diagnostics.push(...findingsOf(place.path, outcome))
    }
  }
  return {
    candidates: vetted(candidates),
    complete: losses.every(({ unreadable }) => !unreadable),
    diagnostics: [...losses.map(({ diagnostic }) => diagnostic), ...diagnostics]
  }
})
