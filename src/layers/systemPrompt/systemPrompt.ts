/** The system prompt of one session: a registry of sections (C-9). */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  DuplicateSystemPromptSection,
  InvalidSystemPromptSection,
  SystemPromptError
} from "../../schemas/SystemPrompt.ts"
import { AgentTools } from "../../services/AgentTools.ts"
import { SystemPrompt, type SystemPromptSection } from "../../services/SystemPrompt.ts"
import { compareSections, renderSections } from "./sections.ts"

const make = Effect.gen(function* () {
  const tools = yield* AgentTools
  const sections = new Map<string, SystemPromptSection>()

  const problemWith = ({ name, order = 0 }: SystemPromptSection) => {
    if (name === "") return new InvalidSystemPromptSection({ name, field: "name" })
    if (!Number.isFinite(order)) return new InvalidSystemPromptSection({ name, field: "order" })
    return sections.has(name) ? new DuplicateSystemPromptSection({ name }) : undefined
  }

  return SystemPrompt.of({
    register: Effect.fn("SystemPrompt.register")(function* (section) {
      yield* Effect.acquireRelease(
        Effect.suspend(() => {
          const reason = problemWith(section)
          if (reason !== undefined) return Effect.fail(new SystemPromptError({ operation: "register", reason }))
          sections.set(section.name, section)
          return Effect.void
        }),
        () => Effect.sync(() => sections.delete(section.name))
      )
    }),
    sections: Effect.sync(() => [...sections.values()].sort(compareSections)),
    render: Effect.map(tools, (names) => renderSections([...sections.values()], { tools: names }))
  })
})

/**
 * An empty system prompt. Build it fresh for each session. Which tools the agent has is asked through the `AgentTools` around
 * the layer, at every `render`.
 */
export const layer: Layer.Layer<SystemPrompt> = Layer.effect(SystemPrompt, make)
