/** The door for TypeScript: every call aborted at any moment rejects with the reason, or has done what it was asked for. */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { createWithin } from "../../src/promise/create.ts"
import type { AgentContext, AgentContextOptions } from "../../src/promise.ts"
import { MemoryFileSystem } from "../../src/testing/index.ts"
import { makePoints } from "./points.ts"
import { eventually, settle, suspending } from "./sweep.ts"

const skill = "---\nname: greet\ndescription: Says hello.\n---\nWave.\n"
const files = {
  "/repo/.git/": null,
  "/repo/AGENTS.md": "root rules\n",
  "/repo/lib/AGENTS.md": "nested rules\n",
  "/repo/.dsh/skills/greet/SKILL.md": skill,
  "/repo/lib/a.ts": ""
}

type Call = (context: AgentContext, signal: AbortSignal | undefined) => Promise<unknown>
const given = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

interface Question {
  /** How often it has to be interrupted at least: what runs in one go, or may not be left half-done, gets through. */
  readonly least?: number
  /** What comes before. */
  readonly prelude?: (context: AgentContext) => Promise<unknown>
  readonly call: Call
  /** What has to hold in the end, the call having been repeated if it was rejected. */
  readonly finally?: (context: AgentContext) => Promise<void>
}

const texts = async (context: AgentContext) =>
  (await context.log()).flatMap((event) =>
    event.type === "user/message" ? [(event["message"] as { readonly text: string }).text] : []
  )
const times = async (context: AgentContext, words: string) =>
  (await texts(context)).filter((text) => text.includes(words)).length
const toldOnce = async (context: AgentContext): Promise<void> => {
  assert.strictEqual(await times(context, "root rules"), 1)
  assert.strictEqual(await times(context, "Says hello."), 1)
}
const begun = (context: AgentContext) => context.preStep({ text: "go" })

const questions: Readonly<Record<string, Question>> = {
  preStep: {
    least: 10,
    call: (context, signal) => context.preStep({ text: "go /greet" }, given(signal)),
    finally: toldOnce
  },
  "the next preStep": {
    least: 10,
    prelude: async (context) => {
      await begun(context)
      await context.post({ text: "posted before" })
      await context.toolResult({ name: "read", arguments: { file_path: "lib/a.ts" } })
    },
    call: (context, signal) => context.preStep(undefined, given(signal)),
    finally: async (context) => {
      await toldOnce(context)
      assert.strictEqual(await times(context, "nested rules"), 1)
      assert.strictEqual(await times(context, "posted before"), 1)
    }
  },
  toolResult: {
    prelude: begun,
    call: (context, signal) =>
      context.toolResult({ name: "read", arguments: { file_path: "lib/a.ts" }, token: "t" }, given(signal)),
    finally: async (context) => {
      assert.lengthOf(
        (await context.log()).filter(({ type }) => type === "tool/result"),
        1
      )
      await context.endStep()
      await context.settled()
      await context.preStep()
      assert.strictEqual(await times(context, "nested rules"), 1)
    }
  },
  assistantMessage: {
    prelude: begun,
    call: (context, signal) => context.assistantMessage("done", given(signal))
  },
  endStep: {
    prelude: begun,
    call: (context, signal) => context.endStep(given(signal)),
    finally: async (context) =>
      assert.lengthOf(
        (await context.log()).filter(({ type }) => type === "step/end"),
        1
      )
  },
  endTurn: {
    prelude: begun,
    call: (context, signal) => context.endTurn(given(signal)),
    finally: async (context) =>
      assert.lengthOf(
        (await context.log()).filter(({ type }) => type === "turn/end"),
        1
      )
  },
  post: { call: (context, signal) => context.post({ text: "posted" }, given(signal)) },
  pending: { call: (context, signal) => context.pending(given(signal)) },
  compact: {
    prelude: async (context) => {
      await begun(context)
      await context.endTurn()
    },
    call: (context, signal) => context.compact(given(signal)),
    finally: async (context) => {
      const { messages } = await context.preStep({ text: "again" })
      assert.isTrue(messages.some(({ text }) => text.includes("root rules")))
    }
  },
  settled: {
    least: 10,
    prelude: async (context) => {
      await begun(context)
      await context.toolResult({ name: "read", arguments: { file_path: "lib/a.ts" } })
      await context.endStep()
    },
    call: (context, signal) => context.settled(given(signal)),
    finally: async (context) => {
      await context.preStep()
      assert.strictEqual(await times(context, "nested rules"), 1)
    }
  },
  explain: {
    least: 10,
    call: (context, signal) => context.explain({ workspace: true, ...given(signal) })
  },
  systemPrompt: { call: (context, signal) => context.systemPrompt(given(signal)) },
  log: { call: (context, signal) => context.log(given(signal)) },
  surface: { call: (context, signal) => context.surface(given(signal)) },
  "skills.list": {
    least: 10,
    call: (context, signal) => context.skills.list(given(signal))
  },
  "skills.load": {
    least: 10,
    call: (context, signal) => context.skills.load("greet", given(signal))
  },
  "files.list": {
    least: 10,
    call: (context, signal) => context.files.list("a", given(signal))
  },
  "sessions.list": {
    least: 10,
    call: (context, signal) => context.sessions.list(given(signal))
  },
  "sessions.candidates": {
    least: 10,
    call: (context, signal) => context.sessions.candidates("", given(signal))
  }
}

const world = () => {
  const { controls, fileSystem } = MemoryFileSystem.makeSync(files)
  const points = makePoints()
  const environment = ConfigProvider.fromEnv({ env: { HOME: "/home/u" } })
  const within = {
    context: Context.add(points.context, ConfigProvider.ConfigProvider, environment) as Context.Context<never>
  }
  const options: AgentContextOptions = {
    cwd: "/repo",
    instructions: { maxBytes: 65_536 },
    skills: true,
    fileReferences: true,
    sessionReferences: true,
    session: { id: "main" },
    store: { directory: "/sessions" },
    fileSystem: suspending(fileSystem)
  }
  const create = (signal?: AbortSignal) => createWithin(within, options, given(signal))
  const closed = () =>
    Effect.runPromise(Effect.suspend(() => eventually(Effect.sync(() => controls.openHandles() === 0))))
  return { controls, create, points, closed }
}

const reason = new Error("struck")

/** Calls with a signal that aborts at a moment. Whether it got through, and how many moments there were. */
const struckAt = async (
  points: ReturnType<typeof makePoints>,
  at: number,
  call: (signal: AbortSignal) => Promise<unknown>
) => {
  const controller = new AbortController()
  points.arm(at, () => controller.abort(reason))
  const exit = await Effect.runPromiseExit(Effect.tryPromise({ try: () => call(controller.signal), catch: (e) => e }))
  const seen = points.disarm()
  if (Exit.isSuccess(exit)) return { through: true, seen, value: exit.value }
  const [failure] = exit.cause.reasons
  assert.strictEqual(failure?._tag === "Fail" ? failure.error : failure, reason)
  return { through: false, seen, value: undefined }
}

const most = process.env["SWEEP"] === "all" ? Infinity : 40

const sweepOf = async (attempt: (at: number) => Promise<{ readonly through: boolean; readonly seen: number }>) => {
  const { seen } = await attempt(Infinity)
  const stride = Math.max(1, Math.ceil(seen / most))
  let interrupted = 0
  for (let at = 1; at <= seen; at += stride) interrupted += (await attempt(at + ((at * 7) % stride))).through ? 0 : 1
  return { seen, interrupted }
}

describe("the promise door, aborted at any moment", () => {
  for (const [name, { call, finally: check, least = 0, prelude }] of Object.entries(questions)) {
    it(`[I-13] ${name} rejects with the reason, and the next one works`, async () => {
      const attempt = async (at: number) => {
        const { closed, create, points } = world()
        const context = await create()
        await prelude?.(context)
        const before = await context.log()
        const outcome = await struckAt(points, at, (signal) => call(context, signal))
        await Effect.runPromise(settle)
        const after = await context.log()
        assert.deepStrictEqual(after.slice(0, before.length), before)
        assert.deepStrictEqual(
          after.map(({ seq }) => seq),
          after.map((_, index) => index)
        )
        if (!outcome.through) await call(context, undefined)
        await check?.(context)
        await context.close()
        assert.isTrue(await closed(), "files are open")
        return outcome
      }
      const { interrupted } = await sweepOf(attempt)
      assert.isAtLeast(interrupted, least)
      // Aborted by what it runs before it has even returned its promise.
      if (least > 0) assert.isFalse((await attempt(1)).through, "aborted at the very first moment")
    })
  }

  it("[I-13] createAgentContext rejects with the reason and holds nothing", async () => {
    const attempt = async (at: number) => {
      const { closed, create, points } = world()
      const outcome = await struckAt(points, at, create)
      await (outcome.value as AgentContext | undefined)?.close()
      assert.isTrue(await closed(), "files are open")
      // The session that was opened on the way is nobody's: no conflict.
      const again = await create()
      await begun(again)
      await toldOnce(again)
      await again.close()
      return outcome
    }
    const { interrupted } = await sweepOf(attempt)
    assert.isAbove(interrupted, 10)
  })

  it("[I-13] close ends a call at any moment, and everything else", async () => {
    const attempt = async (at: number) => {
      const { closed, create, points } = world()
      const context = await create()
      let closing: Promise<void> | undefined
      points.arm(at, () => (closing = context.close()))
      const step = context.preStep({ text: "go" }).then(
        () => undefined,
        (error: { readonly _tag: string }) => error._tag
      )
      const tag = await step
      const seen = points.disarm()
      assert.include([undefined, "AgentContextClosed"], tag)
      await (closing ?? context.close())
      assert.isTrue(await closed(), "files are open")
      const again = await create()
      if (tag === undefined) assert.strictEqual(await times(again, "root rules"), 1)
      await again.preStep({ text: "again" })
      await toldOnce(again)
      await again.close()
      return { through: tag === undefined, seen }
    }
    const { interrupted } = await sweepOf(attempt)
    assert.isAbove(interrupted, 10)
  })
})
