/**
 * Everything the command writes, and how it fails: texts to standard output, one line a finding to standard error.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Runtime from "effect/Runtime"
import type * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** The command's own name, as it begins each line on standard error. */
export const commandName = "agent-context"

/** 1: it could not be done; 2: it was asked for in a way that cannot be understood. */
export type ExitCode = 1 | 2

/** The command has failed and has already said why. */
export class Failed extends Data.TaggedError("Failed")<{ readonly exitCode: ExitCode }> {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

const endsTheLine = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`)

// Control characters could end the line or steer the terminal; the others turn the direction of what follows.
// oxlint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** `text` as one line that a terminal shows as it is: what could break, steer or reverse it is written `\uXXXX`. */
export const printable = (text: string): string =>
  text.replace(unsafe, (character) =>
    character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const codeOf = (error: PlatformError): string => {
  const { cause } = error.reason
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.reason._tag
}

/** Writes all of it and waits until it is written. A reader that has left (`| head`) wants no more: no failure. */
const write = (sink: Sink.Sink<void, string, never, PlatformError>, text: string): Effect.Effect<void, PlatformError> =>
  Stream.run(Stream.make(text), sink).pipe(
    Effect.catchIf(
      (error) => codeOf(error) === "EPIPE",
      () => Effect.void
    )
  )

/** Writes one line to standard error: the command's name and `message`. */
export const report = Effect.fnUntraced(function* (message: string) {
  const { stderr } = yield* Stdio.Stdio
  // Nobody is left to hear that standard error does not work.
  yield* Effect.ignore(write(stderr(), `${commandName}: ${printable(message)}\n`))
})

/** Fails, with one line on standard error. */
export const fail = (message: string, exitCode: ExitCode = 1): Effect.Effect<never, Failed, Stdio.Stdio> =>
  Effect.andThen(report(message), new Failed({ exitCode }))

/** Writes a text to standard output, ending it with one line end if it has none. */
export const print = Effect.fnUntraced(function* (text: string) {
  const { stdout } = yield* Stdio.Stdio
  yield* Effect.catch(write(stdout(), endsTheLine(text)), (error) =>
    fail(`Standard output cannot be written (${codeOf(error)}).`)
  )
})

/** Writes a value as JSON. */
export const printJson = (value: unknown): Effect.Effect<void, Failed, Stdio.Stdio> =>
  print(JSON.stringify(value, undefined, 2))
