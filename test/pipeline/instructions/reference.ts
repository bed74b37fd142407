/**
 * What the budget rules ask for (I-24, I-61, I-62), found by trying every possible message in order of preference.
 * Slow, and written from the contract alone: no code and no reasoning is shared with the renderer.
 */
import type { FileSection, Rendered, Section, Style } from "../../../src/pipeline/instructions/render.ts"

export type Detail = "full" | "counts" | "none"

const encoder = new TextEncoder()
export const bytesOf = (text: string): number => encoder.encode(text).length

export const frame = ["<system-reminder>\n", "</system-reminder>"] as const

/** Every spelling of the closing tag. */
export const closingTags = (text: string): ReadonlyArray<string> => text.match(/<\/system-reminder\s*>/gi) ?? []

/** What cannot be divided: a code point, or a closing tag. */
export interface Token {
  readonly raw: string
  readonly shown: string
}

/** Remembers the answers for the last texts asked about. */
const memoized = <A>(of: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    if (known.size > 100) known.clear()
    if (!known.has(text)) known.set(text, of(text))
    return known.get(text)!
  }
}

export const tokens = memoized((text): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (let position = 0; position < text.length;) {
    const tag = text[position] === "<" ? /^<\/system-reminder\s*>/i.exec(text.slice(position))?.[0] : undefined
    const raw = tag ?? String.fromCodePoint(text.codePointAt(position)!)
    const lone = raw.length === 1 && raw >= "\ud800" && raw <= "\udfff"
    found.push({ raw, shown: tag === undefined ? (lone ? "\ufffd" : raw) : "<\\/system-reminder>" })
    position += raw.length
  }
  return found
})

const sums = (form: "raw" | "shown") =>
  memoized((text): ReadonlyArray<number> => {
    let sum = 0
    return [0, ...tokens(text).map((token) => (sum += bytesOf(token[form])))]
  })
const shownSums = sums("shown")
const rawSums = sums("raw")

/** UTF-8 of the text before escaping, up to so many tokens. */
export const rawBytes = (text: string, length: number): number => rawSums(text)[length]!

/** A path as the model may see it. */
export const pathShown = (path: string): string => {
  const printable = Array.from(path, (character) => {
    const code = character.codePointAt(0)!
    if (character === "\\" || code < 32) return JSON.stringify(character).slice(1, -1)
    return (code >= 127 && code < 160) || code === 0x2028 || code === 0x2029
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : character
  }).join("")
  const escaped = tokens(printable).map(({ shown }) => shown)
  return escaped.join("").replaceAll(/<\/(system-reminder)/gi, "<\\/$1")
}

const authority =
  "Follow them where they are relevant. The more specific wins over the broader; none overrides system, developer or direct user instructions."

export const introOf = (sections: ReadonlyArray<Section>, style: Style): string => {
  if (style === "baseline") return `Workspace instructions. ${authority}\n`
  if (style === "dynamic") return `Workspace instructions have changed. ${authority}\n`
  return sections.every(({ kind }) => kind === "remove")
    ? "No workspace instructions are active now. All workspace instructions given earlier in this conversation no longer apply.\n"
    : `Workspace instructions, complete. They replace all workspace instructions given earlier in this conversation. ${authority}\n`
}

const headingOf = (section: Section, style: Style): string => {
  const path = pathShown(section.path)
  switch (section.kind) {
    case "remove":
      return `Instructions removed: ${path}\n${section.because === "gone" ? "The" : "It no longer fits the workspace instruction budget; the"} earlier instructions from it no longer apply.\n`
    case "held":
      return `Instructions unavailable: ${path}\nThe file cannot be read at the moment; its earlier text still applies.\n`
    case "replace":
      return section.previousPath === undefined
        ? `Updated instructions from: ${path}\nThis replaces what was loaded from it before.\n`
        : `Updated instructions from: ${path}\nThis replaces ${pathShown(section.previousPath)}, which no longer applies.\n`
    default: {
      if (style !== "dynamic" && section.kind === "set") return `Instructions from: ${path}\n`
      const { owner, directory } = section.scope
      const where =
        owner === "user"
          ? "in every project."
          : directory === "."
            ? "in the whole project."
            : `under ${pathShown(directory)}/, where it wins over broader instructions.`
      return `Additional instructions from: ${path}\nApplies ${where}\n`
    }
  }
}

export const isFile = (section: Section): section is FileSection => "bytes" in section

/** A section in the message; `length` cuts the text after so many tokens. */
export const blockOf = (section: Section, style: Style, length = Infinity): string => {
  if (!isFile(section)) return `\n${headingOf(section, style)}`
  const empty = section.bytes === 0 ? "(The file is empty.)\n" : ""
  const shown = tokens(section.text!)
    .slice(0, length)
    .map((token) => token.shown)
    .join("")
  return `\n${headingOf(section, style)}${empty}${shown === "" ? "" : `\n${shown}${shown.endsWith("\n") ? "" : "\n"}`}`
}

/** One possible message: which sections it shows, and how many tokens of the one it cuts. */
export interface Possible {
  readonly detail: Detail
  readonly kept: ReadonlySet<number>
  readonly cut?: { readonly index: number; readonly length: number }
}

export const noticeOf = (
  sections: ReadonlyArray<Section>,
  maxBytes: number,
  { detail, kept, cut }: Possible
): string => {
  const omitted = sections.flatMap((section, index) =>
    isFile(section) && !kept.has(index) && cut?.index !== index ? [section] : []
  )
  const said: Array<string> = []
  if (omitted.length > 0) {
    const list = omitted.map(({ path, bytes }) => `${pathShown(path)} (${bytes} bytes)`).join(", ")
    said.push(`omitted ${detail === "full" ? list : omitted.length === 1 ? "1 file" : `${omitted.length} files`}`)
  }
  if (cut !== undefined) {
    const { path, text, bytes } = sections[cut.index] as FileSection
    const to = rawBytes(text!, cut.length)
    said.push(detail === "full" ? `truncated ${pathShown(path)} from ${bytes} to ${to} bytes` : "truncated 1 file")
  }
  return detail === "none" || said.length === 0
    ? ""
    : `Workspace instruction budget ${maxBytes} bytes: ${said.join("; ")}\n\n`
}

/** The text of a possible message. */
export const write = (
  sections: ReadonlyArray<Section>,
  maxBytes: number,
  style: Style,
  possible: Possible,
  intro = introOf(sections, style)
): string => {
  const body = sections.map((section, index) =>
    possible.cut?.index === index
      ? blockOf(section, style, possible.cut.length)
      : possible.kept.has(index)
        ? blockOf(section, style)
        : ""
  )
  return frame[0] + noticeOf(sections, maxBytes, possible) + intro + body.join("") + frame[1]
}

export const readable = (section: Section): boolean => !isFile(section) || section.text !== undefined

/** The text of the message that shows all there is to show. */
export const writeAll = (sections: ReadonlyArray<Section>, style: Style): string => {
  const kept = new Set([...sections.keys()].filter((index) => readable(sections[index]!)))
  return write(sections, 0, style, { detail: "none", kept })
}

const depthOf = ({ scope: { owner, directory } }: Section): number =>
  owner === "user" ? -1 : directory === "." ? 0 : directory.split("/").length

/** Indices of files, the most specific first: the deepest directory, then the later one. */
export const bySpecificity = (
  sections: ReadonlyArray<Section>,
  which: (section: Section) => boolean
): ReadonlyArray<number> =>
  [...sections.keys()]
    .filter((index) => which(sections[index]!))
    .sort((a, b) => depthOf(sections[b]!) - depthOf(sections[a]!) || b - a)

/** The first message, in order of preference, that fits; with this much in the notice. */
const best = (
  sections: ReadonlyArray<Section>,
  maxBytes: number,
  style: Style,
  detail: Detail
): Possible | undefined => {
  const files = bySpecificity(sections, isFile)
  const order = [
    ...bySpecificity(sections, ({ kind }) => kind === "held"),
    ...bySpecificity(sections, ({ kind }) => kind === "remove"),
    ...files
  ]
  const around = bytesOf(frame.join("") + introOf(sections, style))
  const search = (position: number, used: number, kept: Set<number>, cut?: Possible["cut"]): Possible | undefined => {
    if (used > maxBytes) return undefined
    const index = order[position]
    if (index === undefined) {
      const possible = { detail, kept, ...(cut && { cut }) }
      return used + bytesOf(noticeOf(sections, maxBytes, possible)) <= maxBytes ? possible : undefined
    }
    const section = sections[index]!
    if (readable(section)) {
      const found = search(position + 1, used + bytesOf(blockOf(section, style)), new Set([...kept, index]), cut)
      if (found !== undefined) return found
    }
    if (readable(section) && isFile(section) && index === files[0]) {
      for (let length = tokens(section.text!).length - 1; length > 0; length--) {
        if (used + shownSums(section.text!)[length]! > maxBytes) continue
        const found = search(position + 1, used + bytesOf(blockOf(section, style, length)), kept, { index, length })
        if (found !== undefined) return found
      }
    }
    return search(position + 1, used, kept, cut)
  }
  return search(0, around, new Set<number>())
}

export const outcome = (
  sections: ReadonlyArray<Section>,
  text: string,
  { kept, cut }: Possible
): Omit<Rendered, "sizes"> => {
  const gone = sections.flatMap((section, index) =>
    isFile(section) && !kept.has(index) && cut?.index !== index ? [section] : []
  )
  const { path, bytes, text: whole } = (cut === undefined ? {} : sections[cut.index]) as Partial<FileSection>
  return {
    text,
    bytes: bytesOf(text),
    shown: new Set(
      [...sections.keys()].filter(
        (index) => (kept.has(index) && sections[index]!.kind !== "held") || cut?.index === index
      )
    ),
    omitted: gone.map((section) => ({ path: section.path, bytes: section.bytes })),
    truncated: cut === undefined ? [] : [{ path: path!, from: bytes!, to: rawBytes(whole!, cut.length) }]
  }
}

const nothing: Omit<Rendered, "sizes"> = { text: "", bytes: 0, shown: new Set(), omitted: [], truncated: [] }

/** What rendering has to give. */
export const expected = (sections: ReadonlyArray<Section>, maxBytes: number, style: Style): Omit<Rendered, "sizes"> => {
  if (!Number.isFinite(maxBytes) || maxBytes <= 0) return nothing
  const withdrawn = style === "superseding" && sections.every(({ kind }) => kind === "remove")
  if (sections.length === 0 && !withdrawn) return nothing
  const give = (possible: Possible, intro?: string) =>
    outcome(sections, write(sections, maxBytes, style, possible, intro), possible)
  let lines: Possible | undefined
  for (const detail of ["full", "counts", "none"] as const) {
    const possible = best(sections, maxBytes, style, detail)
    if (possible === undefined) continue
    if (possible.cut !== undefined || [...possible.kept].some((index) => isFile(sections[index]!)))
      return give(possible)
    if (possible.kept.size > 0) lines ??= possible
  }
  if (lines !== undefined) {
    const found = give(lines)
    return style === "dynamic" && found.shown.size === 0 ? nothing : found
  }
  const bare = (detail: Detail, intro?: string) => {
    const found = give({ detail, kept: new Set() }, intro)
    return found.bytes <= maxBytes ? found : undefined
  }
  if (withdrawn) return bare("none") ?? nothing
  if (style === "dynamic" || !sections.some(isFile)) return nothing
  const intro = style === "baseline" ? "" : introOf(sections, style)
  return bare("full", intro) ?? bare("counts", intro) ?? nothing
}
