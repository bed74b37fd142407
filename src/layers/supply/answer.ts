/** What a supplier says when it is asked, whatever it does instead of answering (C-2). */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import { StepRejected } from "../../schemas/StepRejected.ts"
import type { Contribution, PreStep, Supplier } from "../../services/ContextSupply.ts"

/** What one supplier answered: contributions, a rejection, or a failure that costs only its own. */
export type Answer =
  | { readonly _tag: "Contributed"; readonly supplier: Supplier; readonly contributions: ReadonlyArray<Contribution> }
  | { readonly _tag: "Rejected"; readonly supplier: Supplier; readonly error: StepRejected }
  | { readonly _tag: "Failed"; readonly supplier: Supplier; readonly cause: Cause.Cause<unknown> }

export const supplierFailed = (supplier: Supplier, cause: Cause.Cause<unknown>): Diagnostic => ({
  tag: "SupplierFailed",
  message: `${supplier.name} contributes nothing to this step: ${Cause.pretty(cause)}`
})

/**
 * How it ended, `run` itself included. An interruption that comes from outside goes on upwards; one that a supplier
 * brings upon itself is a failure like any other.
 */
export const answered = <A, E>(run: () => Effect.Effect<A, E>): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.exit(Effect.suspend(run))

const places: ReadonlyArray<unknown> = ["afterMessage", "afterClaimed", "end"]

/** Suppliers without types may answer anything; what cannot be placed or logged would cost the whole step. */
const isContribution = (value: unknown): boolean => {
  const { message, placement } = (value ?? {}) as Partial<Contribution>
  return (
    typeof message?.id === "string" &&
    typeof message.text === "string" &&
    typeof message.source?.kind === "string" &&
    places.includes(placement?.at)
  )
}

/** Asks one supplier. Everything but interruption from outside becomes an answer. */
export const ask = (supplier: Supplier, step: PreStep): Effect.Effect<Answer> =>
  Effect.map(
    answered(() => supplier.propose(step)),
    (exit): Answer => {
      if (Exit.isFailure(exit)) {
        const error = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
        return error instanceof StepRejected
          ? { _tag: "Rejected", supplier, error }
          : { _tag: "Failed", supplier, cause: exit.cause }
      }
      const contributions: unknown = exit.value
      return Array.isArray(contributions) && contributions.every(isContribution)
        ? { _tag: "Contributed", supplier, contributions: exit.value }
        : { _tag: "Failed", supplier, cause: Cause.die("what it proposed is not a list of contributions") }
    }
  )
