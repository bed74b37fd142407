/** Who wins a name (S-3). */
import type { ShadowedSkill, Skill, SkillFailure, SkillSnapshot } from "../../schemas/Skill.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"

/** What one provider offers, in its own order. */
export interface Offer {
  /** When the provider registered: lower is earlier. */
  readonly order: number
  readonly skills: ReadonlyArray<Skill>
}

/** Winners sorted by name, and everybody who lost. */
interface Contest {
  readonly skills: ReadonlyArray<Skill>
  readonly shadowed: ReadonlyArray<ShadowedSkill>
}

const contender = (skill: Skill) => ({
  provider: skill.provider,
  source: skill.source,
  rank: skill.rank,
  ...(skill.path === undefined ? {} : { path: skill.path })
})

const lost = (loser: Skill, winner: Skill, why: ShadowedSkill["why"]): ShadowedSkill => ({
  name: loser.name,
  ...contender(loser),
  by: contender(winner),
  why
})

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0

/** Inside one layer: lower rank, then the provider that registered earlier, then the provider's own order. */
const contest = (offers: ReadonlyArray<Offer>): Contest => {
  const all: Array<{ readonly skill: Skill; readonly order: number }> = []
  for (const { order, skills } of offers) for (const skill of skills) all.push({ skill, order })
  // Sorting is stable, so a provider's own order stays.
  all.sort((a, b) => a.skill.rank - b.skill.rank || a.order - b.order)
  const winners = new Map<string, (typeof all)[number]>()
  const shadowed: Array<ShadowedSkill> = []
  for (const entry of all) {
    const winner = winners.get(entry.skill.name)
    if (winner === undefined) {
      winners.set(entry.skill.name, entry)
      continue
    }
    const why =
      winner.skill.rank !== entry.skill.rank ? "rank" : winner.order !== entry.order ? "registration" : "order"
    shadowed.push(lost(entry.skill, winner.skill, why))
  }
  return { skills: Array.from(winners.values(), ({ skill }) => skill).sort(byName), shadowed: shadowed.sort(byName) }
}

const merged = <A extends { readonly name: string }>(a: ReadonlyArray<A>, b: ReadonlyArray<A>): ReadonlyArray<A> =>
  a.length === 0 ? b : b.length === 0 ? a : [...a, ...b].sort(byName)

const whyLost: Readonly<Record<ShadowedSkill["why"], string>> = {
  layer: "belongs to the agent itself",
  rank: "has the lower rank",
  registration: "comes from a provider that registered earlier",
  order: "was listed first"
}

const place = ({ path, provider, source }: ShadowedSkill["by"]): string => path ?? `${source} of provider ${provider}`

/** What there is to say about a candidate that lost. */
const shadowedDiagnostic = (shadowed: ShadowedSkill): Diagnostic => ({
  tag: "SkillShadowed",
  message: `The skill ${shadowed.name} of ${place(shadowed)} is hidden by that of ${place(shadowed.by)}, which ${whyLost[shadowed.why]}`,
  ...(shadowed.path === undefined ? {} : { path: shadowed.path })
})

/** What there is to say about a provider that contributed nothing. */
const failureDiagnostic = ({ message, provider, tag }: SkillFailure): Diagnostic => ({
  tag,
  message: `The skills of provider ${provider} are left out for now: ${message}`
})

/** What one layer has. */
export const snapshotOf = (
  offers: ReadonlyArray<Offer>,
  complete: boolean,
  revision: number,
  failures: ReadonlyArray<SkillFailure>,
  diagnostics: ReadonlyArray<Diagnostic>
): SkillSnapshot => {
  const { shadowed, skills } = contest(offers)
  return {
    skills,
    complete,
    revision,
    shadowed,
    failures,
    diagnostics: [...diagnostics, ...failures.map(failureDiagnostic), ...shadowed.map(shadowedDiagnostic)]
  }
}

/** One layer on another: the nearer one's entry wins outright, whatever its rank. */
export const snapshotOver = (near: SkillSnapshot, far: SkillSnapshot): SkillSnapshot => {
  const revision = near.revision + far.revision
  if (far.skills.length === 0 && far.diagnostics.length === 0 && far.complete) return { ...near, revision }
  const names = new Map(near.skills.map((skill) => [skill.name, skill]))
  const beaten = far.skills.flatMap((skill) => {
    const winner = names.get(skill.name)
    return winner === undefined ? [] : [lost(skill, winner, "layer")]
  })
  return {
    skills: merged(near.skills, beaten.length === 0 ? far.skills : far.skills.filter(({ name }) => !names.has(name))),
    complete: near.complete && far.complete,
    revision,
    shadowed: merged(merged(near.shadowed, far.shadowed), beaten),
    failures: [...near.failures, ...far.failures],
    diagnostics: [...near.diagnostics, ...far.diagnostics, ...beaten.map(shadowedDiagnostic)]
  }
}
