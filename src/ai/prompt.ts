/**
 * What a session's model can see as a `Prompt`, and back.
 *
 * A user message's id and source stand in the options of its `Prompt` message under one key, so a persisted `Prompt` or `Chat` carries
 * what a resume needs. The model's provider ignores options that are not its own.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { copyJson } from "../schemas/json.ts"
import { MessageId, Source, type UserMessage } from "../schemas/Message.ts"
import { type SessionEvent, type SessionEventInput, ToolOutcome } from "../schemas/SessionEvent.ts"
import { contentOf, loggedParts, optionsKey } from "./answerParts.ts"

export { optionsKey } from "./answerParts.ts"

/** What the model is told of a call that nobody has finished. */
export const interruptedText =
  "The call was interrupted before it had a result. What it has done so far is unknown: look before you repeat it."

const MessageOptions = Schema.Struct({ id: MessageId, source: Source })
const CheckpointOptions = Schema.Struct({ checkpoint: Schema.Literal(true) })
const CallOptions = Schema.Struct({ arguments: Schema.Json })
const ResultOptions = Schema.Struct({ outcome: ToolOutcome, text: Schema.optionalKey(Schema.String) })

// Checked and not decoded: decoding a source would put its keys into another order.
const isMessageOptions = Schema.is(MessageOptions)
const decodeCheckpoint = Schema.decodeUnknownOption(CheckpointOptions)
const decodeCall = Schema.decodeUnknownOption(CallOptions)
const decodeResult = Schema.decodeUnknownOption(ResultOptions)
const isJson = Schema.is(Schema.Json)

/** One user message as a message of a `Prompt`, with its id and source in the options. */
export const fromUserMessage = ({ id, source, text }: UserMessage): Prompt.UserMessage =>
  Prompt.userMessage({ content: [Prompt.textPart({ text })], options: { [optionsKey]: { id, source } } })

type Event<Type extends string> = Extract<SessionEvent, { readonly type: Type }>

/** An assistant's answer and the results of its calls, while they are collected. */
interface Answer {
  text: string | undefined
  readonly parts?: unknown
  readonly calls: Array<Event<"tool/call">>
  readonly results: Map<string, Event<"tool/result">>
}

const toCallPart = ({ arguments: params, name, token }: Event<"tool/call">) =>
  Prompt.toolCallPart({
    id: token,
    name,
    params,
    providerExecuted: false,
    options: { [optionsKey]: { arguments: params } }
  })

const answerMessages = ({ calls, parts, results, text }: Answer): ReadonlyArray<Prompt.Message> => {
  const called = new Map(calls.map((call) => [call.token, toCallPart(call)]))
  const said = text === undefined || (text === "" && calls.length > 0) ? [] : [Prompt.textPart({ text })]
  const content = (parts === undefined ? undefined : contentOf(parts, called)) ?? [...said, ...called.values()]
  const assistant = Prompt.assistantMessage({ content })
  if (calls.length === 0) return [assistant]
  const answers = calls.map(({ name, token }) => {
    const result = results.get(token)
    const outcome = result?.outcome ?? "aborted"
    const shown = result === undefined ? interruptedText : result.text
    return Prompt.toolResultPart({
      id: token,
      name,
      isFailure: outcome !== "ok",
      providerExecuted: false,
      result: shown ?? outcome,
      options: { [optionsKey]: { outcome, ...(shown === undefined ? {} : { text: shown }) } }
    })
  })
  return [assistant, Prompt.toolMessage({ content: answers })]
}

/**
 * What a model is sent for a session's surface. Every call has a result, the calls of one answer stand together as providers want
 * them, and calls made inside another call are left out, since no model made them.
 */
export const toPrompt = (surface: ReadonlyArray<SessionEvent>): Prompt.Prompt => {
  const messages: Array<Prompt.Message> = []
  let open: Answer | undefined
  const close = () => {
    if (open !== undefined) messages.push(...answerMessages(open))
    open = undefined
  }
  for (const event of surface) {
    if (event.type === "user/message") {
      close()
      messages.push(fromUserMessage((event as Event<"user/message">).message))
    } else if (event.type === "compaction/checkpoint") {
      close()
      const { text } = event as Event<"compaction/checkpoint">
      if (text !== undefined) {
        const options = { [optionsKey]: { checkpoint: true } }
        messages.push(Prompt.userMessage({ content: [Prompt.textPart({ text })], options }))
      }
    } else if (event.type === "assistant/message") {
      close()
      const { parts, text } = event as Event<"assistant/message">
      open = { text, parts, calls: [], results: new Map() }
    } else if (event.type === "tool/call") {
      const call = event as Event<"tool/call">
      if (call.parent !== undefined) continue
      open ??= { text: undefined, calls: [], results: new Map() }
      open.calls.push(call)
    } else if (event.type === "tool/result") {
      const result = event as Event<"tool/result">
      open?.results.set(result.token, result)
    }
  }
  close()
  return Prompt.fromMessages(messages)
}

const textOf = (content: ReadonlyArray<Prompt.Part>): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")

const asText = (result: unknown): string =>
  typeof result === "string"
    ? result
    : Result.match(copyJson(result), { onSuccess: JSON.stringify, onFailure: notJson })

const notJson = (detail: string): string => `The result cannot be shown: ${detail}.`

const callEvent = (part: Prompt.ToolCallPart): SessionEventInput => {
  const ours = Option.getOrUndefined(decodeCall(part.options[optionsKey]))
  const given = ours?.arguments ?? (isJson(part.params) ? part.params : {})
  return { type: "tool/call", token: part.id, name: part.name, arguments: given }
}

const resultEvent = (part: Prompt.ToolResultPart): SessionEventInput => {
  const ours = Option.getOrUndefined(decodeResult(part.options[optionsKey]))
  return ours === undefined
    ? { type: "tool/result", token: part.id, outcome: part.isFailure ? "error" : "ok", text: asText(part.result) }
    : { type: "tool/result", token: part.id, ...ours }
}

const assistantEvents = (content: Prompt.AssistantMessage["content"]): ReadonlyArray<SessionEventInput> => {
  const own = content.filter((part) => !("providerExecuted" in part && part.providerExecuted))
  const calls = own.flatMap((part) => (part.type === "tool-call" ? [callEvent(part)] : []))
  const results = own.flatMap((part) => (part.type === "tool-result" ? [resultEvent(part)] : []))
  const parts = loggedParts(content, ({ id }) => id)
  return [{ type: "assistant/message", text: textOf(content), ...parts }, ...calls, ...results]
}

/**
 * The events of a `Prompt`, to be appended to a session. What was persisted is not trusted: a user message whose options are not an
 * id and a source, that is not one text, or whose id is taken by an earlier one becomes a plain message of the user. System messages
 * are left out: they are the host's, each time anew.
 */
export const fromPrompt = (prompt: Prompt.Prompt): ReadonlyArray<SessionEventInput> => {
  const used = new Set<string>()
  const claimed = (message: Prompt.UserMessage): typeof MessageOptions.Type | undefined => {
    const given = message.options[optionsKey]
    return message.content.length === 1 && message.content[0]?.type === "text" && isMessageOptions(given)
      ? given
      : undefined
  }
  const theirs = new Set(
    prompt.content.flatMap((message) => (message.role === "user" ? [claimed(message)?.id ?? ""] : []))
  )
  const madeId = (index: number): string => {
    let id = `prompt-${index}`
    while (used.has(id) || theirs.has(id)) id = `${id}-1`
    return id
  }
  return prompt.content.flatMap((message, index): ReadonlyArray<SessionEventInput> => {
    if (message.role === "system") return []
    if (message.role === "assistant") return assistantEvents(message.content)
    if (message.role === "tool")
      return message.content.flatMap((part) => (part.type === "tool-result" ? [resultEvent(part)] : []))
    const text = textOf(message.content)
    if (Option.isSome(decodeCheckpoint(message.options[optionsKey]))) {
      return [{ type: "compaction/checkpoint", keptFrom: 0, text }]
    }
    const given = claimed(message)
    const plain = given === undefined || used.has(given.id)
    const { id, source } = plain ? { id: madeId(index), source: { kind: "user" } } : given
    used.add(id)
    return [{ type: "user/message", message: { id, text, source } }]
  })
}

/** The user messages of a `Prompt`, as {@link fromPrompt} makes them. */
export const userMessages = (prompt: Prompt.Prompt): ReadonlyArray<UserMessage> =>
  fromPrompt(prompt).flatMap((event) => (event.type === "user/message" ? [event.message as UserMessage] : []))
