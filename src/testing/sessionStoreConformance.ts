/**
 * What every session store has to keep, as cases for any test runner.
 *
 * **When to use**
 *
 * To hold a store of your own — over a database, say — against the promises the rest of this library relies on. Run
 * `sessionStoreConformance` on every store and `sessionStoreDurability` on those whose sessions outlive their layer.
 *
 * **Details**
 *
 * Each case gets a layer that builds an empty store, and fails with a `ConformanceFailure` that says what was expected
 * and what was found. Cases run on the test clock as well as on the real one.
 *
 * **Example** (With vitest)
 *
 * ```ts
 * import { it } from "@effect/vitest"
 * import * as SessionStore from "effect-agent-context/SessionStore"
 * import { sessionStoreConformance } from "effect-agent-context/testing"
 *
 * for (const { name, run } of sessionStoreConformance) it.effect(name, () => run(SessionStore.layerMemory))
 * ```
 */
import { appendCases } from "./sessionStoreConformance/appendCases.ts"
import type { ConformanceCase } from "./sessionStoreConformance/check.ts"
import { durabilityCases } from "./sessionStoreConformance/durabilityCases.ts"
import { observerCases } from "./sessionStoreConformance/observerCases.ts"
import { storeCases } from "./sessionStoreConformance/storeCases.ts"

export { type ConformanceCase, ConformanceFailure } from "./sessionStoreConformance/check.ts"

/** The promises of every store. */
export const sessionStoreConformance: ReadonlyArray<ConformanceCase> = [...appendCases, ...observerCases, ...storeCases]

/** The promises of a store whose sessions are still there when its layer is built again. */
export const sessionStoreDurability: ReadonlyArray<ConformanceCase> = durabilityCases
