/** The example for tests is a test, and passes. */
import { assert, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as path from "node:path"

it("[I-9] [I-47] examples/swap-filesystem.ts tests an agent without a disk", () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout } = childProcess.spawnSync(
    process.execPath,
    ["--test", "--test-reporter=tap", path.join(import.meta.dirname, "../../examples/swap-filesystem.ts")],
    { encoding: "utf8", env }
  )
  assert.strictEqual(status, 0, stdout)
  assert.match(stdout, /# pass 1\n# fail 0\n/)
})
