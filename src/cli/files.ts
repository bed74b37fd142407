/** `agent-context files QUERY`: what somebody may mean who has typed QUERY behind an `@`; made for completions of a shell. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

// Walking is loaded when it is needed: other commands start without it.
const bodies = Effect.promise(() => import("./filesBodies.ts"))

export const files = Command.make(
  "files",
  {
    query: Argument.String("query").pipe(
      Argument.withDescription(
        "A directory and the beginning of a name (src/pl), or any part of a path; empty lists the directory"
      )
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription("How many candidates at most (default: 20)"),
      Flag.filter(
        (limit) => limit > 0,
        () => "Expected a number of at least 1"
      ),
      Flag.optional
    ),
    dir: Flag.String("dir").pipe(
      Flag.withMetavar("dir"),
      Flag.withDescription("The workspace (default: the current directory)"),
      Flag.withDefault(".")
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
  },
  (input) => Effect.flatMap(bodies, (body) => body.files(input))
).pipe(
  Command.withDescription("Print the files and directories that an @ reference may mean, best first"),
  Command.withExamples([
    { command: "agent-context files plan", description: "The best matches anywhere below" },
    { command: "agent-context files src/ --json", description: "What src holds, as JSON" }
  ])
)
