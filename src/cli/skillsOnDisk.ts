/** The skills on disk as the commands look at them. */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { layer as skillsFileSystem } from "../layers/skills/fileSystem.ts"
import { layer as skillRegistry } from "../layers/skills/registry.ts"
import * as fastFiles from "../node/fastFiles.ts"
import type { SkillsConfig } from "../schemas/SkillsConfig.ts"

/** Registry and disk, read the fast way on the plain file system of Node. */
export const skillsOnDisk = (config: SkillsConfig = {}) =>
  Layer.mergeAll(
    Layer.provideMerge(skillsFileSystem(config), skillRegistry).pipe(Layer.provide(fastFiles.layer)),
    // What is logged is among the diagnostics, which are said in the commands' own way.
    Logger.layer([])
  )
