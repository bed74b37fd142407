/** `agent-context skills list|show NAME|check [PATH…]`: the skills an agent can have, and what keeps one from being published. */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

const directory = Argument.String("dir").pipe(
  Argument.withDescription("The directory an agent would work in; the current one by default"),
  Argument.filter(
    (directory) => directory !== "",
    () => "Expected a directory"
  ),
  Argument.withDefault(".")
)
const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

// What looks for skills is loaded when it is needed: other commands start without it.
const bodies = Effect.promise(() => import("./skillsBodies.ts"))

const list = Command.make("list", { directory, json }, (input) =>
  Effect.flatMap(bodies, (body) => body.list(input))
).pipe(
  Command.withDescription(
    "List the skills that an agent working in a directory can have; what could not be looked at is named, and is no failure"
  ),
  Command.withExamples([
    { command: "agent-context skills list", description: "What an agent could load here" },
    {
      command: "agent-context skills list ~/work/shop --json",
      description: "Elsewhere, with everything that was lost and why"
    }
  ])
)

const show = Command.make(
  "show",
  { name: Argument.String("name").pipe(Argument.withDescription("The skill's name, as listed")), directory, json },
  (input) => Effect.flatMap(bodies, (body) => body.show(input))
).pipe(
  Command.withDescription("Print a skill as a model that loads it reads it"),
  Command.withExamples([
    { command: "agent-context skills show pdf", description: "The skill that wins the name pdf here" }
  ])
)

const check = Command.make(
  "check",
  {
    paths: Argument.String("path").pipe(
      Argument.withDescription(
        "A SKILL.md, a skill's directory, or a directory of skills; the project's own by default"
      ),
      Argument.filter(
        (path) => path !== "",
        () => "Expected a path"
      ),
      Argument.variadic()
    ),
    json
  },
  (input) => Effect.flatMap(bodies, (body) => body.check(input))
).pipe(
  Command.withDescription("Check skills before they are published, strictly; ends with 1 when there is an error"),
  Command.withExamples([
    { command: "agent-context skills check", description: "Every skill of this project" },
    { command: "agent-context skills check skills/pdf --json", description: "One skill, as JSON" }
  ])
)

export const skills = Command.make("skills").pipe(
  Command.withDescription("List, print and check skills"),
  Command.withSubcommands([list, show, check])
)
