/** What a query asks for (F-3): a directory of the workspace, or the whole of it. Pure text; no disk is asked. */
import * as Paths from "../paths.ts"

/** Lists `directory` (root-relative, `.` for the root), as far as names begin with `rest`. */
export interface Listing {
  readonly _tag: "Listing"
  readonly directory: string
  readonly rest: string
  readonly hidden: boolean
}

/** Finds `text` anywhere. */
export interface Search {
  readonly _tag: "Search"
  readonly text: string
  readonly hidden: boolean
}

export interface Outside {
  readonly _tag: "Outside"
}

export type Query = Listing | Search | Outside

const outside: Outside = { _tag: "Outside" }

/** A hidden name; `.` and `..` are directions. */
export const isHidden = (name: string): boolean => name.startsWith(".") && name !== "." && name !== ".."

/** Whether a segment of the query begins with a dot: then hidden entries are meant, too (F-4). */
const wantsHidden = (path: string, rest: string): boolean =>
  rest === "." || isHidden(rest) || path.split("/").some(isHidden)

/** `roots`: the workspace, by every absolute name it has. */
export const parseQuery = (query: string, roots: ReadonlyArray<string>): Query => {
  const slash = query.lastIndexOf("/")
  const rest = query.slice(slash + 1)
  if (query === "..") return outside
  if (slash < 0 && query !== "" && !Paths.isAbsolute(query)) {
    return { _tag: "Search", text: query, hidden: wantsHidden("", query) }
  }
  const path = query.slice(0, slash + 1)
  for (const root of roots) {
    const directory = Paths.within(root, Paths.resolve(root, path))
    if (directory === undefined) continue
    if (rest === ".." && directory === ".") return outside
    return { _tag: "Listing", directory, rest, hidden: wantsHidden(Paths.isAbsolute(query) ? directory : path, rest) }
  }
  return outside
}
