/**
 * Skills as they are offered, found, loaded and logged.
 */
import * as Schema from "effect/Schema"
import { Diagnostic } from "./Diagnostic.ts"

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The longest name, in characters. */
export const maxNameLength = 64

/** What a skill may be called, in words. */
export const allowedName = `lower-case letters and digits in groups joined by single hyphens, at most ${maxNameLength} characters`

/** Whether `name` may name a skill: `^[a-z0-9]+(-[a-z0-9]+)*$` and at most 64 characters (S-2). */
export const isSkillName = (name: string): boolean => name.length <= maxNameLength && namePattern.test(name)

/** The name of a skill (S-2). */
export const SkillName = Schema.String.check(Schema.makeFilter((name) => isSkillName(name) || allowedName)).annotate({
  identifier: "SkillName",
  description: allowedName
})
export type SkillName = typeof SkillName.Type

const Description = Schema.String.check(
  Schema.makeFilter((text) => text.trim() !== "" || "a text that is not blank")
).annotate({ description: "a text that is not blank" })

/** Who may bring a skill into a conversation: the model through the `skill` tool, the user by typing `/name`. */
export const SkillInvocation = Schema.Struct({
  modelInvocable: Schema.Boolean,
  userInvocable: Schema.Boolean
}).annotate({ description: "an object with the booleans modelInvocable and userInvocable" })
export interface SkillInvocation extends Schema.Schema.Type<typeof SkillInvocation> {}

/** What relative references in a skill's text start from: a directory, a URL, or whatever `description` says. */
export const SkillResourceBase = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("directory"), path: Schema.NonEmptyString }),
  Schema.Struct({ kind: Schema.Literal("url"), url: Schema.NonEmptyString }),
  Schema.Struct({ kind: Schema.Literal("opaque"), description: Schema.NonEmptyString })
]).annotate({
  description: `{ kind: "directory", path }, { kind: "url", url } or { kind: "opaque", description }`
})
export type SkillResourceBase = typeof SkillResourceBase.Type

const Text = Schema.String.annotate({ description: "a text" })

/** What a skill may say about itself beside its name and description. */
const optionalFields = {
  whenToUse: Schema.optionalKey(Text),
  path: Schema.optionalKey(Schema.String.annotate({ description: "an absolute path" })),
  resourceBase: Schema.optionalKey(SkillResourceBase),
  metadata: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({ description: "an object of JSON values" })
  ),
  license: Schema.optionalKey(Text),
  compatibility: Schema.optionalKey(Text),
  allowedTools: Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({ description: "a text or a list of texts" })
  )
}

const Source = Schema.NonEmptyString.annotate({ description: "a word for where the skill comes from" })
const Rank = Schema.Finite.annotate({ description: "a number; lower wins" })

/**
 * What a provider offers (S-2). `locator` means something to the provider alone and is handed back to its `get`;
 * `rank` decides between candidates of one name, lower wins; `provider` may be left out, and else is the provider's own name.
 */
export const SkillCandidate = Schema.Struct({
  name: SkillName,
  description: Description,
  invocation: SkillInvocation,
  source: Source,
  provider: Schema.optionalKey(Schema.String.annotate({ description: "the name of the provider itself" })),
  rank: Rank,
  locator: Schema.Unknown.annotate({ description: "anything that the provider finds the skill again by" }),
  ...optionalFields
}).annotate({ identifier: "SkillCandidate" })
export interface SkillCandidate extends Schema.Schema.Type<typeof SkillCandidate> {}

/** A skill that can be had: the candidate that won its name. */
export const Skill = Schema.Struct({ ...SkillCandidate.fields, provider: Schema.String }).annotate({
  identifier: "Skill"
})
export interface Skill extends Schema.Schema.Type<typeof Skill> {}

/** Files that come with a skill, relative to its directory, with `/`. `truncated`: there are more. */
export const SkillFiles = Schema.Struct({ paths: Schema.Array(Schema.String), truncated: Schema.Boolean })
export interface SkillFiles extends Schema.Schema.Type<typeof SkillFiles> {}

/**
 * What a provider's `get` answers: the skill as it is now. `content` is the text of its instructions. What is left out is as the
 * candidate said; `name` has to be the candidate's.
 */
export const ProvidedSkill = Schema.Struct({
  name: Schema.String,
  description: Schema.optionalKey(Description),
  invocation: Schema.optionalKey(SkillInvocation),
  content: Text,
  files: Schema.optionalKey(SkillFiles),
  ...optionalFields
}).annotate({ identifier: "ProvidedSkill" })
export interface ProvidedSkill extends Schema.Schema.Type<typeof ProvidedSkill> {}

/** A loaded skill: what it is, and `content`, the text of its instructions (S-6). */
export const SkillDefinition = Schema.Struct({
  name: SkillName,
  description: Description,
  invocation: SkillInvocation,
  source: Source,
  provider: Schema.String,
  content: Text,
  files: Schema.optionalKey(SkillFiles),
  ...optionalFields
}).annotate({ identifier: "SkillDefinition" })
export interface SkillDefinition extends Schema.Schema.Type<typeof SkillDefinition> {}

/** The rank of a skill that a program registers itself (S-7). */
export const runtimeRank = 250

/** The provider's name of such skills; nobody else may have it. */
export const runtimeProvider = "runtime"

/** A skill that a program brings along (S-7). Both invocations are allowed unless said otherwise. */
export const RuntimeSkill = Schema.Struct({
  name: SkillName,
  description: Description,
  invocation: Schema.optionalKey(SkillInvocation),
  source: Schema.optionalKey(Source),
  content: Text,
  ...optionalFields
}).annotate({ identifier: "RuntimeSkill" })
export interface RuntimeSkill extends Schema.Schema.Type<typeof RuntimeSkill> {}

/** One side of a contest for a name. */
const Contender = Schema.Struct({
  provider: Schema.String,
  source: Schema.String,
  rank: Schema.Number,
  path: Schema.optionalKey(Schema.String)
})

/**
 * A candidate that lost its name (S-4). `why`: the winner is of a nearer `layer`, has the lower `rank`, its provider
 * registered earlier (`registration`), or the same provider named it earlier (`order`).
 */
export const ShadowedSkill = Schema.Struct({
  name: Schema.String,
  ...Contender.fields,
  by: Contender,
  why: Schema.Literals(["layer", "rank", "registration", "order"])
}).annotate({ identifier: "ShadowedSkill" })
export interface ShadowedSkill extends Schema.Schema.Type<typeof ShadowedSkill> {}

/** A provider that contributed nothing, and why. */
export const SkillFailure = Schema.Struct({
  provider: Schema.String,
  tag: Schema.Literals(["SkillProviderFailed", "SkillProviderTimedOut"]),
  message: Schema.String
}).annotate({ identifier: "SkillFailure" })
export interface SkillFailure extends Schema.Schema.Type<typeof SkillFailure> {}

/**
 * Every skill there is at one moment, sorted by name (S-4). `complete` says that nothing was left out: every provider
 * answered in time, for all it has, and nothing changed meanwhile. Only then does the absence of a name mean anything.
 * `revision` is the registry's revision that it goes by: as long as that has not grown, a complete snapshot is true.
 */
export const SkillSnapshot = Schema.Struct({
  skills: Schema.Array(Skill),
  complete: Schema.Boolean,
  revision: Schema.Natural,
  shadowed: Schema.Array(ShadowedSkill),
  failures: Schema.Array(SkillFailure),
  diagnostics: Schema.Array(Diagnostic)
}).annotate({ identifier: "SkillSnapshot" })
export interface SkillSnapshot extends Schema.Schema.Type<typeof SkillSnapshot> {}

/** The source kind of catalog messages. */
export const catalogSourceKind = "skill-catalog"

/** One line of a catalog as shown, before escaping. The description is empty when there was no room for it. */
export const CatalogEntry = Schema.Struct({ name: SkillName, description: Schema.String })
export interface CatalogEntry extends Schema.Schema.Type<typeof CatalogEntry> {}

/** The source of a catalog message (S-40). */
export const SkillCatalogSource = Schema.Struct({
  kind: Schema.Literal(catalogSourceKind),
  version: Schema.Literal(1),
  entries: Schema.Array(CatalogEntry),
  complete: Schema.optionalKey(Schema.Literal(false)),
  update: Schema.optionalKey(Schema.Literal(true))
}).annotate({ identifier: "SkillCatalogSource" })
export interface SkillCatalogSource extends Schema.Schema.Type<typeof SkillCatalogSource> {}

/** The source kind of messages that bring in a skill which the user called. */
export const invocationSourceKind = "skill-invocation"

/** The source of such a message (S-45). */
export const SkillInvocationSource = Schema.Struct({
  kind: Schema.Literal(invocationSourceKind),
  version: Schema.Literal(1),
  name: SkillName
}).annotate({ identifier: "SkillInvocationSource" })
export interface SkillInvocationSource extends Schema.Schema.Type<typeof SkillInvocationSource> {}
