/** The time, said again when the last reading is old enough (T-1). */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Before } from "../../pipeline/time/before.ts"
import { isDue } from "../../pipeline/time/elapsed.ts"
import { type Reading, renderReading } from "../../pipeline/time/render.ts"
import { parseZone, utc, type Zone } from "../../pipeline/time/zone.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import type { DuplicateSupplier } from "../../schemas/StepRejected.ts"
import {
  decodeTimeConfig,
  InvalidTimeZone,
  type TimeConfig,
  TimeContextSource,
  timeDefaults,
  timeSourceKind
} from "../../schemas/TimeContext.ts"
import { ContextSupply } from "../../services/ContextSupply.ts"
import type { Inbox } from "../../services/Inbox.ts"
import { Session } from "../../services/Session.ts"
import { makeProjection, type Projector } from "../supply/projection.ts"

const source: TimeContextSource = { kind: timeSourceKind, version: 1 }
const isOwn = Schema.is(TimeContextSource)

/** The projector of one agent instance. `own` is asked at every look; `before` follows the same session's log. */
const makeTimeProjector = (
  own: Effect.Effect<Zone>,
  interval: number,
  before: Before
): Projector<undefined, Reading> => ({
  name: "time",
  kind: timeSourceKind,
  placement: "afterClaimed",
  ifNotEntered: "drop",
  initial: undefined,
  announce: () => undefined,
  owns: isOwn,
  due: ({ step }) => step?.decision === "enter" && step.turn !== undefined,
  observe: Effect.fnUntraced(function* ({ last, step }) {
    const now = yield* Clock.currentTimeMillis
    const since = step?.step === 1 ? "message" : "reading"
    const at = since === "message" ? before.visibleAt : last?.at
    return Option.some({
      now,
      own: yield* own,
      request: before.requestZone(step?.claimed ?? []),
      elapsed: { since, millis: at === undefined ? undefined : now - at }
    })
  }),
  write: ({ last }, reading) =>
    isDue(reading.now, last?.at, interval)
      ? { text: renderReading(reading), source: { ...source }, waits: "end" }
      : undefined
})

/** The zone of the process, as it is now; UTC where the environment names one that does not exist. */
const processZone: Effect.Effect<Zone> = Effect.sync(() => parseZone(DateTime.zoneMakeLocal().id) ?? utc)

/** As `layer`, on a machine whose own zone is `timeZone`. */
export const layerIn = (
  config: unknown,
  timeZone: Effect.Effect<Zone> = processZone
): Layer.Layer<never, InvalidConfiguration | InvalidTimeZone | DuplicateSupplier, Session | Inbox | ContextSupply> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const decoded = yield* decodeTimeConfig(config)
      const configured = decoded.timeZone === undefined ? undefined : parseZone(decoded.timeZone)
      if (decoded.timeZone !== undefined && configured === undefined) {
        return yield* new InvalidTimeZone({ timeZone: decoded.timeZone })
      }
      const before = new Before()
      yield* (yield* Session).observe((event) => before.add(event))
      const own = configured === undefined ? timeZone : Effect.succeed(configured)
      const interval = decoded.refreshIntervalMs ?? timeDefaults.refreshIntervalMs
      const { supplier } = yield* makeProjection(makeTimeProjector(own, interval, before))
      yield* (yield* ContextSupply).register(supplier)
    })
  )

/**
 * Tells the model of the session around it what time it is, where, and how long the conversation has rested. Fails with
 * `InvalidTimeZone` when the configured zone does not exist.
 */
export const layer = (config: TimeConfig = {}) => layerIn(config)
