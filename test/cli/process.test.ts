/** What only a real process shows: pipes, exit codes, colours, the rights of a user, names that a disk allows. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as url from "node:url"
import { stripVTControlCharacters } from "node:util"

const main = path.join(import.meta.dirname, "../../src/cli/main.ts")
const asNobody = url.fileURLToPath(new URL("asNobody.ts", import.meta.url))
const temporary = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "agent-context-"))
fs.chmodSync(temporary, 0o755)
afterAll(() => fs.rmSync(temporary, { recursive: true }))

const write = (file: string, text: string): string => {
  const whole = path.join(temporary, file)
  fs.mkdirSync(path.dirname(whole), { recursive: true })
  fs.writeFileSync(whole, text)
  return path.dirname(whole)
}

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  const { DSH_HOME: _, FORCE_COLOR: __, NO_COLOR: ___, ...env } = process.env
  return { ...env, HOME: path.join(temporary, "home"), ...more }
}

const node = (
  program: string,
  args: ReadonlyArray<string>,
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {}
) => {
  const { status, stderr, stdout } = childProcess.spawnSync(process.execPath, [program, ...args], {
    cwd: options.cwd ?? temporary,
    env: environment(options.env),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: 30_000
  })
  return { code: status, stderr, stdout }
}

describe("a process", () => {
  it("prints the text of the directory it runs in", () => {
    const cwd = write("plain/AGENTS.md", "Be brief.\n")
    fs.mkdirSync(path.join(cwd, ".git"))
    const { code, stderr, stdout } = node(main, ["show"], { cwd })
    assert.match(stdout, /^<system-reminder>\n[^]*\nInstructions from: AGENTS.md\n\nBe brief.\n<\/system-reminder>\n$/)
    assert.deepStrictEqual([stderr, code], ["", 0])
    assert.strictEqual(node(main, ["show", "plain"]).stdout, stdout)
  })

  it("fails with one line on standard error", () => {
    const { code, stderr, stdout } = node(main, ["show", "nowhere"])
    assert.strictEqual(stderr, `agent-context: There is no directory ${temporary}/nowhere; name one that exists.\n`)
    assert.deepStrictEqual([stdout, code], ["", 1])
    assert.strictEqual(node(main, ["show", "--max-bytes", "x"]).code, 2)
  })

  it("prints its version", () => {
    assert.match(node(main, ["--version"]).stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it("is plain in a pipe, coloured when forced to, and plain when told so", () => {
    const cwd = write("colours/AGENTS.md", "x")
    const explain = (env: NodeJS.ProcessEnv) => node(main, ["explain"], { cwd, env }).stdout
    const plain = explain({})
    assert.strictEqual(stripVTControlCharacters(plain), plain)
    const coloured = explain({ FORCE_COLOR: "1" })
    assert.notStrictEqual(coloured, plain)
    assert.strictEqual(stripVTControlCharacters(coloured), plain)
    assert.strictEqual(explain({ FORCE_COLOR: "1", NO_COLOR: "1" }), plain)
  })

  it("writes megabytes into a pipe to the last byte", () => {
    const cwd = write("large/AGENTS.md", "All of it, é.\n".repeat(300_000))
    const { stdout } = node(main, ["show", "--max-bytes", "9000000", "--max-source-bytes", "9000000"], { cwd })
    assert.strictEqual(stdout.split("All of it, é.\n").length - 1, 300_000)
    assert.isTrue(stdout.endsWith("\n</system-reminder>\n"))
  })

  it.live.each(["--no-json", "--json"])("does not mind a reader that leaves (%s)", (flag) =>
    Effect.gen(function* () {
      const cwd = write("left/AGENTS.md", "All of it.\n".repeat(300_000))
      const budget = ["--max-bytes", "9000000", "--max-source-bytes", "9000000"]
      const ended = yield* Effect.callback<ReadonlyArray<unknown>>((resume) => {
        const child = childProcess.spawn(process.execPath, [main, "show", ...budget, flag], { cwd, env: environment() })
        let stderr = ""
        child.stderr.on("data", (chunk) => (stderr += String(chunk)))
        child.stdout.once("data", () => child.stdout.destroy())
        child.once("close", (code, signal) => resume(Effect.succeed([code, signal, stderr])))
        return Effect.sync(() => child.kill())
      })
      assert.deepStrictEqual(ended, [0, null, ""])
    })
  )

  it.skipIf(!fs.existsSync("/dev/full"))("says that its output cannot be written", () => {
    const cwd = write("full/AGENTS.md", "x")
    const full = fs.openSync("/dev/full", "w")
    const { status, stderr } = childProcess.spawnSync(process.execPath, [main, "show"], {
      cwd,
      env: environment(),
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8"
    })
    fs.closeSync(full)
    assert.strictEqual(stderr, "agent-context: Standard output cannot be written (ENOSPC).\n")
    assert.strictEqual(status, 1)
  })

  it("[I-24] takes names as the disk has them", () => {
    const names = ["with space", "quo\"te's", "line\nbreak", "é漢字👩‍🚀", "עברית", "back\\slash", "\u001b[31mred"]
    const directory = write(path.join("names", ...names, "AGENTS.md"), "deep")
    fs.mkdirSync(path.join(temporary, "names/.git"))
    const { changes, text } = JSON.parse(node(main, ["show", directory, "--json"]).stdout)
    assert.deepStrictEqual(
      changes.map((change: { readonly path: string }) => change.path),
      [[...names, "AGENTS.md"].join("/")]
    )
    const shown = "with space/quo\"te's/line\\nbreak/é漢字👩‍🚀/עברית/back\\\\slash/\\u001b[31mred"
    assert.include(text, `Instructions from: ${shown}/AGENTS.md\n`)

    const { stderr, stdout } = node(main, ["explain", directory])
    const line = stdout.split("\n").find((text) => text.startsWith("with space") && text.includes("red"))
    assert.strictEqual(line, `${shown}/`)
    assert.strictEqual(stdout, stripVTControlCharacters(stdout))
    assert.strictEqual(stderr, "")
  })

  it.skipIf(process.platform === "win32")("[I-8] is not held up by a FIFO, and shows no directory", () => {
    const cwd = write("odd/AGENTS.local.md/inside", "")
    childProcess.execFileSync("mkfifo", [path.join(temporary, "odd/AGENTS.md")])
    const { code, stdout } = node(main, ["show", path.dirname(cwd)])
    assert.match(stdout, /^There are no workspace instructions for [^\n]+\n$/)
    assert.strictEqual(code, 0)
  })

  describe.skipIf(process.platform === "win32")("of a user with few rights", () => {
    const inner = write("closed/inner/AGENTS.md", "secret")
    const closed = path.dirname(inner)
    const open = write("open/AGENTS.md", "secret")
    fs.writeFileSync(path.join(open, "AGENTS.local.md"), "known")
    fs.chmodSync(closed, 0)
    fs.chmodSync(path.join(open, "AGENTS.md"), 0)
    // Who is not the superuser could not clean up.
    afterAll(() => fs.chmodSync(closed, 0o755))
    const run = (...args: ReadonlyArray<string>) => node(asNobody, args)

    it("[I-5] names the marker that cannot be probed", () => {
      const { code, stderr, stdout } = run("show", closed)
      assert.strictEqual(
        stderr,
        `agent-context: Cannot tell where the project begins: probing ${closed}/.git failed (PermissionDenied (EACCES)). Make it readable and try again.\n`
      )
      assert.deepStrictEqual([stdout, code], ["", 1])
    })

    it("names the directory that cannot be looked at", () => {
      const { code, stderr, stdout } = run("explain", inner)
      assert.match(stderr, /^agent-context: [^\n]+\/closed\/inner cannot be looked at: PermissionDenied[^\n]+\n$/)
      assert.deepStrictEqual([stdout, code], ["", 1])
    })

    it("[I-9] tells what can be read, and reports what cannot", () => {
      const { code, stderr, stdout } = run("show", open)
      assert.match(stderr, /^agent-context: CandidateUnavailable: [^\n]+\/open\/AGENTS.md is not used now: [^\n]+\n$/)
      assert.include(stdout, "\nknown\n")
      assert.notInclude(stdout, "secret")
      assert.strictEqual(code, 0)
    })

    it("[S-24] lists the skills that can be read, and names what cannot", () => {
      const skill = (name: string) => `---\nname: ${name}\ndescription: about ${name}\n---\n`
      const project = path.dirname(write("shop/.git/HEAD", ""))
      const root = path.join(project, ".agents/skills")
      write("shop/.agents/skills/a/SKILL.md", skill("a"))
      const unreadable = path.join(write("shop/.agents/skills/b/SKILL.md", skill("b")), "SKILL.md")
      fs.chmodSync(unreadable, 0)
      const some = run("skills", "list", "shop")
      assert.strictEqual(some.stdout, "a  about a  [project-agents]\n")
      assert.match(
        some.stderr,
        /^agent-context: SkillUnreadable: [^\n]+\/b\/SKILL\.md: it cannot be read now \(PermissionDenied \(EACCES\)\)[^\n]+\nagent-context: Some skills could not be looked at; there may be more\.\n$/
      )
      assert.strictEqual(some.code, 0)
      fs.chmodSync(root, 0)
      const none = run("skills", "list", "shop", "--json")
      fs.chmodSync(root, 0o755)
      const { complete, diagnostics, skills } = JSON.parse(none.stdout)
      assert.deepStrictEqual([skills, complete, none.stderr, none.code], [[], false, "", 0])
      assert.deepStrictEqual(
        diagnostics.map(({ path, tag }: Record<string, unknown>) => [tag, path]),
        [["SkillUnreadable", root]]
      )
    })
  })

  it("[C-8] reads skills of the plain disk with Node's own calls", () => {
    const project = path.dirname(write("fast/.git/HEAD", ""))
    for (let number = 0; number < 3; number++) {
      write(`fast/.agents/skills/s${number}/SKILL.md`, `---\nname: s${number}\ndescription: x\n---\n`)
    }
    const count = `
      import fs from "node:fs"
      import { syncBuiltinESMExports } from "node:module"
      let heads = 0
      const { fstatSync } = fs
      fs.fstatSync = (...given) => (heads++, fstatSync(...given))
      syncBuiltinESMExports()
      process.on("exit", () => console.error("heads " + heads))
    `
    const counter = path.join(write("counter/count.mjs", count), "count.mjs")
    const env = { NODE_OPTIONS: `--import=${counter}` }
    for (const args of [["skills", "list"], ["show"], ["explain"]]) {
      const { stderr, stdout } = node(main, args, { cwd: project, env })
      assert.include(stdout, "s2")
      assert.match(stderr, /heads 3\n$/, args.join(" "))
    }
  })
})
