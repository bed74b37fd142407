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
 *
 * **Example** (A model that is scripted; any other `LanguageModel` takes its place)
 *
 * ```ts
 * import * as LanguageModel from "effect/ai/LanguageModel"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 * import { AgentLoop, AgentPrompt, AgentTools } from "effect-agent-context/ai"
 * import * as AgentContextNode from "effect-agent-context/node"
 *
 * const model = Layer.effect(
 *   LanguageModel.LanguageModel,
 *   LanguageModel.make({
 *     generateText: ({ prompt }) => {
 *       const kinds = AgentPrompt.userMessages(prompt).map(({ source }) => source.kind)
 *       return Effect.succeed([{ type: "text", text: `I was told: ${kinds.join(", ")}` }])
 *     },
 *     streamText: () => Stream.empty
 *   })
 * )
 *
 * const agent = Effect.gen(function* () {
 *   const toolkit = yield* AgentTools.all
 *   const { text } = yield* AgentLoop.run({ toolkit, prompt: "Tidy up." })
 *   return text
 * })
 *
 * const context = AgentContextNode.layer({ instructions: { maxBytes: 65_536 }, skills: true })
 * const layer = Layer.merge(AgentTools.layer, model).pipe(Layer.provideMerge(context))
 * console.log(await Effect.runPromise(Effect.provide(agent, layer))) // => I was told: user, agent-instructions
 * ```
 */
export * as AgentLoop from "./ai/agentLoop.ts"
export * as AgentPrompt from "./ai/prompt.ts"
export * as AgentTools from "./ai/tools.ts"
