/** What several scripted agents can share: a disk, a store of sessions, an environment. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { layerStoreMemory } from "../../layers/session/memory.ts"
import { SessionStore, type SessionStoreShape } from "../../services/SessionStore.ts"
import * as MemoryFileSystem from "../memoryFileSystem.ts"
import type { Failure, Part, Surroundings } from "../parts/part.ts"

/** What the machine of a scripted agent is like. */
export interface HostOptions {
  readonly files?: Readonly<Record<string, MemoryFileSystem.FileContent>>
  /** `home`: the operating-system home, default `/home/u`. `env`: everything else there is in the environment. */
  readonly os?: Partial<Surroundings>
  /** Whether the agents' layers and loops are handed the file system at all (I-12). Default true. */
  readonly handOverFileSystem?: boolean
  /** Where sessions live; in memory unless given. */
  readonly store?: SessionStoreShape
}

/** A machine. Agents made with the same one see the same files and sessions. */
export interface Host {
  readonly disk: MemoryFileSystem.Controls
  readonly fileSystem: FileSystem.FileSystem
  readonly store: SessionStoreShape
  readonly surroundings: Surroundings
  /** Runs an effect with the file system, if it is handed over, and the environment. */
  readonly provide: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** What a part has on the host, built when it is first asked for. */
  readonly shared: (part: Part) => Effect.Effect<Context.Context<never>, Failure>
}

/** Makes a host that lasts as long as the scope. Its files get the clock's time. */
export const makeHost = Effect.fnUntraced(function* (
  options: HostOptions = {}
): Effect.fn.Return<Host, never, Scope.Scope> {
  const { controls, fileSystem } = yield* MemoryFileSystem.make(options.files)
  const scope = yield* Effect.scope
  const store = options.store ?? Context.get(yield* Layer.buildWithScope(layerStoreMemory, scope), SessionStore)
  const surroundings = { home: "/home/u", env: {}, timeZone: "UTC", ...options.os }
  const environment = ConfigProvider.fromEnv({ env: { HOME: surroundings.home, ...surroundings.env } })
  const handOver = options.handOverFileSystem ?? true
  const memo = yield* Layer.makeMemoMap
  return {
    disk: controls,
    fileSystem,
    store,
    surroundings,
    provide: (effect) => {
      const configured = Effect.provideService(effect, ConfigProvider.ConfigProvider, environment)
      return handOver ? Effect.provideService(configured, FileSystem.FileSystem, fileSystem) : configured
    },
    shared: ({ host }) =>
      host === undefined
        ? Effect.succeed(Context.empty())
        : Layer.buildWithMemoMap(host, memo, scope).pipe(Effect.provideService(SessionStore, store))
  }
})
