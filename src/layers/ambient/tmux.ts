/** The place in tmux, said again when it has changed (T-2). */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { isPaneId, socketOf } from "../../pipeline/tmux/answer.ts"
import { renderLeft, renderLocation } from "../../pipeline/tmux/render.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { UserMessage } from "../../schemas/Message.ts"
import type { DuplicateSupplier } from "../../schemas/StepRejected.ts"
import {
  decodeTmuxConfig,
  type TmuxConfig,
  TmuxContextSource,
  tmuxDefaults,
  type TmuxLocation,
  tmuxSourceKind
} from "../../schemas/TmuxContext.ts"
import { ContextSupply } from "../../services/ContextSupply.ts"
import type { Inbox } from "../../services/Inbox.ts"
import type { Session } from "../../services/Session.ts"
import { variable } from "../environment.ts"
import { makeProjection, type Projector } from "../supply/projection.ts"
import { locate, unavailable, type Whereabouts } from "./tmuxClient.ts"

/** The place last told; nothing, when none is visible or the last word was that tmux has been left. */
type ToldLocation = TmuxLocation | undefined

const decode = Schema.decodeUnknownOption(TmuxContextSource)

const locationOf = (_: ToldLocation, { source }: UserMessage): ToldLocation =>
  Option.getOrUndefined(decode(source))?.location

const sourceOf = (location: TmuxLocation | undefined): UserMessage["source"] => ({
  kind: tmuxSourceKind,
  version: 1,
  ...(location === undefined ? {} : { location: { ...location } })
})

/** The projector of one agent instance. */
const makeTmuxProjector = (look: Effect.Effect<Whereabouts, Diagnostic>): Projector<ToldLocation, Whereabouts> => {
  let complaints: ReadonlyArray<Diagnostic> = []
  return {
    name: "tmux",
    kind: tmuxSourceKind,
    placement: "afterClaimed",
    ifNotEntered: "drop",
    initial: undefined,
    announce: locationOf,
    owns: (source) => Option.isSome(decode(source)),
    due: ({ step }) => step?.decision === "enter" && step.turn !== undefined && step.step === 1,
    observe: () =>
      look.pipe(
        Effect.asSome,
        Effect.catch((diagnostic) =>
          Effect.sync(() => {
            complaints = [diagnostic]
          }).pipe(
            Effect.andThen(Effect.logDebug(diagnostic.message)),
            Effect.annotateLogs("diagnostic", diagnostic.tag),
            Effect.as(Option.none())
          )
        )
      ),
    write: ({ told }, found) => {
      const now = found._tag === "Inside" ? found.location : undefined
      if (now === undefined)
        return told === undefined ? undefined : { text: renderLeft(), source: sourceOf(now), waits: "end" }
      if (Equal.equals(told, now)) return undefined
      return { text: renderLocation(now, told !== undefined), source: sourceOf(now), waits: "end" }
    },
    complaints: () => {
      const all = complaints
      complaints = []
      return all
    }
  }
}

/** What the environment says; read once, as it does not change while a process runs. */
const lookFor = Effect.fnUntraced(function* (config: TmuxConfig, spawner: ChildProcessSpawner["Service"]) {
  const pane = (yield* variable("TMUX_PANE"))?.trim() ?? ""
  const socket = socketOf((yield* variable("TMUX")) ?? "")
  const timeout = config.timeout ?? tmuxDefaults.timeout
  if (pane === "") return Effect.succeed<Whereabouts>({ _tag: "Outside" })
  if (!isPaneId(pane)) return Effect.fail(unavailable("$TMUX_PANE does not hold the id of a pane"))
  return locate(spawner, process.pid, pane, socket).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(unavailable("there was no answer in time; tmux.timeout can be raised"))
    })
  )
})

/** As `layer`, of a configuration that may be anything. */
export const layerFrom = (
  config: unknown
): Layer.Layer<
  never,
  InvalidConfiguration | DuplicateSupplier,
  ChildProcessSpawner | Session | Inbox | ContextSupply
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const decoded = yield* decodeTmuxConfig(config)
      const look = yield* lookFor(decoded, yield* ChildProcessSpawner)
      const { supplier } = yield* makeProjection(makeTmuxProjector(look))
      yield* (yield* ContextSupply).register(supplier)
    })
  )

/**
 * Tells the model of the session around it in which pane of tmux this process runs, as long as it does. Asks through the
 * child processes it is given; what goes wrong there costs the message and leaves a diagnostic, `TmuxUnavailable`.
 */
export const layer = (config: TmuxConfig = {}) => layerFrom(config)
