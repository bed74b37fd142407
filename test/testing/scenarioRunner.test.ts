import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parts } from "../../src/testing/parts/registry.ts"
import { decodeScenario } from "../../src/testing/scenario.ts"
import { playScenario } from "../../src/testing/scenarioRunner.ts"

const files = { "/repo/.git/": null, "/repo/AGENTS.md": "root rules\n", "/repo/a/AGENTS.md": "AYE\n" }
const config = { instructions: { maxBytes: 65_536 } }

/** Plays steps and says what failed: `index verb key`. */
const failing = (steps: ReadonlyArray<object>, more: object = {}) =>
  decodeScenario({ name: "s", cwd: "/repo", files, config, ...more, steps }).pipe(
    Effect.flatMap((scenario) => playScenario(scenario, { patience: 300 })),
    Effect.map(({ failures }) => failures.map(({ key, step, verb }) => `${step} ${verb} ${key}`))
  )

/** Plays it as a build does that has no tmux. */
const withoutTmux = <A, E, R>(play: Effect.Effect<A, E, R>) => {
  const present = parts as Map<string, unknown>
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      const tmux = present.get("tmux")
      present.delete("tmux")
      return tmux
    }),
    () => play,
    (tmux) => Effect.sync(() => present.set("tmux", tmux))
  )
}

const go = { do: "prompt", text: "go" }
const touch = { do: "tool", name: "read", arguments: { file_path: "a/x.ts" } }
const endStep = { do: "endStep" }
const endTurn = { do: "endTurn" }
const settle = { do: "settle" }

describe("the scenario runner", () => {
  /** Each is true; `wrong` changes one thing. The keys of later parts are tried on `mismatches` itself. */
  const truths: ReadonlyArray<{
    readonly key: string
    readonly before?: ReadonlyArray<object>
    readonly step: object
    readonly right: unknown
    readonly wrong: unknown
  }> = [
    { key: "decision", step: go, right: "enter", wrong: "reject" },
    { key: "decision", step: { ...go, reject: true }, right: "reject", wrong: "enter" },
    { key: "entered", step: go, right: [{ equals: "go" }, { baseline: true }], wrong: [{ equals: "go" }] },
    { key: "entered", step: { ...go, reject: true }, right: [], wrong: [{ equals: "go" }] },
    { key: "inbox", step: { ...go, reject: true }, right: [{ baseline: true }], wrong: [] },
    {
      key: "inbox",
      step: { do: "post", text: "x" },
      right: [{ source: "user", equals: "x" }],
      wrong: [{ equals: "y" }]
    },
    {
      key: "logged",
      step: go,
      right: ["turn/start", "step/start", "user/message", "user/message"],
      wrong: ["turn/start", "step/start", "user/message"]
    },
    { key: "logged", before: [go], step: endTurn, right: ["step/end", "turn/end"], wrong: ["turn/end"] },
    {
      key: "logEvery",
      before: [go],
      step: { do: "check" },
      right: { contains: ["root rules"] },
      wrong: { contains: ["go"] }
    },
    { key: "reads", step: go, right: { "/repo/AGENTS.md": 1 }, wrong: { "/repo/AGENTS.md": 0 } },
    { key: "reads", before: [go], step: { do: "check" }, right: {}, wrong: { "/repo/AGENTS.md": 1 } },
    { key: "probes", step: go, right: { "/repo/.git": 1 }, wrong: {} },
    { key: "bytesRead", step: go, right: { "/repo/AGENTS.md": 11 }, wrong: { "/repo/AGENTS.md": 10 } },
    { key: "report", step: go, right: { "/repo/AGENTS.md": "loaded" }, wrong: { "/repo/AGENTS.md": "absent" } },
    { key: "diagnostics", step: go, right: [], wrong: ["CandidateUnavailable"] },
    {
      key: "diagnostics",
      before: [{ do: "fault", path: "/repo/AGENTS.md", op: "read", as: "Unknown" }],
      step: go,
      right: ["CandidateUnavailable"],
      wrong: []
    },
    {
      key: "error",
      step: { do: "resume", config: { instructions: {} } },
      right: "InvalidConfiguration",
      wrong: "DuplicateSupplier"
    },
    {
      key: "openHandles",
      before: [go, endTurn, { do: "fault", path: "/repo/a/AGENTS.md", op: "read", as: "hang" }, touch],
      step: { do: "check" },
      right: 1,
      wrong: 0
    },
    {
      key: "within",
      before: [{ do: "fault", path: "/repo/AGENTS.md", op: "read", as: { delay: "2 seconds" } }],
      step: go,
      right: "2 seconds",
      wrong: "1 second"
    }
  ]
  it.effect.each(truths)(
    "fails exactly where an expectation is wrong: $key of $step.do",
    ({ before = [], key, right, step, wrong }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* failing([...before, { ...step, expect: { [key]: right } }]), [])
        const found = yield* failing([...before, { ...step, expect: { [key]: wrong } }])
        assert.isNotEmpty(found)
        const place = `${before.length} ${(step as { do: string }).do} ${key}`
        for (const failure of found) assert.isTrue(failure.startsWith(place), failure)
      })
  )

  it.effect("says the step, the expectation, and what was seen instead; and goes on", () =>
    Effect.gen(function* () {
      const scenario = yield* decodeScenario({
        name: "s",
        cwd: "/repo",
        files,
        config,
        steps: [
          { ...go, expect: { decision: "reject" } },
          { do: "post", text: "x", expect: { inbox: [] } }
        ]
      })
      const { failures, steps } = yield* playScenario(scenario)
      assert.lengthOf(steps, 2)
      assert.deepStrictEqual(failures[0], {
        step: 0,
        verb: "prompt",
        key: "decision",
        expected: '"reject"',
        seen: '"enter"'
      })
      assert.include(failures[1], { step: 1, verb: "post", key: "inbox.length", expected: "0" })
    })
  )

  /** What cannot be played ends the scenario, and no expectation can ask for it. */
  const unplayable: ReadonlyArray<{
    readonly what: string
    readonly steps: ReadonlyArray<object>
    readonly more?: object
    readonly failure: string
  }> = [
    { what: "a prompt inside a turn", steps: [go, endStep, go], failure: "2 prompt scenario" },
    {
      what: "a prompt inside the turn of a rejected one",
      steps: [{ ...go, reject: true }, go],
      failure: "1 prompt scenario"
    },
    { what: "the end of a step without a step", steps: [endStep], failure: "0 endStep scenario" },
    {
      what: "the end of a step that was not entered",
      steps: [{ ...go, reject: true }, endStep],
      failure: "1 endStep scenario"
    },
    { what: "the end of a turn without a turn", steps: [endTurn], failure: "0 endTurn scenario" },
    { what: "a verb without its part", steps: [{ do: "skills" }], failure: "0 skills scenario" },
    {
      what: "a part that is not in this build",
      steps: [go],
      more: { config: { tmux: {} } },
      failure: "0 prompt scenario"
    },
    {
      what: "a cancelled hook",
      steps: [go, { do: "cancel", while: touch, after: "1 milli", how: "fiber" }],
      failure: "1 cancel scenario"
    },
    {
      what: "a signal nobody takes",
      steps: [{ do: "cancel", while: settle, after: "1 milli", how: "signal" }],
      failure: "0 cancel scenario"
    },
    {
      what: "a step that never ends",
      steps: [{ do: "fault", path: "/repo/AGENTS.md", op: "read", as: "hang" }, go],
      failure: "1 prompt end"
    },
    {
      what: "a change that no disk allows",
      steps: [{ do: "write", path: "/repo/a", content: "x" }],
      failure: "0 write defect"
    }
  ]
  it.effect.each(unplayable)("ends at what cannot be played: $what", ({ failure, more, steps }) =>
    Effect.gen(function* () {
      const last = { ...steps.at(-1), expect: { error: "ScriptMistake" } }
      const all = [...steps.slice(0, -1), last, { do: "check", expect: { openHandles: 99 } }]
      assert.deepStrictEqual(yield* withoutTmux(failing(all, more)), [failure])
    })
  )

  it.effect("names the part that is missing", () =>
    Effect.gen(function* () {
      const scenario = yield* decodeScenario({ name: "s", cwd: "/", config: { tmux: {} }, steps: [go] })
      const { failures } = yield* withoutTmux(playScenario(scenario))
      assert.include(failures[0]!.seen, "tmux is not part of this build")
    })
  )

  it.effect("an error nobody has announced fails the step", () =>
    Effect.gen(function* () {
      const broken = { do: "resume", config: { instructions: { maxBytes: "a lot" } } }
      assert.deepStrictEqual(yield* failing([broken]), ["0 resume error"])
      assert.deepStrictEqual(yield* failing([go], { config: { instructions: {} } }), ["0 prompt error"])
    })
  )

  it.effect("counts from the end of the last prompt, step or cancellation before the step", () =>
    Effect.gen(function* () {
      const once = { reads: { "/repo/a/AGENTS.md": 1 } }
      assert.deepStrictEqual(
        yield* failing([
          go,
          { ...touch, expect: { reads: {}, probes: {} } },
          endStep,
          { ...settle, expect: once },
          { do: "post", text: "in between", expect: once },
          { do: "step", expect: once },
          { do: "check", expect: { reads: {}, probes: {} } }
        ]),
        []
      )
    })
  )

  it.effect("diagnostics belong to the same window, also those a pre-step has taken out of the report", () =>
    Effect.gen(function* () {
      const unavailable = { diagnostics: ["CandidateUnavailable"] }
      assert.deepStrictEqual(
        yield* failing([
          go,
          endTurn,
          { do: "fault", path: "/repo/a/AGENTS.md", op: "stat", as: "Unknown" },
          touch,
          { ...settle, expect: unavailable },
          { do: "heal" },
          { do: "prompt", text: "next", expect: unavailable },
          { do: "check", expect: { diagnostics: [] } },
          endStep,
          { do: "step", expect: { diagnostics: [] } }
        ]),
        []
      )
    })
  )

  it.effect("a cancelled step is played until nothing can go on, waited for, and given up", () =>
    Effect.gen(function* () {
      const slow = { do: "fault", path: "/repo/AGENTS.md", op: "read", as: { delay: "100 millis" } }
      const cancel = (after: string, expect: object, how = "fiber") => ({ do: "cancel", while: go, after, how, expect })
      assert.deepStrictEqual(
        yield* failing([
          slow,
          cancel("99 millis", {
            entered: [],
            decision: "reject",
            within: "99 millis",
            logged: ["turn/start"],
            inbox: [],
            openHandles: 0
          }),
          endTurn,
          cancel(
            "99 millis",
            { entered: [], decision: "reject", within: "99 millis", inbox: [], openHandles: 0 },
            "signal"
          ),
          endTurn,
          cancel("100 millis", {
            decision: "enter",
            entered: [{ equals: "go" }, { baseline: true }],
            within: "100 millis"
          })
        ]),
        []
      )
    })
  )

  it.effect("a nested step's own expectations count as well", () =>
    Effect.gen(function* () {
      const nested = { ...go, expect: { entered: [] } }
      assert.deepStrictEqual(yield* failing([{ do: "cancel", while: nested, after: "1 milli" }]), [
        "0 cancel while.entered.length"
      ])
    })
  )

  it.effect("a scenario cannot see the machine it is played on", () =>
    Effect.gen(function* () {
      const real = { "/home/u/.dsh/AGENTS.md": "only here\n" }
      assert.deepStrictEqual(
        yield* failing(
          [{ ...go, expect: { entered: [{}, { contains: ["only here"], count: { "Instructions from": 1 } }] } }],
          {
            cwd: "/",
            files: real
          }
        ),
        []
      )
      assert.deepStrictEqual(
        yield* failing([{ ...go, expect: { entered: [{}] } }], { cwd: "/", files: real, os: { home: "/home/other" } }),
        []
      )
    })
  )

  it.effect("other sessions exist beside the scenario's own", () =>
    Effect.gen(function* () {
      const other = {
        do: "session",
        id: "other",
        cwd: "/repo",
        title: "t",
        events: [
          { type: "user/message", text: "q" },
          { type: "tool/result", text: "r" },
          { type: "compaction/checkpoint", text: "c" },
          { type: "assistant/message", text: "a" }
        ]
      }
      assert.deepStrictEqual(
        yield* failing([
          other,
          { ...other, expect: { error: "SessionConflict", logged: [], inbox: [] } },
          { ...go, expect: { logged: ["turn/start", "step/start", "user/message", "user/message"] } }
        ]),
        []
      )
    })
  )

  it.effect("the same scenario gives the same result, message ids included", () =>
    Effect.gen(function* () {
      const scenario = yield* decodeScenario({
        name: "s",
        cwd: "/repo",
        files,
        config,
        steps: [go, touch, endStep, { do: "step" }, { do: "resume" }, { do: "post", text: "x" }]
      })
      assert.deepStrictEqual(yield* playScenario(scenario), yield* playScenario(scenario))
    })
  )
})
