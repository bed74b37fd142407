/** Everything about skills that sessions share, from one configuration. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import type { SkillRegistryError } from "../../schemas/SkillRegistryError.ts"
import { decodeSkillsConfig, type SkillsConfig } from "../../schemas/SkillsConfig.ts"
import type { SkillRegistry } from "../../services/SkillRegistry.ts"
import type { SkillsFileSystem } from "../../services/SkillsFileSystem.ts"
import { layer as fileSystemLayer } from "./fileSystem.ts"
import { layerWith } from "./registry.ts"
import { layerWatch } from "./watcher.ts"

/**
 * A host's registry with its `providerTimeout`, the skills on disk in it, and the watcher where `watch` asks for one (S-25). Fails
 * with `InvalidConfiguration`, which names key, value and what is allowed.
 */
export const layerHost = (
  config: SkillsConfig = {}
): Layer.Layer<SkillRegistry | SkillsFileSystem, InvalidConfiguration | SkillRegistryError> =>
  Layer.unwrap(
    Effect.map(decodeSkillsConfig(config), (decoded) => {
      const onDisk = Layer.provideMerge(fileSystemLayer(decoded), layerWith(decoded))
      return decoded.watch === true ? Layer.provideMerge(layerWatch, onDisk) : onDisk
    })
  )
