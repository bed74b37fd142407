/** One provider asked for what it has, and one skill asked of it; whatever it does becomes a value. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { decodeCandidates, decodeProvided } from "../../pipeline/skills/candidate.ts"
import type { Offer } from "../../pipeline/skills/precedence.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { Skill, SkillDefinition, SkillFailure } from "../../schemas/Skill.ts"
import { SkillRegistryError, SkillTooLarge, SkillUnavailable } from "../../schemas/SkillRegistryError.ts"
import type { ProviderListing, ProviderLookup, SkillListing, SkillProvider } from "../../services/SkillRegistry.ts"
import { ask } from "./ask.ts"
import type { Ending } from "./ending.ts"

/** A provider for as long as it is registered. */
export interface Registration {
  readonly provider: SkillProvider
  /** Lower registered earlier. */
  readonly order: number
  readonly ending: Ending
}

/** What asking one provider for everything came to. */
export interface Listed {
  readonly offer: Offer
  readonly complete: boolean
  readonly failures: ReadonlyArray<SkillFailure>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const said = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error && error.message !== ""
    ? error.message
    : typeof error === "string"
      ? error
      : Cause.pretty(cause)
}

const lookup = ({ cwd, revalidate }: SkillListing, signal: AbortSignal): ProviderLookup => ({
  cwd,
  signal,
  ...(revalidate === true ? { revalidate } : {})
})

const isListing = (value: ProviderListing): boolean =>
  typeof value === "object" && value !== null && Array.isArray(value.candidates)

/** Checked inside the provider's own fiber: a candidate whose getters throw is the provider's failure, nobody else's. */
const checked = ({ order, provider }: Registration, listing: ProviderListing): Effect.Effect<Listed, unknown> =>
  isListing(listing)
    ? Effect.fromResult(
        Result.map(decodeCandidates(provider.name, listing.candidates), (skills) => ({
          offer: { order, skills },
          complete: listing.complete !== false,
          failures: [],
          diagnostics: listing.diagnostics ?? []
        }))
      )
    : Effect.fail("list must answer with an object that holds an array of candidates")

/** Asks a provider for everything. A failure leaves it out, and is logged (S-4). */
export const listFrom = Effect.fnUntraced(function* (
  registration: Registration,
  options: SkillListing,
  timeout: Duration.Duration
): Effect.fn.Return<Listed> {
  const { ending, order, provider } = registration
  const none = { offer: { order, skills: [] }, complete: false, diagnostics: [] }
  const failed = (tag: SkillFailure["tag"], message: string) =>
    Effect.as(Effect.logWarning(`The skill provider ${provider.name} is left out: ${message}`), {
      ...none,
      failures: [{ provider: provider.name, tag, message }]
    })
  const answer = yield* ask(
    (signal) => Effect.flatMap(provider.list(lookup(options, signal)), (listing) => checked(registration, listing)),
    ending,
    timeout
  )
  if (answer._tag === "Ended") return { ...none, failures: [] }
  if (answer._tag === "TimedOut") return yield* failed("SkillProviderTimedOut", tooLate(timeout))
  if (Exit.isFailure(answer.exit)) return yield* failed("SkillProviderFailed", said(answer.exit.cause))
  return answer.exit.value
})

const tooLate = (timeout: Duration.Duration): string =>
  `it did not answer within ${Duration.format(timeout)}; it is asked again next time`

/** Why a skill could not be loaded. `stale`: what its provider has listed is not true any more. */
export interface NotLoaded {
  readonly reason: SkillUnavailable | SkillTooLarge
  readonly stale: boolean
}

const reasonOf = (error: unknown): unknown => (error instanceof SkillRegistryError ? error.reason : error)

/** Asks a provider for one skill (S-6). */
export const loadFrom = Effect.fnUntraced(function* (
  { ending, provider }: Registration,
  skill: Skill,
  cwd: string,
  timeout: Duration.Duration
): Effect.fn.Return<SkillDefinition, NotLoaded> {
  const { name } = skill
  const unavailable = (detail: string, stale = false) =>
    Effect.fail<NotLoaded>({ reason: new SkillUnavailable({ name, detail }), stale })
  const answer = yield* ask(
    (signal) =>
      Effect.map(provider.get(skill, lookup({ cwd }, signal)), (body) =>
        body === undefined ? undefined : decodeProvided(skill, body)
      ),
    ending,
    timeout
  )
  if (answer._tag === "Ended") return yield* unavailable(`its provider ${provider.name} has been removed`)
  if (answer._tag === "TimedOut")
    return yield* unavailable(`its provider ${provider.name} does not answer; try again later`)
  if (Exit.isFailure(answer.exit)) {
    const reason = reasonOf(Cause.squash(answer.exit.cause))
    if (reason instanceof SkillTooLarge) return yield* Effect.fail({ reason, stale: false })
    if (reason instanceof SkillUnavailable) return yield* Effect.fail({ reason, stale: true })
    return yield* unavailable(`its provider ${provider.name} fails: ${said(answer.exit.cause)}`)
  }
  const body = answer.exit.value
  if (body === undefined) return yield* unavailable("it is gone; the list of skills is looked up anew", true)
  if (Result.isFailure(body))
    return yield* unavailable(`its provider ${provider.name} answers with something malformed: ${body.failure}`)
  if (body.success.name !== name) {
    return yield* unavailable(
      `it is called ${JSON.stringify(body.success.name)} now; the list of skills is looked up anew`,
      true
    )
  }
  return body.success
})
