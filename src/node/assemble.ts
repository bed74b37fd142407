/** Host and session put together from a configuration: which layers there are, and what of it each is handed. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { openSession } from "../agent/openSession.ts"
import { perSession, type SessionServices } from "../agent/perSession.ts"
import { layer as timeLayer } from "../layers/ambient/time.ts"
import { layer as tmuxLayer } from "../layers/ambient/tmux.ts"
import { environment } from "../layers/environment.ts"
import { fileSystem, probe } from "../layers/filesystem/probe.ts"
import { layer as fileReferencesLayer } from "../layers/files/fileReferences.ts"
import { layer as instructionsLayer } from "../layers/instructions/supplier.ts"
import { layerJsonl } from "../layers/session/jsonl.ts"
import { layerStoreMemory } from "../layers/session/memory.ts"
import { layer as sessionFromStore } from "../layers/session/session.ts"
import { layer as sessionReferencesLayer } from "../layers/sessionReferences/sessionReferences.ts"
import { layer as catalogLayer } from "../layers/skills/catalogLayer.ts"
import { layerHost as skillsOfHost } from "../layers/skills/mounted.ts"
import { layerChildWith } from "../layers/skills/registry.ts"
import { expandTilde } from "../pipeline/homePaths.ts"
import * as Paths from "../pipeline/paths.ts"
import { type AgentContextConfig, decodeAgentContextConfig } from "../schemas/AgentContextConfig.ts"
import { InvalidConfiguration } from "../schemas/Configuration.ts"
import type { SessionError } from "../schemas/SessionError.ts"
import type { SkillRegistryError } from "../schemas/SkillRegistryError.ts"
import type { DuplicateSupplier } from "../schemas/StepRejected.ts"
import type { InvalidTimeZone } from "../schemas/TimeContext.ts"
import type { AgentInstructions } from "../services/AgentInstructions.ts"
import type { FileReferences } from "../services/FileReferences.ts"
import type { SessionReferences } from "../services/SessionReferences.ts"
import type { SessionStore } from "../services/SessionStore.ts"
import type { SkillRegistry } from "../services/SkillRegistry.ts"
import type { SkillsFileSystem } from "../services/SkillsFileSystem.ts"
import * as fastFiles from "./fastFiles.ts"
import * as fastReader from "./fastReader.ts"

/** `Service` where the configuration certainly turns `Part` on: what may be off is not promised. */
type Where<C, Part extends string, Service> = C extends { readonly [K in Part]: infer Value }
  ? false extends Value
    ? never
    : undefined extends Value
      ? never
      : Service
  : never

/** The services of a host with the configuration `C`: those of a part that is off are not among them. */
export type HostServices<C> = SessionStore | Where<C, "skills", SkillRegistry | SkillsFileSystem>

/** The services of a session with the configuration `C`: those of a part that is off are not among them. */
export type SessionParts<C> =
  | SessionServices
  | Where<C, "instructions", AgentInstructions>
  | Where<C, "skills", SkillRegistry>
  | Where<C, "fileReferences", FileReferences>
  | Where<C, "sessionReferences", SessionReferences>

/** `Service` unless the configuration certainly leaves `Part` off. */
type Unless<C, Part extends string, Service> = C extends { readonly [K in Part]?: infer Value }
  ? [Exclude<Value, false | undefined>] extends [never]
    ? never
    : Service
  : never

/** The services that a session with the configuration `C` needs from its host. */
export type SessionNeeds<C> = SessionStore | Unless<C, "skills", SkillRegistry> | Unless<C, "tmux", ChildProcessSpawner>

/** The directory of the process; one that is gone is that of nobody. */
const here = Effect.orDie(Effect.try({ try: () => process.cwd(), catch: (cause) => cause }))

const absolute = Effect.fnUntraced(function* (path: string) {
  const { osHome } = yield* environment
  return Paths.resolve(yield* here, expandTilde(path, osHome))
})

const noDirectory = (cwd: string, why: string) =>
  new InvalidConfiguration({
    part: "agentContext",
    key: "cwd",
    given: `${JSON.stringify(cwd)}, ${why}`,
    allowed: "a directory that is there"
  })

/** A directory misspelt would be an empty one for good. One that cannot be looked at now may be there. */
const existing = Effect.fnUntraced(function* (cwd: string) {
  const fs = yield* fileSystem(yield* Effect.context<never>())
  if (Option.isNone(fs)) return cwd
  const found = yield* probe(fs.value, cwd)
  if (found._tag === "Absent") return yield* noDirectory(cwd, "which does not exist")
  return found._tag === "Present" && found.type !== "Directory" ? yield* noDirectory(cwd, "which is a file") : cwd
})

const quick = Layer.merge(fastReader.layer, fastFiles.layer)

type Any<E> = Layer.Layer<never, E, never>

/** What sessions share. */
export const hostLayer = <C>(
  config: AgentContextConfig
): Layer.Layer<HostServices<C>, InvalidConfiguration | SkillRegistryError, FileSystem.FileSystem> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { skills, store } = yield* decodeAgentContextConfig(config)
      const sessions = store === "memory" ? layerStoreMemory : layerJsonl(yield* absolute(store.directory))
      if (skills === undefined) return Layer.provideMerge(sessions, quick)
      return Layer.merge(sessions, skillsOfHost(skills)).pipe(Layer.provideMerge(quick))
    })
  ) as Layer.Layer<HostServices<C>, InvalidConfiguration | SkillRegistryError, FileSystem.FileSystem>

/** One session, fresh. */
export const sessionLayer = <C>(
  config: AgentContextConfig
): Layer.Layer<
  SessionParts<C>,
  InvalidConfiguration | SessionError | DuplicateSupplier | InvalidTimeZone,
  SessionNeeds<C>
> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { cwd, fileReferences, instructions, session, sessionReferences, skills, time, tmux } =
        yield* decodeAgentContextConfig(config)
      const parts = [
        ...(instructions === undefined ? [] : [instructionsLayer(instructions)]),
        ...(skills === undefined ? [] : [Layer.provideMerge(catalogLayer(skills), layerChildWith(skills))]),
        ...(fileReferences === undefined ? [] : [fileReferencesLayer(fileReferences)]),
        ...(sessionReferences === undefined ? [] : [sessionReferencesLayer(sessionReferences)]),
        ...(time === undefined ? [] : [timeLayer(time)]),
        ...(tmux === undefined ? [] : [tmuxLayer(tmux)])
      ] as unknown as ReadonlyArray<Any<InvalidConfiguration | DuplicateSupplier | InvalidTimeZone>>
      const asked = cwd === undefined ? undefined : yield* absolute(cwd)
      // The session of an id may live in a directory that is gone.
      if (asked !== undefined && typeof session === "string") yield* existing(asked)
      const wanted = { session, cwd: asked, here: yield* here }
      return perSession(Layer.mergeAll(Layer.empty, ...parts), sessionFromStore(openSession(wanted)))
    })
  ).pipe(Layer.fresh) as unknown as Layer.Layer<
    SessionParts<C>,
    InvalidConfiguration | SessionError | DuplicateSupplier | InvalidTimeZone,
    SessionNeeds<C>
  >
