/** The door for TypeScript without Effect: promises, signals, an end. On the file system in memory unless it says otherwise. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import {
  type AgentContext,
  AgentContextClosed,
  type AgentContextOptions,
  createAgentContext,
  PartNotConfigured
} from "../../src/promise.ts"
import type { AgentContextConfig } from "../../src/schemas/AgentContextConfig.ts"
import { MemoryFileSystem } from "../../src/testing/index.ts"

const files = {
  "/repo/.git/": null,
  "/repo/AGENTS.md": "root rules\n",
  "/repo/lib/AGENTS.md": "lib rules\n",
  "/repo/lib/a.ts": "export {}\n",
  "/repo/.dsh/skills/greet/SKILL.md": "---\nname: greet\ndescription: Say hello\n---\nWave.\n"
}

const opened: Array<AgentContext> = []
afterEach(async () => {
  for (const context of opened.splice(0)) await context.close()
})

const make = async (options: Partial<AgentContextOptions> = {}, disk = MemoryFileSystem.makeSync(files)) => {
  const context = await createAgentContext({
    cwd: "/repo",
    instructions: { maxBytes: 65_536 },
    fileSystem: disk.fileSystem,
    ...options
  })
  opened.push(context)
  return { context, ...disk }
}

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it was resolved"),
    (error: unknown) => error
  )

const typesIn = async (context: AgentContext) =>
  (await context.log()).map(({ type }) => type).filter((type) => !type.startsWith("inbox/"))

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Waits until the disk holds what hangs. */
const hanging = async (controls: MemoryFileSystem.SyncControls, handles: number) => {
  while (controls.openHandles() < handles) await tick()
}

describe("the promise door", () => {
  it("[I-20] brings the baseline with the simplest prompt, and logs the step", async () => {
    const { context } = await make()
    const { decision, messages } = await context.preStep({ text: "hi" })
    assert.strictEqual(decision, "enter")
    assert.deepStrictEqual(
      messages.map(({ source }) => source.kind),
      ["user", "agent-instructions"]
    )
    assert.include(messages[1]!.text, "root rules")
    assert.deepStrictEqual(await typesIn(context), ["turn/start", "step/start", "user/message", "user/message"])
  })

  it("[I-43] closes a step still open, and endStep and endTurn log what is open and nothing else", async () => {
    const { context } = await make()
    await context.endStep()
    await context.endTurn()
    await context.preStep({ text: "hi" })
    await context.toolResult({ name: "read", arguments: { file_path: "lib/a.ts" }, text: "export {}" })
    await context.assistantMessage("done")
    const next = await context.preStep()
    assert.include(next.messages[0]?.text, "lib rules")
    await context.endStep()
    await context.endStep()
    await context.endTurn()
    await context.endTurn()
    assert.deepStrictEqual((await typesIn(context)).slice(4), [
      "tool/call",
      "tool/result",
      "assistant/message",
      "step/end",
      "step/start",
      "user/message",
      "step/end",
      "turn/end"
    ])
    assert.deepInclude(
      (await context.surface()).find(({ type }) => type === "tool/result"),
      { text: "export {}" }
    )
  })

  it("takes messages with ids and sources, and tells turns apart", async () => {
    const { context } = await make({ instructions: false })
    const first = await context.preStep([
      { id: "a", text: "one", source: { kind: "user", timeZone: "UTC" } },
      { text: "two" }
    ])
    assert.deepStrictEqual(first.messages[0], { id: "a", text: "one", source: { kind: "user", timeZone: "UTC" } })
    const second = await context.preStep({ text: "and" })
    await context.endTurn()
    const third = await context.preStep({ text: "three" })
    const ids = [...first.messages, ...second.messages, ...third.messages].map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, 4)
    const types = await typesIn(context)
    assert.strictEqual(types.filter((type) => type === "turn/start").length, 2)
    assert.strictEqual(types.filter((type) => type === "step/start").length, 3)
  })

  it("hands over what waits, and looks without a step when there is nothing to answer", async () => {
    const { context } = await make({ instructions: false })
    await context.post({ text: "later" })
    assert.deepStrictEqual(await context.preStep(), { decision: "reject", messages: [] })
    assert.strictEqual((await context.pending()).length, 1)
    const { messages } = await context.preStep({ text: "now" })
    assert.deepStrictEqual(
      messages.map(({ text }) => text),
      ["later", "now"]
    )
  })

  it("[R-7] says why a supplier rejects a step, as an error with a tag", async () => {
    const { context } = await make({ sessionReferences: true })
    const step = await context.preStep({ text: "see @[x](dsh-session:!!)" })
    assert.strictEqual(step.decision, "reject")
    if (step.decision === "enter") return
    assert.instanceOf(step.reason, Error)
    assert.strictEqual(step.reason?._tag, "InvalidSessionReference")
  })

  it("[C-3] explains the step, and the workspace when asked", async () => {
    const { context } = await make()
    await context.preStep({ text: "hi" })
    const { step, suppliers, workspace } = await context.explain()
    assert.deepStrictEqual(step, { step: 1, turn: 1, decision: "enter" })
    assert.strictEqual(suppliers.find(({ supplier }) => supplier === "instructions")?.items[0]?.outcome, "absent")
    assert.isUndefined(workspace)
    const whole = await context.explain({ workspace: true })
    assert.strictEqual(whole.workspace?.projectRoot, "/repo")
  })

  it("[C-7] parts that are off say how to turn them on; parts that are on answer", async () => {
    const off = (await make()).context
    assert.instanceOf(await failure(off.skills.list()), PartNotConfigured)
    assert.instanceOf(await failure(off.files.list("a")), PartNotConfigured)
    assert.match(String(await failure(off.sessions.candidates(""))), /sessionReferences/)
    assert.strictEqual(await off.systemPrompt(), "")
    const { context } = await make({
      skills: true,
      fileReferences: true,
      sessionReferences: true,
      tools: ["read", "skill"]
    })
    assert.deepStrictEqual(
      (await context.skills.list()).skills.map(({ name }) => name),
      ["greet"]
    )
    assert.include((await context.skills.load("greet")).text, "Wave.")
    assert.strictEqual(((await failure(context.skills.load("none"))) as { _tag: string })._tag, "SkillUnavailable")
    await context.skills.register({ name: "own", description: "Its own", content: "Mine." })
    assert.strictEqual((await context.skills.load("own")).content, "Mine.")
    assert.deepStrictEqual((await context.files.list("lib/a.")).candidates, [{ path: "lib/a.ts", kind: "file" }])
    assert.strictEqual(((await failure(context.files.list("../x"))) as { _tag: string })._tag, "OutsideWorkspace")
    assert.deepStrictEqual((await context.sessions.candidates("")).candidates, [])
    assert.strictEqual((await context.sessions.list())[0]?.id, context.sessionId)
    assert.include(await context.systemPrompt(), "@")
    const { messages } = await context.preStep({ text: "hi" })
    assert.include(
      messages.map(({ source }) => source.kind),
      "skill-catalog"
    )
  })

  it("[S-44] no catalog without the skill tool", async () => {
    const { context } = await make({ skills: true, tools: ["read"] })
    const { messages } = await context.preStep({ text: "hi" })
    assert.notInclude(
      messages.map(({ source }) => source.kind),
      "skill-catalog"
    )
  })

  it("[I-60] instructions have to be given; configuration errors name key, value and what is allowed", async () => {
    const missing = await failure(createAgentContext({ cwd: "/repo" } as unknown as AgentContextOptions))
    assert.match(String(missing), /agentContext\.instructions: is missing, must be false, or an object/)
    const wrong = { cwd: "/repo", instructions: { maxBytes: 1 }, skills: { catalogMaxBytes: -1 } }
    assert.match(
      String(await failure(createAgentContext(wrong))),
      /skills\.catalogMaxBytes: was -1, must be a positive/
    )
    const unknown = { cwd: "/repo", instructions: false, skill: true } as const
    assert.match(String(await failure(createAgentContext(unknown))), /agentContext\.skill: was true, must be left out/)
  })

  it("options are the configuration of Node, in plain types", () => {
    const options = (value: Omit<AgentContextOptions, "fileSystem" | "tools">): AgentContextConfig => value
    assert.isFunction(options)
  })
})

describe("[I-13] signals of the promise door", () => {
  const why = new Error("stop")

  it("already aborted: nothing is begun, and the rejection is the reason", async () => {
    const disk = MemoryFileSystem.makeSync(files)
    const signal = AbortSignal.abort(why)
    const base = { cwd: "/repo", instructions: { maxBytes: 1000 }, fileSystem: disk.fileSystem }
    assert.strictEqual(await failure(createAgentContext(base, { signal })), why)
    const { context } = await make({ skills: true, fileReferences: true, sessionReferences: true }, disk)
    const before = await context.log()
    const requests = disk.controls.requests()
    const calls: ReadonlyArray<Promise<unknown>> = [
      context.preStep({ text: "hi" }, { signal }),
      context.toolResult({ name: "read", arguments: {} }, { signal }),
      context.assistantMessage("x", { signal }),
      context.endStep({ signal }),
      context.endTurn({ signal }),
      context.post({ text: "x" }, { signal }),
      context.compact({ signal }),
      context.explain({ signal }),
      context.skills.list({ signal }),
      context.skills.load("greet", { signal }),
      context.files.list("a", { signal }),
      context.sessions.candidates("", { signal }),
      context.settled({ signal })
    ]
    for (const call of calls) assert.strictEqual(await failure(call), why)
    assert.deepStrictEqual(await context.log(), before)
    assert.strictEqual(disk.controls.requests(), requests)
  })

  it.each(["stat", "read"] as const)("aborted while %s hangs: nothing open, all usable", async (op) => {
    const { context, controls } = await make()
    for (const path of ["/repo/AGENTS.md", "/repo", "/repo/.git"]) controls.fault(path, op, "hang")
    const controller = new AbortController()
    const call = failure(context.preStep({ text: "hi" }, { signal: controller.signal }))
    if (op === "read") await hanging(controls, 1)
    else for (let n = 0; n < 20; n++) await tick()
    controller.abort(why)
    assert.strictEqual(await call, why)
    assert.strictEqual(controls.openHandles(), 0)
    assert.deepStrictEqual(await typesIn(context), ["turn/start"])
    controls.heal()
    const { messages } = await context.preStep({ text: "again" })
    assert.deepStrictEqual(
      messages.map(({ source }) => source.kind),
      ["user", "agent-instructions"]
    )
  })

  it("a call that waits for another can be aborted alone; calls at the same time queue up", async () => {
    const { context, controls } = await make()
    controls.fault("/repo/AGENTS.md", "read", "hang")
    const first = new AbortController()
    const waiting = new AbortController()
    const calls = [
      failure(context.preStep({ text: "one" }, { signal: first.signal })),
      failure(context.preStep({ text: "two" }, { signal: waiting.signal })),
      context.preStep({ text: "three" })
    ] as const
    await hanging(controls, 1)
    waiting.abort(why)
    assert.strictEqual(await calls[1], why)
    controls.heal()
    first.abort("enough")
    assert.strictEqual(await calls[0], "enough")
    const { messages } = await calls[2]
    assert.strictEqual(messages[0]?.text, "three")
  })

  it("many at once are logged one after another, each step whole", async () => {
    const { context } = await make()
    await Promise.all(["a", "b", "c", "d"].map((text) => context.preStep({ text })))
    const boundaries = (await typesIn(context)).filter((type) => type.startsWith("step/"))
    assert.deepStrictEqual(boundaries, [
      "step/start",
      "step/end",
      "step/start",
      "step/end",
      "step/start",
      "step/end",
      "step/start"
    ])
  })

  it("aborting a tool's signal ends the look behind it", async () => {
    const { context, controls } = await make()
    await context.preStep({ text: "hi" })
    await context.endStep()
    controls.fault("/repo/lib/AGENTS.md", "read", "hang")
    const controller = new AbortController()
    await context.toolResult({ name: "read", arguments: { file_path: "lib/a.ts" } }, { signal: controller.signal })
    await hanging(controls, 1)
    controller.abort(why)
    await context.settled()
    assert.strictEqual(controls.openHandles(), 0)
    controls.heal()
    assert.include((await context.preStep()).messages[0]?.text, "lib rules")
  })
})

describe("closing an agent context", () => {
  it("ends calls under way, again is fine, and later calls are told", async () => {
    const { context, controls } = await make()
    controls.fault("/repo/AGENTS.md", "read", "hang")
    const call = failure(context.preStep({ text: "hi" }))
    await hanging(controls, 1)
    const closing = context.close()
    assert.strictEqual(context.close(), closing)
    await closing
    assert.instanceOf(await call, AgentContextClosed)
    assert.strictEqual(controls.openHandles(), 0)
    for (const later of [context.preStep({ text: "x" }), context.explain(), context.endTurn(), context.skills.list()])
      assert.instanceOf(await failure(later), AgentContextClosed)
  })

  it("[S-25] closes watchers, and await using is enough", async () => {
    const disk = MemoryFileSystem.makeSync(files)
    {
      await using context = (await make({ skills: { watch: true } }, disk)).context
      await context.preStep({ text: "hi" })
      assert.isAbove(disk.controls.openHandles(), 0)
      disk.controls.write("/repo/.dsh/skills/new/SKILL.md", "---\nname: new\ndescription: New\n---\n")
      await tick()
      const names = (await context.skills.list()).skills.map(({ name }) => name)
      assert.deepStrictEqual(names, ["greet", "new"])
    }
    assert.strictEqual(disk.controls.openHandles(), 0)
  })

  it("lets go of a session on disk, which is then resumed", async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "promise-"))
    const options: AgentContextOptions = {
      cwd: directory,
      instructions: { maxBytes: 65_536, home: path.join(directory, "home") },
      store: { directory: path.join(directory, "sessions") },
      session: { id: "one" }
    }
    fs.mkdirSync(path.join(directory, ".git"))
    fs.writeFileSync(path.join(directory, "AGENTS.md"), "rules\n")
    const first = await createAgentContext(options)
    const { messages } = await first.preStep({ text: "hi" })
    assert.strictEqual(messages.length, 2)
    assert.strictEqual(((await failure(createAgentContext(options))) as { _tag: string })._tag, "SessionConflict")
    await first.close()
    const second = await createAgentContext({ ...options, session: "latest" })
    assert.strictEqual(second.sessionId, "one")
    assert.deepStrictEqual((await second.preStep({ text: "again" })).messages.length, 1)
    await second.close()
    const elsewhere = await failure(createAgentContext({ ...options, cwd: os.tmpdir() }))
    assert.match(String(elsewhere), /agentContext\.cwd: was .* where session "one" lives/)
    fs.rmSync(directory, { recursive: true })
  })

  it("[I-42] gives no two calls of a session the same token, whichever instance they are made in", async () => {
    const disk = MemoryFileSystem.makeSync(files)
    const tokens: Array<string> = []
    for (let instance = 0; instance < 2; instance++) {
      const { context } = await make({ store: { directory: "/sessions" }, session: { id: "one" } }, disk)
      await context.preStep({ text: "go" })
      const call = () => context.toolResult({ name: "read", arguments: {} })
      tokens.push(...(await Promise.all([call(), call()])), await call())
      await context.close()
    }
    assert.strictEqual(new Set(tokens).size, 6)
  })

  it("[I-43] ends a turn behind the step that is being prepared in it, not before", async () => {
    const { context } = await make()
    await Promise.all([context.preStep({ text: "a" }), context.endTurn()])
    await context.preStep({ text: "b" })
    await Promise.all([context.endStep(), context.endTurn()])
    const turn = ["turn/start", "step/start", "user/message"]
    assert.deepStrictEqual(await typesIn(context), [
      ...turn,
      "user/message",
      "step/end",
      "turn/end",
      ...turn,
      "step/end",
      "turn/end"
    ])
  })

  it("says what an option must be, and what a method takes, to callers without types", async () => {
    const base = { cwd: "/repo", instructions: false }
    for (const [options, key] of [
      [undefined, "agentContext"],
      [null, "agentContext"],
      [{ ...base, tools: "read" }, "agentContext.tools"],
      [{ ...base, tools: null }, "agentContext.tools"],
      [{ ...base, fileSystem: {} }, "agentContext.fileSystem"],
      [{ ...base, fileSystem: null }, "agentContext.fileSystem"],
      [
        { ...base, filesystem: {} },
        "agentContext.filesystem: was {}, must be left out: the keys are cwd, session, store"
      ],
      [
        { ...base, cwd: "/repo/none", fileSystem: MemoryFileSystem.makeSync({ "/repo/x": "" }).fileSystem },
        "agentContext.cwd"
      ]
    ] as const) {
      const error = (await failure(createAgentContext(options as never))) as { _tag: string; message: string }
      assert.strictEqual(error._tag, "InvalidConfiguration")
      assert.isTrue(error.message.startsWith(key), error.message)
      if (key.includes("filesystem")) assert.match(error.message, /tools, fileSystem \(perhaps fileSystem was meant\)$/)
    }
    const { context } = await make()
    const call = context as unknown as Record<string, (...args: ReadonlyArray<unknown>) => Promise<unknown>>
    for (const [method, ...args] of [
      ["toolResult", undefined],
      ["preStep", null],
      ["preStep", [null]],
      ["preStep", { text: "a" }, null],
      ["preStep", { text: "a" }, { decision: "maybe" }],
      ["post"],
      ["compact", { keep: -1 }],
      ["compact", { keep: NaN }],
      ["compact", { keep: 1.5 }]
    ] as const) {
      const error = (await failure(call[method]!(...args))) as { _tag: string; message: string }
      assert.strictEqual(error._tag, "InvalidArgument")
      assert.isTrue(error.message.startsWith(`${method}: `), error.message)
    }
    for (const signal of [{}, "now", 1, { aborted: true }]) {
      const wrong = [
        call["preStep"]!({ text: "a" }, { signal }),
        createAgentContext(base as never, { signal } as never)
      ]
      for (const promise of wrong) {
        const error = (await failure(promise)) as { _tag: string; message: string }
        assert.deepStrictEqual(
          [error._tag, error.message],
          ["InvalidArgument", "signal: it must be an AbortSignal, or left out"]
        )
      }
    }
    assert.deepStrictEqual(await typesIn(context), [])
  })

  it("begins nothing with a message that cannot be logged", async () => {
    const { context } = await make()
    for (const message of [{ text: 5 }, { text: "a", id: "" }, { text: "a", source: {} }, "a"]) {
      const error = await failure(context.preStep(message as never))
      assert.strictEqual((error as { _tag: string })._tag, "InvalidSessionEvent")
    }
    assert.deepStrictEqual(await typesIn(context), [])
  })

  it("ends the turn that an earlier instance has left open, when a prompt begins another", async () => {
    const disk = MemoryFileSystem.makeSync(files)
    const options = { store: { directory: "/sessions" }, session: { id: "one" }, instructions: false } as const
    const first = await make(options, disk)
    await first.context.preStep({ text: "a" })
    await first.context.close()
    const { context } = await make(options, disk)
    await context.preStep({ text: "b" })
    assert.deepStrictEqual(await typesIn(context), [
      "turn/start",
      "step/start",
      "user/message",
      "step/end",
      "turn/end",
      "turn/start",
      "step/start",
      "user/message"
    ])
  })

  it("leaves nothing open when it cannot be made", async () => {
    const disk = MemoryFileSystem.makeSync(files)
    const base = { cwd: "/repo", fileSystem: disk.fileSystem, store: { directory: "/sessions" }, session: { id: "x" } }
    await failure(createAgentContext({ ...base, instructions: false, time: { timeZone: "Nowhere" } }))
    assert.strictEqual(disk.controls.openHandles(), 0)
    const again = await createAgentContext({ ...base, instructions: false })
    await again.close()
  })

  it("[C-6] two in one process see nothing of each other", async () => {
    const disk = MemoryFileSystem.makeSync({ ...files, "/other/.git/": null, "/other/AGENTS.md": "other rules\n" })
    const one = (await make({ skills: true }, disk)).context
    const two = (await make({ skills: true, cwd: "/other" }, disk)).context
    await one.skills.register({ name: "own", description: "Its own", content: "Mine." })
    await one.post({ text: "for one" })
    const first = await one.preStep({ text: "hi" })
    const second = await two.preStep({ text: "hi" })
    assert.include(first.messages.map(({ text }) => text).join(), "for one")
    assert.notInclude(second.messages.map(({ text }) => text).join(), "for one")
    assert.notInclude(second.messages.map(({ text }) => text).join(), "root rules")
    assert.include(second.messages.map(({ text }) => text).join(), "other rules")
    assert.strictEqual(((await failure(two.skills.load("own"))) as { _tag: string })._tag, "SkillUnavailable")
    await one.close()
    assert.strictEqual((await two.preStep({ text: "still here" })).decision, "enter")
  })
})
