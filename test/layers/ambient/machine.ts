/** Programs that answer in the place of `tmux`, `ps` and `cat`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { Command } from "effect/process/ChildProcess"
import { ChildProcessSpawner, ExitCode, make, makeHandle, ProcessId } from "effect/process/ChildProcessSpawner"

/** What a program does. `never`: it neither says anything nor ends. */
export type Behaviour =
  | "missing"
  | "never"
  | "broken pipe"
  | { readonly says: string | Uint8Array; readonly code?: number }

const systemError = (tag: "NotFound" | "Unknown") =>
  PlatformError.systemError({ _tag: tag, module: "ChildProcess", method: "spawn" })

export class Machine {
  readonly programs: Record<string, Behaviour> = {}
  /** Command lines, in order. */
  readonly asked: Array<ReadonlyArray<string>> = []
  /** Programs that have been started and not ended. */
  running = 0

  readonly layer = Layer.sync(ChildProcessSpawner, () => make((command) => this.#spawn(command)))

  #spawn(command: Command) {
    const { args, command: name } = command as { readonly command: string; readonly args: ReadonlyArray<string> }
    return Effect.gen({ self: this }, function* () {
      this.asked.push([name, ...args])
      const behaviour = this.programs[name] ?? "missing"
      if (behaviour === "missing") return yield* systemError("NotFound")
      yield* Effect.acquireRelease(
        Effect.sync(() => (this.running += 1)),
        () => Effect.sync(() => (this.running -= 1))
      )
      const stdout =
        behaviour === "never"
          ? Stream.never
          : behaviour === "broken pipe"
            ? Stream.fail(systemError("Unknown"))
            : Stream.make(
                typeof behaviour.says === "string" ? new TextEncoder().encode(behaviour.says) : behaviour.says
              )
      return makeHandle({
        pid: ProcessId(1),
        exitCode: typeof behaviour === "object" ? Effect.succeed(ExitCode(behaviour.code ?? 0)) : Effect.never,
        isRunning: Effect.succeed(true),
        kill: () => Effect.void,
        stdin: Sink.drain,
        stdout,
        stderr: Stream.empty,
        all: stdout,
        getInputFd: () => Sink.drain,
        getOutputFd: () => Stream.empty,
        unref: Effect.succeed(Effect.void)
      })
    })
  }
}
