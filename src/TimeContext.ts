/**
 * The time, for a model that has no clock: local time with offset and zone, the zone the user asked from, and how long the
 * conversation has rested.
 *
 * **When to use**
 *
 * Where dates matter: "tomorrow", "since this morning", builds that take a while. Clients say where a request was made with
 * `{ kind: "user", timeZone: "Europe/Berlin" }` as the source of its message.
 *
 * **Details**
 *
 * - One message with each step that is entered, or, with `refreshIntervalMs`, when the last one is old enough. That is measured
 *   against the log, so a restart or a compaction changes nothing. A clock that went back further than the interval counts too.
 * - The local time is that of the request, if all of its messages that name a zone agree; else that of `timeZone`, else that of
 *   the process. Without one zone, the model is told to ask. A zone that does not exist counts as none.
 * - The first step of a turn tells the time since the preceding visible message, a later one that since the preceding reading.
 *
 * **Example**
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { TestClock } from "effect/testing"
 * import * as ContextSupply from "effect-agent-context/ContextSupply"
 * import * as Inbox from "effect-agent-context/Inbox"
 * import * as Session from "effect-agent-context/Session"
 * import * as TimeContext from "effect-agent-context/TimeContext"
 *
 * const program = Effect.gen(function* () {
 *   yield* TestClock.setTime(Date.parse("2026-03-29T01:00:00Z"))
 *   const supply = yield* ContextSupply.ContextSupply
 *   const prompt = { id: "p1", text: "What day is it?", source: { kind: "user", timeZone: "Europe/Berlin" } }
 *   const decision = yield* supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" })
 *   return decision.decision === "enter" ? decision.messages[1]?.text.split("\n")[1] : undefined
 * })
 *
 * const perSession = TimeContext.layer({ timeZone: "UTC" }).pipe(
 *   Layer.provideMerge(ContextSupply.layer),
 *   Layer.provide(Inbox.layer),
 *   Layer.provide(Session.layerMemory()),
 *   Layer.provideMerge(TestClock.layer()),
 *   Layer.fresh
 * )
 * const line = await Effect.runPromise(Effect.provide(program, perSession))
 * console.log(line) // => "Local time: 2026-03-29T03:00:00+02:00 (Europe/Berlin)"
 * ```
 */
export { layer } from "./layers/ambient/time.ts"
export { decodeTimeConfig, InvalidTimeZone, TimeConfig, TimeContextSource } from "./schemas/TimeContext.ts"
