/** Sessions that live as long as their layer. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SessionHeader } from "../../pipeline/sessionCodec.ts"
import { SessionLog } from "../../pipeline/sessionLog.ts"
import { SessionConflict } from "../../schemas/SessionError.ts"
import type { SessionId } from "../../schemas/SessionEvent.ts"
import { Session } from "../../services/Session.ts"
import { SessionStore } from "../../services/SessionStore.ts"
import type { SessionStoreShape } from "../../services/SessionStore.ts"
import { makeMemorySession, makeSession } from "../makeSession.ts"
import { alreadyExists, idFor, named, newestFirst, notFound, summaryOf } from "./shared.ts"

interface Stored {
  readonly header: SessionHeader
  readonly log: SessionLog
  running: boolean
}

const openStored = Effect.fnUntraced(function* (stored: Stored) {
  const { id } = stored.header
  yield* Effect.acquireRelease(
    Effect.suspend(() => {
      if (stored.running) return new SessionConflict({ sessionId: id, detail: "it is open for writing" })
      stored.running = true
      return Effect.void
    }),
    () => Effect.sync(() => (stored.running = false))
  )
  return yield* makeSession({ id, cwd: stored.header.cwd, log: stored.log, write: () => Effect.void })
})

/**
 * One new, empty session in memory: `id` is `main` and `cwd` is `/` unless said otherwise. It starts anew each time the
 * layer is built.
 */
export const layerMemory = (options?: { readonly id?: SessionId; readonly cwd?: string }): Layer.Layer<Session> =>
  Layer.effect(Session, makeMemorySession(options))

const makeStore = (): SessionStoreShape => {
  const sessions = new Map<SessionId, Stored>()
  const summary = ({ header, log, running }: Stored) => summaryOf(header, log.title, running)
  const find = (id: SessionId) =>
    Effect.suspend(() => {
      const stored = sessions.get(id)
      return stored === undefined ? notFound(id) : Effect.succeed(stored)
    })
  return {
    list: Effect.sync(() => newestFirst(Array.from(sessions.values(), summary))),
    open: Effect.fn("SessionStore.open")((id) => find(id).pipe(Effect.flatMap(openStored), named("SessionStore.open"))),
    create: Effect.fn("SessionStore.create")(function* (options) {
      const id = yield* idFor(options.id)
      const createdAt = yield* Clock.currentTimeMillis
      if (sessions.has(id)) return yield* alreadyExists(id)
      const stored: Stored = { header: { id, cwd: options.cwd, createdAt }, log: new SessionLog(), running: false }
      sessions.set(id, stored)
      return yield* openStored(stored)
    }, named("SessionStore.create")),
    surface: Effect.fn("SessionStore.surface")((id) =>
      find(id).pipe(
        Effect.map((stored) => ({
          summary: summary(stored),
          capturedThroughSeq: stored.log.length - 1,
          events: stored.log.surface
        })),
        named("SessionStore.surface")
      )
    )
  }
}

/** A store in memory. Its sessions can be opened again and again, and are gone with the layer. */
export const layerStoreMemory: Layer.Layer<SessionStore> = Layer.sync(SessionStore, makeStore)
