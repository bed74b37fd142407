/** The session of one agent as a layer, from whatever opens it. */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { Session } from "../../services/Session.ts"
import type { SessionShape } from "../../services/Session.ts"

/**
 * The session an agent works in, from whatever opens it: usually a store's `open` or `create`. It ends with the layer.
 * Each session of a process needs a layer of its own, or `Layer.fresh`.
 */
export const layer = <E, R>(open: Effect.Effect<SessionShape, E, R>): Layer.Layer<Session, E, Exclude<R, Scope>> =>
  Layer.effect(Session, open)
