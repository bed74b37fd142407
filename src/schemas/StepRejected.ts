/** A supplier's refusal to let a step begin. */
import * as Schema from "effect/Schema"

const isReason = (value: unknown): value is { readonly _tag: string; readonly message: string } =>
  typeof value === "object" && value !== null && "_tag" in value && "message" in value

/**
 * A supplier rejects the step before anything of it is logged. `reason` is the supplier's own tagged error; its `_tag`
 * and `message` say what to do.
 */
export class StepRejected extends Schema.TaggedError<StepRejected>()("StepRejected", {
  supplier: Schema.String,
  reason: Schema.declare(isReason)
}) {
  override get message() {
    return `${this.supplier} rejects the step: ${this.reason.message}`
  }
}

/** A supplier of this name is registered already. Names are unique in one `ContextSupply`. */
export class DuplicateSupplier extends Schema.TaggedError<DuplicateSupplier>()("DuplicateSupplier", {
  name: Schema.String
}) {
  override get message() {
    return `A supplier named ${JSON.stringify(this.name)} is registered already; give this one another name`
  }
}
