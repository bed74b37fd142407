/** What can go wrong when skills are registered or loaded. */
import * as Schema from "effect/Schema"
import { allowedName, runtimeProvider } from "./Skill.ts"

const shown = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text)

/** A provider of this name is registered in this layer already, or the name is reserved. */
export class DuplicateSkillProvider extends Schema.TaggedError<DuplicateSkillProvider>()("DuplicateSkillProvider", {
  provider: Schema.String
}) {
  override get message() {
    return this.provider === runtimeProvider
      ? `The provider name "${runtimeProvider}" is reserved for skills that the program registers itself; give the provider another name`
      : `A skill provider named ${shown(this.provider)} is registered already; give this one another name, or dispose of the first`
  }
}

/** A candidate cannot be used; its provider's whole listing fails for it. */
export class SkillCandidateInvalid extends Schema.TaggedError<SkillCandidateInvalid>()("SkillCandidateInvalid", {
  provider: Schema.String,
  /** The candidate's name; without one, its place in the listing, from 0. */
  candidate: Schema.String,
  field: Schema.String,
  allowed: Schema.String
}) {
  override get message() {
    const what = this.field === "" ? "it" : this.field
    return `The skill ${shown(this.candidate)} of provider ${shown(this.provider)} is malformed: ${what} must be ${this.allowed}`
  }
}

/** No skill of this name can be had now. `detail` says why. */
export class SkillUnavailable extends Schema.TaggedError<SkillUnavailable>()("SkillUnavailable", {
  name: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The skill ${shown(this.name)} is not available: ${this.detail}`
  }
}

/** A text that names no skill, whatever skills there are. */
export class InvalidSkillName extends Schema.TaggedError<InvalidSkillName>()("InvalidSkillName", {
  name: Schema.String
}) {
  override get message() {
    return `${shown(this.name)} is no skill name; names are ${allowedName}`
  }
}

/** The skill is for people to call: the model may not load it. */
export class SkillNotModelInvocable extends Schema.TaggedError<SkillNotModelInvocable>()("SkillNotModelInvocable", {
  name: Schema.String
}) {
  override get message() {
    return `The skill ${shown(this.name)} cannot be loaded by the model; only the user can call it, by typing /${this.name}`
  }
}

/** The skill is for the model to load: it cannot be called by typing its name. */
export class SkillNotUserInvocable extends Schema.TaggedError<SkillNotUserInvocable>()("SkillNotUserInvocable", {
  name: Schema.String
}) {
  override get message() {
    return `The skill ${shown(this.name)} cannot be called by the user; only the model loads it`
  }
}

/** The skill's file has more bytes than are read. */
export class SkillTooLarge extends Schema.TaggedError<SkillTooLarge>()("SkillTooLarge", {
  name: Schema.String,
  path: Schema.String,
  bytes: Schema.Number,
  maxBytes: Schema.Number
}) {
  override get message() {
    return `The skill ${shown(this.name)} is too large: ${this.path} has ${this.bytes} bytes or more, the limit is ${this.maxBytes}; shorten it, or raise maxSourceBytes`
  }
}

/** The one error of the skill registry; `operation` names the call, `reason` what happened. */
export class SkillRegistryError extends Schema.TaggedError<SkillRegistryError>()("SkillRegistryError", {
  operation: Schema.String,
  reason: Schema.Union([
    DuplicateSkillProvider,
    SkillCandidateInvalid,
    SkillUnavailable,
    InvalidSkillName,
    SkillNotModelInvocable,
    SkillNotUserInvocable,
    SkillTooLarge
  ])
}) {
  override get message() {
    return this.reason.message
  }
}
