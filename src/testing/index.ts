/**
 * What users test with: a file system in memory that can be broken on purpose, a scripted agent that drives the real
 * layers, scenarios as data, virtual time, and the promises every session store has to keep.
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
