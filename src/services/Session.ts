/** One agent's durable conversation: an append-only log of events and what of it the model can still see. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Diagnostic } from "../schemas/Diagnostic.ts"
import type { SessionError } from "../schemas/SessionError.ts"
import type { SessionEvent, SessionEventInput, SessionId } from "../schemas/SessionEvent.ts"

/**
 * Where an observed event comes from: `log`, it was there before the observer; `here`, this session has appended it;
 * `elsewhere`, another writer has, in a store that several processes share.
 */
export type EventOrigin = "log" | "here" | "elsewhere"

/** What a session can be asked for. */
export interface SessionShape {
  readonly id: SessionId
  /** The absolute directory the conversation is about. */
  readonly cwd: string
  /**
   * The whole log, `seq` contiguous from 0, `at` in epoch milliseconds. A store that opens a session from its last
   * checkpoint reads the rest here, each time; it dies if it cannot.
   */
  readonly log: Effect<ReadonlyArray<SessionEvent>>
  /** What the model can see, in order: the latest checkpoint, then every visible event from its `keptFrom` on. */
  readonly surface: Effect<ReadonlyArray<SessionEvent>>
  /**
   * All or nothing: a crash leaves the whole batch or none of it. Waiting for the lock is interruptible, writing is
   * not. Fails with `SessionError`; then nothing of the batch was logged, unless a `SessionStorageFailed` says that it is
   * in doubt. A `SessionConflict` with `missed` says what another writer has logged instead: it is in the log, the
   * surface and all observers now, and the next append comes after it.
   */
  readonly append: (
    events: NonEmptyReadonlyArray<SessionEventInput>
  ) => Effect<ReadonlyArray<SessionEvent>, SessionError>
  /**
   * Decides under the append lock, synchronously: nothing is logged between the decision and its events. No events
   * means that nothing is written. Where another writer was faster, `decide` is called again, after all observers have
   * seen what that one has logged: what an earlier call has left behind must not matter.
   */
  readonly transact: <A>(decide: () => readonly [A, ReadonlyArray<SessionEventInput>]) => Effect<A, SessionError>
  /**
   * Replays the log to `observer` — a store may leave out shadowed events, except what the inbox still holds and the
   * newest message of each source kind — and then hands it each later event, synchronously, inside `append`, after it
   * is durable, with its origin. An observer may not append. One that throws is reported and stays registered. Ends with its scope.
   */
  readonly observe: (observer: (event: SessionEvent, origin: EventOrigin) => void) => Effect<void, never, Scope>
  /**
   * What this session had to report since it was opened, oldest first: a torn tail that was cut off, observers that
   * threw. Absent where a store reports nothing; at most the latest hundred. Each is logged as a warning too.
   */
  readonly diagnostics?: Effect<ReadonlyArray<Diagnostic>>
}

/** The session an agent works in. */
export class Session extends Context.Service<Session, SessionShape>()("effect-agent-context/Session") {}
