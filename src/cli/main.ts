#!/usr/bin/env node
/** The executable: wiring, and a cache of compiled code, without which starting costs more than the work itself. */
import { enableCompileCache } from "node:module"

enableCompileCache()

const NodeRuntime = await import("@effect/platform-node/NodeRuntime")
const NodeServices = await import("@effect/platform-node/NodeServices")
const Effect = await import("effect/Effect")
const NodeFiles = await import("../node/fileSystem.ts")
const { run } = await import("./app.ts")

NodeRuntime.runMain(
  run(process.argv.slice(2)).pipe(Effect.provide(NodeFiles.layer), Effect.provide(NodeServices.layer))
)
