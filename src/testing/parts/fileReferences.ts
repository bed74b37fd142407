/** File references, as a part of a scripted agent. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer } from "../../layers/files/fileReferences.ts"
import { decodeFileReferencesConfig } from "../../schemas/FileReference.ts"
import { FileReferences } from "../../services/FileReferences.ts"
import { definePart, type Part } from "./part.ts"

export const fileReferences: Part = definePart<never, FileReferences>({
  name: "fileReferences",
  layer: (config) => Layer.unwrap(Effect.map(decodeFileReferencesConfig(config), (decoded) => layer(decoded))),
  verbs: {
    complete: Effect.fnUntraced(
      function* ({ limit, query }, signal) {
        const references = yield* FileReferences
        const options = { ...(limit === undefined ? {} : { limit }), ...(signal === undefined ? {} : { signal }) }
        const { candidates, truncated } = yield* references.list(query, options)
        return {
          candidates: candidates.map(({ kind, path }) => (kind === "directory" ? `${path}/` : path)),
          truncated,
          diagnostics: yield* references.diagnostics
        }
      },
      Effect.mapError((error) => error.reason)
    )
  }
})
