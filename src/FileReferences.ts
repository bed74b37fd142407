/**
 * File references: what a user means by `@path`.
 *
 * **When to use**
 *
 * In whatever a user types prompts into. `activeAtToken` says what is being typed, `list` what may be meant, `formatMention`
 * what a choice inserts. Nothing else happens: the prompt stays plain text, and the model reads the file if it needs it.
 *
 * **Details**
 *
 * A query with a `/`, or an empty one, lists one directory as it is now: those below it whose names begin with what follows
 * the last `/`. Any other query searches an index of the whole workspace, which is built with the first such query and kept.
 * `.gitignore` and `.ignore` files count, those between the workspace and its project's root, too; `.ignore` has the last word.
 * Links are offered as files and never followed by the index. `layer` belongs to a session; `layerWorkspace` needs none.
 *
 * **Gotchas**
 *
 * A mention that could be read as something else is written in quotes: `@"Makefile"`, since `@override` is no mention.
 *
 * **Example**
 *
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import * as Effect from "effect/Effect"
 * import * as FileReferences from "effect-agent-context/FileReferences"
 *
 * const program = Effect.gen(function* () {
 *   const references = yield* FileReferences.FileReferences
 *   const typed = "Please tidy up @age"
 *   const token = FileReferences.activeAtToken(typed, typed.length)
 *   if (token === undefined) return undefined
 *   const { candidates } = yield* references.list(token.query, { limit: 1 })
 *   return candidates.map((candidate) => FileReferences.formatMention(candidate, token))
 * })
 *
 * const layer = FileReferences.layerWorkspace({ cwd: process.cwd() })
 * const mentions = await Effect.runPromise(program.pipe(Effect.provide(layer), Effect.provide(NodeFileSystem.layer)))
 * console.log(mentions) // => ["@AGENTS.md"]
 * ```
 */
export { FastReader } from "./layers/files/fastReader.ts"
export { layer, layerWorkspace } from "./layers/files/fileReferences.ts"
export { fileReferenceGuidance } from "./pipeline/files/guidance.ts"
export {
  activeAtToken,
  type ActiveToken,
  formatMention,
  type Mention,
  parseMentions
} from "./pipeline/files/mention.ts"
export { InvalidConfiguration } from "./schemas/Configuration.ts"
export {
  decodeFileReferencesConfig,
  FileCandidate,
  FileCompletion,
  FileReferenceError,
  FileReferencesConfig,
  OutsideWorkspace
} from "./schemas/FileReference.ts"
export { FileReferences, type FileReferencesShape, type ListOptions } from "./services/FileReferences.ts"
