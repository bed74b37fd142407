import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SessionStore from "../../../src/SessionStore.ts"
import { sessionStoreConformance, sessionStoreDurability } from "../../../src/testing/sessionStoreConformance.ts"
import { clientOf, freshDatabase, withPostgres } from "../../support/postgres.ts"

withPostgres("SessionStore.layerSql keeps the promises of every store", () => {
  describe("SessionStore.layerSql", () => {
    for (const { name, rules, run } of [...sessionStoreConformance, ...sessionStoreDurability]) {
      it.live(rules.length === 0 ? name : `[${rules.join(", ")}] ${name}`, () =>
        Effect.gen(function* () {
          const database = yield* freshDatabase
          yield* run(SessionStore.layerSql.pipe(Layer.provide(clientOf(database))))
        })
      )
    }
  })
})
