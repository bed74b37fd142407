/** What a part of the library has to bring so that a scripted agent can use it: its layer, and the verbs it answers. */
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { ContextSupply } from "../../services/ContextSupply.ts"
import type { Inbox } from "../../services/Inbox.ts"
import type { Session } from "../../services/Session.ts"
import type { SessionStore } from "../../services/SessionStore.ts"
import type { PartName, PartStep, PartVerb } from "../scenario/steps.ts"

/** A typed error as far as a scenario sees it. */
export interface Failure {
  readonly _tag: string
  readonly message: string
}

/** What a part's layer may be built from, beside the optional `FileSystem`. */
export type PartServices = Session | Inbox | ContextSupply | SessionStore

/** The surroundings a part may ask about. `home` is absolute, `env` is everything else there is. */
export interface Surroundings {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** IANA name. */
  readonly timeZone: string
}

/** What a verb of a part has to show. */
export interface Answer {
  readonly candidates?: ReadonlyArray<string>
  readonly truncated?: boolean
  readonly skills?: ReadonlyArray<string>
  readonly complete?: boolean
  readonly text?: string
  readonly diagnostics?: ReadonlyArray<Diagnostic>
}

/** Plays one verb. `signal` is there when the scenario is going to cancel it by signal. */
export type PlayVerb<Verb extends PartVerb, Services> = (
  step: PartStep<Verb>,
  signal: AbortSignal | undefined
) => Effect.Effect<Answer, Failure, Services | PartServices | Scope>

/** A part and its types. `Services`: what its layers provide. */
export interface PartDefinition<Host, Services> {
  readonly name: PartName
  /** Built once for a host and shared by all its agents: a registry, say. Without a configuration. */
  readonly host?: Layer.Layer<Host, Failure, SessionStore>
  /** Built anew for each agent instance, from its configuration of this part. */
  readonly layer: (config: unknown, surroundings: Surroundings) => Layer.Layer<Services, Failure, PartServices | Host>
  readonly verbs?: { readonly [Verb in PartVerb]?: PlayVerb<Verb, Host | Services> }
}

/** A part, its types forgotten: an agent that has built its layers can play its verbs. */
export interface Part {
  readonly name: PartName
  readonly host: Layer.Layer<never, Failure, SessionStore> | undefined
  readonly layer: (config: unknown, surroundings: Surroundings) => Layer.Layer<never, Failure, PartServices>
  readonly verbs: { readonly [Verb in PartVerb]?: PlayVerb<Verb, never> }
}

/**
 * Forgets the types of a part's services. That is sound as long as its layers and its verbs are only ever used together,
 * which is what a scripted agent does.
 */
export const definePart = <Host = never, Services = never>(part: PartDefinition<Host, Services>): Part =>
  ({ host: undefined, verbs: {}, ...part }) as unknown as Part
