/** Skills on a disk in memory, and their registry. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { TestClock } from "effect/testing"
import { layer as fileSystemLayer } from "../../../src/layers/skills/fileSystem.ts"
import { layer as registryLayer } from "../../../src/layers/skills/registry.ts"
import type { SkillSnapshot } from "../../../src/schemas/Skill.ts"
import type { SkillsConfig } from "../../../src/schemas/SkillsConfig.ts"
import { SkillRegistry, type SkillRegistryShape } from "../../../src/services/SkillRegistry.ts"
import { SkillsFileSystem, type SkillsFileSystemShape } from "../../../src/services/SkillsFileSystem.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"

export const skillFile = (name: string, description = `about ${name}`, body = `Body of ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`

export interface World {
  readonly registry: SkillRegistryShape
  readonly skills: SkillsFileSystemShape
  readonly disk: Memory.Controls
  readonly fs: FileSystem.FileSystem
}

export interface Options {
  readonly config?: SkillsConfig
  readonly env?: Record<string, string>
  readonly cwd?: string
}

/** Long enough for everything that was written to be trusted by its metadata. */
export const settle = TestClock.adjust("1 hour")

/** Plays `use` on the files; they are an hour old. */
export const withDisk = <A, E>(
  files: Readonly<Record<string, Memory.FileContent>>,
  use: (world: World) => Effect.Effect<A, E, Scope | SkillsFileSystem>,
  { config = {}, env = { HOME: "/home/u" } }: Options = {}
) =>
  Effect.gen(function* () {
    const { controls: disk, fileSystem: fs } = yield* Memory.make(files)
    yield* settle
    return yield* Effect.gen(function* () {
      const registry = yield* SkillRegistry
      const skills = yield* SkillsFileSystem
      return yield* use({ registry, skills, disk, fs })
    }).pipe(
      Effect.provide(
        Layer.fresh(Layer.provideMerge(fileSystemLayer(config), registryLayer)).pipe(
          Layer.provide(Layer.succeed(FileSystem.FileSystem, fs))
        )
      )
    )
  }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))

export const names = ({ skills }: SkillSnapshot): ReadonlyArray<string> => skills.map(({ name }) => name)

/** Tag, code, path and line of everything there is to say, sorted. */
export const said = ({ diagnostics }: SkillSnapshot): ReadonlyArray<string> =>
  diagnostics.map(({ code = "-", line = 0, path = "-", tag }) => `${tag} ${code} ${path}:${line}`).sort()
