/** The skill catalog and the user's calls, mounted on a session. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import { decodeSkillsConfig, type SkillsConfig } from "../../schemas/SkillsConfig.ts"
import type { DuplicateSupplier } from "../../schemas/StepRejected.ts"
import { AgentTools } from "../../services/AgentTools.ts"
import { ContextSupply } from "../../services/ContextSupply.ts"
import type { Inbox } from "../../services/Inbox.ts"
import { Session } from "../../services/Session.ts"
import { SkillRegistry } from "../../services/SkillRegistry.ts"
import { SkillsFileSystem } from "../../services/SkillsFileSystem.ts"
import { makeProjection } from "../supply/projection.ts"
import { makeCatalogProjector } from "./catalog.ts"
import { makeInvocationSupplier } from "./invocation.ts"

/**
 * Publishes the skills of the registry around it to the model of the session around it, and brings in those that its user
 * calls with `/name`. Takes the whole configuration of skills; of it, `catalogDescriptionMaxLength`, `catalogMaxBytes` and
 * `userInvocation` count here. Where the skills on disk are mounted too, what this agent writes below their roots is
 * noticed at once (S-25).
 */
export const layer = (
  config: SkillsConfig = {}
): Layer.Layer<never, InvalidConfiguration | DuplicateSupplier, SkillRegistry | Session | Inbox | ContextSupply> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const decoded = yield* decodeSkillsConfig(config)
      const registry = yield* SkillRegistry
      const { cwd } = yield* Session
      const supply = yield* ContextSupply
      const tools = yield* AgentTools
      const hasTool = Effect.map(tools, (names) => names?.has("skill") ?? true)
      const { supplier } = yield* makeProjection(makeCatalogProjector(registry, cwd, decoded, hasTool))
      yield* supply.register(supplier)
      if (decoded.userInvocation !== "off") yield* supply.register(makeInvocationSupplier(registry, cwd, decoded))
      const disk = yield* Effect.serviceOption(SkillsFileSystem)
      if (disk._tag === "Some") yield* supply.onToolResult(disk.value.onToolResult(cwd))
    })
  )
