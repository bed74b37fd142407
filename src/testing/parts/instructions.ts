/** Workspace instructions, as a part of a scripted agent. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer } from "../../layers/instructions/supplier.ts"
import { decodeInstructionsConfig } from "../../schemas/Instructions.ts"
import type { AgentInstructions } from "../../services/AgentInstructions.ts"
import { definePart, type Part } from "./part.ts"

export const instructions: Part = definePart<never, AgentInstructions>({
  name: "instructions",
  layer: (config) => Layer.unwrap(Effect.map(decodeInstructionsConfig(config), (decoded) => layer(decoded)))
})
