/**
 * Instruction messages as text: a pure, linear function of (sections, budget, style) (I-23, I-60 to I-63).
 */
import type { Omission, Truncation } from "../../schemas/Instructions.ts"
import * as Budget from "../budget.ts"
import { close, escapedPrefix, escapedSize, escapeText, open, showPath } from "../frame.ts"
import { byteLength } from "../utf8.ts"
import * as Notice from "./notice.ts"
import { depth } from "./order.ts"
import { block, blockSize, heading, intros, nothingActive, type Section, type Style } from "./section.ts"

export type { FileSection, HeldSection, Section, Style } from "./section.ts"

/** A rendered message. `shown` holds the indices of the sections that are committed; sizes are UTF-8 bytes. */
export interface Rendered {
  /** Empty when nothing can be said within the budget. */
  readonly text: string
  readonly bytes: number
  readonly shown: ReadonlySet<number>
  readonly omitted: ReadonlyArray<Omission>
  readonly truncated: ReadonlyArray<Truncation>
  /** For each section, what it takes in the message. */
  readonly sizes: ReadonlyArray<number>
}

/** A section with everything that does not depend on the others. */
interface Prepared extends Notice.Loss {
  readonly section: Section
  readonly heading: string
  readonly headingBytes: number
  readonly part: Budget.Part
}

/** A complete message implies what is removed, but not what still applies: that is decided first. */
const beforeRemovals = 2 ** 32

const prepare = (section: Section, style: Style): Prepared => {
  const shownPath = showPath(section.path)
  const said = heading(section, style, shownPath)
  const headingBytes = byteLength(said)
  const common = { section, heading: said, headingBytes, shownPath }
  const rank = depth(section.scope)
  switch (section.kind) {
    case "held":
      return {
        ...common,
        bytes: 0,
        part: { rank: beforeRemovals + rank, size: blockSize(headingBytes, "", 0), entry: 0 }
      }
    case "remove":
      return { ...common, bytes: 0, part: { rank, size: blockSize(headingBytes, "", 0), entry: 0 } }
    default: {
      const { text, bytes } = section
      const size = text === undefined ? undefined : blockSize(headingBytes, text, escapedSize(text, bytes))
      return { ...common, bytes, part: { rank, size, entry: Notice.entrySize({ shownPath, bytes }) } }
    }
  }
}

const textOf = (section: Section): string | undefined => ("text" in section ? section.text : "")

/** What is left of the one file that was cut. */
interface Cut {
  readonly index: number
  readonly escaped: string
  readonly original: number
  readonly size: number
}

/**
 * The longest cut whose block, and the digits that its size takes in the notice, fit into `room`; `undefined` when not a
 * byte of text would survive. Neither shrinks as the cut grows, so the first fit on the way down is the longest.
 */
const cutToFit = (file: Prepared, index: number, detail: Notice.Detail, room: number): Cut | undefined => {
  const text = textOf(file.section)
  if (text === undefined) return undefined
  let limit = room - file.headingBytes
  for (;;) {
    const { escaped, bytes, original } = escapedPrefix(text, limit)
    if (original === 0) return undefined
    const size = blockSize(file.headingBytes, escaped, bytes)
    if (size + Notice.digits(detail, original) <= room) return { index, escaped, original, size }
    limit = bytes - 1
  }
}

/** Which sections a message shows, and how much its notice says about the others. */
interface Choice {
  readonly detail: Notice.Detail
  readonly kept: ReadonlyArray<boolean>
  readonly cut: Cut | undefined
}

const choose = (prepared: ReadonlyArray<Prepared>, room: number, maxBytes: number, detail: Notice.Detail): Choice => {
  const parts = prepared.map((entry) => entry.part)
  const whole = Notice.noticeSize(detail, maxBytes)
  let cut: Cut | undefined
  let left = 0
  const { kept } = Budget.select(parts, room, whole, (index, used) => {
    const file = prepared[index]!
    const others = parts.filter((part, other) => part.entry > 0 && other !== index)
    const entries = others.reduce((sum, part) => sum + part.entry, 0)
    left = room - used
    cut = cutToFit(file, index, detail, left - Notice.noticeSize(detail, maxBytes, file)(others.length, entries))
    return cut !== undefined
  })
  if (cut === undefined) return { detail, kept, cut }
  // A cut may end a few bytes early, before a long character or escape: enough for a tiny broader file.
  const { index, original, size } = cut
  const others = parts.map((part, other) =>
    other === index || part.entry === 0 ? { rank: 0, size: undefined, entry: 0 } : part
  )
  const about = Notice.noticeSize(detail, maxBytes, prepared[index]!, String(original))
  const rest = Budget.select(others, left - size, about, () => false)
  return { detail, kept: kept.map((keep, other) => keep || rest.kept[other]!), cut }
}

const empty = (sections: number): Rendered => ({
  text: "",
  bytes: 0,
  shown: new Set(),
  omitted: [],
  truncated: [],
  sizes: Array.from({ length: sections }, () => 0)
})

/** The message that a choice amounts to. */
const assemble = (prepared: ReadonlyArray<Prepared>, choice: Choice, maxBytes: number, intro: string): Rendered => {
  const omitted: Array<Prepared> = []
  const shown = new Set<number>()
  const sizes: Array<number> = []
  let cut: Notice.Cut | undefined
  let body = ""
  for (const [index, entry] of prepared.entries()) {
    const cutHere = choice.cut?.index === index ? choice.cut : undefined
    if (!choice.kept[index] && cutHere === undefined) {
      sizes.push(0)
      if (entry.part.entry > 0) omitted.push(entry)
      continue
    }
    if (cutHere !== undefined) cut = { shownPath: entry.shownPath, bytes: entry.bytes, to: cutHere.original }
    if (entry.section.kind !== "held") shown.add(index)
    sizes.push(cutHere?.size ?? entry.part.size!)
    body += block(entry.heading, cutHere?.escaped ?? escapeText(textOf(entry.section)!))
  }
  const text = `${open}${Notice.noticeText(choice.detail, maxBytes, omitted, cut)}${intro}${body}${close}`
  return {
    text,
    bytes: byteLength(text),
    shown,
    omitted: omitted.map((entry) => ({ path: entry.section.path, bytes: entry.bytes })),
    truncated:
      cut === undefined ? [] : [{ path: prepared[choice.cut!.index]!.section.path, from: cut.bytes, to: cut.to }],
    sizes
  }
}

/**
 * Renders `sections`, given in message order, into at most `maxBytes` bytes. The result is empty when nothing of them
 * fits or there is nothing to say; a baseline may then still consist of its budget notice.
 */
export const render = (sections: ReadonlyArray<Section>, maxBytes: number, style: Style): Rendered => {
  const nothing = empty(sections.length)
  const withdrawn = style === "superseding" && sections.every((section) => section.kind === "remove")
  if (!(maxBytes > 0) || maxBytes === Infinity || (sections.length === 0 && !withdrawn)) return nothing
  const intro = withdrawn ? nothingActive : intros[style]
  const room = maxBytes - byteLength(open + intro + close)
  const prepared = sections.map((section) => prepare(section, style))
  const fitting = (choice: Choice, lead: string): Rendered | undefined => {
    const rendered = assemble(prepared, choice, maxBytes, lead)
    return rendered.bytes <= maxBytes ? rendered : undefined
  }

  let lines: Choice | undefined
  for (const detail of ["full", "counts", "none"] as const) {
    const choice = choose(prepared, room, maxBytes, detail)
    const says = (mentioned: boolean) =>
      choice.kept.some((keep, index) => keep && prepared[index]!.part.entry > 0 === mentioned)
    if (choice.cut !== undefined || says(true)) return fitting(choice, intro) ?? nothing
    if (lines === undefined && says(false)) lines = choice
  }
  if (lines !== undefined) {
    const rendered = fitting(lines, intro) ?? nothing
    // A dynamic message that commits nothing is not sent (I-51).
    return style === "dynamic" && rendered.shown.size === 0 ? nothing : rendered
  }
  const none = (detail: Notice.Detail): Choice => ({ detail, kept: prepared.map(() => false), cut: undefined })
  if (withdrawn) return fitting(none("none"), intro) ?? nothing
  if (style === "dynamic" || prepared.every((entry) => entry.part.entry === 0)) return nothing
  // Only its introduction says that a superseding message replaces the earlier ones; a baseline has nothing to introduce.
  const lead = style === "superseding" ? intro : ""
  return fitting(none("full"), lead) ?? fitting(none("counts"), lead) ?? nothing
}
