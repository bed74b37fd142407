/** Which tools the agent really has now: some context is only true while a tool is there (S-44, F-6). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * The names of the agent's tools, asked at every step. Without an answer (`undefined`, the default) the host has not said,
 * and whoever mounts a part that needs a tool is taken to have it.
 */
export const AgentTools = Context.Reference<Effect.Effect<ReadonlySet<string> | undefined>>(
  "effect-agent-context/AgentTools",
  { defaultValue: () => Effect.succeed(undefined) }
)
