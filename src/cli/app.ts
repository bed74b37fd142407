/** The `agent-context` command: its parts, and what it says when it is asked in a way that it does not understand. */
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as CliError from "effect/cli/CliError"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { explain } from "./explain.ts"
import { files } from "./files.ts"
import { aboutTheFlag } from "./options.ts"
import { commandName, fail, Failed } from "./output.ts"
import { sessions } from "./sessions.ts"
import { show } from "./show.ts"
import { skills } from "./skills.ts"
import { version } from "./version.ts"

/** A message with suggestions on lines of their own. */
const asOneLine = (message: string): string => message.trim().replace(/\s*\n\s*/g, " ")

/** A command is a file beside this one and a name here. */
const commands = [show, explain, files, sessions, skills] as const

const agentContext = Command.make(commandName).pipe(
  Command.withDescription("What a coding agent is told about its workspace, and why"),
  Command.withSubcommands(commands)
)

/** Nothing is logged and nothing needs to be asked, so there is no flag for either. */
const config = CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

const presenter: CliOutput.Presenter = {
  present: (event) => {
    // Said in one line by `misunderstood`; a page of help would bury it.
    if (event._tag === "InvalidInvocation") return Effect.void
    return event._tag === "Version" ? Console.log(event.version) : CliOutput.defaultPresenter.present(event)
  }
}

const misunderstood = ({ commandPath, errors }: CliError.ShowHelp) =>
  errors.length === 0
    ? Effect.void
    : fail(`${errors.map((error) => asOneLine(error.message)).join("; ")} (see ${commandPath.join(" ")} --help)`, 2)

/** A defect is for whoever mends it: all of it, and still nothing on standard output. */
const bug = (defect: unknown) =>
  Effect.andThen(
    Console.error(`${commandName}: this is a bug, please report it\n${Cause.pretty(Cause.die(defect))}`),
    new Failed({ exitCode: 1 })
  )

const execute = Command.runWith(agentContext, { version })

/** Runs the command. Whatever it fails with has been said on standard error, in one line unless it is a bug. */
export const run = (args: ReadonlyArray<string>) =>
  execute(args).pipe(
    Effect.catchTags({
      ShowHelp: misunderstood,
      InvalidConfiguration: (error) => fail(aboutTheFlag(error), 2),
      ProjectRootUnavailable: (error) => fail(error.message)
    }),
    Effect.catchIf(CliError.isCliError, (error) => fail(error.message, 2)),
    Effect.catchDefect(bug),
    Effect.provideService(CliConfig.CliConfig, config),
    Effect.provideService(CliOutput.Presenter, presenter)
  )
