/** A program that watches skills, and then has nothing more to do: it has to end. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { layerHost } from "../../../src/layers/skills/mounted.ts"
import { SkillRegistry } from "../../../src/services/SkillRegistry.ts"

const root = process.argv[2]!
const config = { home: `${root}/home`, agentsHome: `${root}/agents`, watch: true }
const runtime = ManagedRuntime.make(Layer.provide(layerHost(config), NodeFileSystem.layer))
const { complete, skills: found } = await runtime.runPromise(
  SkillRegistry.use((registry) => registry.snapshot({ cwd: root }))
)
console.log(complete ? "watching" : "not watching", ...found.map(({ name }) => name))
