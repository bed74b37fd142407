/** One path of an index, made to agree with the disk (F-4). */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { isIgnored } from "../../pipeline/files/ignore.ts"
import type { PathIndex } from "../../pipeline/files/pathIndex.ts"
import * as Paths from "../../pipeline/paths.ts"
import type { FileReferencesSettings } from "../../schemas/FileReference.ts"
import { probeEntry, realPath } from "../filesystem/probe.ts"
import { standing } from "./workspace.ts"

interface Patched {
  readonly index: PathIndex
  truncated: boolean
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
const directoryOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/"))) || "."

/**
 * Looks at `given`, as a tool has named it: what is there now is in the index afterwards, with the directories above it, and
 * what is not there is not. Paths outside of the workspace, and those that are left out, are none of its business.
 */
export const patch = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  cwd: string,
  root: string,
  given: string,
  patched: Patched,
  settings: FileReferencesSettings
): Effect.fn.Return<void> {
  const { index } = patched
  const absolute = Paths.resolve(cwd, given)
  const name = nameOf(absolute.replaceAll("\\", root.startsWith("/") ? "\\" : "/"))
  const directory = yield* realPath(fs, Paths.parent(absolute))
  if (typeof directory !== "string") {
    // No directory, no file. By which name it was known, nobody can tell any more than by its text.
    const path = Paths.within(cwd, absolute) ?? Paths.within(root, absolute)
    if (directory._tag !== "Absent" || path === undefined || path === ".") return
    index.remove(path)
    // What else has gone with the directory goes as well.
    return yield* patch(fs, cwd, root, Paths.parent(absolute), patched, settings)
  }
  const inside = Paths.within(root, directory)
  if (inside === undefined || name === "") return
  const path = Paths.below(inside, name)
  const { indexed, rules } = yield* standing(fs, root, inside, settings)
  const presence = yield* probeEntry(fs, Paths.resolve(directory, name))
  if (presence._tag === "Unavailable") return
  const kind =
    presence._tag === "Absent"
      ? undefined
      : presence.type === "Directory"
        ? "directory"
        : presence.type === "File" || presence.type === "SymbolicLink"
          ? "file"
          : undefined
  const known = index.kindOf(path)
  if (known !== undefined && known !== kind) index.remove(path)
  if (kind === undefined || known === kind || !indexed || settings.excludedNames.includes(name)) return
  if (isIgnored(rules, path, name, kind === "directory")) return
  const missing = Paths.descend(".", inside).filter((each) => each !== "." && index.kindOf(each) !== "directory")
  for (const each of [...missing, path]) {
    // It was a file when it was last looked at.
    if (index.kindOf(each) !== undefined) index.remove(each)
    if (index.size >= settings.maxEntries) break
    const parent = index.parentOf(directoryOf(each))
    if (parent !== undefined) index.add(parent, nameOf(each), each !== path || kind === "directory")
  }
  patched.truncated ||= index.size >= settings.maxEntries
})
