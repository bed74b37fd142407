/**
 * Workspace instructions: the rules of the project and of its user, as one bounded text.
 *
 * **When to use**
 *
 * `load` answers what a new agent in a directory would be told, and why, without any session. `layer` keeps the model of
 * a session up to date: the baseline with the first prompt, then each change, once.
 *
 * **Example**
 *
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import * as Effect from "effect/Effect"
 * import * as AgentInstructions from "effect-agent-context/AgentInstructions"
 *
 * const program = AgentInstructions.load({ cwd: process.cwd(), maxBytes: 65_536 }).pipe(
 *   Effect.map((loaded) => loaded.text),
 *   Effect.provide(NodeFileSystem.layer)
 * )
 *
 * const text = await Effect.runPromise(program)
 * console.log(text === "" ? "no instructions" : text)
 * ```
 */
export { layerLoader, load } from "./layers/instructions/load.ts"
export { layer } from "./layers/instructions/supplier.ts"
export { InvalidConfiguration } from "./schemas/Configuration.ts"
export {
  Change,
  decodeInstructionsConfig,
  FileOutcome,
  FileReport,
  InstructionsConfig,
  InstructionsSource,
  LoadedInstructions,
  Omission,
  ProjectRootUnavailable,
  Scope,
  sourceKind,
  Truncation
} from "./schemas/Instructions.ts"
export { AgentInstructions, type AgentInstructionsShape, type LoadOptions } from "./services/AgentInstructions.ts"
