/** What can happen in a story, as data that can be generated and shrunk. */
import * as Schema from "effect/Schema"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const place = { directory: upTo(4), name: upTo(2) }
const how = Schema.Literals(["enter", "enter", "enter", "reject", "interrupt", "abort"])
const maybe = Schema.Boolean

export const Act = Schema.Union([
  Schema.Struct({ do: Schema.Literal("write"), ...place, same: maybe, empty: maybe, long: maybe }),
  Schema.Struct({
    do: Schema.Literal("write"),
    ...place,
    same: Schema.Literal(false),
    empty: Schema.Literal(false),
    long: Schema.Literal(false)
  }),
  Schema.Struct({ do: Schema.Literal("overwrite"), ...place }),
  Schema.Struct({ do: Schema.Literal("delete"), ...place }),
  Schema.Struct({ do: Schema.Literal("rename"), ...place, to: upTo(4) }),
  Schema.Struct({ do: Schema.Literal("link"), ...place, target: upTo(1) }),
  Schema.Struct({
    do: Schema.Literal("fault"),
    ...place,
    on: Schema.Literals(["stat", "read", "any"]),
    as: Schema.Literals(["PermissionDenied", "Unknown", "hang"]),
    marker: Schema.Literals([false, false, false, true]),
    realPath: Schema.Literals([false, false, false, true])
  }),
  Schema.Struct({ do: Schema.Literal("heal") }),
  Schema.Struct({
    do: Schema.Literal("advance"),
    by: Schema.Literals(["1 millis", "1 seconds", "3 seconds", "1 hour"])
  }),
  Schema.Struct({ do: Schema.Literal("prompt"), how, after: upTo(30) }),
  Schema.Struct({ do: Schema.Literal("step"), how, after: upTo(30) }),
  Schema.Struct({ do: Schema.Literals(["endStep", "endTurn", "settle", "post"]) }),
  Schema.Struct({
    do: Schema.Literal("tool"),
    directory: upTo(4),
    name: Schema.Literals(["read", "write", "edit", "bash"]),
    outcome: Schema.Literals(["ok", "ok", "ok", "error", "blocked", "aborted"]),
    nested: maybe,
    settles: maybe,
    abort: Schema.optionalKey(upTo(20))
  }),
  Schema.Struct({
    do: Schema.Literal("tool"),
    directory: upTo(4),
    name: Schema.Literal("read"),
    outcome: Schema.Literal("ok"),
    nested: Schema.Literal(false),
    settles: Schema.Literal(false),
    abort: Schema.optionalKey(Schema.Never)
  }),
  Schema.Struct({ do: Schema.Literal("compact"), keep: upTo(4) }),
  Schema.Struct({ do: Schema.Literal("resume"), config: Schema.Literals([0, 0, 0, 1, 2, 3]) }),
  Schema.Struct({ do: Schema.Literal("converge") })
])
export type Act = typeof Act.Type

export const Story = Schema.Array(Act).check(Schema.isMinLength(15), Schema.isMaxLength(40))
