/** The skill catalog as a value over time: complete, replaced when it changes, never emptied by a failure (S-40 to S-44). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Catalog, renderCatalog, renderCatalogOver } from "../../pipeline/skills/catalog.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { Source } from "../../schemas/Message.ts"
import { type CatalogEntry, catalogSourceKind, SkillCatalogSource, type SkillSnapshot } from "../../schemas/Skill.ts"
import { type SkillsConfig, skillsDefaults } from "../../schemas/SkillsConfig.ts"
import type { SkillRegistryShape } from "../../services/SkillRegistry.ts"
import type { Projector } from "../supply/projection.ts"

/** The entries of the latest visible catalog; `undefined` when none is visible. */
export type ToldCatalog = ReadonlyArray<CatalogEntry> | undefined

const decode = Schema.decodeUnknownOption(SkillCatalogSource)

const entriesOf = (source: Source): ToldCatalog => Option.getOrUndefined(decode(source))?.entries

const sameEntries = (a: ReadonlyArray<CatalogEntry>, b: ReadonlyArray<CatalogEntry>): boolean =>
  a.length === b.length &&
  a.every((entry, index) => entry.name === b[index]!.name && entry.description === b[index]!.description)

const shortened = (catalog: Catalog, maxBytes: number): ReadonlyArray<Diagnostic> =>
  catalog.shortened === 0 && catalog.omitted === 0
    ? []
    : [
        {
          tag: "CatalogShortened",
          message: `The skill catalog is held to ${maxBytes} bytes: ${catalog.shortened} descriptions are shortened, ${catalog.omitted} skills are not listed; all can be loaded. Shorten descriptions or raise catalogMaxBytes.`
        }
      ]

/** What one look has found: nothing to publish without the tool. */
type Found = SkillSnapshot | "no tool"

/** The projector of one agent instance. `hasTool`: whether the agent can load a skill. */
export const makeCatalogProjector = (
  registry: Pick<SkillRegistryShape, "snapshot">,
  cwd: string,
  config: SkillsConfig,
  hasTool: Effect.Effect<boolean>
): Projector<ToldCatalog, Found> => {
  const maxBytes = config.catalogMaxBytes ?? skillsDefaults.catalogMaxBytes
  const descriptionMaxLength = config.catalogDescriptionMaxLength ?? skillsDefaults.catalogDescriptionMaxLength

  const catalogOf = (told: ToldCatalog, snapshot: SkillSnapshot): Catalog => {
    const listed = snapshot.skills
      .filter(({ invocation }) => invocation.modelInvocable)
      .map(({ description, name }) => ({ name, description }))
    if (told === undefined || told.length === 0) return renderCatalog(listed, maxBytes, descriptionMaxLength, "first")
    return snapshot.complete
      ? renderCatalog(listed, maxBytes, descriptionMaxLength, "update")
      : renderCatalogOver(told, listed, maxBytes, descriptionMaxLength)
  }

  return {
    name: "skill catalog",
    kind: catalogSourceKind,
    placement: "afterClaimed",
    ifNotEntered: "drop",
    initial: undefined,
    announce: (_, own) => entriesOf(own.source),
    owns: (source) => entriesOf(source) !== undefined,
    due: ({ step }) => step?.decision === "enter" && step.turn !== undefined,
    observe: Effect.fnUntraced(function* ({ fresh }) {
      if (!(yield* hasTool)) return Option.some("no tool")
      return Option.some(yield* registry.snapshot({ cwd, revalidate: fresh }))
    }),
    write: ({ told }, found) => {
      if (found === "no tool") return undefined
      const catalog = catalogOf(told, found)
      if (catalog.text === "" || sameEntries(told ?? [], catalog.entries)) return undefined
      const source: SkillCatalogSource = {
        kind: catalogSourceKind,
        version: 1,
        entries: catalog.entries,
        ...(found.complete ? {} : { complete: false }),
        ...(told === undefined ? {} : { update: true })
      }
      return { text: catalog.text, source: { ...source }, waits: "end" }
    },
    explain: ({ told }, found) => {
      if (found === "no tool") return { items: [], diagnostics: [] }
      const catalog = catalogOf(told, found)
      const described = new Map(catalog.entries.map((entry) => [entry.name, entry.description]))
      return {
        items: found.skills.map(({ description, invocation, name }) => ({
          path: name,
          outcome: !invocation.modelInvocable ? "not for the model" : described.has(name) ? "listed" : "omitted",
          bytes: Buffer.byteLength(description)
        })),
        diagnostics: [...found.diagnostics, ...shortened(catalog, maxBytes)]
      }
    }
  }
}
