/** The skill catalog that a first prompt would bring, beside the instructions (S-40). */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { environment, variable } from "../layers/environment.ts"
import { probe } from "../layers/filesystem/probe.ts"
import { rootsFor } from "../pipeline/skills/roots.ts"
import type { Diagnostic } from "../schemas/Diagnostic.ts"

/** What became of one skill; `bytes`: UTF-8 of its description. */
export interface CatalogRow {
  readonly name: string
  readonly outcome: "listed" | "shortened" | "omitted" | "not for the model"
  readonly bytes: number
}

/** The catalog and its account. `text` is empty when no skill is listed; sizes are UTF-8 bytes. */
export interface FirstCatalog {
  readonly text: string
  readonly bytes: number
  readonly maxBytes: number
  readonly entries: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly rows: ReadonlyArray<CatalogRow>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const none: FirstCatalog = { text: "", bytes: 0, maxBytes: 0, entries: [], rows: [], diagnostics: [] }

/**
 * The catalog for `cwd`, with `home` as given to the command. Most directories have no skills: whatever reads them is
 * loaded only where there is a root to look into.
 */
export const firstCatalog = Effect.fnUntraced(function* (cwd: string, projectRoot: string, home: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const agentsHome = yield* variable("DSH_AGENTS_HOME")
  const config = home === undefined ? {} : { home }
  const { roots } = rootsFor(config, { ...(yield* environment), agentsHome }, cwd, projectRoot)
  const found = yield* Effect.forEach(roots, ({ path }) => probe(fs, path), { concurrency: "unbounded" })
  if (found.every(({ _tag }) => _tag === "Absent")) return none
  const { catalogFor } = yield* Effect.promise(() => import("./firstCatalogBody.ts"))
  return yield* catalogFor(cwd, config)
})
