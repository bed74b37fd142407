/** References to other sessions, as a part of a scripted agent. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer } from "../../layers/sessionReferences/sessionReferences.ts"
import { decodeSessionReferencesConfig } from "../../schemas/SessionReference.ts"
import type { SessionReferences } from "../../services/SessionReferences.ts"
import { definePart, type Part } from "./part.ts"

export const sessionReferences: Part = definePart<never, SessionReferences>({
  name: "sessionReferences",
  layer: (config) => Layer.unwrap(Effect.map(decodeSessionReferencesConfig(config), layer))
})
