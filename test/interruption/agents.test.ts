/** A loop with every part on: each of its calls interrupted at any moment (I-9, I-13, I-33, I-45). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import { formatUri } from "../../src/pipeline/sessions/uri.ts"
import type { UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEvent } from "../../src/schemas/SessionEvent.ts"
import type { Entered } from "../../src/services/ContextSupply.ts"
import { makeHost } from "../../src/testing/scripted/host.ts"
import { makeScriptedAgent } from "../../src/testing/scriptedAgent.ts"
import { eventually, settle, suspending, type Sweep, sweep } from "./sweep.ts"

const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\nBody of ${name}.\n`
const files = {
  "/repo/.git/": null,
  "/repo/AGENTS.md": "root rules\n",
  "/repo/lib/AGENTS.md": "nested rules\n",
  "/repo/.dsh/skills/greet/SKILL.md": skill("greet"),
  "/home/u/.dsh/skills/part/SKILL.md": skill("part"),
  "/repo/lib/a.ts": ""
}
const config = {
  instructions: { maxBytes: 65_536 },
  skills: {},
  fileReferences: {},
  sessionReferences: {},
  time: { timeZone: "UTC" },
  tmux: {}
}
const text = `look at @[that](${formatUri("other")})\n/greet`
const prompt: UserMessage = { id: "prompt", text, source: { kind: "user" } }
const touch = { name: "read", arguments: { file_path: "lib/a.ts" }, outcome: "ok" } as const

const kinds = (messages: ReadonlyArray<UserMessage>) => messages.map(({ source }) => source.kind)
const messagesOf = (log: ReadonlyArray<SessionEvent>) =>
  log.flatMap((event) => (event.type === "user/message" ? [event.message as UserMessage] : []))
const count = (log: ReadonlyArray<SessionEvent>, words: string) =>
  messagesOf(log).filter((message) => message.text.includes(words)).length

const brought = ["skill-catalog", "skill-invocation", "session-reference", "agent-instructions", "time-context"]

/** An agent on a slow disk, another session to refer to, and what has to hold at any time. */
const world = Effect.gen(function* () {
  const host = yield* makeHost({ files })
  const slow = suspending(host.fileSystem)
  const provide: typeof host.provide = (effect) =>
    host.provide(Effect.provideService(effect, FileSystem.FileSystem, slow))
  yield* Effect.scoped(
    Effect.flatMap(host.store.create({ id: "other", cwd: "/repo" }), (other) =>
      other.append([{ type: "user/message", message: { id: "o1", text: "said elsewhere", source: { kind: "user" } } }])
    )
  )
  const agent = yield* makeScriptedAgent({ cwd: "/repo", config, host: { ...host, fileSystem: slow, provide } })
  const { inbox, loop, session, supply } = yield* agent.instance
  const calm = Effect.gen(function* () {
    yield* settle
    const asked = yield* host.disk.requests
    yield* settle
    assert.strictEqual(yield* host.disk.requests, asked, "something went on")
    assert.isTrue(yield* eventually(Effect.map(host.disk.openHandles, (open) => open === 0)), "files are open")
    const log = yield* session.log
    assert.deepStrictEqual(
      log.map(({ seq }) => seq),
      log.map((_, index) => index)
    )
    const ids = messagesOf(log).map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length, "a message is logged twice")
  })
  return { agent, calm, inbox, loop, provide, session, supply }
})

/** Everything that a first step brings has been logged, and once. */
const toldOnce = (log: ReadonlyArray<SessionEvent>) => {
  for (const words of ["root rules", "Body of greet", "said elsewhere"])
    assert.strictEqual(count(log, words), 1, `times that the model is told "${words}"`)
  assert.strictEqual(kinds(messagesOf(log)).filter((kind) => kind === "skill-catalog").length, 1)
}

const preparing = (by: "fiber" | "signal"): Sweep<unknown> => ({
  by,
  make: Effect.gen(function* () {
    const { agent, calm, provide, session, supply } = yield* world
    yield* session.append([{ type: "turn/start", turn: 1 }])
    const step = { turn: 1, step: 1, claimed: [prompt], decision: "enter" } as const
    return {
      operation: (signal) => provide(supply.preStep(by === "signal" ? { ...step, signal } : step)),
      after: () =>
        Effect.gen(function* () {
          yield* calm
          assert.lengthOf(yield* session.log, 1)
          const decision = yield* provide(supply.preStep(step))
          assert.strictEqual(decision.decision, "enter")
          yield* supply.enter(decision as Entered)
          toldOnce(yield* session.log)
          yield* agent.endTurn
          const { entered } = yield* agent.prompt("again")
          assert.deepStrictEqual(kinds(entered), ["user", "time-context"])
        })
    }
  })
})

const entering: Sweep<unknown> = {
  make: Effect.gen(function* () {
    const { agent, calm, provide, session, supply } = yield* world
    yield* session.append([{ type: "turn/start", turn: 1 }])
    const decision = yield* provide(supply.preStep({ turn: 1, step: 1, claimed: [prompt], decision: "enter" }))
    const entered = decision as Entered
    return {
      operation: () => supply.enter(entered),
      after: (exit) =>
        Effect.gen(function* () {
          yield* calm
          const { length } = yield* session.log
          const whole = 2 + entered.messages.length
          assert.isTrue(length === whole || (length === 1 && Exit.isFailure(exit)), `${length} of ${whole} are logged`)
          if (length === 1) yield* supply.enter(entered)
          toldOnce(yield* session.log)
          yield* agent.endTurn
          const { entered: next } = yield* agent.prompt("again")
          assert.deepStrictEqual(kinds(next), ["user", "time-context"])
        })
    }
  })
}

const touching = (what: "both" | "settled" | "signal"): Sweep<unknown> => ({
  by: what === "signal" ? "signal" : "fiber",
  make: Effect.gen(function* () {
    const { agent, calm, provide, session, supply } = yield* world
    yield* agent.prompt(text)
    const report = (token: string, signal?: AbortSignal) =>
      provide(supply.toolResult({ ...touch, token, ...(signal === undefined ? {} : { signal }) }))
    if (what === "settled") yield* report("t1")
    yield* agent.endStep
    return {
      operation: (signal) =>
        what === "settled"
          ? supply.settled
          : Effect.andThen(report("t1", what === "signal" ? signal : undefined), supply.settled),
      after: (exit) =>
        Effect.gen(function* () {
          yield* calm
          // One that is interrupted while it reports may not have reported.
          if (what === "both" && Exit.isFailure(exit)) yield* report("t2")
          yield* supply.settled
          yield* agent.step()
          assert.strictEqual(count(yield* session.log, "nested rules"), 1)
          assert.deepStrictEqual(kinds((yield* agent.step()).entered), ["time-context"])
        })
    }
  })
})

const wholeStep = (by: "fiber" | "signal"): Sweep<unknown> => ({
  by,
  make: Effect.gen(function* () {
    const { agent, calm, session } = yield* world
    yield* agent.post("posted before")
    return {
      operation: (signal) => agent.prompt(text, by === "signal" ? { signal } : {}),
      after: () =>
        Effect.gen(function* () {
          yield* calm
          const before = yield* session.log
          const entered = before.some(({ type }) => type === "step/start")
          assert.strictEqual(count(before, "posted before"), entered ? 1 : 0)
          if (!entered) {
            assert.deepStrictEqual(messagesOf(before), [])
            assert.include(kinds(yield* agent.pending), "user", "what was claimed waits again")
          }
          if (before.at(-1)?.type === "turn/start" || entered) yield* agent.endTurn
          else if (before.some(({ type }) => type === "turn/start")) yield* agent.endTurn
          const again = entered ? undefined : yield* agent.prompt(text)
          if (again !== undefined) assert.includeMembers(kinds(again.entered), brought)
          const log = yield* session.log
          toldOnce(log)
          assert.strictEqual(count(log, "posted before"), 1)
        })
    }
  })
})

const claiming: Sweep<unknown> = {
  make: Effect.gen(function* () {
    const { agent, calm, inbox, session } = yield* world
    yield* agent.post("left first")
    yield* agent.post("left second")
    return {
      operation: () => inbox.claim,
      after: (exit) =>
        Effect.gen(function* () {
          yield* calm
          const claimed = (yield* session.log).filter(({ type }) => type === "inbox/claimed").length
          const pending = yield* inbox.pending
          assert.strictEqual(pending.length, claimed === 0 ? 2 : 0)
          if (Exit.isSuccess(exit)) assert.lengthOf(exit.value as ReadonlyArray<unknown>, 2)
          // Claimed by nobody who could log it, a message waits again for the next instance.
          yield* agent.resume()
          assert.lengthOf(yield* agent.pending, 2)
          yield* agent.prompt("go")
          const log = yield* Effect.flatMap(agent.instance, (instance) => instance.session.log)
          assert.deepStrictEqual([count(log, "left first"), count(log, "left second")], [1, 1])
        })
    }
  })
}

const posting: Sweep<unknown> = {
  make: Effect.gen(function* () {
    const { agent, calm, inbox } = yield* world
    const pending = Effect.map(inbox.pending, (messages) => messages.map((message) => message.text))
    return {
      operation: () => agent.post("one"),
      after: (exit) =>
        Effect.gen(function* () {
          yield* calm
          const waiting = yield* pending
          if (Exit.isSuccess(exit)) assert.deepStrictEqual(waiting, ["one"])
          else assert.isAtMost(waiting.length, 1)
          yield* agent.post("two")
          assert.deepStrictEqual(yield* pending, [...waiting, "two"])
        })
    }
  })
}

const resuming: Sweep<unknown> = {
  make: Effect.gen(function* () {
    const { agent, calm, session } = yield* world
    yield* agent.prompt(text)
    yield* agent.endTurn
    const { length } = yield* session.log
    return {
      operation: () => agent.resume(),
      after: () =>
        Effect.gen(function* () {
          yield* agent.resume()
          yield* calm
          const log = yield* Effect.flatMap(agent.instance, (instance) => instance.session.log)
          assert.lengthOf(log, length)
          assert.deepStrictEqual(kinds((yield* agent.prompt("again")).entered), ["user", "time-context"])
        })
    }
  })
}

const it_ = (name: string, given: Sweep<unknown>, least: number) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { interrupted } = yield* sweep(given)
      assert.isAtLeast(interrupted, least)
    })
  )

describe("interrupted at any moment", () => {
  it_("[I-13] preStep, as a fiber, has done nothing, and the next one brings everything", preparing("fiber"), 100)
  it_("[I-13] preStep, by its signal, has done nothing, and the next one brings everything", preparing("signal"), 100)
  it_("[I-43] enter has logged the whole step or nothing", entering, 10)
  it_("[I-45] toolResult and settled lose no touch and tell it once", touching("both"), 20)
  it_("[I-45] settled alone only stops waiting", touching("settled"), 5)
  it_("[I-45] a look behind a tool, by its signal, keeps what was touched", touching("signal"), 0)
  it_("[I-9] [I-33] a whole step, as a fiber, loses nothing that it claimed", wholeStep("fiber"), 100)
  it_("[I-9] [I-33] a whole step, by its signal, loses nothing that it claimed", wholeStep("signal"), 100)
  it_("[I-33] claim leaves a message waiting, or claimed until the next instance", claiming, 5)
  it_("[I-33] update has inserted a message or not", posting, 5)
  it_("[I-33] a resume can be done again", resuming, 50)
})
