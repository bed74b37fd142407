/** A program that watches skills, and then has nothing more to do: it has to end. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { layer } from "../../../src/layers/skills/fileSystem.ts"
import { layer as registryLayer } from "../../../src/layers/skills/registry.ts"
import { layerWatch } from "../../../src/layers/skills/watcher.ts"
import { SkillRegistry } from "../../../src/services/SkillRegistry.ts"

const root = process.argv[2]!
const skills = Layer.provideMerge(layer({ home: `${root}/home`, agentsHome: `${root}/agents` }), registryLayer)
const runtime = ManagedRuntime.make(Layer.provideMerge(layerWatch, skills).pipe(Layer.provide(NodeFileSystem.layer)))
const { complete, skills: found } = await runtime.runPromise(
  SkillRegistry.use((registry) => registry.snapshot({ cwd: root }))
)
console.log(complete ? "watching" : "not watching", ...found.map(({ name }) => name))
