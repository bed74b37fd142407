/** Asks tmux about a pane, and the system whose terminal that is. Every way in which that can fail is one diagnostic. */
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { type Pane, paneFormat, parsePane } from "../../pipeline/tmux/answer.ts"
import { parseProcStat, parsePs, type Terminal } from "../../pipeline/tmux/terminal.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { TmuxLocation } from "../../schemas/TmuxContext.ts"

type Spawner = ChildProcessSpawner["Service"]

/** Where this process is: outside, or in a pane. */
export type Whereabouts = { readonly _tag: "Outside" } | { readonly _tag: "Inside"; readonly location: TmuxLocation }

/** Why nobody can tell. */
export const unavailable = (why: string): Diagnostic => ({
  tag: "TmuxUnavailable",
  message: `The place in tmux cannot be told: ${why}`
})

const cannotRun = (command: string, error: PlatformError): Diagnostic =>
  unavailable(`${command} cannot be run (${error.reason._tag})`)

/** No answer is longer; what is, is none. */
const maxAnswerBytes = 65_536

/** The output of a command that has succeeded. Interrupted, it takes the command along. */
const ask = (spawner: Spawner, command: string, args: ReadonlyArray<string>): Effect.Effect<string, Diagnostic> =>
  Effect.gen(function* () {
    // A question changes nothing, so it can be cut off without ceremony, also when the program ignores requests to end.
    const question = ChildProcess.make(command, args, { stdin: "ignore", stderr: "ignore", killSignal: "SIGKILL" })
    const child = yield* Effect.mapError(spawner.spawn(question), (error) => cannotRun(command, error))
    const output = Stream.mapError(child.stdout, (error) => cannotRun(command, error))
    const limited = Stream.limitBytes(output, maxAnswerBytes, () =>
      Stream.fail(unavailable(`${command} says too much`))
    )
    const answer = yield* Stream.mkString(Stream.decodeText(limited))
    const code = yield* Effect.mapError(child.exitCode, (error) => cannotRun(command, error))
    return code === 0 ? answer : yield* Effect.fail(unavailable(`${command} ended with exit code ${code}`))
  }).pipe(Effect.scoped)

const understood = <A>(command: string, answer: A | undefined): Effect.Effect<A, Diagnostic> =>
  answer === undefined ? Effect.fail(unavailable(`the answer of ${command} is not understood`)) : Effect.succeed(answer)

const askPane = (spawner: Spawner, id: string, socket: string | undefined): Effect.Effect<Pane, Diagnostic> => {
  const server = socket === undefined ? [] : ["-S", socket]
  // Without -u, tmux writes names for a terminal that may know nothing but ASCII.
  return ask(spawner, "tmux", ["-u", ...server, "display-message", "-p", "-t", id, paneFormat]).pipe(
    Effect.flatMap((answer) => understood("tmux", parsePane(id, answer)))
  )
}

const askTerminal = (spawner: Spawner, pid: number): Effect.Effect<Terminal, Diagnostic> =>
  ask(spawner, "ps", ["-o", "tty=", "-p", String(pid)]).pipe(
    Effect.flatMap((answer) => understood("ps", parsePs(answer))),
    // Slim images have no ps, and a small one may not know the question.
    Effect.catch((failure) =>
      ask(spawner, "cat", [`/proc/${pid}/stat`]).pipe(
        Effect.flatMap((content) => understood("cat", parseProcStat(content))),
        Effect.mapError(() => failure)
      )
    )
  )

/**
 * Where the process `pid` is, if its environment says pane `id`. The environment is inherited by everything that is started
 * from a pane, wherever it ends up; only the controlling terminal is proof.
 */
export const locate = Effect.fnUntraced(function* (
  spawner: Spawner,
  pid: number,
  id: string,
  socket: string | undefined
): Effect.fn.Return<Whereabouts, Diagnostic> {
  const pane = yield* askPane(spawner, id, socket)
  const terminal = yield* askTerminal(spawner, pid)
  return terminal._tag === "Terminal" && terminal.path === pane.tty
    ? { _tag: "Inside", location: pane.location }
    : { _tag: "Outside" }
})
