/** The notice of what the budget cost (I-62), as text, and its size from sums alone. Sizes are UTF-8 bytes. */
import type { NoticeSize } from "../budget.ts"
import { byteLength } from "../utf8.ts"

/** How much a notice says: each path, how many files, or nothing at all. */
export type Detail = "full" | "counts" | "none"

/** A file with its path as shown and the size of its text. */
export interface Loss {
  readonly shownPath: string
  readonly bytes: number
}

/** A file that lost its end, and the size of what is left of it. */
export interface Cut extends Loss {
  readonly to: number
}

const around = (maxBytes: number, said: string): string => `Workspace instruction budget ${maxBytes} bytes: ${said}\n\n`
const files = (count: number): string => (count === 1 ? "1 file" : `${count} files`)
const omission = (file: Loss): string => `${file.shownPath} (${file.bytes} bytes)`

const truncation = (detail: Detail, file: Loss, to: string): string =>
  detail === "counts" ? "truncated 1 file" : `truncated ${file.shownPath} from ${file.bytes} to ${to} bytes`

/** The notice; empty when nothing was lost. */
export const noticeText = (
  detail: Detail,
  maxBytes: number,
  omitted: ReadonlyArray<Loss>,
  cut: Cut | undefined
): string => {
  const said: Array<string> = []
  if (omitted.length > 0)
    said.push(`omitted ${detail === "counts" ? files(omitted.length) : omitted.map(omission).join(", ")}`)
  if (cut !== undefined) said.push(truncation(detail, cut, String(cut.to)))
  return detail === "none" || said.length === 0 ? "" : around(maxBytes, said.join("; "))
}

/** The size of an omitted file's entry, which every notice is charged with in sum. */
export const entrySize = (file: Loss): number => byteLength(omission(file))

/** How many bytes a notice takes to say to what size a file was cut. */
export const digits = (detail: Detail, to: number): number => (detail === "full" ? String(to).length : 0)

/** The size of a notice about omitted files and, if there is one, a cut file; `to` is how it says the cut's size. */
export const noticeSize = (detail: Detail, maxBytes: number, cut?: Loss, to = ""): NoticeSize => {
  const base = around(maxBytes, "").length
  const tail = cut === undefined ? 0 : byteLength(truncation(detail, cut, to))
  return (omitted, entries) => {
    if (detail === "none" || (omitted === 0 && tail === 0)) return 0
    if (omitted === 0) return base + tail
    const lost = "omitted ".length + (detail === "counts" ? files(omitted).length : entries + 2 * (omitted - 1))
    return base + lost + (tail === 0 ? 0 : 2 + tail)
  }
}
