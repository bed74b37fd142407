/** File references of one working directory, and of a session (F-1 to F-7). */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { treeChange } from "../../pipeline/files/changes.ts"
import { fileReferenceGuidance, guidanceName } from "../../pipeline/files/guidance.ts"
import { parseQuery } from "../../pipeline/files/query.ts"
import { search } from "../../pipeline/files/rank.ts"
import * as Paths from "../../pipeline/paths.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import {
  decodeFileReferencesConfig,
  type FileCompletion,
  FileReferenceError,
  type FileReferencesConfig,
  fileReferencesDefaults,
  type FileReferencesSettings,
  OutsideWorkspace
} from "../../schemas/FileReference.ts"
import { ContextSupply, type ToolExecution } from "../../services/ContextSupply.ts"
import { FileReferences, type FileReferencesShape, type ListOptions } from "../../services/FileReferences.ts"
import { Session } from "../../services/Session.ts"
import { SystemPrompt } from "../../services/SystemPrompt.ts"
import { fileSystem } from "../filesystem/probe.ts"
import { interruptedBy } from "../interruption.ts"
import { FastReader } from "./fastReader.ts"
import { listLive } from "./listing.ts"
import { makeSharedIndex } from "./sharedIndex.ts"
import { realRoot } from "./workspace.ts"

const nothing: FileCompletion = { candidates: [], truncated: false }

const indexTruncated = (cwd: string, { maxEntries }: FileReferencesSettings): Diagnostic => ({
  tag: "IndexTruncated",
  path: cwd,
  message: `The file index of ${cwd} holds its first ${maxEntries} entries; there may be more. Raise maxEntries, or leave out what nobody refers to.`
})

/** Whole, and not below zero; what is no number asks for nothing. */
const wholeLimit = (limit: number): number => (limit >= 0 ? Math.floor(limit) : 0)

/** One query at a time for each client: the newer one interrupts the older. */
const makeClients = () => {
  const asking = new Map<string, AbortController>()
  return (
    client: string | undefined,
    run: (supersede: Effect.Effect<void>) => Effect.Effect<FileCompletion, FileReferenceError>
  ) =>
    Effect.suspend(() => {
      if (client === undefined) return run(Effect.void)
      const older = asking.get(client)
      const mine = new AbortController()
      asking.set(client, mine)
      return run(Effect.sync(() => older?.abort())).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            older?.abort()
            if (asking.get(client) === mine) asking.delete(client)
          })
        ),
        interruptedBy(mine.signal)
      )
    })
}

const make = Effect.fnUntraced(function* (given: string, config: FileReferencesConfig) {
  const settings: FileReferencesSettings = { ...fileReferencesDefaults, ...config }
  const cwd = Paths.resolve("/", given)
  const built = yield* Effect.context<never>()
  const shared = yield* makeSharedIndex(cwd, settings, yield* FastReader)
  const asClient = makeClients()

  const outside = (query: string) => new FileReferenceError({ reason: new OutsideWorkspace({ query, cwd }) })

  const answer = Effect.fnUntraced(function* (
    query: string,
    limit: number,
    supersede: Effect.Effect<void>
  ): Effect.fn.Return<FileCompletion, FileReferenceError> {
    const fs = Option.getOrUndefined(yield* fileSystem(built))
    const textual = parseQuery(query, [cwd])
    if (textual._tag === "Search") {
      if (fs === undefined) return yield* Effect.as(supersede, nothing)
      const { index, truncated } = yield* shared.get(fs, supersede)
      const found = search(index, textual, limit)
      return { ...found, truncated: found.truncated || truncated }
    }
    yield* supersede
    const root = fs === undefined ? undefined : yield* realRoot(fs, cwd)
    // An absolute path may spell the workspace by its real name.
    const asked = root === undefined ? textual : parseQuery(query, [cwd, root])
    if (asked._tag !== "Listing") return yield* outside(query)
    if (fs === undefined || root === undefined) return nothing
    return (yield* listLive(fs, root, asked, limit, settings)) ?? (yield* outside(query))
  })

  const service: FileReferencesShape = {
    list: Effect.fn("FileReferences.list")((query: string, { client, limit, signal }: ListOptions = {}) =>
      asClient(client, (supersede) => answer(query, wholeLimit(limit ?? settings.maxResults), supersede)).pipe(
        interruptedBy(signal)
      )
    ),
    invalidate: Effect.sync(shared.invalidate),
    diagnostics: Effect.sync(() => (shared.current()?.truncated === true ? [indexTruncated(cwd, settings)] : []))
  }

  const onToolResult = (execution: ToolExecution): void => {
    const change = treeChange(execution)
    if (change._tag === "Path") shared.touch(change.path)
    else if (change._tag === "Anything") shared.invalidate()
  }

  return { service, onToolResult }
})

/**
 * The file references of one working directory, without a session: nothing but `invalidate` tells it that files have changed,
 * and no model is told anything.
 */
export const layerWorkspace = (
  config: FileReferencesConfig & { readonly cwd: string }
): Layer.Layer<FileReferences, InvalidConfiguration> =>
  Layer.effect(
    FileReferences,
    Effect.gen(function* () {
      const { cwd, ...rest } = config
      const { service } = yield* make(cwd, yield* decodeFileReferencesConfig(rest))
      return service
    })
  )

/**
 * The file references of the session around it. What its tools report keeps the index true, and where there is a
 * `SystemPrompt`, a section of it tells the model what `@` paths are, while it has a `read` tool (F-6). Without a `FileSystem`
 * — of the calling fiber, or handed over when the layer is built — there are no files, until there is one.
 */
export const layer = (
  config: FileReferencesConfig = {}
): Layer.Layer<FileReferences, InvalidConfiguration, Session | ContextSupply> =>
  Layer.effect(
    FileReferences,
    Effect.gen(function* () {
      const decoded = yield* decodeFileReferencesConfig(config)
      const { cwd } = yield* Session
      const supply = yield* ContextSupply
      const { onToolResult, service } = yield* make(cwd, decoded)
      yield* supply.onToolResult(onToolResult)
      const prompt = yield* Effect.serviceOption(SystemPrompt)
      if (Option.isSome(prompt)) {
        const section = {
          name: guidanceName,
          text: ({ tools }: { readonly tools: ReadonlySet<string> | undefined }) => fileReferenceGuidance(tools)
        }
        // A section of that name is the host's own wording.
        yield* Effect.ignore(prompt.value.register(section))
      }
      return service
    })
  )
