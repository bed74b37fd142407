/** Where sessions live: opened and created for writing, listed and read by anybody. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { SessionError } from "../schemas/SessionError.ts"
import type { SessionEvent, SessionId } from "../schemas/SessionEvent.ts"
import type { SessionShape } from "./Session.ts"

/** A session as a list shows it. `createdAt` is epoch milliseconds; `running` says whether somebody writes it now. */
export interface SessionSummary {
  readonly id: SessionId
  readonly cwd: string
  readonly title?: string
  readonly createdAt: number
  readonly running: boolean
}

/** What a store can be asked for. */
export interface SessionStoreShape {
  /** Every session, newest first; of equal age, by id. */
  readonly list: Effect<ReadonlyArray<SessionSummary>, SessionError>
  /** Opens a session for writing, until the scope ends. Fails with reason `SessionNotFound`, `SessionConflict` or `SessionCorrupt`. */
  readonly open: (id: SessionId) => Effect<SessionShape, SessionError, Scope>
  /** Creates a session and opens it for writing. Without an id, one is made. An id that exists is a `SessionConflict`. */
  readonly create: (options: {
    readonly cwd: string
    readonly id?: SessionId
  }) => Effect<SessionShape, SessionError, Scope>
  /** Reads what the model of a session can see, up to its last whole event, whoever writes it. */
  readonly surface: (id: SessionId) => Effect<
    {
      readonly summary: SessionSummary
      /** The `seq` of the last event that was read; -1 for an empty log. */
      readonly capturedThroughSeq: number
      readonly events: ReadonlyArray<SessionEvent>
    },
    SessionError
  >
  /**
   * The first `limit` sessions whose id, directory or title contains `text`, in any letter case: those of `cwd` first,
   * then those without a directory, then the others, each newest first. Absent where `list` costs no more.
   */
  readonly search?: (query: {
    readonly text: string
    readonly cwd: string
    readonly limit: number
  }) => Effect<ReadonlyArray<SessionSummary>, SessionError>
}

/** The store a host keeps its sessions in. */
export class SessionStore extends Context.Service<SessionStore, SessionStoreShape>()(
  "effect-agent-context/SessionStore"
) {}
