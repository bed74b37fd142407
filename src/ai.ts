/**
 * The agent context for `effect/ai`: what a session's model can see as a `Prompt`, and back.
 *
 * **Details**
 *
 * - `AgentPrompt.toPrompt` makes a `Prompt` of a session's surface. The id and source of each user message are kept in its options, so a
 *   persisted `Prompt` or `Chat` brings them back: `AgentPrompt.fromPrompt`.
 * - `effect/ai` is unstable in Effect 4.1: this entry may change with a minor version of it.
 */
export * as AgentPrompt from "./ai/prompt.ts"
