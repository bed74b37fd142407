/**
 * Workspace instructions as they are configured, logged and reported.
 */
import * as Schema from "effect/Schema"
import { decodeConfiguration } from "./Configuration.ts"
import { Diagnostic } from "./Diagnostic.ts"

/**
 * Where an instruction file applies. `owner` `user` is the user-global file, `project` everything else; `directory` is
 * `.` or a path relative to the project root with `/`; `slot` is `base`, `local`, or in selection `all` the file name.
 * Always compared as a structure, so a folder called like an internal word collides with nothing.
 */
export const Scope = Schema.Struct({
  owner: Schema.Literals(["user", "project"]),
  directory: Schema.NonEmptyString,
  slot: Schema.NonEmptyString
}).annotate({ identifier: "InstructionScope" })
export interface Scope extends Schema.Schema.Type<typeof Scope> {}

const Digest = Schema.String.check(Schema.isPattern(/^[0-9a-f]{40}$/))

/**
 * One thing a message tells about one scope. `digest` is the SHA-1 of the UTF-8 of the file's decoded text, in
 * lower-case hexadecimal; a `remove` has none and carries the path last shown. `previousPath` stands only in a
 * `replace` whose path differs (I-22).
 */
export const Change = Schema.Struct({
  action: Schema.Literals(["set", "replace", "remove"]),
  scope: Scope,
  path: Schema.NonEmptyString,
  previousPath: Schema.optionalKey(Schema.NonEmptyString),
  digest: Schema.optionalKey(Digest)
}).check(
  Schema.makeFilter(
    (change) => (change.action === "remove") === (change.digest === undefined) || "a digest, except in a remove"
  )
)
export interface Change extends Schema.Schema.Type<typeof Change> {}

/** The source kind of instruction messages. */
export const sourceKind = "agent-instructions"

/** The source of an instruction message: everything that is ever read back from the log (I-22). */
export const InstructionsSource = Schema.Struct({
  kind: Schema.Literal(sourceKind),
  version: Schema.Literal(1),
  baseline: Schema.optionalKey(Schema.Literal(true)),
  baselineIdentity: Schema.optionalKey(Schema.NonEmptyString),
  changes: Schema.Array(Change)
}).annotate({ identifier: "InstructionsSource" })
export interface InstructionsSource extends Schema.Schema.Type<typeof InstructionsSource> {}

const Names = Schema.Array(Schema.String).annotate({ description: "a list of file names" })

/** The configuration of workspace instructions (table K). Sizes are bytes. */
export const InstructionsConfig = Schema.Struct({
  maxBytes: Schema.Number.annotate({
    description:
      "a number of UTF-8 bytes that bounds each instruction message; 0, negative or not finite turns instructions off"
  }),
  maxSourceBytes: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({ description: "a positive whole number of bytes" })
  ),
  instructionFileCandidates: Schema.optionalKey(Names),
  localInstructionFileCandidates: Schema.optionalKey(Names),
  projectRootMarkers: Schema.optionalKey(Names),
  candidateSelection: Schema.optionalKey(
    Schema.Literals(["first", "all"]).annotate({ description: `"first" or "all"` })
  ),
  home: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description: "a directory: absolute, relative to the working directory, or beginning with ~/"
    })
  ),
  touchTools: Schema.optionalKey(
    Schema.Record(Schema.NonEmptyString, Schema.NonEmptyString).annotate({
      description: "an object from tool name to the argument that holds the path"
    })
  )
}).annotate({ identifier: "InstructionsConfig" })
export interface InstructionsConfig extends Schema.Schema.Type<typeof InstructionsConfig> {}

/** Decodes `instructions` from anything; fails with `InvalidConfiguration` that names key, value and what is allowed. */
export const decodeInstructionsConfig = decodeConfiguration("instructions", InstructionsConfig)

/** What became of one considered path (I-64). */
export const FileOutcome = Schema.Literals([
  "loaded",
  "absent",
  "shadowed",
  "duplicate",
  "unavailable",
  "oversized",
  "binary",
  "omitted",
  "truncated",
  "unchanged"
])
export type FileOutcome = typeof FileOutcome.Type

/**
 * One line of the report. `path` is absolute; `shown` is the path the model sees; `bytes` is the size of the text in
 * UTF-8 (of an unread file its reported size); `renderedBytes` is what it takes in the message, heading and escapes
 * included; `reason` explains an outcome that needs it: by what a file is shadowed, of what it is a duplicate, why it
 * is unavailable, from and to how many bytes it was cut. `outside`: a link leads out of the project, by real paths; told
 * only where the whole account was asked for.
 */
export const FileReport = Schema.Struct({
  path: Schema.String,
  shown: Schema.String,
  scope: Scope,
  outcome: FileOutcome,
  bytes: Schema.Natural,
  renderedBytes: Schema.Natural,
  outside: Schema.optionalKey(Schema.Literal(true)),
  reason: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "FileReport" })
export interface FileReport extends Schema.Schema.Type<typeof FileReport> {}

/** A file that lost its end to the budget, in UTF-8 bytes of its text before escaping. */
export const Truncation = Schema.Struct({ path: Schema.String, from: Schema.Natural, to: Schema.Natural })
export interface Truncation extends Schema.Schema.Type<typeof Truncation> {}

/** A file the budget left out. `bytes`: UTF-8 of its text, or its reported size if it was not read. */
export const Omission = Schema.Struct({ path: Schema.String, bytes: Schema.Natural })
export interface Omission extends Schema.Schema.Type<typeof Omission> {}

/** Everything one load found, rendered and left out. `text` is empty when there is nothing to tell. */
export const LoadedInstructions = Schema.Struct({
  text: Schema.String,
  bytes: Schema.Natural,
  maxBytes: Schema.Number,
  projectRoot: Schema.String,
  identity: Schema.String,
  changes: Schema.Array(Change),
  omitted: Schema.Array(Omission),
  truncated: Schema.Array(Truncation),
  report: Schema.Array(FileReport),
  diagnostics: Schema.Array(Diagnostic)
}).annotate({ identifier: "LoadedInstructions" })
export interface LoadedInstructions extends Schema.Schema.Type<typeof LoadedInstructions> {}

/**
 * No project root could be settled: probing the marker at `path` failed for another reason than confirmed absence, so
 * neither "no rules" nor an ancestor's project may be concluded (I-5). `reason` is what the file system said.
 */
export class ProjectRootUnavailable extends Schema.TaggedError<ProjectRootUnavailable>()("ProjectRootUnavailable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot tell where the project begins: probing ${this.path} failed (${this.reason}). Make it readable and try again.`
  }
}
