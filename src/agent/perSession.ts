/** One session's layers put together: what every agent instance has, and the parts it was given. */
import * as Layer from "effect/Layer"
import { layer as inboxLayer } from "../layers/inbox/inbox.ts"
import { layer as supplyLayer } from "../layers/supply/contextSupply.ts"
import { layer as systemPromptLayer } from "../layers/systemPrompt/systemPrompt.ts"
import type { ContextSupply } from "../services/ContextSupply.ts"
import type { Inbox } from "../services/Inbox.ts"
import type { Session } from "../services/Session.ts"
import type { SystemPrompt } from "../services/SystemPrompt.ts"

/** What every instance has. */
export type SessionServices = Session | Inbox | ContextSupply | SystemPrompt

/**
 * The parts of one session over the session itself. Fresh: built again, it shares nothing with what was built before, whatever
 * else is built beside it (C-6).
 */
export const perSession = <Out, E, R, E2, R2>(
  parts: Layer.Layer<Out, E, R>,
  session: Layer.Layer<Session, E2, R2>
): Layer.Layer<Out | SessionServices, E | E2, Exclude<R, SessionServices> | R2> =>
  Layer.fresh(
    parts.pipe(
      Layer.provideMerge(systemPromptLayer),
      Layer.provideMerge(supplyLayer),
      Layer.provideMerge(inboxLayer),
      Layer.provideMerge(session)
    )
  ) as Layer.Layer<Out | SessionServices, E | E2, Exclude<R, SessionServices> | R2>
