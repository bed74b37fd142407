/** The example for TypeScript runs as it stands, on a real directory. */
import { assert, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

it("[I-20] examples/typescript-app.ts tells its model the rules, and ends", () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "app-"))
  fs.mkdirSync(path.join(directory, ".git"))
  fs.writeFileSync(path.join(directory, "AGENTS.md"), "Use tabs.\n")
  fs.writeFileSync(path.join(directory, "package.json"), "{}\n")
  const { DSH_HOME: _, ...env } = process.env
  const { status, stderr, stdout } = childProcess.spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, "../../examples/typescript-app.ts"), directory],
    { encoding: "utf8", env: { ...env, HOME: directory } }
  )
  fs.rmSync(directory, { recursive: true })
  assert.strictEqual(stderr, "")
  assert.strictEqual(status, 0)
  assert.deepStrictEqual(stdout.trim().split("\n"), [
    "the model is told: user",
    "the model is told: agent-instructions",
    "the model says: I will read the package first.",
    "the model says: Done."
  ])
})
