/** The skills that a user's message calls by name (S-45). */
import { isSkillName } from "../../schemas/Skill.ts"
import { proseBlocks, withoutCodeSpans } from "../prose.ts"

/** Where a call counts: at the start of a line, wherever it stands alone, or nowhere. */
export type InvocationMode = "line-start" | "anywhere" | "off"

const calls: Readonly<Record<Exclude<InvocationMode, "off">, RegExp>> = {
  "line-start": /^[^\S\n]*\/(\S+)/gmu,
  anywhere: /(?<=^|\s)\/(\S+)/gmu
}

/**
 * The names called in `text`, each once, in order. A call is `/name`, ending at white space or at the end of its line; never in
 * a quote, in fenced code or in a code span. Whether there is such a skill is not asked here.
 */
export const parseInvocations = (text: string, mode: InvocationMode): ReadonlyArray<string> => {
  if (mode === "off" || !text.includes("/")) return []
  const names = proseBlocks(text, "skip").flatMap((block) =>
    Array.from(withoutCodeSpans(block).matchAll(calls[mode]), ([, name]) => name!).filter(isSkillName)
  )
  return [...new Set(names)]
}
