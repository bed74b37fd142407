/** What the `files` command does. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { layerWorkspace } from "../layers/files/fileReferences.ts"
import { layer as fastReader } from "../node/fastReader.ts"
import type { FileCompletion } from "../schemas/FileReference.ts"
import { FileReferences } from "../services/FileReferences.ts"
import { existing } from "./options.ts"
import { fail, print, printable, printJson, report } from "./output.ts"

interface Input {
  readonly query: string
  readonly limit: Option.Option<number>
  readonly dir: string
  readonly json: boolean
}

const shown = ({ candidates }: FileCompletion): string =>
  candidates.map(({ kind, path }) => printable(kind === "directory" ? `${path}/` : path)).join("\n")

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
  // A completion reads lines: with no candidate there is none.
  if (found.candidates.length > 0) yield* print(shown(found))
})
