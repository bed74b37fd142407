/** The place in tmux as it is configured and logged (T-2). */
import * as Schema from "effect/Schema"
import { decodeConfiguration } from "./Configuration.ts"
import { PositiveTime } from "./time.ts"

/** The source kind of a reading of the place in tmux. */
export const tmuxSourceKind = "tmux-context"

/** Where a process is. Names and layout are cut to what is shown, and not escaped. */
export const TmuxLocation = Schema.Struct({
  session: Schema.String,
  window: Schema.Struct({ index: Schema.Natural, name: Schema.String, active: Schema.Boolean }),
  /** `id` is tmux's own, such as `%3`. */
  pane: Schema.Struct({ index: Schema.Natural, id: Schema.String, active: Schema.Boolean }),
  layout: Schema.String
}).annotate({ identifier: "TmuxLocation" })
export interface TmuxLocation extends Schema.Schema.Type<typeof TmuxLocation> {}

/** The source of a reading. Without a `location` it says that tmux has been left. */
export const TmuxContextSource = Schema.Struct({
  kind: Schema.Literal(tmuxSourceKind),
  version: Schema.Literal(1),
  location: Schema.optionalKey(TmuxLocation)
}).annotate({ identifier: "TmuxContextSource" })
export interface TmuxContextSource extends Schema.Schema.Type<typeof TmuxContextSource> {}

/**
 * The configuration of tmux.
 *
 * - `timeout`: how long one look may take, in milliseconds or as a text such as `"1 second"`, which is the default.
 */
export const TmuxConfig = Schema.Struct({
  timeout: Schema.optionalKey(
    PositiveTime.annotate({ description: `a time, such as 1000 (milliseconds) or "1 second"` })
  )
}).annotate({ identifier: "TmuxConfig" })
export interface TmuxConfig extends Schema.Schema.Type<typeof TmuxConfig> {}

/** Decodes `tmux` from anything; fails with `InvalidConfiguration` that names key, value and what is allowed. */
export const decodeTmuxConfig = decodeConfiguration("tmux", TmuxConfig)

/** What is not configured is this. */
export const tmuxDefaults = { timeout: "1 second" } as const
