import { afterAll, assert, describe, it } from "@effect/vitest"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { importProblem } from "../scripts/lint/directions.ts"

const root = path.join(import.meta.dirname, "..")
const dependencies = new Set(["effect", "@effect/platform-node", "yaml"])

/** One way through the house, and the same way back. */
const allowed: ReadonlyArray<readonly [from: string, specifier: string]> = [
  ["schemas/SessionEvent.ts", "./Message.ts"],
  ["pipeline/instructions/render.ts", "../../schemas/Message.ts"],
  ["pipeline/instructions/render.ts", "../frame.ts"],
  ["services/Session.ts", "../schemas/SessionEvent.ts"],
  ["layers/instructions/supplier.ts", "../../pipeline/instructions/chain.ts"],
  ["layers/instructions/supplier.ts", "../../services/ContextSupply.ts"],
  ["layers/instructions/supplier.ts", "./discovery.ts"],
  ["layers/instructions/supplier.ts", "../filesystem/probe.ts"],
  ["layers/ambient/time.ts", "../supply/projection.ts"],
  ["layers/ambient/time.ts", "../supply/projection/worker.ts"],
  ["layers/ambient/time.ts", "../interruption.ts"],
  ["layers/filesystem/probe.ts", "effect/FileSystem"],
  ["node.ts", "./layers/session/jsonl.ts"],
  ["node.ts", "@effect/platform-node/NodeFileSystem"],
  ["node/open.ts", "../node.ts"],
  ["ai.ts", "effect/ai/Tool"],
  ["testing/index.ts", "../layers/session/memory.ts"],
  ["testing/scenarioCli.ts", "@effect/platform-node/NodeRuntime"],
  ["promise.ts", "./node.ts"],
  ["cli/main.ts", "../testing/index.ts"],
  ["cli/main.ts", "effect/cli/Command"],
  ["Session.ts", "./services/Session.ts"],
  ["Session.ts", "./layers/session/memory.ts"],
  ["index.ts", "./Session.ts"]
]

const forbidden: ReadonlyArray<readonly [from: string, specifier: string]> = [
  ["schemas/Message.ts", "../pipeline/utf8.ts"],
  ["schemas/Message.ts", "../services/Session.ts"],
  ["schemas/Message.ts", "../layers/session/memory.ts"],
  ["pipeline/frame.ts", "../services/Session.ts"],
  ["pipeline/frame.ts", "../layers/supply/projection.ts"],
  ["pipeline/instructions/chain.ts", "../../services/Session.ts"],
  ["services/Session.ts", "../pipeline/utf8.ts"],
  ["services/Session.ts", "../layers/session/memory.ts"],
  ["layers/ambient/time.ts", "../instructions/discovery.ts"],
  ["layers/ambient/time.ts", "../supply/contextSupply.ts"],
  ["layers/ambient/time.ts", "../filesystem/confined.ts"],
  ["layers/interruption.ts", "./supply/contextSupply.ts"],
  ["layers/session/jsonl.ts", "../../node.ts"],
  ["layers/session/memory.ts", "../../testing/index.ts"],
  ["layers/skills/tool.ts", "../../ai.ts"],
  ["node.ts", "./ai.ts"],
  ["node.ts", "./promise.ts"],
  ["ai.ts", "./node.ts"],
  ["testing/index.ts", "../node.ts"],
  ["testing/index.ts", "../cli/main.ts"],
  ["promise.ts", "./cli/main.ts"],
  ["cli/main.ts", "../promise.ts"],
  ["cli/main.ts", "../Session.ts"],
  ["layers/session/memory.ts", "../../Session.ts"],
  ["layers/session/memory.ts", "../../index.ts"],
  ["layers/session/memory.ts", "effect-agent-context/Session"],
  ["Session.ts", "./Inbox.ts"],
  ["Session.ts", "./node.ts"],
  ["index.ts", "./node.ts"],
  ["index.ts", "./services/Session.ts"],
  ["helpers/text.ts", "../schemas/Message.ts"],
  ["schemas/Message.ts", "../helpers/text.ts"],
  ["schemas/Message.ts", "../../test/house.test.ts"],
  ["schemas/Message.ts", "./SessionEvent.js"],
  ["schemas/Message.ts", "effect"],
  ["schemas/Message.ts", "effect/FileSystem"],
  ["services/Session.ts", "effect/FileSystem"],
  ["node.ts", "@effect/platform-node"],
  ["testing/index.ts", "@effect/platform-node/NodeFileSystem"],
  ["layers/filesystem/probe.ts", "@effect/platform-node/NodeFileSystem"],
  ["layers/filesystem/probe.ts", "node:fs"],
  ["layers/ambient/tmux.ts", "node:child_process"],
  ["layers/skills/tool.ts", "effect/ai/Tool"],
  ["node.ts", "effect/cli/Command"],
  ["testing/index.ts", "@effect/vitest"]
]

describe("[house] import directions", () => {
  it.each(allowed)("src/%s may import %s", (from, specifier) => {
    assert.isUndefined(importProblem(from, specifier, dependencies))
  })
  it.each(forbidden)("src/%s may not import %s", (from, specifier) => {
    assert.isString(importProblem(from, specifier, dependencies))
  })
})

describe("[house] the linter", () => {
  const planted = fs.mkdtempSync(path.join(os.tmpdir(), "house-"))
  afterAll(() => fs.rmSync(planted, { recursive: true }))

  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(planted, file)), { recursive: true })
    fs.writeFileSync(path.join(planted, file), text)
  }

  it("reports what the house does not allow, and nothing else", () => {
    const config = JSON.parse(fs.readFileSync(path.join(root, ".oxlintrc.json"), "utf8"))
    write(".oxlintrc.json", JSON.stringify({ ...config, jsPlugins: [path.join(root, "scripts/lint/plugin.ts")] }))
    write("src/schemas/Message.ts", "export interface Message {}\n")
    write("src/Message.ts", 'export type { Message } from "./schemas/Message.ts"\n')
    write("src/pipeline/static.ts", 'export { Session } from "../services/Session.ts"\n')
    write("src/pipeline/types.ts", 'export type Session = import("../services/Session.ts").Session\n')
    write("src/pipeline/lazy.ts", 'export const session = () => import("../services/Session.ts")\n')
    write("src/Session.ts", "export const session = 1\n")
    write("src/layers/long.ts", "export {}\n".padEnd(310, "\n"))
    write("src/layers/async.ts", "export const late = async () => 1\n")
    write(
      "src/layers/try.ts",
      "export const g = function* () {\n  try {\n    yield 1\n  } finally {\n    g()\n  }\n}\n"
    )
    write("src/pipeline/try.ts", "export const f = () => {\n  try {\n    f()\n  } catch {}\n}\n")
    write("src/promise.ts", "export const late = async () => 1\n")
    write("src/schemas/Clock.ts", "export const now = Date.now() + Math.random()\n")
    write("src/schemas/A.ts", 'import { b } from "./B.ts"\nexport const a = () => b\n')
    write("src/schemas/B.ts", 'import { a } from "./A.ts"\nexport const b = () => a\n')
    write("test/barrel.test.ts", 'export { Effect } from "effect"\n')

    const oxlint = path.join(root, "node_modules/oxlint/bin/oxlint")
    const { stdout, stderr } = childProcess.spawnSync(process.execPath, [oxlint, "--format", "json"], {
      cwd: planted,
      encoding: "utf8"
    })
    assert.strictEqual(stderr, "")
    const found: { readonly diagnostics: ReadonlyArray<{ readonly filename: string; readonly code: string }> } =
      JSON.parse(stdout)
    assert.deepStrictEqual(found.diagnostics.map(({ filename, code }) => `${filename}: ${code}`).sort(), [
      "src/Session.ts: house(faces)",
      "src/layers/async.ts: house(effects)",
      "src/layers/long.ts: eslint(max-lines)",
      "src/layers/try.ts: house(effects)",
      "src/pipeline/lazy.ts: house(imports)",
      "src/pipeline/static.ts: house(imports)",
      "src/pipeline/types.ts: house(imports)",
      "src/schemas/A.ts: import(no-cycle)",
      "src/schemas/B.ts: import(no-cycle)",
      "src/schemas/Clock.ts: eslint(no-restricted-properties)",
      "src/schemas/Clock.ts: eslint(no-restricted-properties)",
      "test/barrel.test.ts: eslint(no-restricted-imports)"
    ])
  })
})

describe("[house] the package", () => {
  /** Subpaths are resolved by Node itself, in a module of this package; nothing has to be built for that. */
  const resolve = (subpath: string) => {
    const program = `console.log(import.meta.resolve("effect-agent-context/${subpath}"))`
    const options = { cwd: root, encoding: "utf8" } as const
    const { stdout, stderr } = childProcess.spawnSync(process.execPath, ["--input-type=module", "-e", program], options)
    return stdout + stderr
  }
  const directories = fs
    .readdirSync(path.join(root, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)

  it("opens its faces", () => {
    assert.include(resolve("Session"), "/dist/Session.js")
    assert.include(resolve("node"), "/dist/node.js")
    assert.include(resolve("testing"), "/dist/testing/index.js")
  })
  it.each(directories)("keeps the inside of %s closed", (directory) => {
    assert.include(resolve(`${directory}/anything`), "ERR_PACKAGE_PATH_NOT_EXPORTED")
  })
})
