/** What `sessions import` does. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { isLocked } from "../layers/session/lock.ts"
import { makeDatabase } from "../layers/session/sql/database.ts"
import type { Database } from "../layers/session/sql/database.ts"
import { migrate } from "../layers/session/sql/migrations.ts"
import { importLog, type Imported } from "./importLog.ts"
import { fail, print, printable, printJson, report } from "./output.ts"
import { directoryOf } from "./sessionsStore.ts"

interface Input {
  readonly store: Option.Option<string>
  readonly json: boolean
  readonly to: Option.Option<string>
}

const waiting = { patience: 30_000, answer: 120_000 }

/** Loaded here alone: an optional peer that no other command needs. */
const client = (url: string) =>
  Effect.tryPromise(() => import("@effect/sql-pg/PgClient")).pipe(
    Effect.catch(() =>
      fail("The package @effect/sql-pg is not installed beside this one; `npm install @effect/sql-pg` brings it.")
    ),
    Effect.map((PgClient) => PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }))
  )

type Outcome = Imported | { readonly file: string; readonly failed: string }

const importFile = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  directory: string,
  file: string,
  database: Database
): Effect.fn.Return<ReadonlyArray<Outcome>> {
  const path = `${directory}/${file}`
  if (
    yield* Effect.andThen(
      Effect.orElseSucceed(fs.exists(`${path}.lock`), () => true),
      (locked) => (locked ? isLocked(fs, `${path}.lock`) : Effect.succeed(false))
    )
  ) {
    return [{ file, failed: "it is open for writing; import it when its agent has ended" }]
  }
  return yield* Effect.match(importLog(fs, path, database), {
    onFailure: (error): ReadonlyArray<Outcome> => [{ file, failed: error.message }],
    onSuccess: (imported) => (imported === undefined ? [] : [imported])
  })
})

const lineOf = (outcome: Outcome): string =>
  "failed" in outcome
    ? `${outcome.file}  failed: ${outcome.failed}`
    : `${outcome.id}  ${outcome.events} events, ${outcome.added} of them new  sha256 ${outcome.digest}`

const importAll = Effect.fnUntraced(function* (input: Input, directory: string, files: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.catch(migrate(3_000), (error) => fail(`The database cannot be prepared: ${error.message}`))
  yield* report(`Importing ${files.length} ${files.length === 1 ? "file" : "files"} from ${directory} …`)
  const database = makeDatabase(yield* SqlClient, waiting)
  const outcomes = yield* Effect.forEach(files, (file) => importFile(fs, directory, file, database), { concurrency: 4 })
  const all = outcomes.flat()
  const failures = all.filter((outcome) => "failed" in outcome)
  if (input.json) yield* printJson({ sessions: all })
  else if (all.length === 0) yield* print(`There are no sessions in ${printable(directory)}.`)
  else yield* print(all.map((outcome) => printable(lineOf(outcome))).join("\n"))
  if (failures.length === 0) return
  return yield* fail(`${failures.length} of ${all.length} sessions could not be imported; the others are complete.`)
})

export const importSessions = Effect.fnUntraced(function* (input: Input) {
  if (Option.isNone(input.to))
    return yield* fail(
      "sessions import needs a database: name it with --to postgres://user:password@host/name, or in $DATABASE_URL",
      2
    )
  const directory = yield* directoryOf(input)
  const fs = yield* FileSystem.FileSystem
  const names = yield* fs.readDirectory(directory).pipe(
    // As with `sessions list`: a store that nobody has written to is an empty one.
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed<Array<string>>([])),
    Effect.catch(({ reason }) =>
      fail(`${directory} cannot be read (${reason._tag}); --store names the directory that holds the sessions`)
    )
  )
  const files = names.filter((name) => name.endsWith(".jsonl")).sort()
  if (files.length === 0) {
    return yield* input.json ? printJson({ sessions: [] }) : print(`There are no sessions in ${printable(directory)}.`)
  }
  const database = yield* client(input.to.value)
  return yield* importAll(input, directory, files).pipe(
    Effect.provide(database),
    Effect.catchTag("SqlError", (error) => fail(`The database cannot be reached: ${error.message}`))
  )
})
