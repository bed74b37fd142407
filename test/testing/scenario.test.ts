import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeScenario, parseScenario, type ScenarioProblem } from "../../src/testing/scenario.ts"

const scenario = (step: unknown, more: object = {}) => ({
  name: "s",
  cwd: "/repo",
  steps: [{ do: "check" }, step],
  ...more
})

const problems = (input: unknown): Effect.Effect<ReadonlyArray<ScenarioProblem>, unknown> =>
  Effect.map(Effect.flip(decodeScenario(input)), (error) => error.problems)

/** Where, what it has to name, and the scenario that has it. */
const unknownThings: ReadonlyArray<readonly [where: string, name: string, input: unknown]> = [
  ["extra", "extra", scenario({ do: "check" }, { extra: 1 })],
  ["os.locale", "locale", scenario({ do: "check" }, { os: { locale: "C" } })],
  ["config.hooks", "hooks", scenario({ do: "check" }, { config: { hooks: {} } })],
  ['files["/a"].text', "text", scenario({ do: "check" }, { files: { "/a": { base64: "", text: "x" } } })],
  ['files["/a"].mode', "mode", scenario({ do: "check" }, { files: { "/a": { link: "b", mode: 1 } } })],
  ["steps[1].do", "dance", scenario({ do: "dance" })],
  ["steps[1].note", "note", scenario({ do: "check", note: "x" })],
  ["steps[1].path", "path", scenario({ do: "prompt", text: "x", path: "/a" })],
  ["steps[1].expect.enterd", "enterd", scenario({ do: "check", expect: { enterd: [] } })],
  ["steps[1].expect.inbox[0].sorce", "sorce", scenario({ do: "check", expect: { inbox: [{ sorce: "user" }] } })],
  [
    "steps[1].expect.entered[1].changes[0].why",
    "why",
    scenario({
      do: "check",
      expect: {
        entered: [
          {},
          { changes: [{ action: "set", scope: { owner: "user", directory: ".", slot: "base" }, path: "x", why: 1 }] }
        ]
      }
    })
  ],
  [
    "steps[1].expect.entered[0].changes[0].scope.root",
    "root",
    scenario({
      do: "check",
      expect: {
        entered: [
          { changes: [{ action: "set", scope: { owner: "user", directory: ".", slot: "base", root: "/" }, path: "x" }] }
        ]
      }
    })
  ],
  ["steps[1].expect.logEvery.max", "max", scenario({ do: "check", expect: { logEvery: { max: 1 } } })],
  ["steps[1].expect.text.source", "source", scenario({ do: "check", expect: { text: { source: "user" } } })],
  ["steps[1].while.do", "dance", scenario({ do: "cancel", while: { do: "dance" }, after: "1 second" })],
  [
    "steps[1].while.do",
    "cancel",
    scenario({ do: "cancel", while: { do: "cancel", while: { do: "step" }, after: "1 second" }, after: "1 second" })
  ],
  ["steps[1].while.note", "note", scenario({ do: "cancel", while: { do: "step", note: 1 }, after: "1 second" })],
  [
    "steps[1].while.expect.enterd",
    "enterd",
    scenario({ do: "cancel", while: { do: "step", expect: { enterd: [] } }, after: "1 second" })
  ],
  ["steps[1].before", "before", scenario({ do: "cancel", while: { do: "step" }, after: "1 second", before: "x" })],
  ["steps[1].config.hooks", "hooks", scenario({ do: "resume", config: { hooks: {} } })],
  ["steps[1].as.pause", "pause", scenario({ do: "fault", path: "/a", op: "any", as: { delay: "1 second", pause: 1 } })],
  ["steps[1].provider.rank", "rank", scenario({ do: "register", provider: { name: "p", candidates: [], rank: 1 } })],
  [
    "steps[1].events[0].at",
    "at",
    scenario({ do: "session", id: "s", cwd: "/", events: [{ type: "user/message", text: "x", at: 1 }] })
  ]
]

const wrongValues: ReadonlyArray<readonly [where: string, input: unknown]> = [
  ["name", { cwd: "/", steps: [] }],
  ["steps", { name: "s", cwd: "/" }],
  ["cwd", scenario({ do: "check" }, { cwd: "repo" })],
  ["os.clock", scenario({ do: "check" }, { os: { clock: "soon" } })],
  ["files", scenario({ do: "check" }, { files: { "a.md": "x" } })],
  ["files", scenario({ do: "check" }, { files: { "/a/": "x" } })],
  ["files", scenario({ do: "check" }, { files: { "/a": null } })],
  ['files["/a"].base64', scenario({ do: "check" }, { files: { "/a": { base64: "*" } } })],
  ["steps[1].do", scenario({})],
  ["steps[1].do", scenario("check")],
  ["steps[1].text", scenario({ do: "prompt" })],
  ["steps[1].reject", scenario({ do: "prompt", text: "x", reject: "yes" })],
  ["steps[1].path", scenario({ do: "write", path: "a.md", content: "x" })],
  ["steps[1].by", scenario({ do: "advance", by: "a while" })],
  ["steps[1].by", scenario({ do: "advance" })],
  ["steps[1].op", scenario({ do: "fault", path: "/a", op: "open", as: "hang" })],
  ["steps[1].as", scenario({ do: "fault", path: "/a", op: "read", as: "slow" })],
  ["steps[1].after", scenario({ do: "cancel", while: { do: "step" } })],
  ["steps[1].while.do", scenario({ do: "cancel", after: "1 second" })],
  ["steps[1].how", scenario({ do: "cancel", while: { do: "step" }, after: "1 second", how: "hard" })],
  ["steps[1].outcome", scenario({ do: "tool", name: "read", arguments: {}, outcome: "fine" })],
  ['steps[1].expect.reads["/a"]', scenario({ do: "check", expect: { reads: { "/a": "1" } } })],
  ["steps[1].expect.within", scenario({ do: "check", expect: { within: "soon" } })]
]

describe("reading a scenario", () => {
  it.effect.each(unknownThings.map(([where, name, input]) => ({ where, name, input })))(
    "what is not known is an error that names it: $name at $where",
    ({ input, name, where }) =>
      Effect.map(problems(input), (found) => {
        assert.include(
          found.map((problem) => problem.where),
          where
        )
        assert.include(found.find((problem) => problem.where === where)!.what, JSON.stringify(name))
      })
  )

  it.effect.each(wrongValues.map(([where, input]) => ({ where, input })))(
    "a value of the wrong kind is an error: $where",
    ({ input, where }) =>
      Effect.map(problems(input), (found) =>
        assert.include(
          found.map((problem) => problem.where),
          where
        )
      )
  )

  it.effect("everything that is wrong is listed, wherever it stands", () =>
    Effect.map(problems({ nam: "x", cwd: "/", steps: [{ do: "dance" }, { do: "check", a: 1, b: 2 }] }), (found) =>
      assert.sameMembers(
        found.map(({ where }) => where),
        ["nam", "name", "steps[0].do", "steps[1].a", "steps[1].b"]
      )
    )
  )

  it.effect("a text that is no JSON is an error", () =>
    Effect.map(Effect.flip(parseScenario('{ "name": ')), (error) => assert.include(error.message, "no JSON"))
  )

  it.effect("keys, verbs and configuration parts of every kind are read", () =>
    decodeScenario({
      name: "s",
      rules: ["I-1"],
      os: { home: "/h", env: { A: "b" }, clock: "2026-01-01T00:00:00Z", timeZone: "Europe/Berlin" },
      files: {
        "/d/": null,
        "/a": "x",
        "/b": { repeat: ["x", 3], reportSize: 1 },
        "/c": { base64: "eA==" },
        "/l": { link: "a" }
      },
      cwd: "/d",
      config: {
        instructions: { maxBytes: 1 },
        skills: {},
        fileReferences: {},
        sessionReferences: {},
        time: {},
        tmux: false
      },
      steps: [
        { do: "prompt", text: "x", reject: true, source: { kind: "user", timeZone: "UTC" } },
        { do: "post", text: "x", source: { kind: "robot" } },
        { do: "tool", name: "read", arguments: { file_path: "a" }, outcome: "ok", token: "t", parent: "p" },
        { do: "link", path: "/x", target: "a" },
        { do: "write", path: "/x", content: { repeat: ["x", 2] }, sameStat: true },
        { do: "fault", path: "/x", op: "stat", as: { delay: "50 millis" } },
        { do: "heal" },
        { do: "heal", path: "/x" },
        { do: "compact", keep: 2 },
        { do: "resume", config: {} },
        { do: "complete", query: "x", limit: 3 },
        { do: "skill", name: "x" },
        { do: "skills" },
        {
          do: "register",
          provider: { name: "p", candidates: [{ name: "a" }], complete: false, fail: "x" },
          in: "agent"
        },
        { do: "dispose", provider: { name: "p" } },
        { do: "invalidate", provider: { name: "p" } },
        {
          do: "session",
          id: "o",
          cwd: "/",
          title: "t",
          events: [{ type: "user/message", text: "x", source: { kind: "user" } }]
        },
        { do: "cancel", while: { do: "step" }, after: "1 milli", how: "signal", expect: { within: "1 milli" } }
      ]
    })
  )
})
