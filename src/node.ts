/**
 * Everything wired for Node, from one configuration.
 *
 * **When to use**
 *
 * For an agent on Effect that runs on Node: `layer` gives it the session, its inbox, `ContextSupply` and every part that the
 * configuration turns on. A process with many sessions builds `layerHost` once and a `layerSession` for each.
 *
 * **Details**
 *
 * - `instructions` must be given: a budget in bytes, or `false` (I-60). Every other part is off unless it is configured; `true`
 *   stands for all its defaults (C-7). Sessions live in memory unless `store` names a directory.
 * - File system, store, and the registry of skills belong to the host and are shared; everything else is a session's own.
 * - On the plain disk, directories and skills are read with Node's own calls; around any other file system, and around any that
 *   wraps the plain one, nothing goes (C-8). `layerWithoutPlatform` takes whatever file system it is given.
 * - `layerConfig` reads the configuration from Effect's `Config`: from the environment unless another one is given.
 *
 * **Example**
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as AgentContextNode from "effect-agent-context/node"
 * import * as ContextSupply from "effect-agent-context/ContextSupply"
 *
 * const program = Effect.gen(function* () {
 *   const supply = yield* ContextSupply.ContextSupply
 *   const prompt = { id: "p1", text: "hello", source: { kind: "user" } }
 *   const decision = yield* supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" })
 *   return decision.decision === "enter" ? decision.messages.map(({ source }) => source.kind) : []
 * })
 *
 * const layer = AgentContextNode.layer({ instructions: { maxBytes: 65_536 }, time: true })
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // => ["user", "agent-instructions", "time-context"]
 * ```
 */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodePath from "@effect/platform-node/NodePath"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { type HostServices, hostLayer, sessionLayer, type SessionParts, type SessionNeeds } from "./node/assemble.ts"
import { fromEnvironment } from "./node/environmentConfig.ts"
import * as NodeFiles from "./node/fileSystem.ts"
import type { AgentContextConfig } from "./schemas/AgentContextConfig.ts"
import type { InvalidConfiguration } from "./schemas/Configuration.ts"
import type { SessionError } from "./schemas/SessionError.ts"
import type { SkillRegistryError } from "./schemas/SkillRegistryError.ts"
import type { DuplicateSupplier } from "./schemas/StepRejected.ts"
import type { InvalidTimeZone } from "./schemas/TimeContext.ts"

export type { AgentContextConfig } from "./schemas/AgentContextConfig.ts"
export { InvalidConfiguration } from "./schemas/Configuration.ts"
export type { HostServices, SessionNeeds, SessionParts } from "./node/assemble.ts"
export { fromEnvironment } from "./node/environmentConfig.ts"

/** What Node brings: files, paths, and child processes. */
export type Platform = FileSystem.FileSystem | Path.Path | ChildProcessSpawner

/** Why a host cannot be built: a key of its configuration is wrong, or the registry refuses the provider of skills on disk. */
export type HostError = InvalidConfiguration | SkillRegistryError

/** Why a session cannot be built: a wrong key, a session that is damaged or written by another, two suppliers of one name, an unknown time zone. */
export type SessionLayerError = InvalidConfiguration | SessionError | DuplicateSupplier | InvalidTimeZone

/**
 * Node's `FileSystem`, two to five times as fast where it is asked for many small things: provide it in place of
 * `NodeFileSystem.layer`. What it answers is the same; how is not.
 *
 * - Paths on a disk of this machine that lead over no link are asked about directly, in slices of five milliseconds between which
 *   everything else has its turn. The thread pool takes ten to twenty times as long as such a disk. The price: a local disk that
 *   does not answer holds up the process.
 * - Everything else goes through the pool as ever: other mounts, links, whatever writes, and all paths outside of Linux, whose table
 *   of mounts tells which are local.
 */
export const layerFileSystem: Layer.Layer<FileSystem.FileSystem> = NodeFiles.layer

/** The platform services of Node, with `layerFileSystem`: for `layerWithoutPlatform`, or for an application of its own. */
export const layerPlatform: Layer.Layer<Platform> = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(Layer.merge(layerFileSystem, NodePath.layer))
)

/** What sessions share, over a platform that is given. */
export const layerHostWithoutPlatform = <const C extends AgentContextConfig>(
  config: C
): Layer.Layer<HostServices<C>, HostError, FileSystem.FileSystem> => hostLayer(config)

/** What sessions share: the platform, the store, and the skills on disk. Of the configuration, `store` and `skills` count. */
export const layerHost = <const C extends AgentContextConfig>(
  config: C
): Layer.Layer<HostServices<C> | Platform, HostError> =>
  Layer.provideMerge(layerHostWithoutPlatform(config), layerPlatform)

/**
 * One session on a host: itself, its inbox, context supply and system prompt, and the parts that are on. Fresh each time it is
 * built, so one for each id makes a fleet: `LayerMap.make((id: string) => layerSession({ ...config, session: { id } }))`.
 */
export const layerSession = <const C extends AgentContextConfig>(
  config: C
): Layer.Layer<SessionParts<C>, SessionLayerError, SessionNeeds<C>> => sessionLayer(config)

/** The whole, over a platform that is given: in memory for tests, confined, or another one altogether. */
export const layerWithoutPlatform = <const C extends AgentContextConfig>(
  config: C
): Layer.Layer<HostServices<C> | SessionParts<C>, HostError | SessionLayerError, Platform> =>
  Layer.provideMerge(layerSession(config), layerHostWithoutPlatform(config)) as Layer.Layer<
    HostServices<C> | SessionParts<C>,
    HostError | SessionLayerError,
    Platform
  >

/** Everything for one session on Node. Fails with `InvalidConfiguration` that names the key, what was given and what is allowed. */
export const layer = <const C extends AgentContextConfig>(
  config: C
): Layer.Layer<HostServices<C> | SessionParts<C> | Platform, HostError | SessionLayerError> =>
  Layer.provideMerge(layerWithoutPlatform(config), layerPlatform)

/**
 * The same from Effect's `Config`; of the environment's variables unless another one is given. Which parts are on is known only
 * then, so ask for them with `Effect.serviceOption`.
 */
export const layerConfig = (
  config: Config.Config<AgentContextConfig> | Effect.Effect<AgentContextConfig, InvalidConfiguration> = fromEnvironment
) =>
  Layer.unwrap(
    Effect.map(config as Effect.Effect<AgentContextConfig, InvalidConfiguration | Config.ConfigError>, (config) =>
      layer(config)
    )
  )
