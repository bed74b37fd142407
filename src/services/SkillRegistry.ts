/** Where skills come together: providers offer them, the registry says which there are and loads one. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Stream } from "effect/Stream"
import type { Diagnostic } from "../schemas/Diagnostic.ts"
import type { RuntimeSkill, Skill, SkillDefinition, SkillSnapshot } from "../schemas/Skill.ts"
import type { SkillRegistryError } from "../schemas/SkillRegistryError.ts"

/** For which working directory to look, and until when. */
export interface SkillLookup {
  /** The absolute directory the agent works in. */
  readonly cwd: string
  /** Aborting it interrupts the call. */
  readonly signal?: AbortSignal
}

/** How to list: for which directory, what ends it early, and whether what is remembered will do. */
export interface SkillListing extends SkillLookup {
  /** Ask every provider again, whatever is remembered: for the first look of a new agent (S-25). */
  readonly revalidate?: boolean
}

/** What a provider is asked with. */
export interface ProviderLookup {
  readonly cwd: string
  /** Aborts when nobody waits for the answer any more: interrupted, past its deadline, or the registration has ended. */
  readonly signal: AbortSignal
  /** Whether the caller wants more than what is remembered. */
  readonly revalidate?: boolean
}

/** What a provider has to offer now. */
export interface ProviderListing {
  /** Candidates as `SkillCandidate` describes them. Each is checked; one that is malformed fails the listing. */
  readonly candidates: ReadonlyArray<unknown>
  /** `false`: there may be more than what was found. */
  readonly complete?: boolean
  readonly diagnostics?: ReadonlyArray<Diagnostic>
}

/** A source of skills: embedded, on disk, or remote. */
export interface SkillProvider {
  /** Unique in its registry layer; `runtime` is reserved. */
  readonly name: string
  /** What there is. Slow work belongs here; it has until its deadline, and is interrupted then. */
  readonly list: (options: ProviderLookup) => Effect<ProviderListing, unknown>
  /**
   * Loads a skill that `list` has offered: the answer is checked against `ProvidedSkill`. `undefined`, or a failure with
   * `SkillUnavailable`, says that it is gone, and the provider is listed anew.
   */
  readonly get: (candidate: Skill, options: ProviderLookup) => Effect<unknown, unknown>
}

/** What a provider gets for as long as it is registered. */
export interface ProviderControl {
  /** Says that what was listed may not be true any more. Of no effect once the registration has ended. */
  readonly invalidate: Effect<void>
  /** The same for callbacks that are no effects. */
  readonly invalidateUnsafe: () => void
  /** Aborts when the registration ends, and when it fails. */
  readonly signal: AbortSignal
}

/** Makes a provider, synchronously. */
export type SkillProviderFactory = (control: ProviderControl) => SkillProvider

/** Ends one registration, and only that one. Twice is fine. */
export type Disposer = Effect<void>

/** What a skill registry can be asked for. */
export interface SkillRegistryShape {
  /**
   * Registers a provider until its disposer runs or the scope ends (S-1). Fails with reason `DuplicateSkillProvider` when
   * this layer has a provider of that name, or the name is `runtime`.
   */
  readonly registerProvider: (factory: SkillProviderFactory) => Effect<Disposer, SkillRegistryError, Scope>
  /**
   * Registers a skill of the program's own (S-7). The first of a name wins; a second one is logged as a warning and its
   * disposer does nothing. Fails with reason `SkillCandidateInvalid`.
   */
  readonly register: (skill: RuntimeSkill) => Effect<Disposer, SkillRegistryError, Scope>
  /** Every skill there is, and whether that is all (S-4). Never fails: what could not be had is in the snapshot. */
  readonly snapshot: (options: SkillListing) => Effect<SkillSnapshot>
  /** The skills of `snapshot`. */
  readonly list: (options: SkillListing) => Effect<ReadonlyArray<Skill>>
  /**
   * Loads a skill, whoever may invoke it: that is for the caller to check. Always asks the provider (S-6). Fails with reason
   * `SkillUnavailable`, or with what the provider says: `SkillTooLarge`.
   */
  readonly get: (name: string, options: SkillLookup) => Effect<SkillDefinition, SkillRegistryError>
  /** Says on behalf of a provider that what it listed may not be true any more; here, else in the parent. */
  readonly invalidate: (providerName: string) => Effect<void>
  /** Something may have changed: a registration, a disposal, an invalidation. Slow readers get fewer, and hold up nobody. */
  readonly changes: Stream<void>
  /** Grows with everything that `changes` tells, in this layer or in a parent: equal means that nothing has changed. */
  readonly revision: Effect<number>
}

/** The skill registry around an agent: the host's, or a layer of the agent's own on it. */
export class SkillRegistry extends Context.Service<SkillRegistry, SkillRegistryShape>()(
  "effect-agent-context/SkillRegistry"
) {}
