/** Reads the skills of a directory and renders their catalog; loaded only where there are any. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { layer as skillsFileSystem } from "../layers/skills/fileSystem.ts"
import { layer as skillRegistry } from "../layers/skills/registry.ts"
import { catalogDescription, renderCatalog } from "../pipeline/skills/catalog.ts"
import type { Diagnostic } from "../schemas/Diagnostic.ts"
import { type SkillsConfig, skillsDefaults } from "../schemas/SkillsConfig.ts"
import { SkillRegistry } from "../services/SkillRegistry.ts"
import type { CatalogRow, FirstCatalog } from "./firstCatalog.ts"

const maxBytes = skillsDefaults.catalogMaxBytes
const maxLength = skillsDefaults.catalogDescriptionMaxLength

export const catalogFor = (cwd: string, config: SkillsConfig): Effect.Effect<FirstCatalog> =>
  Effect.gen(function* () {
    const registry = yield* SkillRegistry
    const { diagnostics, failures, skills } = yield* registry.snapshot({ cwd })
    const listed = skills.filter(({ invocation }) => invocation.modelInvocable)
    const { entries, text } = renderCatalog(listed, maxBytes, maxLength, "first")
    const shown = new Map(entries.map(({ description, name }) => [name, description]))
    const outcome = ({ description, invocation, name }: (typeof skills)[number]): CatalogRow["outcome"] => {
      if (!invocation.modelInvocable) return "not for the model"
      const said = shown.get(name)
      return said === undefined
        ? "omitted"
        : said === catalogDescription(description, Infinity)
          ? "listed"
          : "shortened"
    }
    return {
      text,
      bytes: Buffer.byteLength(text),
      maxBytes,
      entries,
      rows: skills.map((skill) => ({
        name: skill.name,
        outcome: outcome(skill),
        bytes: Buffer.byteLength(skill.description)
      })),
      diagnostics: [...failures.map(({ message, tag }): Diagnostic => ({ tag, message })), ...diagnostics]
    }
    // What is logged is among the diagnostics, which are said in the command's own way.
  }).pipe(
    Effect.provide(Layer.mergeAll(Layer.provideMerge(skillsFileSystem(config), skillRegistry), Logger.layer([]))),
    Effect.orDie
  )
