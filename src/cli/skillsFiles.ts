/** Which files a path on the command line stands for, when skills are checked. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { listDirectory, probe, readFile } from "../layers/filesystem/probe.ts"
import {
  findFile,
  type FoundFile,
  type ListedRoot,
  listRoot,
  type Loss,
  type SkillPlace
} from "../layers/skills/entries.ts"
import * as Paths from "../pipeline/paths.ts"
import type { CheckedFile, CheckFinding } from "../pipeline/skills/check.ts"
import { flatName, skillFileName } from "../pipeline/skills/roots.ts"
import { skillsDefaults } from "../schemas/SkillsConfig.ts"

/** Files to check, and what is wrong before any is opened. */
export interface Found {
  readonly places: ReadonlyArray<SkillPlace>
  readonly findings: ReadonlyArray<CheckFinding>
}

const problem = (path: string, code: string, message: string): CheckFinding => ({
  path,
  line: 1,
  code,
  severity: "error",
  message
})

const ofLoss = ({ diagnostic: { code = "Unreadable", line = 1, message, path = "" } }: Loss): CheckFinding => ({
  path,
  line,
  code,
  severity: "error",
  message: message.replace(`${path}: `, "")
})

const nameOf = (path: string): string => Paths.within(Paths.parent(path), path) ?? path

const placeOf = (path: string): SkillPlace => {
  const name = nameOf(path)
  const directory = Paths.parent(path)
  const root = { path: directory, rank: 0, source: "" }
  return name === skillFileName
    ? { root, path, expected: nameOf(directory), directory, direct: false }
    : { root, path, expected: flatName(name) ?? name, directory: undefined, direct: false }
}

const only = (finding: CheckFinding): Found => ({ places: [], findings: [finding] })

/** A SKILL.md in another case is found by some disks only. */
const misspelled = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, directory: string) {
  const listed = yield* listDirectory(fs, directory)
  if ("_tag" in listed) return []
  return listed
    .filter(({ name }) => name !== skillFileName && name.toLowerCase() === skillFileName.toLowerCase())
    .map(({ name }) =>
      problem(Paths.resolve(directory, `./${name}`), "MisnamedFile", `it must be called ${skillFileName}`)
    )
})

const isPresent = (found: FoundFile | Loss | undefined): found is FoundFile => found !== undefined && "present" in found

const inRoot = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  { losses, places }: ListedRoot
): Effect.fn.Return<Found> {
  const found = yield* Effect.forEach(places, (place) => findFile(fs, place), { concurrency: 16 })
  const without = places.filter(({ directory }, index) => directory !== undefined && found[index] === undefined)
  const wrong = yield* Effect.forEach(without, ({ directory }) => misspelled(fs, directory!), { concurrency: 16 })
  const lost = found.filter((one): one is Loss => one !== undefined && !isPresent(one))
  return {
    places: found.filter(isPresent).map(({ place }) => place),
    findings: [...losses.map(ofLoss), ...lost.map(ofLoss), ...wrong.flat()]
  }
})

/** The skills in `path`: itself, in it, or in its entries. */
export const findSkills = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  path: string
): Effect.fn.Return<Found> {
  const presence = yield* probe(fs, path)
  if (presence._tag === "Absent") return only(problem(path, "NotFound", "there is nothing; name a skill that exists"))
  if (presence._tag === "Unavailable") return only(problem(path, "Unreadable", `it cannot be read: ${presence.reason}`))
  if (presence.type === "File") return { places: [placeOf(path)], findings: [] }
  if (presence.type !== "Directory") return only(problem(path, "NoFile", "it is no file and no directory"))
  const own = placeOf(Paths.resolve(path, skillFileName))
  const inside = yield* findFile(fs, own)
  if (isPresent(inside)) return { places: [own], findings: [] }
  if (inside !== undefined) return only(ofLoss(inside))
  const wrong = yield* misspelled(fs, path)
  if (wrong.length > 0) return { places: [], findings: wrong }
  const { findings, places } = yield* inRoot(fs, yield* listRoot(fs, { path, rank: 0, source: "" }))
  return places.length === 0 && findings.length === 0
    ? only(problem(path, "NoSkill", `there is no ${skillFileName} in it, and none in its directories`))
    : { places, findings }
})

/** Reads a file to check, or says why it cannot be. */
export const readSkill = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  { directory, expected, path }: SkillPlace
): Effect.fn.Return<CheckedFile | CheckFinding> {
  const most = skillsDefaults.maxSourceBytes
  const presence = yield* probe(fs, path)
  const size = presence._tag === "Present" ? presence.size : 0
  const result = yield* readFile(fs, path, Math.min(size, most), most)
  if (result._tag === "Bytes") return { path, expected, flat: directory === undefined, bytes: result.bytes }
  if (result._tag === "Oversized")
    return problem(path, "TooLarge", `it has more than ${most} bytes, must have at most that`)
  return problem(path, "Unreadable", `it cannot be read: ${result.reason ?? "it is gone"}`)
})
