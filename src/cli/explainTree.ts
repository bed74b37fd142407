/** A load as a tree: every path that was looked at, what became of it, and its share of the budget. Pure. */
import * as CliOutput from "effect/cli/CliOutput"
import { styleText } from "node:util"
import { showPath } from "../pipeline/frame.ts"
import * as Paths from "../pipeline/paths.ts"
import type { FileOutcome, FileReport, LoadedInstructions } from "../schemas/Instructions.ts"
import type { CatalogRow, FirstCatalog } from "./firstCatalog.ts"
import { whyNothing } from "./nothing.ts"
import { printable } from "./output.ts"

type Tone = "bold" | "dim" | "green" | "yellow" | "red" | "cyan"

/** Gives a text a tone, or leaves it alone. */
export type Paint = (tone: Tone, text: string) => string

export const plain: Paint = (_, text) => text

// Whether there are colours has been decided for the terminal at hand; Node is not to decide once more.
export const colours: Paint = (tone, text) => (text === "" ? "" : styleText(tone, text, { validateStream: false }))

const tones: Readonly<Record<FileOutcome, Tone>> = {
  loaded: "green",
  unchanged: "green",
  truncated: "yellow",
  omitted: "yellow",
  oversized: "red",
  binary: "red",
  unavailable: "red",
  absent: "dim",
  shadowed: "dim",
  duplicate: "dim"
}

/** One line below a title. `share` is of the budget, from 0 to 1. */
interface Row {
  readonly name: string
  readonly state: string
  readonly tone: Tone
  readonly bytes: number | undefined
  readonly share: number
  readonly reason: string
}

interface Group {
  readonly title: string
  readonly rows: Array<Row>
}

const number = (value: number): string => value.toLocaleString("en-US")
const size = (bytes: number): string => `${number(bytes)} ${bytes === 1 ? "byte" : "bytes"}`
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))
const widest = (texts: ReadonlyArray<string>): number => Math.max(0, ...texts.map(CliOutput.displayWidth))

const barWidth = 24
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

/** A share as a bar of `barWidth` cells for all of the budget; what is there at all shows at least a sliver. */
const bar = (share: number): string => {
  const parts = share > 0 ? Math.min(barWidth * 8, Math.max(1, Math.round(share * barWidth * 8))) : 0
  return "█".repeat(Math.floor(parts / 8)) + eighths[parts % 8]!
}

/** A name as the model sees it, and on one line of a terminal. */
const asTheModel = (name: string): string => printable(showPath(name))

const titleOf = (file: FileReport, root: string): string => {
  if (file.scope.owner === "user") return `${printable(Paths.parent(file.path))} (the user's own)`
  return file.scope.directory === "." ? `${printable(root)} (project root)` : `${asTheModel(file.scope.directory)}/`
}

const fileRow = (file: FileReport, maxBytes: number): Row => ({
  name: asTheModel(file.shown.slice(file.shown.lastIndexOf("/") + 1)),
  state: file.outcome,
  tone: tones[file.outcome],
  bytes: file.outcome === "loaded" || file.bytes > 0 ? file.bytes : undefined,
  share: file.renderedBytes / maxBytes,
  reason: printable(
    [file.outside === true ? "from outside the project" : "", file.reason ?? ""].filter(Boolean).join("; ")
  )
})

/** The files by directory, in which order they come anyway. */
const directories = ({ maxBytes, projectRoot, report }: LoadedInstructions): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  for (const file of report) {
    const title = titleOf(file, projectRoot)
    const row = fileRow(file, maxBytes)
    const last = groups.at(-1)
    if (last?.title === title) last.rows.push(row)
    else groups.push({ title, rows: [row] })
  }
  return groups
}

/** Where the budget goes: texts with their headings, everything around them, and what is left. */
const budget = ({ bytes, maxBytes, report }: LoadedInstructions): Group => {
  const files = report.reduce((sum, file) => sum + file.renderedBytes, 0)
  const row = (name: string, bytes: number): Row => ({
    name,
    state: "",
    tone: "cyan",
    bytes,
    share: bytes / maxBytes,
    reason: ""
  })
  return {
    title: `Budget of ${size(maxBytes)}`,
    rows: [row("instruction files", files), row("frame and notice", bytes - files), row("free", maxBytes - bytes)]
  }
}

const render = (groups: ReadonlyArray<Group>, paint: Paint): ReadonlyArray<string> => {
  const rows = groups.flatMap((group) => group.rows)
  const nameWidth = widest(rows.map((row) => row.name))
  const stateWidth = widest(rows.map((row) => row.state))
  const sizes = new Map(rows.map((row) => [row, row.bytes === undefined ? "" : size(row.bytes)]))
  const sizeWidth = widest([...sizes.values()])
  const line = (row: Row, last: boolean): string => {
    const branch = paint("dim", last ? "└─ " : "├─ ")
    const head = `${branch}${pad(row.name, nameWidth)}  ${pad(paint(row.tone, row.state), stateWidth)}`
    const bytes = row.bytes === undefined ? "" : `  ${sizes.get(row)!.padStart(sizeWidth)}`
    const spent =
      row.share > 0 ? `  ${pad(paint(row.tone, bar(row.share)), barWidth)} ${percent(row.share).padStart(7)}` : ""
    const reason = row.reason === "" ? "" : `  ${paint("dim", row.reason)}`
    return `${head}${bytes}${spent}${reason}`.trimEnd()
  }
  return groups.flatMap(({ rows, title }) => [
    paint("bold", title),
    ...rows.map((row, index) => line(row, index === rows.length - 1))
  ])
}

/** Everything `load` has to tell about `cwd`. When nothing was looked at, the one sentence that says why. */
export const explainTree = (loaded: LoadedInstructions, cwd: string, paint: Paint): string => {
  const findings = loaded.diagnostics.map(({ message, tag }) => `${paint("yellow", tag)}: ${printable(message)}`)
  const nothing = loaded.text === "" ? [whyNothing(loaded, cwd)] : []
  const tree = loaded.report.length === 0 ? [] : render([...directories(loaded), budget(loaded)], paint)
  return [...tree, ...findings, ...nothing].join("\n")
}

const catalogTones: Readonly<Record<CatalogRow["outcome"], Tone>> = {
  listed: "green",
  shortened: "yellow",
  omitted: "yellow",
  "not for the model": "dim"
}

/** The skills that a first prompt would list, and what the catalog takes; nothing where there are none. */
export const catalogTree = ({ bytes, diagnostics, maxBytes, rows }: FirstCatalog, paint: Paint): string => {
  const skills: Group = {
    title: `Skill catalog, ${size(bytes)} of ${size(maxBytes)}`,
    rows: rows.map((row) => ({
      name: row.name,
      state: row.outcome,
      tone: catalogTones[row.outcome],
      bytes: row.bytes,
      share: 0,
      reason: ""
    }))
  }
  const findings = diagnostics.map(({ message, tag }) => `${paint("yellow", tag)}: ${printable(message)}`)
  return [...(rows.length === 0 ? [] : render([skills], paint)), ...findings].join("\n")
}
