/** What a tool's result says about the tree: nothing, one path, or that anything may have changed (F-4). */
import type { ToolOutcome } from "../../schemas/SessionEvent.ts"

export type TreeChange =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Path"; readonly path: string }
  | { readonly _tag: "Anything" }

const nothing: TreeChange = { _tag: "Nothing" }
const anything: TreeChange = { _tag: "Anything" }

/** Tools that are known to leave the tree as it is. */
const looking: ReadonlySet<string> = new Set(["read", "skill", "grep", "glob", "ls"])

/** Tools that write the file their argument `file_path` names. */
const writing: ReadonlySet<string> = new Set(["write", "edit"])

/** Files that decide about others. */
export const ignoreFileNames = [".gitignore", ".ignore"] as const

const namesIgnoreFile = (path: string): boolean => ignoreFileNames.some((name) => path.split(/[/\\]/).at(-1) === name)

/** A failed or aborted tool may have got halfway; a blocked one has not begun. */
export const treeChange = (execution: {
  readonly name: string
  readonly arguments: unknown
  readonly outcome: ToolOutcome
}): TreeChange => {
  if (looking.has(execution.name) || execution.outcome === "blocked") return nothing
  if (!writing.has(execution.name)) return anything
  const given = execution.arguments
  const path = typeof given === "object" && given !== null && "file_path" in given ? given.file_path : undefined
  if (typeof path !== "string" || path === "" || namesIgnoreFile(path)) return anything
  return { _tag: "Path", path }
}
