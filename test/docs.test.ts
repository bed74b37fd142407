/** The documentation keeps its word: its examples compile, run, and print what they say; it leaves no module out. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { options } from "../src/cli/options.ts"
import { againstTheSources, examples, examplesIn, faces, root } from "./support/examples.ts"

const readme = fs.readFileSync(path.join(root, "README.md"), "utf8")

// Node runs TypeScript only outside of node_modules; this directory is ignored by every tool.
fs.mkdirSync(path.join(root, "reports"), { recursive: true })
const workshop = fs.mkdtempSync(path.join(root, "reports/examples-"))
const workspace = fs.mkdtempSync(path.join(os.tmpdir(), "workspace-"))
afterAll(() => {
  fs.rmSync(workshop, { recursive: true })
  fs.rmSync(workspace, { recursive: true })
})
fs.mkdirSync(path.join(workspace, ".git"))
fs.writeFileSync(path.join(workspace, "AGENTS.md"), "# Sample\n\nUse tabs.\n")

const all = examples().map((example) => {
  const file = path.join(workshop, `${example.at.replaceAll(/[/:]/g, ".")}.ts`)
  fs.writeFileSync(file, againstTheSources(example.code, workshop))
  return { ...example, file }
})

const run = (args: ReadonlyArray<string>, cwd: string) =>
  Effect.callback<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resume) => {
    const { DSH_HOME: _, ...env } = process.env
    const child = childProcess.spawn(process.execPath, args, { cwd, env: { ...env, HOME: workspace } })
    const written = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk) => (written.stdout += String(chunk)))
    child.stderr.on("data", (chunk) => (written.stderr += String(chunk)))
    child.once("close", (code) => resume(Effect.succeed({ code, ...written })))
    return Effect.sync(() => child.kill())
  })

/** Node prints other quotes and other line breaks than the documentation. */
const loosely = (text: string): string => text.replaceAll(/["'`\s]/g, "")

describe.concurrent("[docs] examples", () => {
  it.live("compile, as strictly as the sources", () =>
    Effect.gen(function* () {
      const project = path.join(workshop, "tsconfig.json")
      // What an example names is there to be used by its reader.
      const compilerOptions = { noUnusedLocals: false }
      fs.writeFileSync(project, JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"] }))
      const tsc = path.join(root, "node_modules/typescript/bin/tsc")
      const { code, stdout } = yield* run([tsc, "--noEmit", "--pretty", "false", "-p", project], root)
      assert.strictEqual(stdout, "")
      assert.strictEqual(code, 0)
    })
  )

  it.live.each(all)("$at runs and prints what it says", ({ file, prints }) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run([file], workspace)
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0)
      if (prints.length > 0) assert.strictEqual(loosely(stdout), loosely(prints.join("")))
    })
  )
})

describe("[docs] README", () => {
  it("names the two commands of a fresh machine", () => {
    const { scripts } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
    assert.include(readme, "\nnpm ci && npm start\n")
    assert.include(readme, "\nnpm cit\n")
    assert.containsAllKeys(scripts, ["start", "test", "agent-context"])
  })

  it.each([...faces.values()])("says what %s is for", (specifier) => {
    assert.match(readme, new RegExp(`^\\| \`${specifier}\` \\| \\S`, "m"))
  })

  it("promises no module that does not exist", () => {
    const named = [...readme.matchAll(/`(effect-agent-context(?:\/\w+)?)`/g)].map(([, specifier]) => specifier)
    assert.sameMembers([...new Set(named)], [...faces.values()])
  })

  it.each(Object.keys(options).filter((key) => key !== "directory"))("explains the flag for %s", (key) => {
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    assert.match(readme, new RegExp(`^\\| \`--${flag}`, "m"))
  })
})

describe("[docs] the search for examples", () => {
  const block = "```ts\nconsole.log(1) // => 1\n```\n"

  it("finds blocks of Markdown, and no other languages", () => {
    assert.deepStrictEqual(examplesIn("a.md", `# A\n\n${block}\n\`\`\`sh\nls\n\`\`\`\n\n\`\`\`text\nx\n\`\`\`\n`), [
      { at: "a.md:3", code: "console.log(1) // => 1\n", prints: ["1"] }
    ])
  })

  it("finds blocks of comments, at their lines", () => {
    const comment = `/**\n * Says.\n *\n${block.trimEnd().replaceAll(/^/gm, " * ")}\n */\n`
    const source = `import * as X from "x"\n\n${comment}export const x = \`\n${block}\`\n`
    assert.deepStrictEqual(examplesIn("a.ts", source), [
      { at: "a.ts:6", code: "console.log(1) // => 1\n", prints: ["1"] }
    ])
  })

  it("leads the package's own name to the sources", () => {
    const code =
      'import * as A from "effect-agent-context/Diagnostic"\nimport * as B from "effect-agent-context/Nothing"\n'
    assert.strictEqual(
      againstTheSources(code, path.join(root, "reports/x")),
      'import * as A from "../../src/Diagnostic.ts"\nimport * as B from "effect-agent-context/Nothing"\n'
    )
    assert.strictEqual(againstTheSources('import "effect-agent-context"', root), 'import "./src/index.ts"')
  })
})
