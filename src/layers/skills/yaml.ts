/** The YAML library, loaded when the first frontmatter needs it: that takes longer than reading a hundred skills. */
import * as Effect from "effect/Effect"
import type { YamlLibrary } from "../../pipeline/skills/realYaml.ts"

let loaded: YamlLibrary | undefined

export const yamlLibrary: Effect.Effect<YamlLibrary> = Effect.suspend(() =>
  loaded === undefined
    ? Effect.map(
        Effect.promise(() => import("yaml")),
        (library) => (loaded = library)
      )
    : Effect.succeed(loaded)
)
