/** Session references, mounted on a session. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { selectCandidates } from "../../pipeline/sessions/candidates.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import {
  decodeSessionReferencesConfig,
  type SessionReferencesConfig,
  sessionReferencesDefaults
} from "../../schemas/SessionReference.ts"
import type { DuplicateSupplier } from "../../schemas/StepRejected.ts"
import { ContextSupply } from "../../services/ContextSupply.ts"
import { Session } from "../../services/Session.ts"
import { SessionReferences } from "../../services/SessionReferences.ts"
import { SessionStore } from "../../services/SessionStore.ts"
import { makePrepare } from "./prepare.ts"
import { makeSupplier } from "./supplier.ts"

const make = Effect.fnUntraced(function* (config: SessionReferencesConfig) {
  const decoded = yield* decodeSessionReferencesConfig(config)
  const limit = decoded.candidateLimit ?? sessionReferencesDefaults.candidateLimit
  const { cwd, id } = yield* Session
  const store = yield* SessionStore
  const supply = yield* ContextSupply
  const prepare = makePrepare(store, id, decoded)
  yield* supply.register(makeSupplier(prepare))
  return SessionReferences.of({
    candidates: Effect.fn("SessionReferences.candidates")((query) =>
      // One more than are shown tells whether there are more, and one may be the asking session.
      Effect.map(store.search?.({ text: query, cwd, limit: limit + 2 }) ?? store.list, (sessions) =>
        selectCandidates(sessions, { query, self: id, cwd, limit })
      )
    ),
    prepare: Effect.fn("SessionReferences.prepare")((message) =>
      Effect.map(prepare([message]), ([prepared]) => prepared?.message)
    )
  })
})

/**
 * Shows the model of the session around it what was said in other sessions of the store around it, where its user refers to
 * them. What cannot be shown as asked for rejects the step, with one of the reasons of `SessionReferenceError`.
 */
export const layer = (
  config: SessionReferencesConfig = {}
): Layer.Layer<SessionReferences, InvalidConfiguration | DuplicateSupplier, Session | SessionStore | ContextSupply> =>
  Layer.effect(SessionReferences, make(config))
