/** The part of the environment that decides where a user's own files are, as Effect's `Config` sees it. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** An environment variable; unreadable counts as unset. */
export const variable = (name: string): Effect.Effect<string | undefined> =>
  Config.String(name).pipe(
    Config.option,
    Effect.map(Option.getOrUndefined),
    Effect.catch(() => Effect.succeed(undefined))
  )

/** The operating-system home and `$DSH_HOME`; without `HOME` or `USERPROFILE` there is no `~`. */
export const environment: Effect.Effect<{ readonly osHome: string | undefined; readonly dshHome: string | undefined }> =
  Effect.gen(function* () {
    const home = yield* variable("HOME")
    return { osHome: home ?? (yield* variable("USERPROFILE")), dshHome: yield* variable("DSH_HOME") }
  })
