/** The example for another SDK runs as it stands, on a real directory. */
import { assert, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

it("[I-20] [I-46] examples/other-sdk.ts: a model of the ai package is told the rules, and those of what it touches", () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "other-"))
  fs.mkdirSync(path.join(directory, ".git"))
  fs.mkdirSync(path.join(directory, "lib"))
  fs.writeFileSync(path.join(directory, "AGENTS.md"), "Use tabs.\n")
  fs.writeFileSync(path.join(directory, "lib/AGENTS.md"), "No classes.\n")
  fs.writeFileSync(path.join(directory, "lib/a.txt"), "a\n")
  const { DSH_HOME: _, ...env } = process.env
  const { status, stderr, stdout } = childProcess.spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, "../../examples/other-sdk.ts"), directory],
    { encoding: "utf8", env: { ...env, HOME: directory } }
  )
  fs.rmSync(directory, { recursive: true })
  assert.strictEqual(stderr, "")
  assert.strictEqual(status, 0)
  assert.deepStrictEqual(stdout.trim().split("\n"), [
    "the model is told: user",
    "the model is told: agent-instructions",
    "the model is sent: user, user",
    "the model is told: agent-instructions",
    "the model is sent: user, user, assistant, tool, user",
    "the model says: Done."
  ])
})
