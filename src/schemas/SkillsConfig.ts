/** The configuration of skills (table K). */
import * as Schema from "effect/Schema"
import { decodeConfiguration } from "./Configuration.ts"
import { PositiveTime } from "./time.ts"

const positive = Schema.Int.check(Schema.isGreaterThan(0))
const Directory = Schema.NonEmptyString.annotate({
  description: "a directory: absolute, relative, or beginning with ~/"
})

/** A directory of skills beside the default ones. */
export const SkillRoot = Schema.Struct({
  path: Schema.NonEmptyString,
  rank: Schema.optionalKey(Schema.Finite),
  source: Schema.optionalKey(Schema.NonEmptyString)
}).annotate({ identifier: "SkillRoot" })
export interface SkillRoot extends Schema.Schema.Type<typeof SkillRoot> {}

/**
 * The configuration of skills. Sizes are bytes.
 *
 * - `roots`: further directories; a relative path is taken from the project root, `rank` is 300 and `source` `"custom"` unless given.
 * - `home`, `agentsHome`: instead of `$DSH_HOME`, else `~/.dsh`, and of `$DSH_AGENTS_HOME`, else `~/.agents`.
 * - `providerTimeout`: how long a provider may take for one answer: milliseconds, or a text such as `"5 seconds"`.
 */
export const SkillsConfig = Schema.Struct({
  includeDefaultRoots: Schema.optionalKey(Schema.Boolean.annotate({ description: "true or false" })),
  roots: Schema.optionalKey(
    Schema.Array(SkillRoot).annotate({
      description: "a list of { path, rank, source }, with a number for rank; rank and source may be left out"
    })
  ),
  home: Schema.optionalKey(Directory),
  agentsHome: Schema.optionalKey(Directory),
  bundledDirectory: Schema.optionalKey(Directory),
  maxSourceBytes: Schema.optionalKey(positive.annotate({ description: "a positive whole number of bytes" })),
  catalogDescriptionMaxLength: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(3)).annotate({
      description: "a whole number of characters, at least 3"
    })
  ),
  catalogMaxBytes: Schema.optionalKey(positive.annotate({ description: "a positive whole number of bytes" })),
  userInvocation: Schema.optionalKey(
    Schema.Literals(["line-start", "anywhere", "off"]).annotate({ description: `"line-start", "anywhere" or "off"` })
  ),
  providerTimeout: Schema.optionalKey(
    PositiveTime.annotate({ description: `a time, such as 5000 (milliseconds) or "5 seconds"` })
  ),
  watch: Schema.optionalKey(Schema.Boolean.annotate({ description: "true or false" }))
}).annotate({ identifier: "SkillsConfig" })
export interface SkillsConfig extends Schema.Schema.Type<typeof SkillsConfig> {}

/** Decodes `skills` from anything; fails with `InvalidConfiguration` that names key, value and what is allowed. */
export const decodeSkillsConfig = decodeConfiguration("skills", SkillsConfig)

/** What is not configured is this. */
export const skillsDefaults = {
  maxSourceBytes: 1_048_576,
  catalogDescriptionMaxLength: 500,
  catalogMaxBytes: 16_384,
  userInvocation: "line-start",
  providerTimeout: "5 seconds"
} as const
