/** Why there is nothing to show: one sentence, so that an empty answer is not mistaken for a failure. */
import type { LoadedInstructions } from "../schemas/Instructions.ts"
import { printable } from "./output.ts"

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? "" : "s"}`

/** The sentence for a load whose text is empty. */
export const whyNothing = (
  loaded: Pick<LoadedInstructions, "maxBytes" | "projectRoot" | "report">,
  cwd: string
): string => {
  if (!(loaded.maxBytes > 0)) {
    return `Workspace instructions are off with a budget of ${count(loaded.maxBytes, "byte")}; give --max-bytes a positive number.`
  }
  const of = (...outcomes: ReadonlyArray<string>) =>
    loaded.report.filter(({ outcome }) => outcomes.includes(outcome)).length
  const left = of("omitted", "truncated")
  if (left > 0) {
    const files = left === 1 ? "the instruction file" : `any of the ${left} instruction files`
    return `A budget of ${count(loaded.maxBytes, "byte")} has no room for ${files}; raise --max-bytes.`
  }
  const unusable = of("unavailable", "oversized", "binary")
  const where = printable(cwd)
  return unusable > 0
    ? `There are no workspace instructions for ${where}: ${count(unusable, "file")} cannot be used now.`
    : `There are no workspace instructions for ${where}: none of ${count(loaded.report.length, "path")} looked at holds a file.`
}
