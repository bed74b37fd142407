/** tmux, as a part of a scripted agent: on a machine with no programs on it, so none of the real one's can be seen. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import { ChildProcessSpawner, make } from "effect/process/ChildProcessSpawner"
import { layerFrom } from "../../layers/ambient/tmux.ts"
import { definePart, type Part } from "./part.ts"

const noPrograms = Layer.sync(ChildProcessSpawner, () =>
  make(() => Effect.fail(PlatformError.systemError({ _tag: "NotFound", module: "ChildProcess", method: "spawn" })))
)

export const tmux: Part = definePart({
  name: "tmux",
  layer: (config) => Layer.provide(layerFrom(config), noPrograms)
})
