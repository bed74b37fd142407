/** What the `files` command does. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { layerWorkspace } from "../layers/files/fileReferences.ts"
import { listDirectory } from "../layers/filesystem/probe.ts"
import { layer as fastReader } from "../node/fastReader.ts"
import * as Paths from "../pipeline/paths.ts"
import type { FileCompletion } from "../schemas/FileReference.ts"
import { FileReferences } from "../services/FileReferences.ts"
import { existing } from "./directory.ts"
import { fail, print, printable, printJson, report } from "./output.ts"

interface Input {
  readonly query: string
  readonly limit: Option.Option<number>
  readonly dir: string
  readonly json: boolean
}

const shown = ({ candidates }: FileCompletion): string =>
  candidates.map(({ kind, path }) => printable(kind === "directory" ? `${path}/` : path)).join("\n")

/** What somebody would want to know who sees nothing: of a directory, whether it is there and may be read. */
const whyNothing = Effect.fnUntraced(function* (cwd: string, query: string) {
  const slash = query.lastIndexOf("/")
  if (slash < 0 && query !== "") return `Nothing in ${cwd} matches "${query}".`
  const directory = Paths.resolve(cwd, query.slice(0, slash + 1))
  const entries = yield* listDirectory(yield* FileSystem.FileSystem, directory)
  if ("_tag" in entries) {
    return entries._tag === "Unavailable"
      ? `${directory} cannot be listed: ${entries.reason}.`
      : `There is no directory ${directory}.`
  }
  const rest = query.slice(slash + 1)
  return rest === "" ? `${directory} has nothing to show.` : `Nothing in ${directory} begins with "${rest}".`
})

export const files = Effect.fnUntraced(function* ({ dir, json, limit, query }: Input) {
  const cwd = yield* existing(dir)
  const ask = Effect.gen(function* () {
    const references = yield* FileReferences
    const found = yield* references.list(query, Option.isSome(limit) ? { limit: limit.value } : {})
    return { found, diagnostics: yield* references.diagnostics }
  })
  const { diagnostics, found } = yield* ask.pipe(
    Effect.provide(Layer.provide(layerWorkspace({ cwd }), fastReader)),
    Effect.catchTag("FileReferenceError", (error) => fail(error.message))
  )
  if (json) return yield* printJson({ candidates: found.candidates, truncated: found.truncated })
  yield* Effect.forEach(diagnostics, ({ message, tag }) => report(`${tag}: ${message}`), { discard: true })
  // A completion reads the lines of standard output: with no candidate there is none.
  if (found.candidates.length > 0) return yield* print(shown(found))
  yield* report(yield* whyNothing(cwd, query))
})
