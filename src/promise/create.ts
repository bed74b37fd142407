/** The agent context for TypeScript: the layers for Node, behind promises. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { type Batch, type Direct, type Loop, makeLoop } from "../agent/loop.ts"
import { loadSkill } from "../layers/skills/tool.ts"
import type { SessionServices } from "../agent/perSession.ts"
import { layerHostWithoutPlatform, layerPlatform, layerSession, type SessionLayerError } from "../node.ts"
import type { AgentContextConfig } from "../schemas/AgentContextConfig.ts"
import { AgentInstructions } from "../services/AgentInstructions.ts"
import { AgentTools } from "../services/AgentTools.ts"
import { ContextSupply } from "../services/ContextSupply.ts"
import { FileReferences } from "../services/FileReferences.ts"
import { Inbox } from "../services/Inbox.ts"
import { Session } from "../services/Session.ts"
import { SessionReferences } from "../services/SessionReferences.ts"
import { SessionStore } from "../services/SessionStore.ts"
import { SkillRegistry } from "../services/SkillRegistry.ts"
import { SystemPrompt } from "../services/SystemPrompt.ts"
import type {
  AgentContext,
  AgentContextError,
  CallOptions,
  ContextMessage,
  Explanation,
  LoggedEvent,
  NewMessage,
  StepEntered,
  StepNotEntered
} from "./context.ts"
import { checkedOptions } from "./checkedOptions.ts"
import { begin, Door, innermost, InvalidArgument, PartNotConfigured, rejecting, settleWith } from "./door.ts"
import type { AgentContextOptions } from "./options.ts"

type Services = Session | Inbox | ContextSupply | SystemPrompt | SessionStore | Scope.Scope

const serve = <A, S>(tag: Context.Key<A, S>, part: string): Effect.Effect<S, PartNotConfigured> =>
  Effect.flatMap(
    Effect.serviceOption(tag),
    Option.match({ onNone: () => Effect.fail(new PartNotConfigured({ part })), onSome: Effect.succeed })
  )

/** Plain JSON, whose types say less than the library knows. */
const toDirect = ({ id, source, text }: NewMessage): Direct => ({
  text,
  ...(id === undefined ? {} : { id }),
  ...(source === undefined ? {} : { source: source as NonNullable<Direct["source"]> })
})

const listOf = (input: NewMessage | ReadonlyArray<NewMessage> | undefined): ReadonlyArray<Direct> =>
  input === undefined
    ? []
    : (Array.isArray(input) ? (input as ReadonlyArray<NewMessage>) : [input as NewMessage]).map(toDirect)

const toStep = ({ decision, entered, rejection }: Batch): StepEntered | StepNotEntered =>
  decision === "enter"
    ? { decision, messages: entered as ReadonlyArray<ContextMessage> }
    : {
        decision,
        messages: [],
        ...(rejection === undefined ? {} : { reason: innermost(rejection) as AgentContextError })
      }

const toHandle = (door: Door<Services>, loop: Loop, { cwd, id }: Session["Service"]): AgentContext => {
  let calls = 0
  const { run } = door
  const asEvents = (events: ReadonlyArray<unknown>) => events as ReadonlyArray<LoggedEvent>
  const methods = rejecting<Omit<AgentContext, typeof Symbol.asyncDispose>>({
    sessionId: id,
    cwd,
    preStep: (input, { decision, signal } = {}) => {
      if (decision !== undefined && decision !== "enter" && decision !== "reject")
        throw new InvalidArgument({ method: "preStep", detail: `decision must be "enter" or "reject"` })
      const direct = listOf(input)
      return door
        .call<Batch, unknown>((decided) => {
          const options = { ...(decision === undefined ? {} : { decision }), decided }
          return loop.next(direct, options)
        }, signal)
        .then(toStep)
    },
    toolResult: (
      // The log grows from one instance to the next, so no token comes twice in it.
      { arguments: given, name, outcome = "ok", parent, text, token = `call-${loop.conversation().next}-${++calls}` },
      { signal } = {}
    ) => {
      const optional = {
        ...(parent === undefined ? {} : { parent }),
        ...(text === undefined ? {} : { text }),
        ...(signal === undefined ? {} : { signal })
      }
      // Logged but not reported, a call would never count.
      const execution = { name, arguments: given as Schema.Json, outcome, token, ...optional }
      return door.call(
        (settle) =>
          Effect.uninterruptible(
            Effect.tap(Effect.as(loop.tool(execution), token), (token) => Effect.sync(() => settle(token)))
          ),
        signal
      )
    },
    assistantMessage: (text, { signal } = {}) =>
      run(
        Session.use((session) => Effect.asVoid(session.append([{ type: "assistant/message", text }]))),
        signal
      ),
    endStep: ({ signal } = {}) => run(loop.endStep, signal),
    endTurn: ({ signal } = {}) => run(loop.endTurn, signal),
    post: (message, { signal } = {}) => run(loop.post(toDirect(message)), signal),
    pending: ({ signal } = {}) =>
      run(
        Inbox.use((inbox) => inbox.pending),
        signal
      ) as Promise<ReadonlyArray<ContextMessage>>,
    compact: ({ keep = 0, signal, text } = {}) => {
      if (!Number.isInteger(keep) || keep < 0)
        throw new InvalidArgument({ method: "compact", detail: "keep must be a whole number of events, at least 0" })
      return run(loop.compact(keep, text), signal)
    },
    settled: ({ signal } = {}) =>
      run(
        ContextSupply.use((supply) => supply.settled),
        signal
      ),
    explain: ({ signal, workspace = false } = {}) =>
      run(
        Effect.gen(function* (): Effect.fn.Return<Explanation, unknown, Services> {
          const report = yield* ContextSupply.use((supply) => supply.report)
          const others = (yield* Session).diagnostics ?? Effect.succeed([])
          const diagnostics = [...report.diagnostics, ...(yield* others)]
          const instructions = workspace
            ? Option.getOrUndefined(yield* Effect.serviceOption(AgentInstructions))
            : undefined
          if (instructions === undefined) return { ...report, diagnostics }
          return { ...report, diagnostics, workspace: yield* instructions.load({ shadowed: true }) }
        }),
        signal
      ),
    systemPrompt: ({ signal } = {}) =>
      run(
        SystemPrompt.use((prompt) => prompt.render),
        signal
      ),
    log: ({ signal } = {}) =>
      run(
        Session.use(({ log }) => log),
        signal
      ).then(asEvents),
    surface: ({ signal } = {}) =>
      run(
        Session.use(({ surface }) => surface),
        signal
      ).then(asEvents),
    ...partsOf(door, cwd),
    close: door.close
  })
  return { ...methods, [Symbol.asyncDispose]: door.close }
}

const partsOf = ({ run }: Door<Services>, cwd: string): Pick<AgentContext, "skills" | "files" | "sessions"> => {
  const registry = serve(SkillRegistry, "skills")
  return {
    skills: rejecting<AgentContext["skills"]>({
      list: ({ signal } = {}) =>
        run(
          Effect.flatMap(registry, (registry) => registry.snapshot({ cwd })),
          signal
        ).then(({ complete, diagnostics, failures, skills }) => ({
          skills,
          complete,
          diagnostics: [...failures, ...diagnostics]
        })),
      load: (name, { signal } = {}) =>
        run(
          Effect.flatMap(registry, (registry) => loadSkill(registry, name, { cwd })),
          signal
        ),
      // Registered in the scope of the context, in which every call runs.
      register: (skill, { signal } = {}) =>
        run(
          Effect.flatMap(registry, (registry) => Effect.asVoid(registry.register(skill))),
          signal
        )
    }),
    files: rejecting<AgentContext["files"]>({
      list: (query, { client, limit, signal } = {}) => {
        const options = { ...(client === undefined ? {} : { client }), ...(limit === undefined ? {} : { limit }) }
        return run(
          Effect.gen(function* () {
            const files = yield* serve(FileReferences, "fileReferences")
            return { ...(yield* files.list(query, options)), diagnostics: yield* files.diagnostics }
          }),
          signal
        )
      }
    }),
    sessions: rejecting<AgentContext["sessions"]>({
      list: ({ signal } = {}) =>
        run(
          SessionStore.use((store) => store.list),
          signal
        ),
      candidates: (query, { signal } = {}) =>
        run(
          Effect.flatMap(serve(SessionReferences, "sessionReferences"), (references) => references.candidates(query)),
          signal
        )
    })
  }
}

/** What a context is made inside of: a clock and an environment other than the process's own, say, or a store of the host's. */
export interface Surroundings {
  readonly context: Context.Context<never>
  readonly store?: SessionStore["Service"]
}

/** As `createAgentContext`, inside of `surroundings`. */
export const createWithin = async (
  surroundings: Surroundings,
  options: AgentContextOptions,
  { signal }: CallOptions = {}
): Promise<AgentContext> => {
  begin(signal)
  const { fileSystem, tools, ...config } = await settleWith(Context.empty(), () => checkedOptions(options), signal)
  const scope = Scope.makeUnsafe()
  const platform =
    fileSystem === undefined
      ? layerPlatform
      : Layer.merge(layerPlatform, Layer.succeed(FileSystem.FileSystem, fileSystem))
  const given = config as AgentContextConfig
  const own = layerHostWithoutPlatform(given)
  const host =
    surroundings.store === undefined ? own : Layer.merge(own, Layer.succeed(SessionStore, surroundings.store))
  // Skills that are on have their registry in the host.
  const session = layerSession(given) as Layer.Layer<SessionServices, SessionLayerError, SessionStore>
  const layer = session.pipe(Layer.provideMerge(host), Layer.provideMerge(platform))
  const build = Effect.gen(function* () {
    const built = yield* Layer.buildWithScope(layer, scope)
    const session = Context.get(built, Session)
    const services = { session, inbox: Context.get(built, Inbox), supply: Context.get(built, ContextSupply) }
    const loop = yield* makeLoop(services).pipe(Scope.provide(scope))
    const own = yield* Effect.context<never>()
    const all = Context.mergeAll(own, built, Context.make(Scope.Scope, scope)) as Context.Context<Services>
    return toHandle(new Door(all, scope), loop, session)
  }).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
  const known = tools === undefined ? undefined : new Set(tools)
  const equipped =
    known === undefined
      ? surroundings.context
      : Context.add(surroundings.context, AgentTools, Effect.succeed<ReadonlySet<string>>(known))
  return await settleWith(equipped as Context.Context<never>, () => build, signal)
}
