/**
 * The agent context for TypeScript without Effect: promises and `AbortSignal`s.
 *
 * **When to use**
 *
 * In an agent loop of your own, or around another SDK's. Before each request `preStep` says what the model should know, and logs it;
 * after each tool `toolResult` says what it touched; `endTurn` says that the agent is idle.
 *
 * **Details**
 *
 * - Already aborted: nothing is begun. Aborted on the way: the call ends, the promise rejects with `signal.reason`, and the context
 *   can be used as before; what is logged already is not taken back, and then the call resolves.
 * - Errors are `Error`s with a `_tag`; their message says what to do.
 * - `close`, or `await using` (Node 24, or compiled), ends calls that are under way and closes watchers and the session.
 *
 * **Example**
 *
 * ```ts
 * import { createAgentContext } from "effect-agent-context/promise"
 *
 * await using context = await createAgentContext({ cwd: process.cwd(), instructions: { maxBytes: 65_536 } })
 * const { messages } = await context.preStep({ text: "Say hello." })
 * console.log(messages.map(({ source }) => source.kind)) // => ["user", "agent-instructions"]
 * ```
 */
import * as Context from "effect/Context"
import type { AgentContext, CallOptions } from "./promise/context.ts"
import { createWithin } from "./promise/create.ts"
import type { AgentContextOptions } from "./promise/options.ts"

export type * from "./promise/context.ts"
export type * from "./promise/options.ts"
export { AgentContextClosed, InvalidArgument, PartNotConfigured } from "./promise/door.ts"

/**
 * Opens the context of one agent. Rejects with `InvalidConfiguration` that names the key, what was given and what is allowed; with
 * `SessionConflict` when somebody else writes the session; and with `SessionCorrupt` when its log is damaged.
 */
export const createAgentContext = (options: AgentContextOptions, call: CallOptions = {}): Promise<AgentContext> =>
  createWithin({ context: Context.empty() }, options, call)
