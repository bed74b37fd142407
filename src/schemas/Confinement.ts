/**
 * What can be wrong with the roots of a confined file system.
 */
import * as Schema from "effect/Schema"

/** A file system cannot be confined to `root`. `reason` says what is wrong with it, such as `it does not exist`. */
export class InvalidRoot extends Schema.TaggedError<InvalidRoot>()("InvalidRoot", {
  root: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `A file system cannot be confined to ${JSON.stringify(this.root)}: ${this.reason}`
  }
}
