/** Discovery and pipeline in one go: what a new agent would be told now, and why. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isOn, resolveSettings, type Settings } from "../../pipeline/instructions/chain.ts"
import { compose } from "../../pipeline/instructions/compose.ts"
import { worthReading } from "../../pipeline/instructions/plan.ts"
import { diagnosticsOf } from "../../pipeline/instructions/report.ts"
import { nothingTold } from "../../pipeline/instructions/told.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import {
  decodeInstructionsConfig,
  type InstructionsConfig,
  type LoadedInstructions,
  type ProjectRootUnavailable
} from "../../schemas/Instructions.ts"
import { AgentInstructions, type LoadOptions } from "../../services/AgentInstructions.ts"
import { fileSystem } from "../filesystem/probe.ts"
import { interruptedBy } from "../interruption.ts"
import { markOutside } from "./outside.ts"
import { makeWorkspace, type Workspace } from "./workspace.ts"

const nothing = (settings: Settings, root: string): LoadedInstructions => ({
  text: "",
  bytes: 0,
  maxBytes: settings.maxBytes,
  projectRoot: root,
  identity: "",
  changes: [],
  omitted: [],
  truncated: [],
  report: [],
  diagnostics: settings.ignored
})

/** Loads the chain of one workspace. Without a file system, or with instructions off, there is nothing to load. */
export const loadFrom = Effect.fnUntraced(function* (
  workspace: Workspace,
  settings: Settings,
  built: Context.Context<never>,
  options: LoadOptions
): Effect.fn.Return<LoadedInstructions, ProjectRootUnavailable> {
  const fs = yield* fileSystem(built)
  if (Option.isNone(fs) || !isOn(settings)) return nothing(settings, workspace.cwd)
  const observed = yield* workspace.look({
    fs: fs.value,
    nested: [],
    toldDigest: () => undefined,
    isTold: () => false,
    complete: () => true,
    listing: true,
    shadowed: options.shadowed ?? false,
    plan: (known) => worthReading(known, settings)
  })
  const composed = compose({ told: nothingTold, fresh: true, baselineWaits: false, observed, settings })
  return {
    text: composed.text,
    bytes: composed.bytes,
    maxBytes: settings.maxBytes,
    projectRoot: observed.root,
    identity: observed.identity,
    changes: composed.source?.changes ?? [],
    omitted: composed.omitted,
    truncated: composed.truncated,
    report: options.shadowed === true ? yield* markOutside(fs.value, observed.root, composed.report) : composed.report,
    diagnostics: [...settings.ignored, ...diagnosticsOf(observed)]
  }
})

/**
 * Loads the instructions of `cwd` once, without a session: `maxBytes` and the other keys of `instructions`, plus the
 * absolute `cwd`. Uses the `FileSystem` of the calling fiber. Fails with `InvalidConfiguration` or
 * `ProjectRootUnavailable`; interruptible at any point, by `signal` too.
 */
export const load = Effect.fn("AgentInstructions.load")(function* (
  options: InstructionsConfig & LoadOptions & { readonly cwd: string }
): Effect.fn.Return<LoadedInstructions, InvalidConfiguration | ProjectRootUnavailable> {
  const { cwd, shadowed, signal, ...config } = options
  const settings = resolveSettings(yield* decodeInstructionsConfig(config))
  const workspace = yield* makeWorkspace(settings, cwd)
  return yield* loadFrom(workspace, settings, Context.empty(), shadowed === undefined ? {} : { shadowed }).pipe(
    interruptedBy(signal)
  )
})

/** The service alone, for one working directory: it loads, and supplies nothing to any session. */
export const layerLoader = (
  config: InstructionsConfig & { readonly cwd: string }
): Layer.Layer<AgentInstructions, InvalidConfiguration> =>
  Layer.effect(
    AgentInstructions,
    Effect.gen(function* () {
      const { cwd, ...rest } = config
      const settings = resolveSettings(yield* decodeInstructionsConfig(rest))
      const built = yield* Effect.context<never>()
      return {
        load: Effect.fn("AgentInstructions.load")(function* (options: LoadOptions = {}) {
          const workspace = yield* makeWorkspace(settings, cwd)
          return yield* loadFrom(workspace, settings, built, options).pipe(interruptedBy(options.signal))
        })
      }
    })
  )
