/** One call of a tool, as the model has asked for it: whatever happens, it comes to an outcome and a text for the model. */
import type * as Response from "effect/ai/Response"
import * as Prompt from "effect/ai/Prompt"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { byteLength, unitsThatFit } from "../pipeline/utf8.ts"
import type { ToolOutcome } from "../schemas/SessionEvent.ts"
import { type Approve, askFor, needsApproval, refusalText } from "./approval.ts"
import { interruptedText } from "./prompt.ts"

export type Tools = Record<string, Tool.Any>

/** A call as it is logged. */
export interface Call {
  readonly token: string
  readonly name: string
  readonly arguments: Schema.Json
}

export interface Finished {
  readonly outcome: ToolOutcome
  readonly text: string
}

/** Reasons of an answer that was cut short: its calls may be as well, so they are not run. */
const cutShort: ReadonlySet<string> = new Set<Response.FinishReason>(["length", "content-filter", "error"])

export const isCutShort = (reason: string | undefined): boolean => reason !== undefined && cutShort.has(reason)

export const notRun: Finished = {
  outcome: "aborted",
  text: "The call was not run, because the answer that made it was cut short. Make it again, in a shorter answer."
}

const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const said = (error: unknown): string => (error instanceof Error ? error.message : asText(error))

const shown = ({ encodedResult, isFailure, modelOutput, result }: Tool.HandlerResult<Tool.Any>): Finished => ({
  outcome: isFailure ? "error" : "ok",
  text:
    isFailure && (result as unknown) instanceof Error
      ? said(result)
      : modelOutput === undefined
        ? asText(encodedResult)
        : Prompt.toolModelOutputToText(modelOutput)
})

/** Lets what is inside it be interrupted, where everything around may not. */
type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How a call is made. */
export interface CallOptions {
  /** Lets what is inside it be interrupted, where everything around may not. */
  readonly restore: Restore
  readonly approve: Approve | undefined
  /** Lets one question be asked at a time. */
  readonly asking: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** What the model was asked with. */
  readonly messages: ReadonlyArray<Prompt.Message>
}

const notBegun: Finished = { outcome: "aborted", text: "The call was interrupted before it was run." }

/** Never fails. Interruption of what the tool does is an outcome; whoever has interrupted it goes on when it is logged. */
export const callTool = <T extends Tools>(
  toolkit: Toolkit.WithHandler<T> | undefined,
  call: Call,
  { approve, asking, messages, restore }: CallOptions
): Effect.Effect<Finished, never, Tool.HandlerServices<T[keyof T]>> => {
  const { arguments: given, name, token } = call
  const tools: Tools = toolkit?.tools ?? {}
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (toolkit === undefined || tool === undefined) {
    const names = Object.keys(tools)
    const others = names.length === 0 ? "There are none." : `There are: ${names.join(", ")}.`
    return Effect.succeed({ outcome: "error", text: `There is no tool named ${JSON.stringify(name)}. ${others}` })
  }
  let begun = false
  const work = Effect.gen(function* () {
    if (yield* needsApproval(tool, call, messages)) {
      const approval = yield* asking(askFor(approve, { token, name, arguments: given }))
      // Callers without types may say anything.
      if (approval?.approved !== true) return { outcome: "blocked", text: refusalText(approval) } satisfies Finished
    }
    begun = true
    const results = yield* Effect.flatMap(toolkit.handle(name, given as never, token), Stream.runCollect)
    const last = results.at(-1)
    return last === undefined
      ? ({ outcome: "ok", text: "" } satisfies Finished)
      : shown(last as Tool.HandlerResult<Tool.Any>)
  })
  return Effect.map(Effect.exit(restore(work)), (exit): Finished => {
    if (Exit.isSuccess(exit)) return exit.value
    if (!Cause.hasInterruptsOnly(exit.cause)) return { outcome: "error", text: said(Cause.squash(exit.cause)) }
    return begun ? { outcome: "aborted", text: interruptedText } : notBegun
  })
}

/** The same with a text of at most `maxBytes` bytes, its end cut off if need be, and a note that says so. */
export const bounded = (finished: Finished, maxBytes: number): Finished => {
  const { text } = finished
  const bytes = byteLength(text)
  if (bytes <= maxBytes) return finished
  const note = (kept: number) => `\n[The result is cut: these are its first ${kept} of ${bytes} bytes.]`
  const kept = text.slice(0, unitsThatFit(text, 0, text.length, maxBytes - byteLength(note(bytes))))
  return { ...finished, text: `${kept}${note(byteLength(kept))}` }
}
