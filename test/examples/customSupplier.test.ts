/** The example of a supplier runs as it stands, on a real directory. */
import { assert, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

it("[C-1] examples/custom-supplier.ts says the branch once", () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "branch-"))
  fs.mkdirSync(path.join(directory, ".git"))
  fs.writeFileSync(path.join(directory, ".git/HEAD"), "ref: refs/heads/tidy-up\n")
  const { status, stderr, stdout } = childProcess.spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, "../../examples/custom-supplier.ts"), directory],
    { encoding: "utf8" }
  )
  fs.rmSync(directory, { recursive: true })
  assert.strictEqual(stderr, "")
  assert.strictEqual(status, 0)
  assert.deepStrictEqual(stdout.trim().split("\n"), ["Hello. The git branch is tidy-up.", "Go on."])
})
