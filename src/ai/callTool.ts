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
import type { ToolOutcome } from "../schemas/SessionEvent.ts"
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

/** Never fails. Interruption of what the tool does is an outcome; whoever has interrupted it goes on when it is logged. */
export const callTool = <T extends Tools>(
  toolkit: Toolkit.WithHandler<T> | undefined,
  { arguments: given, name, token }: Call,
  restore: Restore
): Effect.Effect<Finished, never, Tool.HandlerServices<T[keyof T]>> => {
  const names = Object.keys(toolkit?.tools ?? {})
  if (toolkit === undefined || !names.includes(name)) {
    const others = names.length === 0 ? "There are none." : `There are: ${names.join(", ")}.`
    return Effect.succeed({ outcome: "error", text: `There is no tool named ${JSON.stringify(name)}. ${others}` })
  }
  const handled = Effect.flatMap(toolkit.handle(name, given as never, token), Stream.runCollect)
  return Effect.map(Effect.exit(restore(handled)), (exit): Finished => {
    if (Exit.isSuccess(exit)) {
      const last = exit.value.at(-1)
      return last === undefined ? { outcome: "ok", text: "" } : shown(last as Tool.HandlerResult<Tool.Any>)
    }
    return Cause.hasInterruptsOnly(exit.cause)
      ? { outcome: "aborted", text: interruptedText }
      : { outcome: "error", text: said(Cause.squash(exit.cause)) }
  })
}
