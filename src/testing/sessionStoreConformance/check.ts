/** What a conformance case is made of: a check that fails as a value, and a store to try it on. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import type { SessionError } from "../../schemas/SessionError.ts"
import type { SessionEvent, SessionEventInput } from "../../schemas/SessionEvent.ts"
import { SessionStore } from "../../services/SessionStore.ts"
import type { SessionStoreShape } from "../../services/SessionStore.ts"

/** A store does not keep a promise; `detail` says which and how. */
export class ConformanceFailure extends Schema.TaggedError<ConformanceFailure>()("ConformanceFailure", {
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** One promise of a session store. */
export interface ConformanceCase {
  readonly name: string
  /** Ids of the rules it follows from; none for what only the interface promises. */
  readonly rules: ReadonlyArray<string>
  /**
   * Tries the promise on a store that must be empty when the layer is first built. A layer that keeps sessions beyond
   * its own life is therefore made anew for each case: another directory, another table. Fails with
   * `ConformanceFailure`, or with whatever the store fails with.
   */
  readonly run: <E>(store: Layer.Layer<SessionStore, E>) => Effect.Effect<void, unknown>
}

/** Runs `body` on a store built for it alone; its scope ends, and the store's with it, when it is done. */
export const withStore =
  <E, R>(body: (store: SessionStoreShape) => Effect.Effect<void, E, R | Scope>) =>
  <E2>(layer: Layer.Layer<SessionStore, E2>): Effect.Effect<void, E | E2, Exclude<R, Scope>> =>
    Effect.provide(Effect.scoped(SessionStore.use(body)), layer, { local: true }) as Effect.Effect<
      void,
      E | E2,
      Exclude<R, Scope>
    >

/** A case on one store. */
export const testCase = <E>(
  name: string,
  rules: ReadonlyArray<string>,
  body: (store: SessionStoreShape) => Effect.Effect<void, E, Scope>
): ConformanceCase => ({ name, rules, run: withStore(body) })

export const check = (holds: boolean, detail: string): Effect.Effect<void, ConformanceFailure> =>
  holds ? Effect.void : Effect.suspend(() => new ConformanceFailure({ detail }))

/** Compares plain data by value. Copies, since `Equal` remembers the hash of an array that may have grown since. */
export const same = (found: unknown, expected: unknown, what: string): Effect.Effect<void, ConformanceFailure> =>
  Equal.equals(structuredClone(found), structuredClone(expected))
    ? Effect.void
    : check(false, `${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`)

/** Requires a failure with this reason. */
export const failsWith = <A, R>(
  effect: Effect.Effect<A, SessionError, R>,
  reason: SessionError["reason"]["_tag"],
  what: string
): Effect.Effect<void, ConformanceFailure, R> =>
  Effect.matchEffect(effect, {
    onFailure: (error) => same(error.reason._tag, reason, `${what}: the reason of the failure`),
    onSuccess: () => check(false, `${what}: expected ${reason}, but it succeeded`)
  })

/** A log must be contiguous whatever has happened to it. */
export const contiguous = (log: ReadonlyArray<SessionEvent>): Effect.Effect<void, ConformanceFailure> =>
  same(
    log.map((event) => event.seq),
    log.map((_, index) => index),
    "the `seq`s of the log"
  )

export const note = (fields: Readonly<Record<string, Schema.Json>>): SessionEventInput => ({
  ...fields,
  type: "test:note"
})
