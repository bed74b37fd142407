/** The prose of a user's message: what is left of Markdown without its code. Linear in the text. */

/** Fenced code may begin behind list markers; inside a list, any indentation is that of the list. */
const listMarkers = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+/
const fence = /^(`{3,}(?=[^`]*$)|~{3,})/
const indentation = /^[ \t]*/
const quotePrefix = /^[ \t]*>(?:[ \t]*>)*/
const blank = /^\s*$/

interface Fence {
  readonly marker: string
  readonly quoted: boolean
}

const isClosedBy = ({ marker }: Fence, line: string): boolean => {
  const run = line.trim()
  return run.length >= marker.length && run === marker[0]!.repeat(run.length)
}

/**
 * Blocks of consecutive lines that are not in fenced code, line ends as `\n`; code spans may run through one of them. Quoted
 * lines are left out (`skip`), or are prose without their `>` (`prose`).
 */
export const proseBlocks = (text: string, quotes: "prose" | "skip"): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let block: Array<string> = []
  let open: Fence | undefined
  let inList = false
  const flush = () => {
    if (block.length > 0) blocks.push(block.join("\n"))
    block = []
  }
  for (const whole of text.split(/\r\n|\n|\r/)) {
    const quote = quotePrefix.exec(whole)?.[0]
    const line = quote === undefined || quotes === "skip" ? whole : whole.slice(quote.length)
    const indent = indentation.exec(line)![0].length
    const deep = inList || indent < 4
    if (open?.quoted === true && quote === undefined) open = undefined
    if (open !== undefined) {
      // Behind a `>` that the fence does not stand behind, nothing closes it.
      if (deep && isClosedBy(open, open.quoted ? line : whole)) open = undefined
      continue
    }
    if (blank.test(line)) {
      flush()
      continue
    }
    const marks = listMarkers.exec(line)?.[0]
    inList = marks !== undefined || (inList && indent > 0)
    const marker = marks !== undefined || deep ? fence.exec(line.slice(marks?.length ?? indent))?.[1] : undefined
    if (marker !== undefined) {
      flush()
      open = { marker, quoted: quotes === "prose" && quote !== undefined }
    } else if (quote !== undefined && quotes === "skip") flush()
    else block.push(line)
  }
  flush()
  return blocks
}

/** For each run of backticks in a block that can begin a code span: its index, and where the span ends. */
export const codeSpanEnds = (block: string): ReadonlyMap<number, number> => {
  const ends = new Map<number, number>()
  const closing = new Map<number, number>()
  for (const { 0: run, index } of [...block.matchAll(/`+/g)].reverse()) {
    const end = closing.get(run.length)
    if (end !== undefined) ends.set(index, end)
    closing.set(run.length, index + run.length)
  }
  return ends
}

/** A block with its code spans replaced by as many backticks; line breaks stay. */
export const withoutCodeSpans = (block: string): string => {
  if (!block.includes("`")) return block
  const ends = codeSpanEnds(block)
  let result = ""
  let from = 0
  for (const { index } of block.matchAll(/`+/g)) {
    const end = ends.get(index)
    if (index < from || end === undefined) continue
    result += block.slice(from, index) + block.slice(index, end).replace(/[^\n]/g, "`")
    from = end
  }
  return result + block.slice(from)
}
