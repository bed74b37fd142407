/** Settings, candidate lists and identity: what to look for before any disk is asked (I-1, I-2, I-22, I-60). */
import { assert, describe, it } from "@effect/vitest"
import {
  candidateLists,
  identityOf,
  isOn,
  resolveSettings,
  type Settings,
  slotOrder,
  userLists
} from "../../../src/pipeline/instructions/chain.ts"

const defaults = resolveSettings({ maxBytes: 65_536 })

describe("resolveSettings", () => {
  it("[I-1] [I-4] [I-7] [I-10] [I-40] fills in the defaults", () => {
    assert.deepStrictEqual(defaults, {
      maxBytes: 65_536,
      maxSourceBytes: 1_048_576,
      base: ["AGENTS.md", "CLAUDE.md"],
      local: ["AGENTS.local.md", "CLAUDE.local.md"],
      markers: [".git"],
      selection: "first",
      home: undefined,
      touchTools: { read: "file_path", write: "file_path", edit: "file_path" },
      ignored: []
    })
  })

  it("[I-1] keeps what is configured, in its order, and [] as []", () => {
    const settings = resolveSettings({
      maxBytes: 1,
      maxSourceBytes: 2,
      instructionFileCandidates: ["b.md", "a.md", "b.md"],
      localInstructionFileCandidates: [],
      projectRootMarkers: [],
      candidateSelection: "all",
      home: "~/h",
      touchTools: { view: "path" }
    })
    assert.deepStrictEqual(settings, {
      maxBytes: 1,
      maxSourceBytes: 2,
      base: ["b.md", "a.md"],
      local: [],
      markers: [],
      selection: "all",
      home: "~/h",
      touchTools: { view: "path" },
      ignored: []
    })
  })

  for (const name of ["", ".", "..", "a/b", "/", "a\\b", "a\0"]) {
    it(`[I-2] ${JSON.stringify(name)} is ignored and reported with its key, wherever it stands`, () => {
      const settings = resolveSettings({
        maxBytes: 1,
        instructionFileCandidates: [name, "X"],
        localInstructionFileCandidates: ["Y", name],
        projectRootMarkers: [name, ".hg"]
      })
      assert.deepStrictEqual([settings.base, settings.local, settings.markers], [["X"], ["Y"], [".hg"]])
      assert.deepStrictEqual(
        settings.ignored.map(({ message, tag }) => [tag, message.split(":")[0]]),
        [
          ["CandidateIgnored", "instructionFileCandidates"],
          ["CandidateIgnored", "localInstructionFileCandidates"],
          ["CandidateIgnored", "projectRootMarkers"]
        ]
      )
      for (const { message } of settings.ignored) assert.include(message, JSON.stringify(name))
    })
  }

  it("[I-1] no other name is special", () => {
    const names = ["...", " ", "a b", "..x", ".x", "x..", "~", "C:", "na\nme", "user-global", "base", "local"]
    const settings = resolveSettings({ maxBytes: 1, instructionFileCandidates: names })
    assert.deepStrictEqual([settings.base, settings.ignored], [names, []])
  })
})

describe("isOn", () => {
  for (const [maxBytes, on] of [
    [1, true],
    [0.5, true],
    [1e9, true],
    [0, false],
    [-1, false],
    [Infinity, false],
    [-Infinity, false],
    [Number.NaN, false]
  ] as const) {
    it(`[I-60] ${maxBytes} turns instructions ${on ? "on" : "off"}`, () =>
      assert.strictEqual(isOn({ ...defaults, maxBytes }), on))
  }
})

describe("candidateLists", () => {
  it("[I-7] first: two lists that each decide for themselves", () => {
    assert.deepStrictEqual(candidateLists(defaults), [
      { slot: "base", names: ["AGENTS.md", "CLAUDE.md"] },
      { slot: "local", names: ["AGENTS.local.md", "CLAUDE.local.md"] }
    ])
    assert.deepStrictEqual(slotOrder(defaults), ["base", "local"])
  })

  it("[I-1] an empty list is none", () => {
    assert.deepStrictEqual(candidateLists({ ...defaults, local: [] }), [
      { slot: "base", names: ["AGENTS.md", "CLAUDE.md"] }
    ])
    assert.deepStrictEqual(candidateLists({ ...defaults, base: [], local: [] }), [])
  })

  it("[I-7] all: every name for itself, its slot its name, base before local, each once", () => {
    const settings: Settings = { ...defaults, selection: "all", base: ["B", "A"], local: ["C", "A"] }
    assert.deepStrictEqual(candidateLists(settings), [
      { slot: "B", names: ["B"] },
      { slot: "A", names: ["A"] },
      { slot: "C", names: ["C"] }
    ])
    assert.deepStrictEqual(slotOrder(settings), ["B", "A", "C"])
  })

  it("[I-3] the user-global file is one name without overlay", () => {
    assert.deepStrictEqual(userLists, [{ slot: "base", names: ["AGENTS.md"] }])
  })
})

describe("identityOf", () => {
  const identity = (settings: Partial<Settings>, shown = "~/.dsh", upward = "..") =>
    identityOf({ ...defaults, ...settings }, shown, upward)

  it("[I-22] each thing that decides discovery, precedence, root or budget changes it", () => {
    const all = [
      identity({}),
      identity({ base: ["CLAUDE.md", "AGENTS.md"] }),
      identity({ base: ["AGENTS.md"] }),
      identity({ local: [] }),
      identity({ base: [...defaults.base, ...defaults.local], local: [] }),
      identity({ markers: [".hg"] }),
      identity({ selection: "all" }),
      identity({ maxBytes: 65_535 }),
      identity({ maxSourceBytes: 1 }),
      identity({}, "$DSH_HOME"),
      identity({}, "~/.dsh", "."),
      identity({}, "~/.dsh", "../..")
    ]
    assert.strictEqual(new Set(all).size, all.length)
  })

  it("[I-22] nothing else does: defaults said explicitly, ignored names, duplicates, tools, the home's real path", () => {
    const explicit = resolveSettings({
      maxBytes: 65_536,
      maxSourceBytes: 1_048_576,
      instructionFileCandidates: ["AGENTS.md", "", "CLAUDE.md", "AGENTS.md"],
      localInstructionFileCandidates: ["AGENTS.local.md", "CLAUDE.local.md"],
      projectRootMarkers: [".git", "a/b"],
      candidateSelection: "first",
      home: "/somewhere",
      touchTools: {}
    })
    assert.strictEqual(identityOf(explicit, "~/.dsh", ".."), identity({}))
    assert.notInclude(identityOf(explicit, "$DSH_HOME", ".."), "somewhere")
  })

  it("[I-22] is a stable string", () => {
    assert.strictEqual(
      identity({}),
      `[1,["AGENTS.md","CLAUDE.md"],["AGENTS.local.md","CLAUDE.local.md"],[".git"],"first",65536,1048576,"~/.dsh",".."]`
    )
  })
})
