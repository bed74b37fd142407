/** What the `sessions` commands do. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { layerJsonl, readJsonl } from "../layers/session/jsonl.ts"
import { selectCandidates } from "../pipeline/sessions/candidates.ts"
import { stepsOf, type SuppliedStep } from "../pipeline/sessionSteps.ts"
import type { UserMessage } from "../schemas/Message.ts"
import type { SessionError } from "../schemas/SessionError.ts"
import { sessionReferencesDefaults } from "../schemas/SessionReference.ts"
import { SessionStore } from "../services/SessionStore.ts"
import { fail, print, printable, printJson, report } from "./output.ts"
import { directoryOf } from "./sessionsStore.ts"

interface Input {
  readonly store: Option.Option<string>
  readonly json: boolean
}

const why = (error: SessionError) => fail(error.reason.message)

const when = (millis: number): string =>
  Option.match(DateTime.make(millis), { onNone: () => "at an unknown time", onSome: DateTime.formatIso })

const listed = (directory: string) =>
  SessionStore.use((store) => store.list).pipe(
    Effect.provide(layerJsonl(directory)),
    Effect.catchTag("SessionError", why)
  )

export const list = Effect.fnUntraced(function* (input: Input) {
  const directory = yield* directoryOf(input)
  const summaries = yield* listed(directory)
  if (input.json) return yield* printJson({ sessions: summaries })
  if (summaries.length === 0) return yield* print(`There are no sessions in ${printable(directory)}.`)
  const lines = summaries.map(({ createdAt, cwd, id, running, title }) =>
    [id, when(createdAt), cwd, ...(running ? ["running"] : []), ...(title === undefined ? [] : [JSON.stringify(title)])]
      .map(printable)
      .join("  ")
  )
  yield* print(lines.join("\n"))
})

export const candidates = Effect.fnUntraced(function* (input: Input & { readonly query: string }) {
  const directory = yield* directoryOf(input)
  const path = yield* Path.Path
  const limit = sessionReferencesDefaults.candidateLimit
  const found = selectCandidates(yield* listed(directory), { query: input.query, cwd: path.resolve("."), limit })
  if (input.json) return yield* printJson(found)
  if (found.candidates.length === 0) return yield* print(`No session in ${printable(directory)} matches.`)
  const lines = found.candidates.map(({ createdAt, cwd, mention }) =>
    [mention, when(createdAt), cwd].map(printable).join("  ")
  )
  yield* print(lines.join("\n"))
  if (found.truncated) yield* report(`These are the first ${limit}; a longer query finds the others.`)
})

const named = ({ step, turn }: SuppliedStep): string =>
  [turn === undefined ? "" : `turn ${turn}`, step === undefined ? "" : `step ${step}`]
    .filter((part) => part !== "")
    .join(", ")

const brief = (message: UserMessage): string => {
  const changes = message.source["changes"]
  return Array.isArray(changes) ? `${message.source.kind} (${changes.length})` : message.source.kind
}

export const show = Effect.fnUntraced(function* (
  input: Input & { readonly id: string; readonly step: Option.Option<number> }
) {
  const directory = yield* directoryOf(input)
  const fs = yield* FileSystem.FileSystem
  const { events, header } = yield* Effect.catchTag(readJsonl(fs, directory, input.id), "SessionError", why)
  const steps = stepsOf(events)
  if (Option.isNone(input.step)) {
    if (input.json) return yield* printJson({ id: header.id, cwd: header.cwd, createdAt: header.createdAt, steps })
    const lines = steps.map(
      (step) =>
        `${step.number}  ${when(step.at)}  ${named(step)}: ${step.messages.map(brief).join(", ") || "nothing new"}`
    )
    return yield* print(
      lines.length === 0 ? `Session ${printable(header.id)} has no step yet.` : lines.map(printable).join("\n")
    )
  }
  const step = steps[input.step.value - 1]
  if (step === undefined) {
    return yield* fail(
      `Session ${input.id} has ${steps.length === 1 ? "1 step" : `${steps.length} steps`}, no step ${input.step.value}.`
    )
  }
  if (input.json) return yield* printJson({ id: header.id, ...step })
  if (step.messages.length === 0) return yield* print("This request was supplied with nothing new.")
  yield* print(step.messages.map((message) => `── ${printable(brief(message))}\n${message.text}`).join("\n\n"))
})
