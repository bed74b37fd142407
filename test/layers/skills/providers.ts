/** Skill providers for tests: what they offer can be changed, and they can fail, dawdle, or never answer. */
import * as Effect from "effect/Effect"
import type { Duration } from "effect/Duration"
import type {
  ProviderControl,
  ProviderListing,
  SkillProvider,
  SkillProviderFactory
} from "../../../src/services/SkillRegistry.ts"

export const candidate = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  description: `about ${name}`,
  invocation: { modelInvocable: true, userInvocable: true },
  source: "test",
  rank: 300,
  locator: name,
  ...more
})

/** How a provider takes a question. `stubborn`: it does not let itself be interrupted. */
export type Manner =
  | "prompt"
  | "never"
  | "stubborn"
  | "fails"
  | "dies"
  | "incomplete"
  | "malformed"
  | { readonly after: Duration | string }

export interface Puppet {
  readonly factory: SkillProviderFactory
  control: ProviderControl | undefined
  candidates: ReadonlyArray<unknown>
  manner: Manner
  /** How often it was asked for everything. */
  lists: number
  /** Questions that are being answered by a fiber now. */
  running: number
  readonly signals: Array<AbortSignal>
  readonly revalidations: Array<boolean>
}

const answer = (puppet: Puppet): Effect.Effect<ProviderListing, unknown> => {
  const { manner } = puppet
  const now = Effect.sync(() => ({ candidates: puppet.candidates }))
  if (typeof manner === "object") return Effect.delay(now, manner.after as Duration)
  switch (manner) {
    case "prompt":
      return now
    case "never":
      return Effect.never
    case "stubborn":
      return Effect.uninterruptible(Effect.never)
    case "fails":
      return Effect.fail(new Error("down"))
    case "dies":
      return Effect.die(new Error("a bug"))
    case "incomplete":
      return Effect.map(now, (listing) => ({ ...listing, complete: false }))
    case "malformed":
      return Effect.succeed({ candidates: [...puppet.candidates, candidate("Not A Name")] })
  }
}

export const puppet = (
  name: string,
  candidates: ReadonlyArray<unknown> = [],
  manner: Manner = "prompt",
  get: SkillProvider["get"] = (skill) =>
    Effect.succeed({ name: skill.name, content: `body of ${skill.name} by ${name}` })
): Puppet => {
  const self: Puppet = {
    control: undefined,
    candidates,
    manner,
    lists: 0,
    running: 0,
    signals: [],
    revalidations: [],
    factory: (control) => {
      self.control = control
      return {
        name,
        list: ({ revalidate, signal }) =>
          Effect.suspend(() => {
            self.lists += 1
            self.running += 1
            self.signals.push(signal)
            self.revalidations.push(revalidate === true)
            return Effect.ensuring(
              answer(self),
              Effect.sync(() => (self.running -= 1))
            )
          }),
        get
      }
    }
  }
  return self
}
