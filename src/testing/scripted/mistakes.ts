/** Scripts that cannot be played as they stand. They are no behaviour of the library, and no scenario can expect them. */
import * as Schema from "effect/Schema"

/** The script does what no loop can do: a prompt inside a turn, say. `detail` says what. */
export class ScriptMistake extends Schema.TaggedError<ScriptMistake>()("ScriptMistake", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The script needs parts of the library that this build does not have. */
export class NotInThisBuild extends Schema.TaggedError<NotInThisBuild>()("NotInThisBuild", {
  parts: Schema.Array(Schema.String)
}) {
  override get message() {
    return `${this.parts.join(", ")} ${this.parts.length === 1 ? "is" : "are"} not part of this build`
  }
}
