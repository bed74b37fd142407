/** Reads the skills of a directory and renders their catalog; loaded only where there are any. */
import * as Effect from "effect/Effect"
import { catalogDescription, renderCatalog } from "../pipeline/skills/catalog.ts"
import { type SkillsConfig, skillsDefaults } from "../schemas/SkillsConfig.ts"
import { SkillRegistry } from "../services/SkillRegistry.ts"
import type { CatalogRow, FirstCatalog } from "./firstCatalog.ts"
import { skillsOnDisk } from "./skillsOnDisk.ts"

const maxBytes = skillsDefaults.catalogMaxBytes
const maxLength = skillsDefaults.catalogDescriptionMaxLength

export const catalogFor = (cwd: string, config: SkillsConfig): Effect.Effect<FirstCatalog> =>
  Effect.gen(function* () {
    const registry = yield* SkillRegistry
    const { diagnostics, skills } = yield* registry.snapshot({ cwd })
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
      diagnostics
    }
  }).pipe(Effect.provide(skillsOnDisk(config)), Effect.orDie)
