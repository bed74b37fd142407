/**
 * The provider of skills on disk, named `filesystem` (S-20 to S-26).
 *
 * Each listing asks for the metadata of roots, entries and files, and reads only what these say has changed; that makes a
 * revalidation cheap, and the registry's memory makes the next listing free.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Paths from "../../pipeline/paths.ts"
import { looksLikeSkill, type RootEnvironment, type Roots, rootsFor } from "../../pipeline/skills/roots.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import type { Diagnostic } from "../../schemas/Diagnostic.ts"
import type { SkillRegistryError } from "../../schemas/SkillRegistryError.ts"
import { decodeSkillsConfig, type SkillsConfig, skillsDefaults } from "../../schemas/SkillsConfig.ts"
import type { ToolExecution } from "../../services/ContextSupply.ts"
import {
  type ProviderControl,
  type ProviderListing,
  SkillRegistry,
  type SkillProvider
} from "../../services/SkillRegistry.ts"
import { SkillsFileSystem, type SkillsFileSystemShape } from "../../services/SkillsFileSystem.ts"
import { environment, variable } from "../environment.ts"
import { fileSystem, largestFile } from "../filesystem/probe.ts"
import { findRoot } from "../projectRoot.ts"
import { loadSkillFile } from "./body.ts"
import { listRoot } from "./entries.ts"
import { FastFiles } from "./fastFiles.ts"
import { makeHeads } from "./heads.ts"
import { lookAtFiles, providerName } from "./lookDisk.ts"
import { makeWatched } from "./watched.ts"

const markers = [".git"]

/** For how many working directories is remembered which paths belong to their roots. */
const maxDirectories = 256

/** The tools that write, and the argument that holds the path. */
const writingTools: Readonly<Record<string, string>> = { write: "file_path", edit: "file_path" }

const writtenPath = ({ arguments: given, name, outcome }: ToolExecution): string | undefined => {
  const key = Object.hasOwn(writingTools, name) ? writingTools[name] : undefined
  if (
    key === undefined ||
    outcome !== "ok" ||
    typeof given !== "object" ||
    given === null ||
    !Object.hasOwn(given, key)
  )
    return undefined
  const path = (given as Record<string, unknown>)[key]
  return typeof path === "string" && path !== "" ? path : undefined
}

const noRoot = (path: string, reason: string): Diagnostic => ({
  tag: "ProjectRootUnavailable",
  path,
  message: `The project's own skills are left out for now: probing ${path} failed (${reason}). Make it readable and try again.`
})

/** Which paths belong to the roots that were listed, by working directory. */
const makeListedPaths = () => {
  const listed = new Map<string, ReadonlyArray<string>>()
  return {
    set: (cwd: string, paths: ReadonlyArray<string>): void => {
      listed.delete(cwd)
      listed.set(cwd, paths)
      const [oldest] = listed.keys()
      if (listed.size > maxDirectories && oldest !== undefined) listed.delete(oldest)
    },
    /** Roots are shared between working directories, so all of them count. */
    hold: (path: string): boolean => {
      for (const paths of listed.values()) if (paths.some((root) => Paths.within(root, path) !== undefined)) return true
      return false
    }
  }
}

const make = Effect.fnUntraced(function* (config: SkillsConfig) {
  const registry = yield* SkillRegistry
  const built = yield* Effect.context<never>()
  const homes: RootEnvironment = { ...(yield* environment), agentsHome: yield* variable("DSH_AGENTS_HOME") }
  const maxSourceBytes = Math.min(config.maxSourceBytes ?? skillsDefaults.maxSourceBytes, largestFile)
  const heads = makeHeads()
  const plain = yield* FastFiles
  const listedPaths = makeListedPaths()
  let control: ProviderControl | undefined
  const invalidate = (): void => control?.invalidateUnsafe()
  const watched = makeWatched(invalidate)

  const list: SkillProvider["list"] = Effect.fnUntraced(function* ({ cwd }): Effect.fn.Return<ProviderListing> {
    const fs = Option.getOrUndefined(yield* fileSystem(built))
    // Nothing can be concluded: there may be skills as soon as there is a file system.
    if (fs === undefined) return { candidates: [], complete: false }
    const root = yield* Effect.result(findRoot(fs, cwd, markers))
    const { ignored, missing, roots }: Roots = rootsFor(
      config,
      homes,
      cwd,
      Option.getOrUndefined(Result.getSuccess(root))
    )
    const unwatched = yield* watched.roots(
      fs,
      roots.map(({ path }) => path)
    )
    const listed = yield* Effect.forEach(roots, (root) => listRoot(fs, root), { concurrency: "unbounded" })
    listedPaths.set(
      cwd,
      listed.flatMap(({ aliases, root }) => [root.path, ...aliases])
    )
    const unwatchedEntries = yield* watched.entries(fs, listed)
    const { candidates, complete, diagnostics } = yield* lookAtFiles(
      fs,
      plain?.standsFor(fs) === true ? plain : undefined,
      heads,
      listed
    )
    const complaints = [
      ...(missing && Result.isFailure(root) ? [noRoot(root.failure.path, root.failure.reason)] : []),
      ...unwatched,
      ...unwatchedEntries
    ]
    return {
      candidates,
      complete: complete && complaints.length === 0,
      diagnostics: [...ignored, ...complaints, ...diagnostics]
    }
  })

  const get: SkillProvider["get"] = Effect.fnUntraced(function* (skill) {
    const fs = yield* fileSystem(built)
    if (Option.isNone(fs)) return yield* Effect.fail("there is no file system now")
    return yield* loadSkillFile(fs.value, skill, String(skill.locator), maxSourceBytes)
  })

  yield* registry.registerProvider((given) => {
    control = given
    return { name: providerName, list, get }
  })

  const touchesRoots: SkillsFileSystemShape["touchesRoots"] = (cwd, paths) =>
    paths.some((given) => {
      const path = Paths.resolve(Paths.resolve("/", cwd), given)
      return looksLikeSkill(path) || listedPaths.hold(path)
    })

  const touched: SkillsFileSystemShape["touched"] = (cwd, paths) => {
    if (!touchesRoots(cwd, paths)) return false
    for (const path of paths) heads.written(Paths.resolve(Paths.resolve("/", cwd), path))
    invalidate()
    return true
  }

  return SkillsFileSystem.of({
    invalidate: Effect.sync(invalidate),
    touchesRoots,
    touched,
    onToolResult: (cwd) => (execution) => {
      const path = writtenPath(execution)
      if (path !== undefined) touched(cwd, [path])
    },
    watchWith: (make) => Effect.asVoid(watched.join(make))
  })
})

/**
 * Registers the skills on disk with the registry around it, and says what may have changed. Takes the whole configuration of
 * skills; of it, the keys about roots and `maxSourceBytes` count here. Without a `FileSystem` — of the calling fiber, or handed
 * over when the layer is built — there are none, until there is one.
 */
export const layer = (
  config: SkillsConfig = {}
): Layer.Layer<SkillsFileSystem, InvalidConfiguration | SkillRegistryError, SkillRegistry> =>
  Layer.effect(SkillsFileSystem, Effect.flatMap(decodeSkillsConfig(config), make))
