import { assert, describe, it } from "@effect/vitest"
import { type Expectations, mismatches, type Seen } from "../../src/testing/expectations.ts"
import {
  Expectations as ExpectationsSchema,
  MessageMatch as MessageMatchSchema
} from "../../src/testing/scenario/match.ts"
import type { MessageMatch } from "../../src/testing/scenario/match.ts"

const scope = { owner: "project", directory: ".", slot: "base" } as const
const change = { action: "replace", scope, path: "AGENTS.md", previousPath: "CLAUDE.md" } as const

const message = {
  id: "m1",
  text: "alpha beta\ngamma é beta\n",
  source: {
    kind: "agent-instructions",
    version: 1,
    baseline: true,
    changes: [{ ...change, digest: "0".repeat(40) }],
    references: [{ sessionId: "s", label: "l", truncated: false }],
    entries: [{ name: "a", description: "b" }]
  }
}
const other = { id: "m2", text: "hello", source: { kind: "user" } }

const seen: Seen = {
  decision: "enter",
  entered: [other, message],
  inbox: [message],
  logged: ["turn/start", "step/start"],
  contributed: [message],
  reads: { "/a": 2 },
  probes: { "/a": 1, "/b": 3 },
  bytesRead: { "/a": 100 },
  diagnostics: ["CandidateUnavailable", "LinkLoop"],
  report: { "/a": "loaded" },
  openHandles: 1,
  elapsed: 50,
  candidates: ["src/", "a.ts"],
  skills: ["pdf"],
  complete: true,
  truncated: false,
  text: "alpha beta\n",
  error: { tag: "SkillUnavailable", message: "there is none" }
}

interface Case {
  readonly holds: ReadonlyArray<Expectations>
  readonly fails: ReadonlyArray<Expectations>
}

/** Every key, with expectations that hold for what was seen and expectations that do not. */
const cases: { readonly [Key in keyof Required<Expectations>]: Case } = {
  decision: { holds: [{ decision: "enter" }], fails: [{ decision: "reject" }] },
  entered: {
    holds: [{ entered: [{ source: "user" }, {}] }],
    fails: [{ entered: [] }, { entered: [{}] }, { entered: [{}, {}, {}] }, { entered: [{}, { source: "user" }] }]
  },
  inbox: { holds: [{ inbox: [{}] }], fails: [{ inbox: [] }, { inbox: [{}, {}] }, { inbox: [{ source: "user" }] }] },
  logged: {
    holds: [{ logged: ["turn/start", "step/start"] }],
    fails: [{ logged: [] }, { logged: ["turn/start"] }, { logged: ["step/start", "turn/start"] }]
  },
  logEvery: { holds: [{ logEvery: { maxBytes: 25 } }], fails: [{ logEvery: { maxBytes: 24 } }] },
  reads: {
    holds: [{ reads: { "/a": 2 } }, { reads: { "/a": 2, "/never": 0 } }],
    fails: [{ reads: { "/a": 1 } }, { reads: { "/a": 3 } }, { reads: { "/never": 1 } }, { reads: {} }]
  },
  probes: {
    holds: [{ probes: { "/b": 3 } }],
    fails: [{ probes: { "/b": 2 } }, { probes: { "/never": 1 } }, { probes: {} }]
  },
  bytesRead: {
    holds: [{ bytesRead: { "/a": 100 } }, { bytesRead: { "/a": 1000, "/never": 0 } }],
    fails: [{ bytesRead: { "/a": 99 } }, { bytesRead: {} }]
  },
  diagnostics: {
    holds: [{ diagnostics: ["LinkLoop"] }, { diagnostics: ["LinkLoop", "CandidateUnavailable"] }],
    fails: [{ diagnostics: [] }, { diagnostics: ["SourceBinary"] }, { diagnostics: ["LinkLoop", "SourceBinary"] }]
  },
  report: {
    holds: [{ report: { "/a": "loaded" } }],
    fails: [{ report: { "/a": "absent" } }, { report: { "/never": "absent" } }]
  },
  openHandles: { holds: [{ openHandles: 1 }], fails: [{ openHandles: 0 }] },
  within: { holds: [{ within: "50 millis" }, { within: "1 second" }], fails: [{ within: "49 millis" }] },
  candidates: {
    holds: [{ candidates: ["src/", "a.ts"] }],
    fails: [{ candidates: ["src/"] }, { candidates: ["a.ts", "src/"] }, { candidates: ["src", "a.ts"] }]
  },
  skills: { holds: [{ skills: ["pdf"] }], fails: [{ skills: [] }, { skills: ["pdf", "zip"] }] },
  complete: { holds: [{ complete: true }], fails: [{ complete: false }] },
  truncated: { holds: [{ truncated: false }], fails: [{ truncated: true }] },
  text: {
    holds: [{ text: { contains: ["alpha"] } }],
    fails: [{ text: { contains: ["gamma"] } }, { text: { equals: "alpha" } }]
  },
  error: { holds: [{ error: "SkillUnavailable" }], fails: [{ error: "InvalidSkillName" }, {}] }
}

/** Every key of a message match, against the same message. */
const matches: {
  readonly [Key in keyof Required<MessageMatch>]: {
    readonly holds: ReadonlyArray<MessageMatch>
    readonly fails: ReadonlyArray<MessageMatch>
  }
} = {
  source: { holds: [{ source: "agent-instructions" }], fails: [{ source: "user" }] },
  baseline: { holds: [{ baseline: true }], fails: [{ baseline: false }] },
  changes: {
    holds: [{ changes: [change] }, { changes: [{ ...change, digest: "0".repeat(40) }] }],
    fails: [
      { changes: [] },
      { changes: [change, change] },
      { changes: [{ action: "replace", scope, path: "AGENTS.md" }] },
      { changes: [{ ...change, action: "set" }] },
      { changes: [{ ...change, path: "a/AGENTS.md" }] },
      { changes: [{ ...change, scope: { ...scope, slot: "local" } }] },
      { changes: [{ ...change, digest: "1".repeat(40) }] }
    ]
  },
  references: {
    holds: [{ references: [{ sessionId: "s" }] }, { references: [{}] }],
    fails: [
      { references: [] },
      { references: [{}, {}] },
      { references: [{ sessionId: "t" }] },
      { references: [{ more: 1 }] }
    ]
  },
  entries: {
    holds: [{ entries: [{ name: "a" }] }],
    fails: [{ entries: [] }, { entries: [{ name: "b" }] }, { entries: [{ name: "a" }, { name: "b" }] }]
  },
  contains: { holds: [{ contains: ["alpha", "gamma"] }], fails: [{ contains: ["alpha", "delta"] }] },
  excludes: { holds: [{ excludes: ["delta"] }], fails: [{ excludes: ["delta", "beta"] }] },
  inOrder: {
    holds: [{ inOrder: ["alpha", "beta", "beta"] }],
    fails: [{ inOrder: ["beta", "alpha"] }, { inOrder: ["beta", "beta", "beta"] }, { inOrder: ["delta"] }]
  },
  count: {
    holds: [{ count: { beta: 2, delta: 0 } }],
    fails: [{ count: { beta: 1 } }, { count: { beta: 3 } }, { count: { delta: 1 } }]
  },
  maxBytes: { holds: [{ maxBytes: 25 }], fails: [{ maxBytes: 24 }] },
  equals: { holds: [{ equals: message.text }], fails: [{ equals: "alpha beta" }, { equals: "" }] }
}

/** What was seen announces an error; all but `error` itself are tried without one. */
const without: Seen = { ...seen, error: undefined }

describe("expectations", () => {
  it("every key there is has its cases", () => {
    assert.sameMembers(Object.keys(cases), Object.keys(ExpectationsSchema.fields))
    assert.sameMembers(Object.keys(matches), Object.keys(MessageMatchSchema.fields))
  })

  for (const [key, { fails, holds }] of Object.entries(cases)) {
    const shown = key === "error" ? seen : without
    it(`${key}: holds`, () => holds.forEach((expect) => assert.deepStrictEqual(mismatches(expect, shown), [])))
    it.each(fails)(`${key}: %j fails, and is named`, (expect) => {
      const found = mismatches(expect, shown)
      assert.isNotEmpty(found)
      for (const mismatch of found) assert.match(mismatch.key, new RegExp(`^${key}(?![A-Za-z])`))
    })
  }

  for (const [key, { fails, holds }] of Object.entries(matches)) {
    it(`a message's ${key}: holds`, () =>
      holds.forEach((match) => assert.deepStrictEqual(mismatches({ inbox: [match] }, without), [])))
    it.each(fails)(`a message's ${key}: %j fails, and is named`, (match) => {
      const found = mismatches({ inbox: [match] }, without)
      assert.isNotEmpty(found)
      for (const mismatch of found) assert.match(mismatch.key, new RegExp(`^inbox\\[0\\]\\.${key}(?![A-Za-z])`))
    })
  }

  it("what a step cannot show does not hold", () => {
    const nothing: Seen = {
      ...without,
      decision: undefined,
      candidates: undefined,
      skills: undefined,
      complete: undefined,
      truncated: undefined,
      text: undefined
    }
    const expects: ReadonlyArray<Expectations> = [
      { decision: "reject" },
      { candidates: [] },
      { skills: [] },
      { complete: false },
      { truncated: false },
      { text: {} },
      { error: "Any" }
    ]
    for (const expect of expects) assert.lengthOf(mismatches(expect, nothing), 1, JSON.stringify(expect))
  })

  it("an error has to be announced, by its tag or by a decision to reject", () => {
    assert.deepStrictEqual(
      mismatches({ logged: seen.logged as Array<string> }, seen).map(({ key }) => key),
      ["error"]
    )
    assert.deepStrictEqual(mismatches({ decision: "reject" }, { ...seen, decision: "reject" }), [])
  })

  it("messages without the lists that are expected do not match", () => {
    for (const key of ["changes", "references", "entries"]) {
      assert.lengthOf(mismatches({ entered: [{ [key]: [] }, {}] }, without), 1, key)
    }
  })
})
