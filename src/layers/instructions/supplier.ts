/** Workspace instructions as a value over time: what differs from every other projector (I-20 to I-54). */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isOn, resolveSettings, type Settings } from "../../pipeline/instructions/chain.ts"
import { compose, type Composed } from "../../pipeline/instructions/compose.ts"
import type { Observed } from "../../pipeline/instructions/observed.ts"
import { worthReading } from "../../pipeline/instructions/plan.ts"
import { diagnosticsOf } from "../../pipeline/instructions/report.ts"
import { announce, isTold, nothingTold, readSource, type Told } from "../../pipeline/instructions/told.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import {
  decodeInstructionsConfig,
  type FileOutcome,
  type FileReport,
  type InstructionsConfig,
  sourceKind
} from "../../schemas/Instructions.ts"
import type { DuplicateSupplier } from "../../schemas/StepRejected.ts"
import { AgentInstructions } from "../../services/AgentInstructions.ts"
import { ContextSupply } from "../../services/ContextSupply.ts"
import type { Inbox } from "../../services/Inbox.ts"
import { Session } from "../../services/Session.ts"
import { fileSystem } from "../filesystem/probe.ts"
import { interruptedBy } from "../interruption.ts"
import { makeProjection, type Moment, type Projector } from "../supply/projection.ts"
import { loadFrom } from "./load.ts"
import { makeTouchedDirectories, touchedPaths } from "./touched.ts"
import type { Workspace } from "./workspace.ts"
import { makeWorkspace } from "./workspace.ts"

const baselineWaits = (moment: Moment<Told>): boolean =>
  moment.waiting !== undefined && readSource(moment.waiting.source)?.baseline === true

/** Directories that told scopes and the waiting message are about. */
const knownDirectories = (moment: Moment<Told>): ReadonlyArray<string> => {
  const waiting = moment.waiting === undefined ? [] : (readSource(moment.waiting.source)?.changes ?? [])
  return [...moment.told.scopes.values(), ...waiting].flatMap(({ scope }) =>
    scope.owner === "project" ? [scope.directory] : []
  )
}

const toldDigests = (told: Told) => {
  const digests = new Map<string, string>()
  for (const { digest, path, scope } of told.scopes.values())
    if (digest !== undefined) digests.set(`${scope.owner} ${path}`, digest)
  return (path: string, owner: string) => digests.get(`${owner} ${path}`)
}

const unsettled: ReadonlySet<string> = new Set<FileOutcome>(["omitted", "unavailable", "oversized", "binary"])

const unsettledIn = (report: ReadonlyArray<FileReport>): ReadonlyArray<string> => [
  ...new Set(
    report.flatMap(({ outcome, scope }) =>
      scope.owner === "project" && unsettled.has(outcome) ? [scope.directory] : []
    )
  )
]

const isFirst = ({ fresh, told, touched, waiting }: Moment<Told>): boolean =>
  fresh && told.identity === undefined && told.scopes.size === 0 && touched.length === 0 && waiting === undefined

/** The projector of one agent instance. */
export const makeProjector = (
  workspace: Workspace,
  settings: Settings,
  built: Context.Context<never>
): Projector<Told, Observed> => {
  const touchedDirectories = makeTouchedDirectories(workspace.cwd)
  const composed = new WeakMap<Observed, Composed>()
  let complaints: Array<Diagnostic> = []
  /** What a look could not settle is looked at again at the next touch, wherever that is (I-9, I-51). Lives in memory only. */
  let unsettledDirectories: ReadonlyArray<string> = []
  let unsettledPaths: ReadonlyArray<string> = []
  const retried = <A>(moment: Moment<Told>, unsettled: ReadonlyArray<A>): ReadonlyArray<A> =>
    moment.touched.length > 0 ? unsettled : []
  return {
    name: "instructions",
    kind: sourceKind,
    placement: "afterClaimed",
    ifNotEntered: "wait",
    initial: nothingTold,
    announce: (told, own) => announce(told, own.source),
    owns: (source) => readSource(source) !== undefined,
    touches: (execution) => touchedPaths(settings.touchTools, execution),
    due: ({ aged, fresh, touched, waiting }) => fresh || touched.length > 0 || (waiting !== undefined && aged),
    observe: Effect.fnUntraced(function* (moment) {
      const fs = yield* fileSystem(built)
      if (Option.isNone(fs)) return Option.none()
      const look = Effect.gen(function* () {
        const root = yield* workspace.root(fs.value)
        const paths = [...moment.touched, ...retried(moment, unsettledPaths)]
        const touched = yield* touchedDirectories(fs.value, root, paths)
        if (moment.touched.length > 0) unsettledPaths = touched.unresolved
        for (const diagnostic of touched.diagnostics) complaints.push(diagnostic)
        return yield* workspace.look({
          fs: fs.value,
          nested: [...knownDirectories(moment), ...touched.directories, ...retried(moment, unsettledDirectories)],
          toldDigest: toldDigests(moment.told),
          isTold: isTold(moment.told),
          complete: (identity) =>
            moment.fresh ||
            baselineWaits(moment) ||
            (moment.told.identity !== undefined && moment.told.identity !== identity),
          shadowed: false,
          // A first baseline holds everything observed and nothing else: what cannot fit it need not be read.
          ...(isFirst(moment) ? { plan: (observed: Observed) => worthReading(observed, settings) } : {})
        })
      })
      return yield* Effect.match(look, {
        onSuccess: (observed) => Option.some(observed),
        onFailure: (error) => {
          complaints.push({ tag: error._tag, path: error.path, message: error.message })
          return Option.none()
        }
      })
    }),
    write: (moment, observed) => {
      const { compacted, fresh, told } = moment
      const result = compose({
        told,
        fresh,
        allVisible: !compacted,
        baselineWaits: baselineWaits(moment),
        observed,
        settings
      })
      composed.set(observed, result)
      if (moment.touched.length > 0) unsettledDirectories = unsettledIn(result.report)
      // What waited and cannot be told now is known from nowhere else.
      else if (moment.waiting !== undefined)
        unsettledDirectories = [...new Set([...unsettledDirectories, ...unsettledIn(result.report)])]
      if (result.source === undefined) return undefined
      const { source } = result
      const baseline = source.baseline === true
      return { text: result.text, source: { ...source }, waits: baseline ? "front" : "end", needsCompany: baseline }
    },
    explain: (moment, observed) => ({
      items: composed.get(observed)?.report ?? [],
      diagnostics: [...(moment.fresh ? settings.ignored : []), ...diagnosticsOf(observed)]
    }),
    complaints: () => {
      const all = complaints
      complaints = []
      return all
    }
  }
}

/**
 * Workspace instructions for the session around it: the service that loads them, and the supplier that keeps the model
 * up to date. Without a `FileSystem` — of the calling fiber, or handed over when the layer is built — it adds nothing
 * until there is one (I-12). With `maxBytes` not positive or not finite, nothing is supplied.
 */
export const layer = (
  config: InstructionsConfig
): Layer.Layer<AgentInstructions, InvalidConfiguration | DuplicateSupplier, Session | Inbox | ContextSupply> =>
  Layer.effect(
    AgentInstructions,
    Effect.gen(function* () {
      const settings = resolveSettings(yield* decodeInstructionsConfig(config))
      const session = yield* Session
      const supply = yield* ContextSupply
      const built = yield* Effect.context<never>()
      const workspace = yield* makeWorkspace(settings, session.cwd)
      if (isOn(settings)) {
        const { supplier } = yield* makeProjection(makeProjector(workspace, settings, built))
        yield* supply.register(supplier)
      }
      return {
        load: Effect.fn("AgentInstructions.load")((options = {}) =>
          loadFrom(workspace, settings, built, options).pipe(interruptedBy(options.signal))
        )
      }
    })
  )
