/** What became of a mutant, and which nobody can notice. */
import * as fs from "node:fs"
import * as path from "node:path"

interface Position {
  readonly line: number
  readonly column: number
}

export interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: Position; readonly end: Position }
}

export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }>>
}

/** `none`: it was never tried, since it does not compile or is only evaluated when a module is loaded. */
export const score = ({ status }: Mutant): "dead" | "alive" | "none" =>
  status === "Killed" || status === "Timeout"
    ? "dead"
    : status === "Survived" || status === "NoCoverage"
      ? "alive"
      : "none"

interface Explained {
  readonly file: string
  /** A piece of the line that the mutant begins on. */
  readonly line: string
  /** Its beginning; left out, all of the line are meant. */
  readonly replacement?: string
  readonly why: string
}

const reasons = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "explained.json"), "utf8")
) as ReadonlyArray<Explained>

/** Why nobody can notice a mutant, if that is known. */
export const explained = (file: string, source: string, { location, replacement }: Mutant): string | undefined => {
  const line = source.split("\n")[location.start.line - 1] ?? ""
  return reasons.find(
    (reason) =>
      reason.file === file &&
      line.includes(reason.line) &&
      (reason.replacement === undefined || replacement?.startsWith(reason.replacement) === true)
  )?.why
}
