/**
 * What of a model's answer is more than its text and its calls: reasoning, the metadata of its provider, and what the provider has run
 * itself. Providers want it back as it was, so it is logged with the answer, in order, and stands in the next `Prompt` again.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { copyJson } from "../schemas/json.ts"

/** The key in the options of messages and parts that is this package's. */
export const optionsKey = "effect-agent-context"

const options = Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))

const Said = Schema.Struct({ type: Schema.Literals(["text", "reasoning"]), text: Schema.String, options })
/** A call that stands in the log as an event of its own. */
const Called = Schema.Struct({ type: Schema.Literal("tool-call"), token: Schema.String, options })
const ProviderCalled = Schema.Struct({
  type: Schema.Literal("provider-call"),
  id: Schema.String,
  name: Schema.String,
  params: Schema.Json,
  options
})
const ProviderResult = Schema.Struct({
  type: Schema.Literal("provider-result"),
  id: Schema.String,
  name: Schema.String,
  isFailure: Schema.Boolean,
  result: Schema.Json,
  options
})

const LoggedPart = Schema.Union([Said, Called, ProviderCalled, ProviderResult])
type LoggedPart = typeof LoggedPart.Type

const decodeParts = Schema.decodeUnknownOption(Schema.Array(LoggedPart))

const json = (value: unknown): Schema.Json => Result.getOrElse(copyJson(value), () => null)

/** The options of others; nothing when there are none. */
const optionsOf = ({ options }: Prompt.Part): { readonly options?: Readonly<Record<string, Schema.Json>> } => {
  const theirs = Object.entries(options).filter(([key, value]) => key !== optionsKey && value !== null)
  return theirs.length === 0
    ? {}
    : { options: json(Object.fromEntries(theirs)) as Readonly<Record<string, Schema.Json>> }
}

const toLogged = (part: Prompt.AssistantMessagePart, tokenOf: TokenOf): ReadonlyArray<LoggedPart> => {
  const theirs = optionsOf(part)
  switch (part.type) {
    case "text":
    case "reasoning":
      // Providers refuse an empty text; empty reasoning may carry a signature.
      return part.text === "" && theirs.options === undefined ? [] : [{ type: part.type, text: part.text, ...theirs }]
    case "tool-call": {
      const { id, name, params, providerExecuted } = part
      if (!providerExecuted) return [{ type: "tool-call", token: tokenOf(part), ...theirs }]
      return [{ type: "provider-call", id, name, params: json(params), ...theirs }]
    }
    case "tool-result": {
      const { id, isFailure, name, providerExecuted, result } = part
      return providerExecuted ? [{ type: "provider-result", id, name, isFailure, result: json(result), ...theirs }] : []
    }
  }
  return []
}

/** Whether a text in front of calls is all there is. */
const isPlain = (parts: ReadonlyArray<LoggedPart>): boolean =>
  parts.every(
    ({ options, type }, index) => options === undefined && (type === "tool-call" || (type === "text" && index === 0))
  )

type TokenOf = (call: Prompt.ToolCallPart) => string

/** What to log of `content` beside its text and its calls, if anything. `tokenOf` names the events of the calls. */
export const loggedParts = (
  content: ReadonlyArray<Prompt.AssistantMessagePart>,
  tokenOf: TokenOf
): { readonly parts?: Schema.Json } => {
  const parts = content.flatMap((part) => toLogged(part, tokenOf))
  return isPlain(parts) ? {} : { parts: parts as unknown as Schema.Json }
}

/**
 * The content of an answer again; nothing when `logged` is not what {@link loggedParts} has made. Calls that it names and that are not
 * visible are left out, visible ones that it does not name come at the end.
 */
export const contentOf = (
  logged: unknown,
  calls: ReadonlyMap<string, Prompt.ToolCallPart>
): ReadonlyArray<Prompt.AssistantMessagePart> | undefined => {
  const parts = Option.getOrUndefined(decodeParts(logged))
  if (parts === undefined) return undefined
  const named = new Set<string>()
  const content = parts.flatMap((part): ReadonlyArray<Prompt.AssistantMessagePart> => {
    const { options = {} } = part
    switch (part.type) {
      case "text":
        return [Prompt.textPart({ text: part.text, options })]
      case "reasoning":
        return [Prompt.reasoningPart({ text: part.text, options })]
      case "tool-call": {
        const call = calls.get(part.token)
        if (call === undefined || named.has(part.token)) return []
        named.add(part.token)
        return [Prompt.toolCallPart({ ...call, options: { ...options, ...call.options } })]
      }
      case "provider-call": {
        const { id, name, params } = part
        return [Prompt.toolCallPart({ id, name, params, providerExecuted: true, options })]
      }
      case "provider-result": {
        const { id, isFailure, name, result } = part
        return [Prompt.toolResultPart({ id, name, isFailure, result, providerExecuted: true, options })]
      }
    }
  })
  return [...content, ...[...calls].flatMap(([token, call]) => (named.has(token) ? [] : [call]))]
}
