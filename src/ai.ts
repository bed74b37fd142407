/**
 * The agent context for `effect/ai`: a loop, and what its model can see as a `Prompt`.
 *
 * **Details**
 *
 * - `AgentPrompt.toPrompt` makes a `Prompt` of a session's surface. The id and source of each user message are kept in its options, so a
 *   persisted `Prompt` or `Chat` brings them back: `AgentPrompt.fromPrompt`.
 * - `AgentLoop.run` is a complete loop over any `LanguageModel`; it needs the services of a session, as `./node` makes them.
 * - `AgentTools` are `read`, `write`, `edit`, `list` and `skill` for it, bound to the session's directory.
 * - `effect/ai` is unstable in Effect 4.1: this entry may change with a minor version of it.
 */
export * as AgentLoop from "./ai/agentLoop.ts"
export * as AgentPrompt from "./ai/prompt.ts"
export * as AgentTools from "./ai/tools.ts"
