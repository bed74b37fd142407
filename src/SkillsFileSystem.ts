/**
 * Skills on disk: `<name>/SKILL.md` and `<name>.md` in the project's and the user's skill directories.
 *
 * **When to use**
 *
 * `layer` registers them with a registry. Provide it with the registry of the host, and with Effect's `FileSystem` there or
 * in the fiber that asks.
 *
 * **Details**
 *
 * - Looked for in `<root>/.dsh/skills`, `<root>/.agents/skills`, the configured `roots`, `~/.dsh/skills` and
 *   `~/.agents/skills`, in this order of precedence.
 * - One malformed file costs that one skill, with a diagnostic that names file, line and what is allowed. What cannot be read
 *   makes the listing incomplete, so nobody concludes that it is gone.
 * - Only frontmatter is read for a listing, and only of files whose metadata have changed.
 * - `layerWatch` sees what others change; without it, changes by the agent's own tools count through `onToolResult`, and
 *   others with the next listing that revalidates.
 * - `layerHost` is all of it in one, for the sessions of a host to share: registry, skills on disk, and the watcher where the
 *   configuration says `watch: true`.
 *
 * **Example** (Listing and loading)
 *
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as SkillRegistry from "effect-agent-context/SkillRegistry"
 * import * as SkillsFileSystem from "effect-agent-context/SkillsFileSystem"
 *
 * const skills = SkillsFileSystem.layer({}).pipe(
 *   Layer.provideMerge(SkillRegistry.layer),
 *   Layer.provide(NodeFileSystem.layer)
 * )
 *
 * const program = Effect.gen(function*() {
 *   const registry = yield* SkillRegistry.SkillRegistry
 *   const { diagnostics, skills } = yield* registry.snapshot({ cwd: process.cwd() })
 *   for (const { message } of diagnostics) console.error(message)
 *   return skills.map(({ description, name }) => `${name}: ${description}`)
 * })
 *
 * console.log(await Effect.runPromise(Effect.provide(program, skills)))
 * ```
 */
export { layer } from "./layers/skills/fileSystem.ts"
export { providerName } from "./layers/skills/lookDisk.ts"
export { layerHost } from "./layers/skills/mounted.ts"
export { layerWatch } from "./layers/skills/watcher.ts"
export { decodeSkillsConfig, SkillRoot, SkillsConfig } from "./schemas/SkillsConfig.ts"
export {
  type DirectoryWatcher,
  type OnDirectoryEvent,
  SkillsFileSystem,
  type SkillsFileSystemShape,
  type Unwatched
} from "./services/SkillsFileSystem.ts"
