/** The workspace instructions of one working directory. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { LoadedInstructions, ProjectRootUnavailable } from "../schemas/Instructions.ts"

/** How to load: what ends it early, and how complete its report is. */
export interface LoadOptions {
  /** Aborting it ends the load at once, hanging reads included; the load is then interrupted. */
  readonly signal?: AbortSignal
  /**
   * The whole account: also probe the names after a winner, to report them as shadowed, and mark files that come from `outside` the
   * project. Costs one question each.
   */
  readonly shadowed?: boolean
}

/** What the instructions service can be asked for. */
export interface AgentInstructionsShape {
  /**
   * Discovers and renders the whole chain as it is on disk now: what a new agent would be told, and why. Fails with
   * `ProjectRootUnavailable` (I-5); every other failure is an outcome in the report (I-64).
   */
  readonly load: (options?: LoadOptions) => Effect<LoadedInstructions, ProjectRootUnavailable>
}

/** The workspace instructions of the session an agent works in. */
export class AgentInstructions extends Context.Service<AgentInstructions, AgentInstructionsShape>()(
  "effect-agent-context/AgentInstructions"
) {}
