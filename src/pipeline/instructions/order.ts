/** Scopes as values: compared, ordered, and ranked by how specific they are. */
import type { Scope } from "../../schemas/Instructions.ts"
import { below } from "../paths.ts"

/** A key for maps, injective over scopes. Internal: never logged, never shown, never parsed. */
export const scopeKey = (scope: Scope): string => JSON.stringify([scope.owner, scope.directory, scope.slot])

/** How deep a scope lies: the user's own file is broader than the project root. */
export const depth = (scope: Pick<Scope, "owner" | "directory">): number =>
  scope.owner === "user" ? -1 : scope.directory === "." ? 0 : scope.directory.split("/").length

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Parents before children, siblings by code units. */
export const compareDirectories = (a: string, b: string): number => {
  const left = a === "." ? [] : a.split("/")
  const right = b === "." ? [] : b.split("/")
  const shared = Math.min(left.length, right.length)
  for (let index = 0; index < shared; index++) {
    const order = compareText(left[index]!, right[index]!)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** The order of a message (I-51): the user's file, then directories, and inside one the order of `slots`. */
export const compareScopes = (slots: ReadonlyArray<string>) => {
  const position = (slot: string): number => {
    const index = slots.indexOf(slot)
    return index === -1 ? slots.length : index
  }
  return (a: Scope, b: Scope): number =>
    a.owner !== b.owner
      ? a.owner === "user"
        ? -1
        : 1
      : compareDirectories(a.directory, b.directory) ||
        position(a.slot) - position(b.slot) ||
        compareText(a.slot, b.slot)
}

/** The path of `name` in a directory as it is logged: root-relative, or below the home's display form. */
export const logicalPath = (owner: Scope["owner"], directory: string, name: string, shownHome: string): string =>
  owner === "user" ? `${shownHome}/${name}` : below(directory, name)
