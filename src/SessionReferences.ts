/**
 * References from one session to others: what was said there, as untrusted background, in bounded bytes.
 *
 * **When to use**
 *
 * Where users refer to earlier conversations. Offer `candidates` while they type and insert the `mention` of the one they choose;
 * whenever they send a message with mentions, a snapshot of those sessions follows it in the same step.
 *
 * **Details**
 *
 * A mention is `@[label](uri)` or the URI alone, in a message of kind `user`, outside of code spans and fenced code; programs may put
 * `references: [{ sessionId, label? }]`, or `{ uri, label? }`, into the message's source instead. A snapshot holds direct user text, assistant
 * text and compaction checkpoints: no tool output, no supplied context, and so no references of references. It takes at most
 * `maxReferenceBytes` bytes of JSON, the oldest messages going first, and never changes afterwards.
 *
 * **Gotchas**
 *
 * A malformed mention, a reference to the session itself, too many of them, and a session that cannot be read reject the step before
 * anything of it is logged: with `StepRejected`, whose `reason` is one of those of `SessionReferenceError`. Show its message to the user. With
 * `onUnavailable: "notice"` a session that cannot be read costs only itself, and the model is told.
 *
 * **Example**
 *
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as ContextSupply from "effect-agent-context/ContextSupply"
 * import * as Inbox from "effect-agent-context/Inbox"
 * import * as Session from "effect-agent-context/Session"
 * import * as SessionReferences from "effect-agent-context/SessionReferences"
 * import * as SessionStore from "effect-agent-context/SessionStore"
 *
 * const earlier = SessionStore.SessionStore.use((store) => store.create({ cwd: "/shop", id: "other" })).pipe(
 *   Effect.flatMap((session) => session.append([{ type: "assistant/message", text: "The cookie expires." }])),
 *   Effect.scoped
 * )
 *
 * const program = Effect.gen(function* () {
 *   yield* earlier
 *   const references = yield* SessionReferences.SessionReferences
 *   const { candidates } = yield* references.candidates("OTHER")
 *   const supply = yield* ContextSupply.ContextSupply
 *   const prompt = { id: "p1", text: `Go on from ${candidates[0]?.mention}`, source: { kind: "user" } }
 *   const decision = yield* supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" })
 *   return decision.decision === "enter" ? decision.messages : []
 * })
 *
 * const perSession = SessionReferences.layer({ maxReferences: 1 }).pipe(
 *   Layer.provideMerge(ContextSupply.layer),
 *   Layer.provide(Inbox.layer),
 *   Layer.provide(Session.layerMemory({ cwd: "/shop" })),
 *   Layer.fresh
 * )
 * const [cites, shows] = await Effect.runPromise(
 *   Effect.provide(program, Layer.provideMerge(perSession, SessionStore.layerMemory))
 * )
 * console.log(cites?.text) // => "Go on from @[other](dsh-session:Im90aGVyIg)"
 * console.log(shows?.text.includes("The cookie expires.")) // => true
 * ```
 */
export { layer } from "./layers/sessionReferences/sessionReferences.ts"
export { formatMention, parseMentions } from "./pipeline/sessions/mention.ts"
export { formatUri, parseUri } from "./pipeline/sessions/uri.ts"
export {
  InvalidSessionReference,
  SelfSessionReference,
  SessionCandidate,
  SessionCandidates,
  SessionMention,
  SessionReference,
  SessionReferenceBudgetExceeded,
  SessionReferenceError,
  SessionReferencesConfig,
  SessionReferenceSource,
  SessionReferenceUnavailable,
  TooManySessionReferences
} from "./schemas/SessionReference.ts"
export { SessionReferences, type SessionReferencesShape } from "./services/SessionReferences.ts"
