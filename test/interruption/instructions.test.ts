/** Loading, preparing, entering and touching, interrupted at any moment (I-13, I-45). */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import { load } from "../../src/layers/instructions/load.ts"
import * as Memory from "../../src/testing/memoryFileSystem.ts"
import { eventually, settle, suspending, sweep, type Trial } from "./sweep.ts"

const files = {
  "/repo/.git/": null,
  "/repo/AGENTS.md": "root rules\n",
  "/repo/CLAUDE.local.md": "x".repeat(100_000),
  "/repo/a/AGENTS.md": "a rules\n",
  "/repo/a/CLAUDE.md": "shadowed\n",
  "/home/u/.dsh/AGENTS.md": "mine\n"
}
const config = { cwd: "/repo/a", maxBytes: 200_000, shadowed: true }

const loading = Effect.gen(function* () {
  const { controls, fileSystem } = yield* Memory.make(files)
  const look = (signal?: AbortSignal) =>
    load({ ...config, ...(signal === undefined ? {} : { signal }) }).pipe(
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HOME: "/home/u" } }))),
      Effect.provideService(FileSystem.FileSystem, suspending(fileSystem)),
      Effect.map(({ text }) => text)
    )
  const expected = yield* look()
  const trial: Trial<string> = {
    operation: look,
    after: Effect.fnUntraced(function* (exit) {
      if (Exit.isSuccess(exit)) assert.strictEqual(exit.value, expected)
      assert.isTrue(yield* eventually(Effect.map(controls.openHandles, (open) => open === 0)))
      const asked = yield* controls.requests
      yield* settle
      assert.strictEqual(yield* controls.requests, asked, "something went on")
      assert.strictEqual(yield* look(), expected)
    })
  }
  return trial
})

describe("loading instructions", () => {
  for (const by of ["fiber", "signal"] as const) {
    it.live(`[I-13] interrupted by ${by} at any moment leaves nothing open and nothing running`, () =>
      Effect.gen(function* () {
        const { interrupted, moments } = yield* sweep({ make: loading, by })
        assert.isAbove(moments, 500)
        assert.isAbove(interrupted, 100)
      })
    )
  }
})
