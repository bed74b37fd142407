/** The session that a configuration means: a new one, the latest of a directory, or the one of an id. */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import * as Paths from "../pipeline/paths.ts"
import type { AgentContextSettings } from "../schemas/AgentContextConfig.ts"
import { InvalidConfiguration } from "../schemas/Configuration.ts"
import type { SessionError } from "../schemas/SessionError.ts"
import type { SessionShape } from "../services/Session.ts"
import { SessionStore } from "../services/SessionStore.ts"

/** Which session, and where: `cwd` if it was asked for, `here` for a new session if it was not. Both are absolute. */
interface Wanted {
  readonly session: AgentContextSettings["session"]
  readonly cwd: string | undefined
  readonly here: string
}

const elsewhere = (id: string, cwd: string, its: string) =>
  new InvalidConfiguration({
    part: "agentContext",
    key: "cwd",
    given: JSON.stringify(cwd),
    allowed: `${JSON.stringify(its)}, where session ${JSON.stringify(id)} lives, or left out`
  })

/**
 * Opens or creates it, until the scope ends. Fails with `SessionError`, or with `InvalidConfiguration` when the session of the id
 * lives in another directory than the one that was asked for.
 */
export const openSession = Effect.fnUntraced(function* ({
  cwd,
  here,
  session
}: Wanted): Effect.fn.Return<SessionShape, SessionError | InvalidConfiguration, SessionStore | Scope> {
  const store = yield* SessionStore
  const directory = cwd ?? here
  if (typeof session === "object") {
    const opened = yield* store
      .open(session.id)
      .pipe(
        Effect.catchReason("SessionError", "SessionNotFound", () => store.create({ cwd: directory, id: session.id }))
      )
    const differs = cwd !== undefined && Paths.resolve("/", opened.cwd) !== Paths.resolve("/", cwd)
    return differs ? yield* elsewhere(session.id, cwd, opened.cwd) : opened
  }
  if (session === "latest") {
    for (const summary of yield* store.list) {
      if (summary.running || Paths.resolve("/", summary.cwd) !== Paths.resolve("/", directory)) continue
      // Somebody may have been faster.
      const opened = yield* Effect.catchReason(store.open(summary.id), "SessionError", "SessionConflict", () =>
        Effect.succeed(undefined)
      )
      if (opened !== undefined) return opened
    }
  }
  return yield* store.create({ cwd: directory })
})
