import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { TestClock } from "effect/testing"
import { layerFrom } from "../../../src/layers/ambient/tmux.ts"
import { paneFormat } from "../../../src/pipeline/tmux/answer.ts"
import { asked, type Brought, makeAgent } from "./agent.ts"
import { type Behaviour, Machine } from "./machine.ts"

const pane = (
  more: { readonly session?: string; readonly window?: string; readonly tty?: string } = {}
): Behaviour => ({
  says: `%3:${more.tty ?? "/dev/pts/4"}:1:1:2:1:bb62,80x24,0,0,3:${more.session ?? "work"}:${more.window ?? "edit"}\n`
})
const own: Behaviour = { says: "pts/4\n" }
const inside = { TMUX: "/tmp/tmux-0/default,99,0", TMUX_PANE: "%3" }

const machineWith = (programs: Readonly<Record<string, Behaviour>>): Machine => {
  const machine = new Machine()
  Object.assign(machine.programs, programs)
  return machine
}
const part = (machine: Machine, env: Readonly<Record<string, string>> = inside, config: unknown = {}) =>
  Layer.orDie(layerFrom(config)).pipe(
    Layer.provide(machine.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...env } })))
  )
const texts = ({ messages }: Brought) => messages.map(({ text }) => text)
const one = (brought: Brought): string => {
  assert.lengthOf(brought.messages, 1)
  return brought.messages[0]!.text
}
const prompt = (text: string) => [asked(text)]

describe("[T-2] the place in tmux", () => {
  it.effect(
    "is asked for the explicit pane of the server that the environment names, and told with a structured source",
    () =>
      Effect.gen(function* () {
        const machine = machineWith({ tmux: pane(), ps: own })
        const agent = yield* makeAgent(part(machine))
        const { diagnostics, messages } = yield* agent.prompt(prompt("a"))
        assert.deepStrictEqual(machine.asked, [
          ["tmux", "-u", "-S", "/tmp/tmux-0/default", "display-message", "-p", "-t", "%3", paneFormat],
          ["ps", "-o", "tty=", "-p", String(process.pid)]
        ])
        assert.deepStrictEqual(
          messages.map(({ source }) => source),
          [
            {
              kind: "tmux-context",
              version: 1,
              location: {
                session: "work",
                window: { index: 2, name: "edit", active: true },
                pane: { index: 1, id: "%3", active: true },
                layout: "bb62,80x24,0,0,3"
              }
            }
          ]
        )
        assert.include(messages[0]!.text, 'Window: 2 "edit" (active)')
        assert.deepStrictEqual(diagnostics, [])
        assert.strictEqual(machine.running, 0)
      })
  )

  it.effect("is looked at in the first step of a turn that is entered, and in no other", () =>
    Effect.gen(function* () {
      const machine = machineWith({ tmux: pane(), ps: own })
      const agent = yield* makeAgent(part(machine))
      assert.lengthOf((yield* agent.prompt(prompt("a"), { decision: "reject" })).messages, 0)
      assert.lengthOf(machine.asked, 0)
      yield* agent.prompt(prompt("b"))
      const before = machine.asked.length
      machine.programs["tmux"] = pane({ window: "moved" })
      assert.deepStrictEqual(texts(yield* agent.step()), [])
      assert.lengthOf(machine.asked, before)
      assert.include(one(yield* agent.prompt(prompt("c"))), '"moved"')
    })
  )

  it.effect("is told again only when it differs from what is visible", () =>
    Effect.gen(function* () {
      const machine = machineWith({ tmux: pane(), ps: own })
      const agent = yield* makeAgent(part(machine))
      assert.include(one(yield* agent.prompt(prompt("a"))), "This agent runs in a pane")
      assert.deepStrictEqual(texts(yield* agent.prompt(prompt("b"))), [])
      machine.programs["tmux"] = pane({ session: "play" })
      assert.include(one(yield* agent.prompt(prompt("c"))), "has changed; this replaces")
      yield* agent.restart(part(machine))
      assert.deepStrictEqual(texts(yield* agent.prompt(prompt("d"))), [])
      yield* agent.compact
      assert.include(one(yield* agent.prompt(prompt("e"))), "This agent runs in a pane")
    })
  )

  const elsewhere: ReadonlyArray<{
    readonly what: string
    readonly programs?: Record<string, Behaviour>
    readonly env?: Record<string, string>
  }> = [
    { what: "no pane in the environment", env: {} },
    { what: "an empty pane in the environment", env: { ...inside, TMUX_PANE: " " } },
    { what: "a pane with another terminal", programs: { tmux: pane({ tty: "/dev/pts/5" }), ps: own } },
    { what: "no controlling terminal", programs: { tmux: pane(), ps: { says: "?\n" } } }
  ]
  it.effect.each(elsewhere)(
    "is none with $what; leaving is told once, and coming back as if for the first time",
    ({ env, programs }) =>
      Effect.gen(function* () {
        const home = machineWith({ tmux: pane(), ps: own })
        const away = machineWith(programs ?? { tmux: pane(), ps: own })
        const agent = yield* makeAgent(part(away, env ?? inside))
        assert.deepStrictEqual(yield* agent.prompt(prompt("a")), { messages: [], diagnostics: [] })
        yield* agent.restart(part(home))
        yield* agent.prompt(prompt("b"))
        yield* agent.restart(part(away, env ?? inside))
        const left = yield* agent.prompt(prompt("c"))
        assert.include(one(left), "no longer runs in tmux")
        assert.deepStrictEqual(left.messages[0]!.source, { kind: "tmux-context", version: 1 })
        assert.deepStrictEqual(yield* agent.prompt(prompt("d")), { messages: [], diagnostics: [] })
        yield* agent.restart(part(away, env ?? inside))
        assert.deepStrictEqual(texts(yield* agent.prompt(prompt("e"))), [])
        yield* agent.restart(part(home))
        assert.include(one(yield* agent.prompt(prompt("f"))), "This agent runs in a pane")
      })
  )

  it.effect("having been left is not told to a model that cannot see where it was", () =>
    Effect.gen(function* () {
      const agent = yield* makeAgent(part(machineWith({ tmux: pane(), ps: own })))
      yield* agent.prompt(prompt("a"))
      yield* agent.compact
      yield* agent.restart(part(new Machine(), {}))
      assert.deepStrictEqual(texts(yield* agent.prompt(prompt("b"))), [])
    })
  )

  const failures: ReadonlyArray<{
    readonly what: string
    readonly programs: Record<string, Behaviour>
    readonly env?: Record<string, string>
  }> = [
    { what: "tmux is not installed", programs: { ps: own } },
    { what: "there is no server", programs: { tmux: { says: "", code: 1 }, ps: own } },
    {
      what: "it fails, whatever it says",
      programs: { tmux: { ...(pane() as object), code: 1 } as Behaviour, ps: own }
    },
    { what: "the answer is odd", programs: { tmux: { says: "hello\n" }, ps: own } },
    { what: "the pane is gone", programs: { tmux: { says: ":::::::::\n" }, ps: own } },
    { what: "the answer is not text", programs: { tmux: { says: new Uint8Array([0xff, 0xfe, 0x00]) }, ps: own } },
    {
      what: "the answer does not end",
      programs: { tmux: { says: `%3:/dev/pts/4:1:1:2:1:l:work:${"x".repeat(100_000)}` }, ps: own }
    },
    { what: "the pipe breaks", programs: { tmux: "broken pipe", ps: own } },
    {
      what: "the environment names no pane",
      programs: { tmux: pane(), ps: own },
      env: { ...inside, TMUX_PANE: "work:1" }
    },
    { what: "nobody knows the terminal", programs: { tmux: pane() } },
    {
      what: "what is said of the terminal is odd",
      programs: { tmux: pane(), ps: { says: "136,4\n" }, cat: { says: "x" } }
    }
  ]
  it.effect.each(failures)(
    "cannot be told when $what: no message, one diagnostic, and nothing that was told is withdrawn",
    ({ env, programs }) =>
      Effect.gen(function* () {
        const machine = machineWith({ tmux: pane(), ps: own })
        const agent = yield* makeAgent(part(machine))
        yield* agent.prompt(prompt("a"))
        yield* agent.restart(part(machineWith(programs), env))
        assert.deepStrictEqual(yield* agent.prompt(prompt("b")), { messages: [], diagnostics: ["TmuxUnavailable"] })
        assert.deepStrictEqual(yield* agent.step(), { messages: [], diagnostics: [] })
        assert.deepStrictEqual(yield* agent.prompt(prompt("c")), { messages: [], diagnostics: ["TmuxUnavailable"] })
        yield* agent.restart(part(machine))
        assert.deepStrictEqual(yield* agent.prompt(prompt("d")), { messages: [], diagnostics: [] })
      })
  )

  it.effect("a failure is reported once, with its own step", () =>
    Effect.gen(function* () {
      const machine = machineWith({ ps: own })
      const agent = yield* makeAgent(part(machine))
      assert.deepStrictEqual((yield* agent.prompt(prompt("a"))).diagnostics, ["TmuxUnavailable"])
      machine.programs["tmux"] = pane()
      const healed = yield* agent.prompt(prompt("b"))
      assert.deepStrictEqual(healed.diagnostics, [])
      assert.lengthOf(healed.messages, 1)
    })
  )

  it.effect("failures are logged for debugging, no louder", () =>
    Effect.gen(function* () {
      const levels: Array<unknown> = []
      const logger = Logger.make(({ logLevel }) => levels.push(logLevel))
      const agent = yield* makeAgent(part(new Machine()))
      yield* agent
        .prompt(prompt("a"))
        .pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "Debug"))
      assert.deepStrictEqual(levels, ["Debug"])
    })
  )

  it.effect("is found without ps, where the system shows its processes as files", () =>
    Effect.gen(function* () {
      const machine = machineWith({ tmux: pane(), cat: { says: `1 (node) S 0 1 1 ${(136 << 8) | 4} 1` } })
      const agent = yield* makeAgent(part(machine))
      assert.include(one(yield* agent.prompt(prompt("a"))), 'Session: "work"')
      assert.deepStrictEqual(machine.asked.at(-1), ["cat", `/proc/${process.pid}/stat`])
    })
  )

  it.effect("without a socket in the environment, asks the default server", () =>
    Effect.gen(function* () {
      const machine = machineWith({ tmux: pane(), ps: own })
      const agent = yield* makeAgent(part(machine, { TMUX_PANE: "%3" }))
      yield* agent.prompt(prompt("a"))
      assert.deepStrictEqual(machine.asked[0]!.slice(0, 3), ["tmux", "-u", "display-message"])
    })
  )
})

describe("[T-2] [T-3] time that passes", () => {
  const waits = Effect.fnUntraced(function* (programs: Record<string, Behaviour>, config: unknown, millis: number) {
    const machine = machineWith(programs)
    const agent = yield* makeAgent(part(machine, inside, config))
    const fiber = yield* Effect.forkChild(agent.prompt(prompt("a")), { startImmediately: true })
    yield* TestClock.adjust(millis - 1)
    assert.isUndefined(fiber.pollUnsafe())
    assert.strictEqual(machine.running, 1)
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* Fiber.join(fiber), { messages: [], diagnostics: ["TmuxUnavailable"] })
    assert.strictEqual(machine.running, 0)
  })

  it.effect("a tmux that hangs is given up after a second", () => waits({ tmux: "never", ps: own }, {}, 1000))
  it.effect("or after the configured time", () => waits({ tmux: "never", ps: own }, { timeout: "3 seconds" }, 3000))
  it.effect("which is one for the whole look", () => waits({ tmux: pane(), ps: "never" }, { timeout: 200 }, 200))

  it.effect("interrupting the step ends the look, and leaves nothing running", () =>
    Effect.gen(function* () {
      const machine = machineWith({ tmux: "never" })
      const agent = yield* makeAgent(part(machine))
      const fiber = yield* Effect.forkChild(agent.prompt(prompt("a")), { startImmediately: true })
      yield* TestClock.adjust(10)
      assert.strictEqual(machine.running, 1)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(machine.running, 0)
    })
  )

  it.effect("aborting its signal does the same", () =>
    Effect.gen(function* () {
      const machine = machineWith({ tmux: "never" })
      const agent = yield* makeAgent(part(machine))
      const controller = new AbortController()
      const done = yield* Deferred.make<void>()
      yield* Effect.forkChild(
        agent
          .prompt(prompt("a"), { signal: controller.signal })
          .pipe(Effect.ensuring(Deferred.succeed(done, undefined))),
        { startImmediately: true }
      )
      yield* TestClock.adjust(10)
      controller.abort()
      yield* Deferred.await(done)
      assert.strictEqual(machine.running, 0)
    })
  )
})

describe("[T-2] the configuration", () => {
  it.effect.each([{ timeout: 0 }, { timeout: "soon" }, { timeout: -1 }, { wait: 1 }, 5])("%j is invalid", (config) =>
    Effect.gen(function* () {
      const agent = makeAgent(layerFrom(config).pipe(Layer.provide(new Machine().layer)))
      assert.strictEqual((yield* Effect.flip(agent))._tag, "InvalidConfiguration")
    })
  )
})
