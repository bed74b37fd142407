/**
 * The catalog of skills as one message, within a budget: for every list and every budget (S-40, S-41).
 *
 * What gives way first is the length of all descriptions alike, then the descriptions, then names from the end. The
 * message never exceeds the budget; when not even its frame fits, there is none.
 */
import type { CatalogEntry } from "../../schemas/Skill.ts"
import { close, open } from "../frame.ts"
import { byteLength } from "../utf8.ts"
import { escapeText } from "./escape.ts"

/** `first`: nothing was said before; `update`: it replaces what was said; `emptied`: there was something and now is nothing. */
export type CatalogStyle = "first" | "update" | "emptied"

/** What of a skill stands in the catalog. */
export interface CatalogSkill {
  readonly name: string
  readonly description: string
}

/** A catalog. `text` is empty when there is nothing to say, or no room to say it. */
export interface Catalog {
  readonly text: string
  /** What is shown, before escaping. */
  readonly entries: ReadonlyArray<CatalogEntry>
  /** How many descriptions are shorter than they could be, or not there, because of the budget. */
  readonly shortened: number
  /** How many names are left out because of the budget. */
  readonly omitted: number
}

const usage =
  "When a task matches a skill, or the user names one, load it with the `skill` tool before you begin and follow it. What is already in the conversation as <skill_content> is loaded."

const intros: Readonly<Record<CatalogStyle, string>> = {
  first: `Skills are instructions for particular kinds of tasks. ${usage}\n`,
  update: `The skills have changed. This list replaces every earlier one. ${usage}\n`,
  emptied: "No skills are available any more. Every earlier list of skills no longer applies.\n"
}

const openList = "\n<available_skills>\n"
const closeList = "</available_skills>\n"

const frame = (style: CatalogStyle, lines: string): string =>
  open + intros[style] + openList + lines + closeList + close
const frameBytes = (style: CatalogStyle): number => byteLength(frame(style, ""))

const nothing: Catalog = { text: "", entries: [], shortened: 0, omitted: 0 }

/** The least a description is cut to, ellipsis included. */
const leastLength = 3

const collapse = (text: string): string => text.toWellFormed().replace(/\s+/gu, " ").trim()

/** `characters` joined up to a total of `length`, the ellipsis included. */
const cut = (characters: ReadonlyArray<string>, length: number): string =>
  characters.length <= length
    ? characters.join("")
    : `${characters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`

/** A description as text, white space collapsed and cut at a code point (S-40). */
export const catalogDescription = (description: string, maxLength: number): string =>
  cut(Array.from(collapse(description)), maxLength)

/** A description that can be cut, with the bytes of each of its beginnings once escaped. */
interface Measured {
  readonly name: string
  readonly characters: ReadonlyArray<string>
  /** `sizes[n]`: bytes of the first n characters. */
  readonly sizes: ReadonlyArray<number>
  readonly nameBytes: number
}

const ellipsisBytes = 3

const measure = (skill: CatalogSkill, maxLength: number): Measured => {
  const characters = Array.from(catalogDescription(skill.description, maxLength))
  const sizes = [0]
  for (const character of characters) sizes.push(sizes.at(-1)! + escapedBytes(character))
  return { name: skill.name, characters, sizes, nameBytes: byteLength(escapeText(skill.name)) }
}

/** What `escapeText` makes of one character, in bytes, without making it. */
const escapedBytes = (character: string): number => {
  const code = character.codePointAt(0)!
  if (code < 0x80) return code === 0x26 ? 5 : code === 0x3c || code === 0x3e ? 4 : code < 0x20 || code === 0x7f ? 3 : 1
  return code < 0xa0 ? 3 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

/** Bytes of a description cut to `length`; a cut that would save nothing is not made. */
const cutBytes = ({ characters, sizes }: Measured, length: number): number => {
  const whole = sizes.at(-1)!
  if (characters.length <= length) return whole
  const kept = characters[length - 2] === " " ? length - 2 : length - 1
  return Math.min(whole, sizes[kept]! + ellipsisBytes)
}

const shown = (measured: Measured, length: number): string =>
  cutBytes(measured, length) === measured.sizes.at(-1)!
    ? measured.characters.join("")
    : cut(measured.characters, length)

const nameLine = (name: string): string => `- ${escapeText(name)}\n`
const line = ({ description, name }: CatalogEntry): string =>
  description === "" ? nameLine(name) : `- ${escapeText(name)}: ${escapeText(description)}\n`
const moreLine = (omitted: number): string => `… and ${omitted} more; ask by name\n`

const nameLineBytes = ({ nameBytes }: Measured): number => 3 + nameBytes

/** The greatest length between the least and `most` at which `fits`; `undefined` when none does. More never takes less. */
const greatest = (most: number, fits: (length: number) => boolean): number | undefined => {
  if (!fits(leastLength)) return undefined
  let low = leastLength
  let high = most
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

const render = (style: CatalogStyle, entries: ReadonlyArray<CatalogEntry>, omitted: number): string =>
  frame(style, entries.map(line).join("") + (omitted === 0 ? "" : moreLine(omitted)))

/** Names that are not given up, whatever the budget. */
type Kept = ReadonlySet<string>

/** Names only: as many as fit, from the beginning, and all that are `kept`; `undefined` when these do not fit. */
const namesOnly = (
  style: CatalogStyle,
  all: ReadonlyArray<Measured>,
  room: number,
  kept: Kept
): Catalog | undefined => {
  const shownNames = (measured: ReadonlyArray<Measured>, omitted: number): Catalog => {
    const entries = measured.map(({ name }) => ({ name, description: "" }))
    const shortened = measured.filter(({ characters }) => characters.length > 0).length
    return { text: render(style, entries, omitted), entries, shortened, omitted }
  }
  let used = all.reduce((sum, measured) => sum + nameLineBytes(measured), 0)
  if (used <= room) return shownNames(all, 0)
  const left = new Set(all)
  for (const last of all.toReversed()) {
    if (kept.has(last.name)) continue
    left.delete(last)
    used -= nameLineBytes(last)
    const omitted = all.length - left.size
    if (used + byteLength(moreLine(omitted)) <= room) return shownNames([...left], omitted)
  }
  return undefined
}

/** What is said of `all` in `room` bytes; no description is longer than `most` characters, with 0 there is none. */
const layOut = (
  style: CatalogStyle,
  all: ReadonlyArray<Measured>,
  room: number,
  most: number,
  kept: Kept
): Catalog | undefined => {
  const bytes = (length: number): number =>
    all.reduce((sum, measured) => {
      const description = cutBytes(measured, length)
      return sum + nameLineBytes(measured) + (description === 0 ? 0 : 2 + description)
    }, 0)
  const longest = all.reduce((most, { characters }) => Math.max(most, characters.length), leastLength)
  const length = most === 0 ? undefined : greatest(Math.min(longest, most), (length) => bytes(length) <= room)
  if (length === undefined) return namesOnly(style, all, room, kept)
  const entries = all.map((measured) => ({ name: measured.name, description: shown(measured, length) }))
  const shortened = all.filter((measured) => cutBytes(measured, length) < measured.sizes.at(-1)!).length
  return { text: render(style, entries, 0), entries, shortened, omitted: 0 }
}

const noneKept: Kept = new Set()

/** The same skills have to come out the same, whether they are said for the first time or again. */
const roomIn = (maxBytes: number): number => maxBytes - Math.max(frameBytes("first"), frameBytes("update"))

/**
 * The catalog of `skills`, in their order, in at most `maxBytes` bytes of UTF-8. `descriptionMaxLength` is in code points,
 * at least 3. Takes time in proportion to the text of the skills.
 */
export const renderCatalog = (
  skills: ReadonlyArray<CatalogSkill>,
  maxBytes: number,
  descriptionMaxLength: number,
  style: CatalogStyle
): Catalog => {
  if (skills.length === 0) {
    const text = style === "first" ? "" : frame("emptied", "")
    return byteLength(text) > maxBytes ? nothing : { ...nothing, text }
  }
  const room = roomIn(maxBytes)
  const all = room > 0 ? skills.map((skill) => measure(skill, descriptionMaxLength)) : []
  const laidOut = layOut(style === "emptied" ? "update" : style, all, room, Infinity, noneKept)
  return laidOut !== undefined && room > 0 ? laidOut : { ...nothing, omitted: skills.length }
}

const lengthOf = (text: string): number => Array.from(text).length

/** Whether `told` is all that was shown of a skill for want of room. */
const isCutOf = (told: string, whole: string): boolean =>
  told === "" ? whole !== "" : told !== whole && told === cut(Array.from(whole), Math.max(leastLength, lengthOf(told)))

const byName = (a: CatalogSkill, b: CatalogSkill): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/**
 * The catalog that replaces the one whose entries are `told`, by a list of skills that may lack some (S-42): it adds and
 * changes, and takes no name away. What is not listed, and what is listed as it was told, stays as it was told, cut or whole,
 * so that a provider that comes and goes changes nothing. New names that do not fit are left out; when not even the old ones
 * fit in `maxBytes` any more, there is no text.
 */
export const renderCatalogOver = (
  told: ReadonlyArray<CatalogEntry>,
  skills: ReadonlyArray<CatalogSkill>,
  maxBytes: number,
  descriptionMaxLength: number
): Catalog => {
  if (told.length === 0) return renderCatalog(skills, maxBytes, descriptionMaxLength, "first")
  const kept = new Map(told.map((entry) => [entry.name, entry]))
  const listed = new Map(skills.map((skill) => [skill.name, skill]))
  const wholeOf = ({ description }: CatalogSkill) => catalogDescription(description, descriptionMaxLength)
  const cuts = new Set<string>()
  const old = told.map((entry): CatalogSkill => {
    const skill = listed.get(entry.name)
    const whole = skill === undefined ? undefined : wholeOf(skill)
    const isCut =
      whole === undefined
        ? entry.description === "" || entry.description.endsWith("…")
        : isCutOf(entry.description, whole)
    if (isCut) cuts.add(entry.name)
    return isCut || whole === undefined ? entry : { name: entry.name, description: whole }
  })
  const added = skills.filter(({ name }) => !kept.has(name))
  // What is new is no longer than what had to be cut: all give way alike.
  const most =
    cuts.size === 0 ? Infinity : Math.max(...told.map(({ description }) => Math.max(0, lengthOf(description))))
  const room = roomIn(maxBytes)
  const over = (list: ReadonlyArray<CatalogSkill>): Catalog | undefined =>
    layOut(
      "update",
      list.map((skill) => measure(skill, descriptionMaxLength)),
      room,
      most,
      new Set(kept.keys())
    )
  const all = over([...old, ...added].sort(byName))
  const catalog = all ?? over(old)
  if (catalog === undefined) return { ...nothing, omitted: old.length + added.length }
  const asTold = catalog.entries.filter(
    ({ description, name }) => cuts.has(name) && kept.get(name)!.description === description
  ).length
  return {
    ...catalog,
    shortened: catalog.shortened + asTold,
    omitted: all === undefined ? added.length : catalog.omitted
  }
}
