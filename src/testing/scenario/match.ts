/** Expectations as scenarios write them. */
import * as Schema from "effect/Schema"
import { Change } from "../../schemas/Instructions.ts"
import { DurationText } from "./duration.ts"

/** A change; without a digest, any digest will do. */
const ExpectedChange = Schema.Struct({
  action: Change.fields.action,
  scope: Change.fields.scope,
  path: Schema.String,
  previousPath: Schema.optionalKey(Schema.String),
  digest: Schema.optionalKey(Schema.String)
})
export type ExpectedChange = typeof ExpectedChange.Type

const Texts = Schema.Array(Schema.String)

/** Keys that are left out are not compared. */
const Partial = Schema.Record(Schema.String, Schema.Json)

/** What a text has to be like. `equals`: the whole text; `maxBytes`: UTF-8. */
const text = {
  contains: Schema.optionalKey(Texts),
  excludes: Schema.optionalKey(Texts),
  inOrder: Schema.optionalKey(Texts),
  count: Schema.optionalKey(Schema.Record(Schema.String, Schema.Natural)),
  maxBytes: Schema.optionalKey(Schema.Natural),
  equals: Schema.optionalKey(Schema.String)
}

/** What a text that is no message has to be like. */
const TextMatch = Schema.Struct(text)
export type TextMatch = typeof TextMatch.Type

/** What a message has to be like: its text, and what its source says. */
export const MessageMatch = Schema.Struct({
  source: Schema.optionalKey(Schema.String),
  baseline: Schema.optionalKey(Schema.Boolean),
  changes: Schema.optionalKey(Schema.Array(ExpectedChange)),
  references: Schema.optionalKey(Schema.Array(Partial)),
  entries: Schema.optionalKey(Schema.Array(Partial)),
  ...text
})
export type MessageMatch = typeof MessageMatch.Type

const Counts = Schema.Record(Schema.String, Schema.Natural)

/** What has to be seen after a step; every key that is given has to hold. */
export const Expectations = Schema.Struct({
  decision: Schema.optionalKey(Schema.Literals(["enter", "reject"])),
  entered: Schema.optionalKey(Schema.Array(MessageMatch)),
  inbox: Schema.optionalKey(Schema.Array(MessageMatch)),
  logged: Schema.optionalKey(Texts),
  logEvery: Schema.optionalKey(MessageMatch),
  reads: Schema.optionalKey(Counts),
  probes: Schema.optionalKey(Counts),
  bytesRead: Schema.optionalKey(Counts),
  report: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  diagnostics: Schema.optionalKey(Texts),
  candidates: Schema.optionalKey(Texts),
  skills: Schema.optionalKey(Texts),
  complete: Schema.optionalKey(Schema.Boolean),
  truncated: Schema.optionalKey(Schema.Boolean),
  text: Schema.optionalKey(TextMatch),
  error: Schema.optionalKey(Schema.String),
  openHandles: Schema.optionalKey(Schema.Natural),
  within: Schema.optionalKey(DurationText)
})
export type Expectations = typeof Expectations.Type
