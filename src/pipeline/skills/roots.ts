/** Where skills are looked for, and what may lie there (S-20, S-21). */
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { SkillsConfig } from "../../schemas/SkillsConfig.ts"
import { expandTilde, resolveHome } from "../homePaths.ts"
import * as Paths from "../paths.ts"

/** A directory of skills, absolute. */
export interface Root {
  readonly path: string
  readonly rank: number
  readonly source: string
}

/** What the operating system and the environment say. */
export interface RootEnvironment {
  readonly osHome: string | undefined
  readonly dshHome: string | undefined
  readonly agentsHome: string | undefined
}

/** The roots for one working directory, in order of rank. */
export interface Roots {
  readonly roots: ReadonlyArray<Root>
  readonly ignored: ReadonlyArray<Diagnostic>
  /** Whether there were roots that only the project root would tell. */
  readonly missing: boolean
}

const given = (text: string | undefined): string | undefined => (text?.trim() === "" ? undefined : text)

const homeless = (key: string, path: string): Diagnostic => ({
  tag: "CandidateIgnored",
  message: `skills.${key}: ${JSON.stringify(path)} is ignored, since there is no home directory; write an absolute path`
})

/** All roots for `cwd`. Without `projectRoot`, which could not be told, those that need it are missing. */
export const rootsFor = (
  config: SkillsConfig,
  environment: RootEnvironment,
  cwd: string,
  projectRoot: string | undefined
): Roots => {
  const roots: Array<Root> = []
  const ignored: Array<Diagnostic> = []
  let missing = false
  const add = (base: string | undefined, path: string, rank: number, source: string) => {
    if (base === undefined) missing = true
    else roots.push({ path: Paths.resolve(base, path), rank, source })
  }
  /** A configured path: absolute, below the home directory, or taken from `base`. */
  const addConfigured = (key: string, base: string | undefined, path: string, rank: number, source: string) => {
    const expanded = expandTilde(path, given(environment.osHome))
    if (/^~(?:[/\\]|$)/.test(expanded)) ignored.push(homeless(key, path))
    else add(Paths.isAbsolute(expanded) ? "/" : base, expanded, rank, source)
  }
  const defaults = config.includeDefaultRoots ?? true
  if (defaults) {
    add(projectRoot, ".dsh/skills", 100, "project-dsh")
    add(projectRoot, ".agents/skills", 200, "project-agents")
  }
  for (const [index, { path, rank = 300, source = "custom" }] of (config.roots ?? []).entries()) {
    addConfigured(`roots.${index}`, projectRoot, path, rank, source)
  }
  if (defaults) {
    const home = resolveHome(config.home, { ...environment, cwd })
    if (home !== undefined) add(home.path, "skills", 400, "user-dsh")
    const agents = expandTilde(
      given(config.agentsHome) ?? given(environment.agentsHome) ?? "~/.agents",
      given(environment.osHome)
    )
    if (!/^~(?:[/\\]|$)/.test(agents)) add(Paths.resolve(cwd, agents), "skills", 500, "user-agents")
  }
  if (config.bundledDirectory !== undefined)
    addConfigured("bundledDirectory", cwd, config.bundledDirectory, 600, "bundled")
  const seen = new Set<string>()
  return {
    roots: roots.sort((a, b) => a.rank - b.rank).filter(({ path }) => !seen.has(path) && seen.add(path)),
    ignored,
    missing
  }
}

/** The file in a skill's directory that holds it. */
export const skillFileName = "SKILL.md"

/** Whether an entry of a root may be a skill, by its name. */
export const mayBeSkill = (name: string): boolean => !name.startsWith(".") && name !== "node_modules"

/** The name that a flat file promises; `undefined` for a file that is no skill. */
export const flatName = (entry: string): string | undefined =>
  entry.endsWith(".md") && entry.length > 3 ? entry.slice(0, -3) : undefined

/** Whether a path looks as if a skill were there, for working directories that nothing is known of yet. */
export const looksLikeSkill = (path: string): boolean =>
  /[/\\]SKILL\.md$/.test(path) || /[/\\]\.(?:dsh|agents)[/\\]skills(?:[/\\]|$)/.test(path)
