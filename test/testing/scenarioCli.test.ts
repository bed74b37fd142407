import { afterAll, assert, describe, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const cli = path.join(import.meta.dirname, "../../src/testing/scenarioCli.ts")
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "scenarios-"))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const write = (name: string, content: unknown): string => {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  return file
}

const scenario = (expect: object) => ({ name: "a prompt", cwd: "/", steps: [{ do: "prompt", text: "hi", expect }] })

const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = childProcess.spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" })
  return { status, stderr, lines: stdout.trimEnd().split("\n") }
}

describe("npm run scenario", () => {
  const good = write("all/b.json", scenario({ decision: "enter" }))
  const bad = write("all/a.json", scenario({ decision: "reject" }))
  write("all/notes.txt", "no scenario")

  it("ends with the count, and well when all have passed", () => {
    const { lines, status } = run(good)
    assert.strictEqual(status, 0)
    assert.strictEqual(lines.at(-1), "1 passed, 0 failed")
  })

  it("reads a folder, sorted, shows what failed, and fails", () => {
    const { lines, status } = run(path.join(folder, "all"))
    assert.strictEqual(status, 1)
    assert.strictEqual(lines.at(-1), "1 passed, 1 failed")
    assert.strictEqual(lines[0], `FAIL ${bad} — a prompt`)
    assert.strictEqual(lines[1]!.trim(), 'step 0 (prompt), decision: expected "reject", but saw "enter"')
    assert.strictEqual(lines[2], `ok   ${good} — a prompt`)
  })

  it("prints every step with --trace", () => {
    const { lines } = run("--trace", good)
    assert.isTrue(lines.some((line) => line.trim() === 'step 0 prompt {"text":"hi"}'))
    assert.isTrue(lines.some((line) => line.trim() === "logged turn/start step/start user/message"))
  })

  it("counts as failed what cannot be read: unknown keys, no JSON, no file, a folder without scenarios", () => {
    const unknown = write("unknown.json", { ...scenario({}), stepz: [] })
    const broken = write("broken.json", "{")
    fs.mkdirSync(path.join(folder, "empty"))
    const { lines, status } = run(unknown, broken, path.join(folder, "missing.json"), path.join(folder, "empty"), good)
    assert.strictEqual(status, 1)
    assert.strictEqual(lines.at(-1), "1 passed, 4 failed")
    assert.isTrue(lines.some((line) => line.includes('stepz: there is no key "stepz" here')))
  })

  it("fails without anything to play, and on an option it does not know", () => {
    for (const args of [[], ["--fast", good]]) {
      const { lines, status, stderr } = run(...args)
      assert.strictEqual(status, 1)
      assert.include(stderr, "Usage:")
      assert.strictEqual(lines.at(-1), "0 passed, 1 failed")
    }
  })
})
