/** Skills that a program brings along itself (S-7). */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { decodeRuntime } from "../../pipeline/skills/candidate.ts"
import type { Offer } from "../../pipeline/skills/precedence.ts"
import {
  type RuntimeSkill,
  runtimeProvider,
  runtimeRank,
  type Skill,
  type SkillDefinition
} from "../../schemas/Skill.ts"
import { SkillRegistryError } from "../../schemas/SkillRegistryError.ts"
import type { Disposer } from "../../services/SkillRegistry.ts"

interface Registered {
  readonly skill: Skill
  readonly definition: SkillDefinition
}

const toRegistered = (given: RuntimeSkill): Registered => {
  const {
    content,
    invocation = { modelInvocable: true, userInvocable: true },
    source = runtimeProvider,
    ...rest
  } = given
  const shared = { ...rest, invocation, source, provider: runtimeProvider }
  return { skill: { ...shared, rank: runtimeRank, locator: given.name }, definition: { ...shared, content } }
}

/** The runtime skills of one registry layer. `moved` is told of every change. */
export const makeRuntime = (moved: () => void) => {
  const registered = new Map<string, Registered>()
  const definitions = new WeakMap<Skill, SkillDefinition>()

  const add = Effect.fnUntraced(function* (
    given: RuntimeSkill
  ): Effect.fn.Return<Registered | undefined, SkillRegistryError> {
    const decoded = yield* Effect.mapError(
      Effect.fromResult(decodeRuntime(runtimeProvider, given)),
      (reason) => new SkillRegistryError({ operation: "register", reason })
    )
    if (registered.has(decoded.name)) {
      yield* Effect.logWarning(
        `The skill ${decoded.name} is registered already; the second one is ignored until the first is disposed of and it registers again`
      )
      return undefined
    }
    const added = toRegistered(decoded)
    registered.set(decoded.name, added)
    definitions.set(added.skill, added.definition)
    moved()
    return added
  })

  const remove = (added: Registered | undefined): void => {
    if (added === undefined || registered.get(added.skill.name) !== added) return
    registered.delete(added.skill.name)
    moved()
  }

  return {
    /** They stand before every provider of the same rank. */
    offer: (): Offer => ({ order: 0, skills: Array.from(registered.values(), ({ skill }) => skill) }),
    /** The definition of a skill that was offered here. */
    get: (skill: Skill): SkillDefinition | undefined => definitions.get(skill),
    register: Effect.fn("SkillRegistry.register")(function* (
      given: RuntimeSkill
    ): Effect.fn.Return<Disposer, SkillRegistryError, Scope> {
      const added = yield* Effect.acquireRelease(add(given), (added) => Effect.sync(() => remove(added)))
      return Effect.sync(() => remove(added))
    })
  }
}
