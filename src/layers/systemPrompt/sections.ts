/** A system prompt from its sections: pure, and the same whatever the order they came in (C-9). */
import type { SystemPromptSection, SystemPromptView } from "../../services/SystemPrompt.ts"

const orderOf = ({ order = 0 }: SystemPromptSection): number => order

/** By explicit order, then by name. */
export const compareSections = (a: SystemPromptSection, b: SystemPromptSection): number =>
  orderOf(a) - orderOf(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** Sections without their surrounding blank lines, a blank line between two. */
export const renderSections = (sections: ReadonlyArray<SystemPromptSection>, view: SystemPromptView): string =>
  [...sections]
    .sort(compareSections)
    .map(({ text }) => (typeof text === "string" ? text : (text(view) ?? "")).trim())
    .filter((text) => text !== "")
    .join("\n\n")
