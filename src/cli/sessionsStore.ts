/** Where the `sessions` commands find their files. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { environment } from "../layers/environment.ts"
import { resolveHome } from "../pipeline/homePaths.ts"
import { fail } from "./output.ts"

/** The directory that `--store` names, or the user's own. */
export const directoryOf = Effect.fnUntraced(function* (input: { readonly store: Option.Option<string> }) {
  const path = yield* Path.Path
  if (Option.isSome(input.store)) return path.resolve(input.store.value)
  const home = resolveHome(undefined, { ...(yield* environment), cwd: path.resolve(".") })
  return home === undefined
    ? yield* fail("There is no home directory to look for sessions in; name a directory with --store.", 2)
    : path.join(home.path, "sessions")
})
