/** What the `skills` commands do. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as CliOutput from "effect/cli/CliOutput"
import { probe } from "../layers/filesystem/probe.ts"
import { findRoot } from "../layers/projectRoot.ts"
import { yamlLibrary } from "../layers/skills/yaml.ts"
import { type CheckFinding, checkSkill } from "../pipeline/skills/check.ts"
import { renderSkill } from "../pipeline/skills/content.ts"
import { skillFileName } from "../pipeline/skills/roots.ts"
import { isSkillName, type SkillInvocation } from "../schemas/Skill.ts"
import { InvalidSkillName } from "../schemas/SkillRegistryError.ts"
import { SkillRegistry } from "../services/SkillRegistry.ts"
import { absolute, existing } from "./directory.ts"
import { fail, Failed, print, printable, printJson, report } from "./output.ts"
import { findSkills, type Found, readSkill } from "./skillsFiles.ts"
import { skillsOnDisk } from "./skillsOnDisk.ts"

const whoMay = ({ modelInvocable, userInvocable }: SkillInvocation): string =>
  modelInvocable
    ? userInvocable
      ? ""
      : " (for the model alone)"
    : userInvocable
      ? " (for the user alone)"
      : " (for nobody)"

const oneLine = (text: string): string => printable(text.replace(/\s+/g, " ").trim())

export const list = Effect.fnUntraced(function* (input: { readonly directory: string; readonly json: boolean }) {
  const cwd = yield* existing(input.directory)
  const { complete, diagnostics, failures, shadowed, skills } = yield* SkillRegistry.use((registry) =>
    registry.snapshot({ cwd })
  ).pipe(Effect.provide(skillsOnDisk()), Effect.orDie)
  if (input.json) {
    const shown = skills.map(({ description, invocation, name, path, source }) => ({
      name,
      description,
      source,
      ...(path === undefined ? {} : { path }),
      invocation
    }))
    return yield* printJson({ skills: shown, complete, shadowed, failures, diagnostics })
  }
  yield* Effect.forEach(diagnostics, ({ message, tag }) => report(`${tag}: ${message}`), { discard: true })
  if (!complete) yield* report("Some skills could not be looked at; there may be more.")
  if (skills.length === 0) {
    return yield* print(
      complete ? `There are no skills for ${printable(cwd)}.` : `No skills were found for ${printable(cwd)}.`
    )
  }
  const width = Math.max(...skills.map(({ name }) => CliOutput.displayWidth(name)))
  const lines = skills.map(
    ({ description, invocation, name, source }) =>
      `${name.padEnd(width)}  ${oneLine(description)}  [${printable(source)}]${whoMay(invocation)}`
  )
  yield* print(lines.join("\n"))
})

export const show = Effect.fnUntraced(function* (input: {
  readonly name: string
  readonly directory: string
  readonly json: boolean
}) {
  if (!isSkillName(input.name)) return yield* fail(new InvalidSkillName({ name: input.name }).message)
  const cwd = yield* existing(input.directory)
  const skill = yield* SkillRegistry.use((registry) => registry.get(input.name, { cwd })).pipe(
    Effect.provide(skillsOnDisk()),
    Effect.catchTags({ SkillRegistryError: (error) => fail(error.message) }),
    Effect.catchTags({ InvalidConfiguration: Effect.die })
  )
  const text = renderSkill(skill)
  yield* input.json ? printJson({ ...skill, text }) : print(text)
})

/** The project's own skills, and the one that the current directory may be. */
const ownPaths = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, cwd: string) {
  const { join } = yield* Path.Path
  const root = yield* findRoot(fs, cwd, [".git"])
  const paths = [join(root, ".dsh/skills"), join(root, ".agents/skills")]
  const here = yield* probe(fs, join(cwd, skillFileName))
  const there = yield* Effect.filter(paths, (path) => Effect.map(probe(fs, path), ({ _tag }) => _tag !== "Absent"))
  return here._tag === "Absent" ? there : [cwd, ...there]
})

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`

const asLine = ({ code, line, message, path, severity }: CheckFinding): string =>
  `${printable(path)}:${line}: ${severity} ${code}: ${printable(message)}`

export const check = Effect.fnUntraced(function* (input: {
  readonly paths: ReadonlyArray<string>
  readonly json: boolean
}) {
  const fs = yield* FileSystem.FileSystem
  const paths =
    input.paths.length === 0 ? yield* ownPaths(fs, yield* absolute(".")) : yield* Effect.forEach(input.paths, absolute)
  const found: ReadonlyArray<Found> = yield* Effect.forEach(paths, (path) => findSkills(fs, path))
  const places = new Map(found.flatMap(({ places }) => places).map((place) => [place.path, place]))
  const files = yield* Effect.forEach([...places.values()], (place) => readSkill(fs, place), { concurrency: 16 })
  const yaml = yield* yamlLibrary
  const findings = [
    ...found.flatMap(({ findings }) => findings),
    ...files.flatMap((file) => ("bytes" in file ? checkSkill(file, yaml) : [file]))
  ].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
  const errors = findings.filter(({ severity }) => severity === "error").length
  if (input.json) yield* printJson({ ok: errors === 0, findings })
  else if (paths.length === 0) yield* print("There are no skills here to check; name one, or a directory of skills.")
  else {
    const sum = `${counted(places.size, "skill")} checked: ${counted(errors, "error")}, ${counted(findings.length - errors, "warning")}`
    yield* print([...findings.map(asLine), sum].join("\n"))
  }
  if (errors > 0) yield* new Failed({ exitCode: 1 })
})
