/** What can go wrong when sections of a system prompt are registered. */
import * as Schema from "effect/Schema"

/** A section of this name is registered already. Names are unique in one `SystemPrompt`. */
export class DuplicateSystemPromptSection extends Schema.TaggedError<DuplicateSystemPromptSection>()(
  "DuplicateSystemPromptSection",
  { name: Schema.String }
) {
  override get message() {
    return `A section named ${JSON.stringify(this.name)} is registered already; give this one another name, or end the scope of the first`
  }
}

/** A section cannot be put in order: its name is empty, or its `order` is no number. */
export class InvalidSystemPromptSection extends Schema.TaggedError<InvalidSystemPromptSection>()(
  "InvalidSystemPromptSection",
  { name: Schema.String, field: Schema.Literals(["name", "order"]) }
) {
  override get message() {
    return this.field === "name"
      ? "A section of the system prompt needs a name that is not empty"
      : `The section ${JSON.stringify(this.name)} has an order that is not a finite number`
  }
}

/** The one error of the system prompt; `operation` names the call, `reason` what happened. */
export class SystemPromptError extends Schema.TaggedError<SystemPromptError>()("SystemPromptError", {
  operation: Schema.String,
  reason: Schema.Union([DuplicateSystemPromptSection, InvalidSystemPromptSection])
}) {
  override get message() {
    return this.reason.message
  }
}
