/**
 * What users test with: a file system in memory that can be broken on purpose, a scripted agent that drives the real
 * layers, scenarios as data, virtual time, and the promises every session store has to keep.
 *
 * **Example** (Without a disk)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as FileSystem from "effect/FileSystem"
 * import * as AgentInstructions from "effect-agent-context/AgentInstructions"
 * import { MemoryFileSystem } from "effect-agent-context/testing"
 *
 * const { fileSystem } = MemoryFileSystem.makeSync({ "/repo/.git/HEAD": "", "/repo/AGENTS.md": "Use tabs." })
 * const load = AgentInstructions.load({ cwd: "/repo", maxBytes: 4096 })
 *
 * const { changes } = await Effect.runPromise(Effect.provideService(load, FileSystem.FileSystem, fileSystem))
 * console.log(changes.map(({ path }) => path)) // => ["AGENTS.md"]
 * ```
 */
export { type Expectations, type MessageMatch, type Mismatch, mismatches, type Seen } from "./expectations.ts"
export * as MemoryFileSystem from "./memoryFileSystem.ts"
export { missingParts } from "./parts/registry.ts"
export { decodeScenario, parseScenario, type Scenario, ScenarioInvalid, type ScenarioProblem } from "./scenario.ts"
export {
  describeFailure,
  type PlayedStep,
  playScenario,
  type PlayOptions,
  type ScenarioFailure,
  type ScenarioResult
} from "./scenarioRunner.ts"
export {
  type AgentConfig,
  type Answer,
  type Batch,
  type Failure,
  type Host,
  type HostOptions,
  type Instance,
  makeHost,
  makeScriptedAgent,
  NotInThisBuild,
  type PartName,
  type ScriptedAgent,
  type ScriptedAgentOptions,
  type ScriptedExecution,
  ScriptMistake
} from "./scriptedAgent.ts"
export {
  type ConformanceCase,
  ConformanceFailure,
  sessionStoreConformance,
  sessionStoreDurability
} from "./sessionStoreConformance.ts"
export * as VirtualTime from "./virtualTime.ts"
