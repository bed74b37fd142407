/** One section of an instruction message: what it is, and how it reads (I-23, I-46 to I-49). */
import type { Scope } from "../../schemas/Instructions.ts"
import { showPath } from "../frame.ts"

/** A file whose text is to be shown. `bytes`: UTF-8 of `text`; without a text (it was not read), its reported size. */
export interface FileSection {
  /** `additional`: a `set` that adds to a baseline instead of being part of it. */
  readonly kind: "set" | "additional" | "replace"
  readonly scope: Scope
  readonly path: string
  readonly previousPath?: string
  readonly text: string | undefined
  readonly bytes: number
}

/** A file whose earlier text no longer applies. `budget`: it is there, but what is retained has no room for it. */
export interface RemovalSection {
  readonly kind: "remove"
  readonly scope: Scope
  readonly path: string
  readonly because: "gone" | "budget"
}

/** A file of which what was told still applies: it cannot be read now, or another one of its directory cannot (I-9, I-31). */
export interface HeldSection {
  readonly kind: "held"
  readonly scope: Scope
  readonly path: string
  readonly because: "unreadable" | "beside"
}

export type Section = FileSection | RemovalSection | HeldSection

/**
 * How a message speaks. `baseline`: everything there is; `superseding`: the same, and it replaces every earlier one;
 * `dynamic`: what has changed since.
 */
export type Style = "baseline" | "superseding" | "dynamic"

const authority =
  "Follow them where they are relevant. The more specific wins over the broader; none overrides system, developer or direct user instructions."

/** The note of authority that precedes all sections. */
export const intros: Readonly<Record<Style, string>> = {
  baseline: `Workspace instructions. ${authority}\n`,
  superseding: `Workspace instructions, complete. They replace all workspace instructions given earlier in this conversation. ${authority}\n`,
  dynamic: `Workspace instructions have changed. ${authority}\n`
}

/** What a superseding message says when nothing is left (I-25). */
export const nothingActive =
  "No workspace instructions are active now. All workspace instructions given earlier in this conversation no longer apply.\n"

const applies = (scope: Scope): string =>
  scope.owner === "user"
    ? "Applies in every project."
    : scope.directory === "."
      ? "Applies in the whole project."
      : `Applies under ${showPath(scope.directory)}/, where it wins over broader instructions.`

const fileHeading = (section: FileSection, style: Style, path: string): string => {
  if (section.kind !== "replace") {
    return style === "dynamic" || section.kind === "additional"
      ? `Additional instructions from: ${path}\n${applies(section.scope)}\n`
      : `Instructions from: ${path}\n`
  }
  return section.previousPath === undefined
    ? `Updated instructions from: ${path}\nThis replaces what was loaded from it before.\n`
    : `Updated instructions from: ${path}\nThis replaces ${showPath(section.previousPath)}, which no longer applies.\n`
}

/**
 * What a section says apart from the file's text. `path` is its path as shown. Every line begins with words of its own:
 * a path in front could complete a closing tag that the text above leaves open.
 */
export const heading = (section: Section, style: Style, path: string): string => {
  switch (section.kind) {
    case "held":
      return section.because === "unreadable"
        ? `Instructions unavailable: ${path}\nThe file cannot be read at the moment; its earlier text still applies.\n`
        : `Instructions kept: ${path}\nAnother file beside it cannot be read at the moment; its earlier text still applies.\n`
    case "remove":
      return section.because === "gone"
        ? `Instructions removed: ${path}\nThe earlier instructions from it no longer apply.\n`
        : `Instructions removed: ${path}\nIt no longer fits the workspace instruction budget; the earlier instructions from it no longer apply.\n`
    default:
      return fileHeading(section, style, path) + (section.bytes === 0 ? "(The file is empty.)\n" : "")
  }
}

/** A section as it stands in the message; `text` is escaped. */
export const block = (heading: string, text: string): string =>
  `\n${heading}${text === "" ? "" : `\n${text}${text.endsWith("\n") ? "" : "\n"}`}`

/** The bytes of `block` from those of its parts. */
export const blockSize = (headingBytes: number, text: string, textBytes: number): number =>
  1 + headingBytes + (text === "" ? 0 : 1 + textBytes + (text.endsWith("\n") ? 0 : 1))
