/** The soak itself, for a moment: that it runs, ends, and would say what grows. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Lane } from "./lane.ts"
import { growth, type Sample } from "./samples.ts"
import { soak } from "./soak.ts"

const program = fileURLToPath(new URL("../../scripts/soak.ts", import.meta.url))

const run = (
  ...args: ReadonlyArray<string>
): Effect.Effect<{ readonly code: number | null; readonly output: string }> =>
  Effect.callback((resume) => {
    const child = childProcess.spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.on("close", (code) => resume(Effect.succeed({ code, output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const megabyte = 1_048_576
const held = (more: Partial<Sample>): Sample => ({ heap: 30 * megabyte, descriptors: 20, resources: {}, ...more })
const twelve = (of: (index: number) => Partial<Sample>) => Array.from({ length: 12 }, (_, index) => held(of(index)))

describe("the soak", () => {
  it.live("[I-13] [I-33] [S-4] [F-4] a few seconds of every kind of story find nothing wrong", () =>
    Effect.gen(function* () {
      const { code, output } = yield* run("--minutes", "0.05", "--seed", "7")
      assert.strictEqual(code, 0, output)
      for (const lane of ["memory", "disk", "parts", "promise", "jsonl"])
        assert.match(output, new RegExp(`^${lane}: [1-9]\\d* stories`, "m"))
      assert.include(output, "nothing was wrong (seed 7)")
    })
  )

  it.live("ends with what was wrong and with the seed that brings it about again", () =>
    Effect.gen(function* () {
      const seeds: Array<number> = []
      const lane: Lane = {
        name: "third",
        story: (seed) =>
          Effect.sync(() => ({ counts: {}, wrong: seeds.push(seed) === 3 ? ["the third one is wrong"] : [] }))
      }
      const wrong = yield* soak({ lanes: [lane], seed: 1, millis: 60_000, say: () => {} })
      assert.deepStrictEqual(wrong, [
        "third: the third one is wrong",
        `again: npm run soak -- --lane third --story ${seeds[2]}`
      ])
      assert.strictEqual(new Set(seeds).size, 3)
    })
  )

  it.live("takes a defect of a story for something wrong", () =>
    Effect.gen(function* () {
      const lane: Lane = { name: "dying", story: () => Effect.die(new Error("a bug")) }
      const wrong = yield* soak({ lanes: [lane], seed: 1, millis: 60_000, say: () => {} })
      assert.match(wrong[0] ?? "", /^dying: Error: a bug/)
    })
  )

  it("says of handles and of the heap that they grow, and not that they come and go", () => {
    assert.deepStrictEqual(growth(twelve(() => ({}))), [])
    const waves = twelve((index) => ({ heap: (30 + (index % 3) * 5) * megabyte, descriptors: 20 + (index % 2) }))
    assert.deepStrictEqual(growth(waves), [])
    assert.deepStrictEqual(growth(twelve((index) => ({ descriptors: 20 + (index >> 3) }))), [
      "open descriptors grew from 20 to 21"
    ])
    assert.deepStrictEqual(growth(twelve((index) => ({ resources: { Timeout: index } }))), [
      "active Timeout grew from 3 to 8"
    ])
    assert.deepStrictEqual(growth(twelve((index) => ({ heap: (30 + index) * megabyte }))), [
      `the heap grew from ${32 * megabyte} to ${40 * megabyte} bytes`
    ])
  })

  it.live("cannot be started with what it does not know", () =>
    Effect.gen(function* () {
      const { code, output } = yield* run("--lane", "nowhere")
      assert.strictEqual(code, 2)
      assert.match(output, /^there is no lane nowhere; there are memory, disk/)
      assert.strictEqual((yield* run("--minutes", "0")).code, 2)
    })
  )
})
