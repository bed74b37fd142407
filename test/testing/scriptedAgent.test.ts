import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { layer as instructionsLayer } from "../../src/layers/instructions/supplier.ts"
import { readSource } from "../../src/pipeline/instructions/told.ts"
import type { UserMessage } from "../../src/schemas/Message.ts"
import { ContextSupply } from "../../src/services/ContextSupply.ts"
import { Inbox } from "../../src/services/Inbox.ts"
import { Session } from "../../src/services/Session.ts"
import { makeHost, makeScriptedAgent, type ScriptedAgent } from "../../src/testing/scriptedAgent.ts"

const files = { "/repo/.git/": null, "/repo/AGENTS.md": "root rules\n", "/repo/a/AGENTS.md": "AYE\n" }
const config = { instructions: { maxBytes: 65_536 } }
const options = { cwd: "/repo", files, config }

/** A message as its text, or as what it changes. */
const brief = (message: UserMessage): string => {
  const changes = readSource(message.source)?.changes
  return changes === undefined ? message.text : changes.map(({ action, path }) => `${action} ${path}`).join(", ")
}
const entered = ({ entered }: { readonly entered: ReadonlyArray<UserMessage> }) => entered.map(brief)
const waiting = (agent: ScriptedAgent) => Effect.map(agent.pending, (pending) => pending.map(brief))
const logged = (agent: ScriptedAgent) =>
  agent.instance.pipe(
    Effect.flatMap(({ session }) => session.log),
    Effect.map((log) => log.flatMap(({ type }) => (type.startsWith("inbox/") ? [] : [type])))
  )
const touch = (directory: string) => ({ name: "read", arguments: { file_path: `${directory}/x.ts` } })

describe("the scripted agent as a loop", () => {
  it.effect("logs what a loop logs, in its order", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent(options)
      const first = yield* agent.prompt("hello")
      assert.deepStrictEqual(entered(first), ["hello", "set AGENTS.md"])
      assert.strictEqual(yield* agent.tool(touch("a")), "call-1")
      yield* agent.endStep
      assert.deepStrictEqual(entered(yield* agent.step()), ["set a/AGENTS.md"])
      yield* agent.endTurn
      assert.deepStrictEqual(yield* logged(agent), [
        "turn/start",
        "step/start",
        "user/message",
        "user/message",
        "tool/call",
        "tool/result",
        "step/end",
        "step/start",
        "user/message",
        "step/end",
        "turn/end"
      ])
    })
  )

  it.effect("numbers turns and steps, also across instances", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent({ cwd: "/repo" })
      yield* agent.prompt("one")
      yield* agent.step()
      yield* agent.endTurn
      yield* agent.resume()
      yield* agent.prompt("two")
      yield* agent.resume()
      yield* agent.step()
      const { session } = yield* agent.instance
      const steps = (yield* session.log).flatMap((event) =>
        event.type === "step/start" ? [[event.turn, event.step]] : []
      )
      assert.deepStrictEqual(steps, [
        [1, 1],
        [1, 2],
        [2, 1],
        [2, 2]
      ])
    })
  )

  it.effect("a turn that an earlier instance has left open goes on, or is given up by a prompt", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent({ cwd: "/repo" })
      yield* agent.prompt("one")
      yield* agent.resume()
      assert.strictEqual((yield* agent.prompt("two")).decision, "enter")
      assert.strictEqual((yield* Effect.flip(agent.prompt("three")))._tag, "ScriptMistake")
      yield* agent.resume()
      yield* agent.endStep
      assert.strictEqual((yield* Effect.flip(agent.prompt("three")))._tag, "ScriptMistake")
      yield* agent.endTurn
      yield* agent.prompt("three")
    })
  )

  it.effect("a rejected prompt drops its text and gives back what it has claimed", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent(options)
      yield* agent.post("one")
      yield* agent.post("two", { kind: "robot" })
      const rejected = yield* agent.prompt("no", { reject: true })
      assert.deepStrictEqual(rejected, { decision: "reject", entered: [] })
      assert.deepStrictEqual(yield* waiting(agent), ["set AGENTS.md", "one", "two"])
      assert.deepStrictEqual(yield* logged(agent), ["turn/start"])
      assert.deepStrictEqual(entered(yield* agent.step()), ["one", "two", "set AGENTS.md"])
    })
  )

  for (const how of ["fiber", "signal"] as const) {
    it.effect(`[I-13] [I-21] interrupted by ${how}, a prompt gives back what it has claimed`, () =>
      Effect.gen(function* () {
        const agent = yield* makeScriptedAgent(options)
        yield* agent.post("one")
        yield* agent.host.disk.fault("/repo/AGENTS.md", "read", "hang")
        const controller = new AbortController()
        const fiber = yield* Effect.forkChild(agent.prompt("never", { signal: controller.signal }))
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        assert.strictEqual(yield* agent.host.disk.openHandles, 1)
        if (how === "signal") controller.abort()
        else fiber.interruptUnsafe()
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.strictEqual(yield* agent.host.disk.openHandles, 0)
        assert.deepStrictEqual(yield* waiting(agent), ["one"])
        assert.deepStrictEqual(yield* logged(agent), ["turn/start"])
        yield* agent.host.disk.heal()
        assert.deepStrictEqual(entered(yield* agent.step()), ["one", "set AGENTS.md"])
      })
    )
  }

  it.effect("without an open turn a step only lets the suppliers look", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent(options)
      assert.deepStrictEqual(yield* agent.step(), { decision: "reject", entered: [] })
      assert.deepStrictEqual(yield* logged(agent), [])
      assert.deepStrictEqual(yield* waiting(agent), ["set AGENTS.md"])
    })
  )

  it.effect("a compaction keeps the last events of the surface", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent({ cwd: "/repo" })
      yield* agent.prompt("one")
      yield* agent.endTurn
      yield* agent.prompt("two")
      yield* agent.endTurn
      const visible = Effect.gen(function* () {
        const surface = yield* (yield* agent.instance).session.surface
        return surface.map((event) =>
          event.type === "user/message" ? (event.message as UserMessage).text : event.type
        )
      })
      yield* agent.compact(5)
      assert.deepStrictEqual(yield* visible, ["compaction/checkpoint", "one", "two"])
      yield* agent.compact(1)
      assert.notInclude(yield* visible, "one")
      yield* agent.compact()
      assert.deepStrictEqual(yield* visible, ["compaction/checkpoint"])
    })
  )

  it.effect("a configuration that cannot be built fails everything, until another one is there", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent({ ...options, config: { instructions: { maxBytes: "many" } } })
      assert.strictEqual((yield* Effect.flip(agent.prompt("x")))._tag, "InvalidConfiguration")
      assert.strictEqual((yield* Effect.flip(agent.endTurn))._tag, "InvalidConfiguration")
      assert.strictEqual((yield* Effect.flip(agent.resume({ instructions: {} })))._tag, "InvalidConfiguration")
      yield* agent.resume(config)
      assert.deepStrictEqual(entered(yield* agent.prompt("x")), ["x", "set AGENTS.md"])
    })
  )
})

describe("rules that a scenario cannot write down", () => {
  it.effect("[I-12] without a file system nothing is added, and touches are kept until there is one", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent({ ...options, handOverFileSystem: false })
      assert.deepStrictEqual(entered(yield* agent.prompt("one")), ["one"])
      yield* agent.tool(touch("a"))
      yield* agent.endStep
      yield* agent.settle
      assert.deepStrictEqual(yield* waiting(agent), [])
      assert.strictEqual(yield* agent.host.disk.requests, 0)
      const step = agent.step().pipe(Effect.provideService(FileSystem.FileSystem, agent.host.fileSystem))
      assert.deepStrictEqual(entered(yield* step), ["set AGENTS.md, set a/AGENTS.md"])
    })
  )

  it.effect("[I-12] a projection uses the file system of the fiber that reported the touch", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent({ ...options, handOverFileSystem: false })
      yield* agent.prompt("one")
      yield* agent.endTurn
      yield* agent.tool(touch("a")).pipe(Effect.provideService(FileSystem.FileSystem, agent.host.fileSystem))
      yield* agent.settle
      assert.deepStrictEqual(yield* waiting(agent), ["set AGENTS.md, set a/AGENTS.md"])
    })
  )

  it.effect("[I-33] what was claimed when the process died waits again, at its place", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent(options)
      yield* agent.prompt("go")
      yield* agent.endTurn
      yield* agent.post("one")
      yield* agent.tool(touch("a"))
      yield* agent.settle
      yield* agent.post("two")
      const { inbox } = yield* agent.instance
      assert.lengthOf(yield* inbox.claim, 3)
      yield* agent.resume()
      assert.deepStrictEqual(yield* waiting(agent), ["one", "set a/AGENTS.md", "two"])
      assert.deepStrictEqual(entered(yield* agent.prompt("next")), ["one", "two", "next", "set a/AGENTS.md"])
      assert.deepStrictEqual(yield* waiting(agent), [])
    })
  )

  it.effect("[I-33] a step that was prepared but never entered has told nothing", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent(options)
      const { inbox, session, supply } = yield* agent.instance
      yield* session.append([{ type: "turn/start" }])
      yield* agent.post("one")
      const claimed = yield* inbox.claim
      const decided = yield* agent.host.provide(supply.preStep({ turn: 1, step: 1, claimed, decision: "enter" }))
      assert.strictEqual(decided.decision, "enter")
      yield* agent.resume()
      assert.deepStrictEqual(entered(yield* agent.prompt("again")), ["one", "again", "set AGENTS.md"])
    })
  )

  it.effect(
    "[I-43] a step is open from the decision to enter it: what is touched before it is logged waits for its end",
    () =>
      Effect.gen(function* () {
        const agent = yield* makeScriptedAgent(options)
        const { session, supply } = yield* agent.instance
        yield* session.append([{ type: "turn/start" }])
        const decided = yield* agent.host.provide(supply.preStep({ turn: 1, step: 1, claimed: [], decision: "enter" }))
        assert.strictEqual(decided.decision, "enter")
        yield* agent.tool(touch("a"))
        yield* agent.settle
        assert.deepStrictEqual(yield* waiting(agent), ["set AGENTS.md"])
        if (decided.decision === "enter") yield* supply.enter(decided)
        yield* agent.settle
        assert.deepStrictEqual(yield* waiting(agent), ["set AGENTS.md"])
        yield* agent.endStep
        yield* agent.settle
        assert.deepStrictEqual(yield* waiting(agent), ["set AGENTS.md, set a/AGENTS.md"])
      })
  )

  it.effect(
    "[I-21] a message that has begun to wait after the loop's claim is entered with the step, and waits no more",
    () =>
      Effect.gen(function* () {
        const agent = yield* makeScriptedAgent(options)
        yield* agent.prompt("go")
        yield* agent.endTurn
        const { inbox, session, supply } = yield* agent.instance
        yield* session.append([{ type: "turn/start" }])
        const claimed = yield* inbox.claim
        yield* agent.tool(touch("a"))
        yield* agent.settle
        assert.deepStrictEqual(yield* waiting(agent), ["set a/AGENTS.md"])
        const decided = yield* agent.host.provide(supply.preStep({ turn: 2, step: 1, claimed, decision: "enter" }))
        assert.deepStrictEqual(decided.decision === "enter" ? decided.messages.map(brief) : [], ["set a/AGENTS.md"])
        if (decided.decision === "enter") yield* supply.enter(decided)
        assert.deepStrictEqual(yield* waiting(agent), [])
      })
  )

  it.effect("[I-21] superseded before the step, such a message is dropped with it", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent(options)
      yield* agent.prompt("go")
      yield* agent.endTurn
      const { inbox, session, supply } = yield* agent.instance
      yield* session.append([{ type: "turn/start" }])
      const claimed = yield* inbox.claim
      yield* agent.tool(touch("a"))
      yield* agent.settle
      yield* agent.host.disk.fault("/repo/a/AGENTS.md", "read", "hang")
      yield* agent.host.disk.write("/repo/AGENTS.md", "edited\n")
      yield* agent.tool(touch("b"))
      yield* agent.host.disk.heal()
      const decided = yield* agent.host.provide(supply.preStep({ turn: 2, step: 1, claimed, decision: "enter" }))
      if (decided.decision === "enter") yield* supply.enter(decided)
      assert.deepStrictEqual(yield* waiting(agent), [])
      const { log } = session
      const last = (yield* log).findLast((event) => event.type === "user/message")
      assert.strictEqual(brief(last!.message as UserMessage), "replace AGENTS.md, set a/AGENTS.md")
    })
  )

  it.effect("[I-34] mounted again on a live session, the layer goes on as after a resume", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent({ ...options, config: {} })
      const { inbox, session, supply } = yield* agent.instance
      const mount = Effect.gen(function* () {
        const scope = yield* Scope.make()
        const layer = Layer.fresh(instructionsLayer(config.instructions))
        yield* agent.host
          .provide(Layer.buildWithScope(layer, scope))
          .pipe(
            Effect.provideService(Session, session),
            Effect.provideService(Inbox, inbox),
            Effect.provideService(ContextSupply, supply)
          )
        return Scope.close(scope, Exit.void)
      })
      const unmount = yield* mount
      assert.deepStrictEqual(entered(yield* agent.prompt("one")), ["one", "set AGENTS.md"])
      yield* agent.tool(touch("a"))
      yield* agent.endTurn
      yield* agent.settle
      assert.deepStrictEqual(yield* waiting(agent), ["set a/AGENTS.md"])
      yield* unmount
      yield* agent.host.disk.write("/repo/AGENTS.md", "edited meanwhile\n")
      yield* agent.host.disk.write("/repo/a/AGENTS.md", "AYE, edited\n")
      const unmountAgain = yield* mount
      const two = yield* agent.prompt("two")
      assert.deepStrictEqual(entered(two), ["two", "replace AGENTS.md, set a/AGENTS.md"])
      assert.include(two.entered[1]!.text, "AYE, edited")
      yield* agent.endTurn
      yield* unmountAgain
      yield* mount
      assert.deepStrictEqual(entered(yield* agent.prompt("three")), ["three"])
    })
  )

  it.effect("[I-34] while the layer is not mounted, its waiting message stays an ordinary one", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent(options)
      yield* agent.prompt("no", { reject: true })
      yield* agent.endTurn
      yield* agent.resume({})
      assert.deepStrictEqual(entered(yield* agent.prompt("two")), ["set AGENTS.md", "two"])
      yield* agent.endTurn
      yield* agent.resume(config)
      assert.deepStrictEqual(entered(yield* agent.prompt("three")), ["three"])
    })
  )

  it.effect("[I-54] sources in the log that nobody of this version has written are ignored, and reported", () =>
    Effect.gen(function* () {
      const agent = yield* makeScriptedAgent(options)
      const { session, supply } = yield* agent.instance
      const scope = { owner: "project", directory: ".", slot: "base" }
      const set = { action: "set", scope, path: "AGENTS.md", digest: "0".repeat(40) }
      const sources = [
        { version: 2, baseline: true, changes: [set] },
        { version: 1, baseline: true },
        { version: 1, changes: [{ ...set, digest: "short" }] },
        { version: 1, changes: [{ action: "remove", scope, path: "AGENTS.md", digest: "0".repeat(40) }] },
        { version: 1, changes: [{ ...set, scope: { ...scope, directory: "../.." } }] },
        { version: 1, changes: [{ ...set, scope: "project" }] },
        { version: "1", changes: [set] },
        {}
      ]
      for (const [index, source] of sources.entries()) {
        const message = { id: `odd-${index}`, text: "odd", source: { kind: "agent-instructions", ...source } }
        yield* session.append([{ type: "user/message", message }])
      }
      assert.deepStrictEqual(entered(yield* agent.prompt("go")), ["go", "set AGENTS.md"])
      const { suppliers } = yield* supply.report
      const ignored = suppliers.flatMap(({ diagnostics }) => diagnostics.filter(({ tag }) => tag === "HistoryIgnored"))
      assert.lengthOf(ignored, sources.length)
      yield* agent.endTurn
      yield* agent.resume()
      assert.deepStrictEqual(entered(yield* agent.prompt("more")), ["more"])
    })
  )

  it.effect("[C-6] two agents of one process, taking turns, see nothing of each other", () =>
    Effect.gen(function* () {
      const host = yield* makeHost({ files: { ...files, "/other/.git/": null, "/other/AGENTS.md": "other rules\n" } })
      const one = yield* makeScriptedAgent({ host, cwd: "/repo", config, sessionId: "one" })
      const two = yield* makeScriptedAgent({ host, cwd: "/other", config, sessionId: "two" })
      yield* one.post("for one")
      yield* two.prompt("no", { reject: true })
      const first = yield* one.prompt("hello")
      assert.deepStrictEqual(entered(first), ["for one", "hello", "set AGENTS.md"])
      assert.include(first.entered[2]!.text, "root rules")
      yield* one.tool(touch("a"))
      yield* two.endTurn
      yield* one.endStep
      yield* one.settle
      assert.deepStrictEqual(yield* waiting(one), ["set a/AGENTS.md"])
      assert.deepStrictEqual(yield* waiting(two), ["set AGENTS.md"])
      const second = yield* two.prompt("hi")
      assert.deepStrictEqual(entered(second), ["hi", "set AGENTS.md"])
      assert.include(second.entered[1]!.text, "other rules")
      yield* one.resume()
      assert.deepStrictEqual(entered(yield* one.prompt("again")), ["again", "set a/AGENTS.md"])
      assert.strictEqual(
        (yield* Effect.flip(
          Effect.flatMap(makeScriptedAgent({ host, cwd: "/repo", sessionId: "two" }), ({ prompt }) => prompt("x"))
        ))._tag,
        "SessionError"
      )
    })
  )
})
