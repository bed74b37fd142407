/** The tools, over a real directory. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { AgentLoop, AgentTools } from "../../src/ai.ts"
import * as AgentContextNode from "../../src/node.ts"
import { ContextSupply, type ToolExecution } from "../../src/services/ContextSupply.ts"
import { Session } from "../../src/services/Session.ts"

const workspace = Effect.acquireRelease(
  Effect.sync(() => {
    const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "ai-tools-")))
    const cwd = path.join(home, "repo")
    fs.mkdirSync(path.join(cwd, ".git"), { recursive: true })
    fs.mkdirSync(path.join(cwd, ".dsh/skills/greet"), { recursive: true })
    fs.mkdirSync(path.join(cwd, "sub"))
    fs.writeFileSync(path.join(cwd, "AGENTS.md"), "root rules\n")
    fs.writeFileSync(path.join(cwd, "sub/AGENTS.md"), "nested rules\n")
    fs.writeFileSync(path.join(cwd, "a.txt"), "one\r\ntwo $& two\n")
    fs.writeFileSync(
      path.join(cwd, ".dsh/skills/greet/SKILL.md"),
      "---\nname: greet\ndescription: Greets\n---\nSay hi.\n"
    )
    fs.writeFileSync(path.join(home, "secret"), "secret\n")
    return cwd
  }),
  (cwd) => Effect.sync(() => fs.rmSync(path.dirname(cwd), { recursive: true }))
)

/** A model that makes each list of calls in turn, and then says that it is done. */
const scripted = (steps: ReadonlyArray<ReadonlyArray<readonly [string, unknown]>>) => {
  let step = 0
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () =>
        Effect.sync((): Array<Response.PartEncoded> => {
          const calls = steps[step++]
          if (calls === undefined) return [{ type: "text", text: "done" }]
          return calls.map(([name, params], index) => ({ type: "tool-call", id: `${index}`, name, params }))
        }),
      streamText: () => Stream.empty
    })
  )
}

/** Runs the calls one after the other in the loop: what the model was shown, the log, and what was reported. */
const use = Effect.fnUntraced(function* (cwd: string, ...calls: ReadonlyArray<readonly [string, unknown]>) {
  const config = {
    cwd,
    instructions: { maxBytes: 65_536, home: path.join(cwd, "../home") },
    skills: { home: path.join(cwd, "../home"), agentsHome: path.join(cwd, "../agents") }
  } as const
  return yield* Effect.gen(function* () {
    const executions: Array<ToolExecution> = []
    yield* (yield* ContextSupply).onToolResult((execution) => executions.push(execution))
    const toolkit = yield* AgentTools.all
    yield* AgentLoop.run({ prompt: "go", toolkit })
    const log = yield* (yield* Session).log
    const shown = log.flatMap((event) =>
      event.type === "tool/result" ? [`${String({ ...event }.outcome)}: ${String({ ...event }.text)}`] : []
    )
    return { shown, log, executions }
  }).pipe(
    Effect.scoped,
    Effect.provide(AgentTools.layer),
    Effect.provide(scripted(calls.map((call) => [call]))),
    Effect.provide(AgentContextNode.layer(config)),
    Effect.provide(NodeFileSystem.layer)
  )
})

describe("AgentTools", () => {
  it.live("[I-40] [S-43] read, write, edit, list and skill work, and what they touch brings its rules", () =>
    Effect.gen(function* () {
      const cwd = yield* workspace
      const { executions, log, shown } = yield* use(
        cwd,
        ["read", { file_path: "a.txt" }],
        ["edit", { file_path: "a.txt", oldText: "$& two", newText: "$1 three" }],
        ["write", { file_path: "sub/deep/new.txt", content: "new 🌊" }],
        ["list", {}],
        ["skill", { name: "greet" }],
        ["skill", { name: "nobody" }]
      )
      assert.deepStrictEqual(shown.slice(0, 4), [
        "ok: one\r\ntwo $& two\n",
        "ok: Replaced 1 place in a.txt.",
        "ok: Wrote 8 bytes to sub/deep/new.txt.",
        "ok: .dsh/\n.git/\nAGENTS.md\na.txt\nsub/"
      ])
      assert.match(shown[4]!, /^ok: [^]*Say hi\./)
      assert.match(shown[5]!, /^error: [^]*nobody/)
      assert.strictEqual(fs.readFileSync(path.join(cwd, "a.txt"), "utf8"), "one\r\ntwo $1 three\n")
      const told = log.flatMap((event) => (event.type === "user/message" ? [JSON.stringify(event)] : []))
      assert.strictEqual(told.filter((message) => message.includes("root rules")).length, 1)
      assert.strictEqual(told.filter((message) => message.includes("nested rules")).length, 1)
      assert.deepStrictEqual(
        executions.map(({ name, outcome, token }) => `${name} ${outcome} ${token}`),
        ["read", "edit", "write", "list", "skill", "skill"].map(
          (name, index) => `${name} ${index === 5 ? "error" : "ok"} call-1-${index + 1}-1`
        )
      )
    })
  )

  it.live("say what is wrong in words, not in errors of the platform, and repeat no endless path", () =>
    Effect.gen(function* () {
      const cwd = yield* workspace
      fs.symlinkSync("loop", path.join(cwd, "loop"))
      const long = "d/".repeat(3000)
      const { shown } = yield* use(
        cwd,
        ["read", { file_path: "AGENTS.md", offset: 99 }],
        ["list", { path: "a.txt" }],
        ["read", { file_path: "a.txt/x" }],
        ["read", { file_path: "loop" }],
        ["read", { file_path: `${long}x` }],
        ["read", { file_path: `${"e".repeat(250)}/${"e".repeat(250)}/x` }],
        ["write", { file_path: "new/", content: "x" }]
      )
      assert.deepStrictEqual(shown.slice(0, 4), [
        "ok: [There are only 2 lines.]",
        `error: "a.txt" is not a directory, or leads through a file. List its directory to see.`,
        `error: "a.txt/x" is not a directory, or leads through a file. List its directory to see.`,
        `error: "loop" leads through links that lead to each other.`
      ])
      for (const answer of shown.slice(4, 6)) {
        assert.match(answer, /^error: /)
        assert.isBelow(answer.length, 400)
      }
      assert.strictEqual(shown[6], `error: "new/" names a directory. Give the file's name, too.`)
      assert.isFalse(fs.existsSync(path.join(cwd, "new")))
    })
  )

  it.live("[C-8] nothing outside of the session's directory is read or written, by name or by link", () =>
    Effect.gen(function* () {
      const cwd = yield* workspace
      fs.symlinkSync("..", path.join(cwd, "up"))
      fs.symlinkSync("../secret", path.join(cwd, "link"))
      fs.symlinkSync("../unborn", path.join(cwd, "dangling"))
      const { shown } = yield* use(
        cwd,
        ["read", { file_path: "../secret" }],
        ["read", { file_path: path.join(cwd, "../secret") }],
        ["read", { file_path: "link" }],
        ["read", { file_path: "up/secret" }],
        ["list", { path: "up" }],
        ["write", { file_path: "link", content: "x" }],
        ["write", { file_path: "up/new/file", content: "x" }],
        ["write", { file_path: "dangling", content: "x" }],
        ["edit", { file_path: "link", oldText: "secret", newText: "x" }]
      )
      for (const text of shown) assert.match(text, /^error: .*(lies outside of|leads through a link)/)
      assert.lengthOf(shown, 9)
      assert.deepStrictEqual(fs.readdirSync(path.dirname(cwd)).sort(), ["repo", "secret"])
      assert.strictEqual(fs.readFileSync(path.join(cwd, "../secret"), "utf8"), "secret\n")
    })
  )

  it.live(
    "bounds: long files and directories are cut with a note, what is no text is refused",
    () =>
      Effect.gen(function* () {
        const cwd = yield* workspace
        const write = (name: string, content: string | Uint8Array) => fs.writeFileSync(path.join(cwd, name), content)
        write("lines", Array.from({ length: 5_000 }, (_, index) => `l${index + 1}`).join("\n"))
        write("wide", "é".repeat(AgentTools.maxReadBytes))
        write("large", new Uint8Array(AgentTools.maxFileBytes + 1))
        write("binary", new Uint8Array([1, 0, 2]))
        write("latin", new Uint8Array([0x61, 0xe9, 0x62]))
        write("marked", "\uFEFFabc")
        childProcess.execFileSync("mkfifo", [path.join(cwd, "pipe")])
        fs.mkdirSync(path.join(cwd, "many"))
        for (let index = 0; index < AgentTools.maxEntries + 5; index++) write(`many/${index}`, "")
        const { shown } = yield* use(
          cwd,
          ["read", { file_path: "lines" }],
          ["read", { file_path: "lines", offset: 4_999, limit: 9 }],
          ["read", { file_path: "wide" }],
          ["read", { file_path: "large" }],
          ["read", { file_path: "binary" }],
          ["read", { file_path: "pipe" }],
          ["read", { file_path: "sub" }],
          ["read", { file_path: "nowhere" }],
          ["edit", { file_path: "latin", oldText: "a", newText: "x" }],
          ["edit", { file_path: "marked", oldText: "b", newText: "x" }],
          ["edit", { file_path: "a.txt", oldText: "two", newText: "x" }],
          ["edit", { file_path: "a.txt", oldText: "absent", newText: "x" }],
          ["list", { path: "many" }],
          ["write", { file_path: "pipe", content: "x" }]
        )
        const ends = [
          "l2000\n[Lines 1 to 2000 of 5000. Go on with offset 2001.]",
          "ok: l4999\nl5000\n[Lines 4999 to 5000 of 5000.]",
          `é\n[Line 1 of 1 is cut after ${AgentTools.maxReadBytes} bytes.]`,
          `error: "large" is larger than ${AgentTools.maxFileBytes} bytes.`,
          'error: "binary" is no text in UTF-8.',
          'error: "pipe" is not a plain file.',
          'error: "sub" is a directory. List it instead.',
          'error: "nowhere" does not exist. List its directory to see what does.',
          'error: "latin" is no text in UTF-8.',
          "ok: Replaced 1 place in marked.",
          "2 times. Give more of what surrounds it, or set all to true.",
          'error: oldText is not in "a.txt". Read the file again.',
          "[5 more entries are not shown.]",
          'error: "pipe" is not a plain file.'
        ]
        for (const [index, end] of ends.entries()) assert.isTrue(shown[index]!.endsWith(end), shown[index]!.slice(-200))
        assert.strictEqual(fs.readFileSync(path.join(cwd, "marked"), "utf8"), "\uFEFFaxc")
      }),
    20_000
  )
})
