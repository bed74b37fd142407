/**
 * File references as they are configured, offered and refused.
 */
import * as Schema from "effect/Schema"
import { decodeConfiguration } from "./Configuration.ts"

const positive = Schema.Int.check(Schema.isGreaterThan(0))

const isBaseName = (name: string): boolean => name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name)

/**
 * The configuration of file references (table K).
 *
 * - `maxResults`: how many candidates a query is answered with, unless it asks for another number.
 * - `maxEntries`: how many files and directories the index holds at most; there is more in the tree when it is reached.
 * - `excludedNames`: base names that are neither indexed nor listed.
 * - `respectIgnoreFiles`: whether `.gitignore` and `.ignore` files count.
 */
export const FileReferencesConfig = Schema.Struct({
  maxResults: Schema.optionalKey(positive.annotate({ description: "a positive whole number of candidates" })),
  maxEntries: Schema.optionalKey(
    positive.annotate({ description: "a positive whole number of files and directories" })
  ),
  excludedNames: Schema.optionalKey(
    Schema.Array(
      Schema.String.check(Schema.makeFilter((name) => isBaseName(name) || "a file name without a separator"))
    ).annotate({ description: "a list of file names without separators" })
  ),
  respectIgnoreFiles: Schema.optionalKey(Schema.Boolean.annotate({ description: "true or false" }))
}).annotate({ identifier: "FileReferencesConfig" })
export interface FileReferencesConfig extends Schema.Schema.Type<typeof FileReferencesConfig> {}

/** Decodes `fileReferences` from anything; fails with `InvalidConfiguration` that names key, value and what is allowed. */
export const decodeFileReferencesConfig = decodeConfiguration("fileReferences", FileReferencesConfig)

/** What is not configured is this. */
export const fileReferencesDefaults = {
  maxResults: 20,
  maxEntries: 100_000,
  excludedNames: [".git", "node_modules"],
  respectIgnoreFiles: true
} as const

/** A whole configuration. */
export type FileReferencesSettings = Required<FileReferencesConfig>

/**
 * Something a user may mean. `path` is relative to the session's `cwd`, with `/`, spelled as on the disk, without a slash at
 * its end. A link is a `file`: what it leads to is not looked at.
 */
export const FileCandidate = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["file", "directory"])
}).annotate({ identifier: "FileCandidate" })
export interface FileCandidate extends Schema.Schema.Type<typeof FileCandidate> {}

/** The answer to a query, best candidate first. `truncated`: there is, or there may be, more. */
export const FileCompletion = Schema.Struct({
  candidates: Schema.Array(FileCandidate),
  truncated: Schema.Boolean
}).annotate({ identifier: "FileCompletion" })
export interface FileCompletion extends Schema.Schema.Type<typeof FileCompletion> {}

/** The query names a place outside of the workspace: by `..`, by an absolute path, or through a link (F-3). */
export class OutsideWorkspace extends Schema.TaggedError<OutsideWorkspace>()("OutsideWorkspace", {
  query: Schema.String,
  cwd: Schema.String
}) {
  override get message() {
    return `${JSON.stringify(this.query)} leads out of ${this.cwd}; only what is inside can be referred to`
  }
}

/** The one error of file references; `reason` says what happened. */
export class FileReferenceError extends Schema.TaggedError<FileReferenceError>()("FileReferenceError", {
  reason: Schema.Union([OutsideWorkspace])
}) {
  override get message() {
    return this.reason.message
  }
}
