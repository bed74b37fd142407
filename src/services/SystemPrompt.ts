/** The sections of a session's system prompt: what hosts and parts of this library have to say there, in order. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { SystemPromptError } from "../schemas/SystemPrompt.ts"

/** What a section's text may depend on, and nothing else. */
export interface SystemPromptView {
  /** The names of the agent's tools; `undefined` when the host has not said (`AgentTools`). */
  readonly tools: ReadonlySet<string> | undefined
}

/** One section of a system prompt: its name, its place, and what it says. */
export interface SystemPromptSection {
  /** Unique in its `SystemPrompt`, not empty, and never shown. */
  readonly name: string
  /** Smaller comes first; equal ones by name, by code units. Any finite number. Default 0. */
  readonly order?: number
  /** The text, or a pure function of the view. Blank or `undefined`: the section is left out. */
  readonly text: string | ((view: SystemPromptView) => string | undefined)
}

/** What a system prompt can be asked for. */
export interface SystemPromptShape {
  /**
   * Adds a section until the scope ends. Fails with `SystemPromptError`, whose reason is `DuplicateSystemPromptSection` or
   * `InvalidSystemPromptSection`.
   */
  readonly register: (section: SystemPromptSection) => Effect<void, SystemPromptError, Scope>
  /** The sections that are registered now, in order. */
  readonly sections: Effect<ReadonlyArray<SystemPromptSection>>
  /** The whole text, sections apart by a blank line; the same sections and tools give the same text. Empty without any. */
  readonly render: Effect<string>
}

/** The system prompt of the session an agent works in. */
export class SystemPrompt extends Context.Service<SystemPrompt, SystemPromptShape>()(
  "effect-agent-context/SystemPrompt"
) {}
