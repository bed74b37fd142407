/** The example for Effect runs as it stands, on a real directory, and once more after it was killed. */
import { assert, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

it("[I-30] examples/effect-agent.ts edits a repository, is killed with SIGKILL, and goes on", () => {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "agent-")))
  const write = (name: string, content: string) => {
    fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
    fs.writeFileSync(path.join(directory, name), content)
  }
  write(".git/HEAD", "")
  write("AGENTS.md", "Be polite.\n")
  write("src/AGENTS.md", "Keep it short.\n")
  write("src/greeting.txt", "Hello, world.\n")
  write(".dsh/skills/proofread/SKILL.md", "---\nname: proofread\ndescription: Reads again\n---\nRead it again.\n")
  const { DSH_HOME: _, ...env } = process.env
  const run = (...flags: ReadonlyArray<string>) =>
    childProcess.spawnSync(
      process.execPath,
      [path.join(import.meta.dirname, "../../examples/effect-agent.ts"), directory, ...flags],
      { encoding: "utf8", env: { ...env, HOME: directory } }
    )
  const killed = run("--die")
  const resumed = run()
  const greeting = fs.readFileSync(path.join(directory, "src/greeting.txt"), "utf8")
  fs.rmSync(directory, { recursive: true })
  const told = "user,agent-instructions,skill-catalog"
  assert.strictEqual(killed.signal, "SIGKILL")
  assert.deepStrictEqual(killed.stdout.trim().split("\n"), [
    `step 1: ${told}`,
    `step 2: ${told},agent-instructions`,
    `step 3: ${told},agent-instructions`
  ])
  assert.strictEqual(resumed.stderr, "")
  assert.strictEqual(resumed.status, 0)
  assert.deepStrictEqual(resumed.stdout.trim().split("\n"), [
    `step 3: ${told},agent-instructions`,
    `step 4: ${told},agent-instructions`,
    "The greeting is polite now."
  ])
  assert.strictEqual(greeting, "Good morning, world.\n")
}, 60_000)
