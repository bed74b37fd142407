/** `agent-context sessions list|show ID|candidates QUERY|import`: what sessions there are, what their models were supplied with. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

const store = Flag.String("store").pipe(
  Flag.withMetavar("dir"),
  Flag.withDescription("The directory of the sessions (default: sessions in $DSH_HOME, else in ~/.dsh)"),
  Flag.optional
)
const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

// What reads logs is loaded when it is needed: other commands start without it.
const bodies = Effect.promise(() => import("./sessionsBodies.ts"))

const list = Command.make("list", { store, json }, (input) => Effect.flatMap(bodies, (body) => body.list(input))).pipe(
  Command.withDescription("List the sessions, newest first")
)

const show = Command.make(
  "show",
  {
    id: Argument.String("id").pipe(Argument.withDescription("The session's id, as listed")),
    step: Flag.Int("step").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription("Print what the n-th request of the session was supplied with, counted from 1"),
      Flag.filter(
        (step) => step > 0,
        () => "Expected a number of at least 1"
      ),
      Flag.optional
    ),
    store,
    json
  },
  (input) => Effect.flatMap(bodies, (body) => body.show(input))
).pipe(
  Command.withDescription("Show the steps of a session, or what one of them was supplied with, from the log alone"),
  Command.withExamples([
    { command: "agent-context sessions show 20260301t090000-1a2b3c4d", description: "Every step, a line each" },
    {
      command: "agent-context sessions show 20260301t090000-1a2b3c4d --step 3",
      description: "The messages of the third request"
    }
  ])
)

const candidates = Command.make(
  "candidates",
  {
    query: Argument.String("query").pipe(
      Argument.withDescription("A part of a session's id, directory or title; the empty text stands for all")
    ),
    store,
    json
  },
  (input) => Effect.flatMap(bodies, (body) => body.candidates(input))
).pipe(
  Command.withDescription(
    "Find sessions to refer to in a message: those of this directory first, each as what to insert"
  ),
  Command.withExamples([{ command: "agent-context sessions candidates login", description: "Sessions about a login" }])
)

const importing = Command.make(
  "import",
  {
    to: Flag.String("to").pipe(
      Flag.withMetavar("url"),
      Flag.withDescription("The database, postgres://user:password@host/name (default: $DATABASE_URL)"),
      Flag.withFallbackConfig(Config.String("DATABASE_URL")),
      Flag.optional
    ),
    store,
    json
  },
  (input) =>
    Effect.flatMap(
      Effect.promise(() => import("./sessionsImport.ts")),
      (body) => body.importSessions(input)
    )
).pipe(
  Command.withDescription(
    "Copy all sessions into a database and compare by digest; run it again to go on where it was stopped"
  ),
  Command.withExamples([
    { command: "agent-context sessions import --to postgres://db.example/agents", description: "All of the user's own" }
  ])
)

export const sessions = Command.make("sessions").pipe(
  Command.withDescription("Look into the sessions of a store on disk"),
  Command.withSubcommands([list, show, candidates, importing])
)
