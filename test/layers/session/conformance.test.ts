import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as SessionStore from "../../../src/SessionStore.ts"
import * as MemoryFileSystem from "../../../src/testing/memoryFileSystem.ts"
import { sessionStoreConformance, sessionStoreDurability } from "../../../src/testing/sessionStoreConformance.ts"
import type { ConformanceCase } from "../../../src/testing/sessionStoreConformance.ts"

const title = ({ name, rules }: ConformanceCase) => (rules.length === 0 ? name : `[${rules.join(", ")}] ${name}`)

describe("SessionStore.layerMemory", () => {
  for (const entry of sessionStoreConformance) it.effect(title(entry), () => entry.run(SessionStore.layerMemory))
})

describe("SessionStore.layerJsonl in memory", () => {
  for (const entry of [...sessionStoreConformance, ...sessionStoreDurability]) {
    it.effect(title(entry), () =>
      Effect.gen(function* () {
        const { controls, fileSystem } = yield* MemoryFileSystem.make()
        const disk = Layer.succeed(FileSystem.FileSystem, fileSystem)
        yield* entry.run(SessionStore.layerJsonl("/home/u/sessions").pipe(Layer.provide(disk)))
        const left =
          (yield* fileSystem.readDirectory("/")).length === 0
            ? []
            : (yield* fileSystem.readDirectory("/home/u/sessions")).filter((name) => !name.endsWith(".jsonl"))
        if (left.length > 0) yield* Effect.die(new Error(`left behind: ${left.join(", ")}`))
        if ((yield* controls.openHandles) > 0) yield* Effect.die(new Error("handles are left open"))
      })
    )
  }
})

describe("SessionStore.layerJsonl on the disk", () => {
  for (const entry of [...sessionStoreConformance, ...sessionStoreDurability]) {
    it.live(title(entry), () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "session-store-" })
        const disk = Layer.succeed(FileSystem.FileSystem, fs)
        yield* entry.run(SessionStore.layerJsonl(`${directory}/sessions`).pipe(Layer.provide(disk)))
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )
  }
})
