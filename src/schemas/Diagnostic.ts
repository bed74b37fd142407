/**
 * What went wrong without costing more than context: reported, never thrown, never silent.
 */
import * as Schema from "effect/Schema"

/** Every tag a diagnostic can carry. The list is part of the contract; scenario files name these tags. */
export const DiagnosticTag = Schema.Literals([
  "ProjectRootUnavailable",
  "CandidateIgnored",
  "CandidateUnavailable",
  "SourceOversized",
  "SourceBinary",
  "InvalidUtf8",
  "LinkLoop",
  "HistoryIgnored",
  "SupplierFailed",
  "SkillProviderFailed",
  "SkillProviderTimedOut",
  "SkillMalformed",
  "SkillUnreadable",
  "FrontmatterRepaired",
  "SkillFieldDropped",
  "SkillNameMismatch",
  "SkillShadowed",
  "CatalogShortened",
  "IndexTruncated",
  "LogTailCut",
  "WatcherFailed",
  "TmuxUnavailable"
])
export type DiagnosticTag = typeof DiagnosticTag.Type

/**
 * One finding. `message` is a sentence that says what happened and what to do; `path` is absolute.
 *
 * **Example**
 *
 * ```ts
 * import type { Diagnostic } from "effect-agent-context/Diagnostic"
 *
 * const line = (diagnostic: Diagnostic) => `${diagnostic.tag}: ${diagnostic.message}`
 * ```
 */
export const Diagnostic = Schema.Struct({
  tag: DiagnosticTag,
  message: Schema.String,
  path: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Natural),
  code: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Diagnostic" })
export interface Diagnostic extends Schema.Schema.Type<typeof Diagnostic> {}
