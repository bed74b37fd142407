/**
 * Where sessions live: opened and created for writing, one writer at a time or several that never interleave, listed and
 * read by anybody.
 *
 * **When to use**
 *
 * A host provides one store and builds each session's layer from it: `Session.layer` of the store's `open` or `create`.
 * `layerMemory` for tests, `layerJsonl` for one machine, `layerSql` for many workers over one database.
 *
 * **Example** (Writing a session, and reading it as somebody else)
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Session from "effect-agent-context/Session"
 * import * as SessionStore from "effect-agent-context/SessionStore"
 *
 * const agent = Effect.gen(function*() {
 *   const session = yield* Session.Session
 *   yield* session.append([{ type: "session/title", title: "Fix the build" }])
 * }).pipe(Effect.provide(
 *   Session.layer(SessionStore.SessionStore.use((store) => store.create({ id: "s1", cwd: "/repo" })))
 * ))
 *
 * const program = Effect.gen(function*() {
 *   yield* agent
 *   const store = yield* SessionStore.SessionStore
 *   return (yield* store.surface("s1")).summary.title
 * })
 *
 * console.log(await Effect.runPromise(Effect.provide(program, SessionStore.layerMemory))) // => "Fix the build"
 * ```
 */
export { layerJsonl } from "./layers/session/jsonl.ts"
export { layerStoreMemory as layerMemory } from "./layers/session/memory.ts"
export { layerSql, layerSqlWith, type SqlStoreOptions } from "./layers/session/sql.ts"
export { SessionStore, type SessionStoreShape, type SessionSummary } from "./services/SessionStore.ts"
