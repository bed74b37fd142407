/**
 * What a session's system prompt says: sections with a name and a place, registered for as long as they apply.
 *
 * **When to use**
 *
 * Where the host builds its requests: `render` gives the text. Parts of this library that have something to say there
 * register their sections when they are mounted; your own are registered the same way.
 *
 * **Details**
 *
 * Workspace text never enters a system prompt; it arrives as messages. Order and name decide where a section stands, not when
 * it was registered, so the text is the same every time and a provider's prompt cache keeps working.
 *
 * **Gotchas**
 *
 * Build one per session, with `Layer.fresh`: a layer constant that is shared between live sessions would share its sections.
 *
 * **Example**
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as SystemPrompt from "effect-agent-context/SystemPrompt"
 *
 * const program = Effect.gen(function* () {
 *   const prompt = yield* SystemPrompt.SystemPrompt
 *   yield* prompt.register({ name: "style", order: 10, text: "Answer briefly." })
 *   yield* prompt.register({ name: "identity", text: "You are a careful coding agent." })
 *   yield* prompt.register({
 *     name: "shell",
 *     order: 20,
 *     text: ({ tools }) => (tools?.has("bash") ? "Prefer short commands." : undefined)
 *   })
 *   return yield* prompt.render
 * })
 *
 * const text = await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(SystemPrompt.layer)))
 * console.log(text.split("\n\n")) // => ["You are a careful coding agent.", "Answer briefly."]
 * ```
 */
export { layer } from "./layers/systemPrompt/systemPrompt.ts"
export { renderSections } from "./layers/systemPrompt/sections.ts"
export { DuplicateSystemPromptSection, InvalidSystemPromptSection, SystemPromptError } from "./schemas/SystemPrompt.ts"
export {
  SystemPrompt,
  type SystemPromptSection,
  type SystemPromptShape,
  type SystemPromptView
} from "./services/SystemPrompt.ts"
