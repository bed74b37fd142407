/** The `skill` tool, and what a user's call of a skill brings, as plain functions (S-43, S-45). */
import * as Effect from "effect/Effect"
import { renderSkill } from "../../pipeline/skills/content.ts"
import { isSkillName, type SkillDefinition, type SkillResourceBase } from "../../schemas/Skill.ts"
import {
  InvalidSkillName,
  SkillNotModelInvocable,
  SkillNotUserInvocable,
  SkillRegistryError
} from "../../schemas/SkillRegistryError.ts"
import type { SkillLookup, SkillRegistryShape } from "../../services/SkillRegistry.ts"

/** A skill as it goes into a conversation. `text` is what the model reads. */
export interface LoadedSkill {
  readonly name: string
  readonly provider: string
  readonly resourceBase?: SkillResourceBase
  /** The instructions alone, as they are. */
  readonly content: string
  readonly text: string
}

type Registry = Pick<SkillRegistryShape, "get">

const toLoaded = (skill: SkillDefinition): LoadedSkill => ({
  name: skill.name,
  provider: skill.provider,
  ...(skill.resourceBase === undefined ? {} : { resourceBase: skill.resourceBase }),
  content: skill.content,
  text: renderSkill(skill)
})

const load = Effect.fnUntraced(function* (
  registry: Registry,
  name: string,
  options: SkillLookup,
  refusal: (skill: SkillDefinition) => SkillRegistryError["reason"] | undefined
): Effect.fn.Return<LoadedSkill, SkillRegistryError> {
  const fail = (reason: SkillRegistryError["reason"]) => new SkillRegistryError({ operation: "load", reason })
  if (!isSkillName(name)) return yield* fail(new InvalidSkillName({ name }))
  const skill = yield* registry.get(name, options)
  const reason = refusal(skill)
  return reason === undefined ? toLoaded(skill) : yield* fail(reason)
})

/**
 * What the `skill` tool does for a model. Fails with reason `InvalidSkillName`, `SkillUnavailable`,
 * `SkillNotModelInvocable` or `SkillTooLarge`; the message is fit to be shown to the model.
 */
export const loadSkill = (
  registry: Registry,
  name: string,
  options: SkillLookup
): Effect.Effect<LoadedSkill, SkillRegistryError> =>
  load(registry, name, options, ({ invocation }) =>
    invocation.modelInvocable ? undefined : new SkillNotModelInvocable({ name })
  )

/** The same for a user who typed `/name`; fails with reason `SkillNotUserInvocable` instead of `SkillNotModelInvocable`. */
export const loadSkillForUser = (
  registry: Registry,
  name: string,
  options: SkillLookup
): Effect.Effect<LoadedSkill, SkillRegistryError> =>
  load(registry, name, options, ({ invocation }) =>
    invocation.userInvocable ? undefined : new SkillNotUserInvocable({ name })
  )
