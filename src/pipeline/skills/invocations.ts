/** The skills that a user's message calls by name (S-45). */
import { isSkillName } from "../../schemas/Skill.ts"
import { proseBlocks, withoutCodeSpans } from "../prose.ts"

/** Where a call counts: at the start of a line, wherever it stands alone, or nowhere. */
export type InvocationMode = "line-start" | "anywhere" | "off"

const atLineStart = (block: string): ReadonlyArray<string> =>
  block.split("\n").flatMap((line) => /^\s*\/(\S+)/u.exec(line)?.[1] ?? [])

const anywhere = (block: string): ReadonlyArray<string> =>
  Array.from(block.matchAll(/(?<=^|\s)\/(\S+)/gmu), ([, name]) => name!)

/**
 * The names called in `text`, each once, in order. A call is `/name`, ending at white space or at the end of its line; never in
 * a quote, in fenced code or in a code span. Whether there is such a skill is not asked here.
 */
export const parseInvocations = (text: string, mode: InvocationMode): ReadonlyArray<string> => {
  if (mode === "off" || !text.includes("/")) return []
  const called = mode === "line-start" ? atLineStart : anywhere
  const names = proseBlocks(text, "skip").flatMap((block) => called(withoutCodeSpans(block)).filter(isSkillName))
  return [...new Set(names)]
}
