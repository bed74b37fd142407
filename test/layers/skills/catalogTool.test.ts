import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer as inboxLayer } from "../../../src/layers/inbox/inbox.ts"
import { layerMemory } from "../../../src/layers/session/memory.ts"
import { layer as catalogLayer } from "../../../src/layers/skills/catalogLayer.ts"
import { layer as registryLayer } from "../../../src/layers/skills/registry.ts"
import { layer as supplyLayer } from "../../../src/layers/supply/contextSupply.ts"
import { AgentTools } from "../../../src/services/AgentTools.ts"
import { ContextSupply } from "../../../src/services/ContextSupply.ts"
import { SkillRegistry } from "../../../src/services/SkillRegistry.ts"

const first = (tools: ReadonlySet<string> | undefined) => {
  const perSession = catalogLayer().pipe(
    Layer.provideMerge(supplyLayer),
    Layer.provide(inboxLayer),
    Layer.provide(layerMemory()),
    Layer.provide(Layer.succeed(AgentTools, Effect.succeed(tools))),
    Layer.fresh
  )
  return Effect.gen(function* () {
    const registry = yield* SkillRegistry
    yield* registry.register({ name: "pdf", description: "Read PDF files", content: "Use it." })
    const supply = yield* ContextSupply
    const prompt = { id: "p", text: "hello", source: { kind: "user" } }
    const decision = yield* supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" })
    const kinds = decision.decision === "enter" ? decision.messages.map(({ source }) => source.kind) : []
    const { suppliers } = yield* supply.report
    return { kinds, catalog: suppliers.find(({ supplier }) => supplier === "skill catalog") }
  }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(perSession, registryLayer)))
}

describe("the catalog and the tool it is for", () => {
  it.effect("[S-44] is published while the agent has the skill tool, or nobody says which tools it has", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* first(new Set(["skill"]))).kinds, ["user", "skill-catalog"])
      assert.deepStrictEqual((yield* first(undefined)).kinds, ["user", "skill-catalog"])
      assert.deepStrictEqual((yield* first(new Set(["read"]))).kinds, ["user"])
    })
  )

  it.effect("[C-3] [S-9] the report says its bytes and which skills are listed, which is not loaded", () =>
    Effect.gen(function* () {
      const { catalog } = yield* first(undefined)
      assert.isAbove(catalog!.bytes, 0)
      assert.deepStrictEqual(catalog!.items, [{ path: "pdf", outcome: "listed", bytes: 14 }])
    })
  )
})
