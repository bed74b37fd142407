/** Every considered path with its one outcome, and what there is to complain about (I-62, I-64). */
import { assert, describe, it } from "@effect/vitest"
import { resolveSettings } from "../../../src/pipeline/instructions/chain.ts"
import { compose } from "../../../src/pipeline/instructions/compose.ts"
import type { Observed } from "../../../src/pipeline/instructions/observed.ts"
import { diagnosticsOf } from "../../../src/pipeline/instructions/report.ts"
import { nothingTold } from "../../../src/pipeline/instructions/told.ts"
import type { FileReport, InstructionsConfig } from "../../../src/schemas/Instructions.ts"
import { type Disk, observe, tell, unavailable } from "./disk.ts"

interface Given extends Partial<InstructionsConfig> {
  readonly chain?: ReadonlyArray<string>
  readonly nested?: ReadonlyArray<string>
}

const look = (disk: Disk, { chain = ["."], nested = [], ...config }: Given = {}) => {
  const settings = resolveSettings({ maxBytes: 10_000, ...config })
  return { settings, observed: observe(disk, { settings, chain, nested }) }
}

const loaded = (disk: Disk, given: Given = {}) =>
  compose({ told: nothingTold, fresh: true, baselineWaits: false, ...look(disk, given) })

/** `path outcome: reason` of every row that is not absent. */
const rows = (report: ReadonlyArray<FileReport>): ReadonlyArray<string> =>
  report
    .filter(({ outcome }) => outcome !== "absent")
    .map(({ outcome, path, reason }) => `${path} ${outcome}${reason === undefined ? "" : `: ${reason}`}`)

describe("the report of a load", () => {
  it("[I-64] has one row for each considered path, in message order", () => {
    const { report } = loaded({ "~": "mine\n", "CLAUDE.md": "claude\n" }, { chain: [".", "a"] })
    assert.deepStrictEqual(
      report.map(({ outcome, path, shown }) => [path, shown, outcome]),
      [
        ["/home/.dsh/AGENTS.md", "~/.dsh/AGENTS.md", "loaded"],
        ["/repo/AGENTS.md", "AGENTS.md", "absent"],
        ["/repo/CLAUDE.md", "CLAUDE.md", "loaded"],
        ["/repo/AGENTS.local.md", "AGENTS.local.md", "absent"],
        ["/repo/CLAUDE.local.md", "CLAUDE.local.md", "absent"],
        ["/repo/a/AGENTS.md", "a/AGENTS.md", "absent"],
        ["/repo/a/CLAUDE.md", "a/CLAUDE.md", "absent"],
        ["/repo/a/AGENTS.local.md", "a/AGENTS.local.md", "absent"],
        ["/repo/a/CLAUDE.local.md", "a/CLAUDE.local.md", "absent"]
      ]
    )
    assert.deepStrictEqual(report[2]!.scope, { owner: "project", directory: ".", slot: "base" })
    assert.deepStrictEqual(report[8]!.scope, { owner: "project", directory: "a", slot: "local" })
  })

  it("[I-64] bytes are those of the text, rendered bytes those of its block; what is not shown takes none", () => {
    const { bytes, report, text } = loaded({ "AGENTS.md": "né </system-reminder>\n", "CLAUDE.local.md": "" })
    const [, agents, local] = report
      .filter(({ outcome }) => outcome === "loaded" || outcome === "absent")
      .filter(({ shown }, index) => index === 0 || ["AGENTS.md", "CLAUDE.local.md"].includes(shown))
    const block = "\nInstructions from: AGENTS.md\n\nné <\\/system-reminder>\n"
    assert.include(text, block)
    assert.deepStrictEqual([agents!.bytes, agents!.renderedBytes], [23, Buffer.byteLength(block)])
    assert.strictEqual(local!.bytes, 0)
    assert.isTrue(local!.renderedBytes > 0)
    const sum = report.reduce((total, { renderedBytes }) => total + renderedBytes, 0)
    const around = loaded({ "AGENTS.md": "x" })
    assert.strictEqual(bytes - sum, around.bytes - around.report[1]!.renderedBytes)
  })

  it("[I-64] says of what a file is a duplicate", () => {
    assert.deepStrictEqual(rows(loaded({ "AGENTS.md": "x\n", "AGENTS.local.md": "x" }).report), [
      "/repo/AGENTS.md loaded",
      "/repo/AGENTS.local.md duplicate: of AGENTS.md"
    ])
  })

  it("[I-64] says why a file is not available, and how large it is", () => {
    for (const outcome of ["unavailable", "oversized", "binary"] as const) {
      const { report } = loaded({ "AGENTS.md": { unavailable: outcome } })
      assert.deepStrictEqual(rows(report), [`/repo/AGENTS.md ${outcome}: for a reason`])
      assert.deepStrictEqual([report[1]!.bytes, report[1]!.renderedBytes], [7, 0])
    }
  })

  it("[I-64] says what the budget left out, and from and to how many bytes a file was cut", () => {
    const { omitted, report, truncated } = loaded(
      { "~": { unread: 900 }, "AGENTS.md": "r".repeat(400), "a/AGENTS.md": "a".repeat(600) },
      { chain: [".", "a"], maxBytes: 600 }
    )
    const { to } = truncated[0]!
    assert.deepStrictEqual(rows(report), [
      "/home/.dsh/AGENTS.md omitted: the budget has no room for it",
      "/repo/AGENTS.md omitted: the budget has no room for it",
      `/repo/a/AGENTS.md truncated: from 600 to ${to} bytes`
    ])
    assert.deepStrictEqual(
      report
        .filter(({ outcome }) => outcome !== "absent")
        .map(({ bytes, renderedBytes }) => [bytes, renderedBytes > to]),
      [
        [900, false],
        [400, false],
        [600, true]
      ]
    )
    assert.deepStrictEqual(omitted, [
      { path: "~/.dsh/AGENTS.md", bytes: 900 },
      { path: "AGENTS.md", bytes: 400 }
    ])
  })

  it("[I-64] the same absolute path reached as the user's file and as the project's has a row of each", () => {
    const { observed, settings } = look({
      "~": { link: "/repo/AGENTS.md", text: "both\n" },
      "AGENTS.md": { link: "/repo/AGENTS.md", text: "both\n" }
    })
    const [user, ...project] = observed.directories
    const moved: Observed = {
      ...observed,
      directories: [
        {
          ...user!,
          absolute: "/repo",
          lists: user!.lists.map((list) => ({
            ...list,
            candidates: list.candidates.map((candidate) => ({ ...candidate, path: "/repo/AGENTS.md" }))
          }))
        },
        ...project
      ]
    }
    const { report } = compose({ told: nothingTold, fresh: true, baselineWaits: false, observed: moved, settings })
    assert.deepStrictEqual(rows(report), ["/repo/AGENTS.md loaded", "/repo/AGENTS.md duplicate: of ~/.dsh/AGENTS.md"])
  })
})

describe("the report of a later look", () => {
  const given: Given = { chain: [".", "a"], nested: ["x"] }
  const before = { "AGENTS.md": "root\n", "a/AGENTS.md": "a\n" }
  const told = tell(nothingTold, loaded(before, given))
  const next = (disk: Disk, more: Given & { readonly fresh?: boolean } = {}) => {
    const { fresh = false, ...config } = more
    return compose({ told, fresh, baselineWaits: false, ...look(disk, { ...given, ...config }) })
  }

  it("[I-64] what is told already is unchanged, what comes is loaded, what is gone is absent", () => {
    const { report } = next({ "AGENTS.md": "root two\n", "x/AGENTS.md": "x\n", "a/AGENTS.md": "a\n" })
    assert.deepStrictEqual(rows(report), [
      "/repo/AGENTS.md loaded",
      "/repo/a/AGENTS.md unchanged",
      "/repo/x/AGENTS.md loaded"
    ])
    assert.strictEqual(report.find(({ path }) => path === "/repo/a/AGENTS.md")!.renderedBytes, 0)
    assert.deepStrictEqual(rows(next({ "AGENTS.md": "root\n" }).report), ["/repo/AGENTS.md unchanged"])
  })

  it("[I-64] what cannot be read is unavailable, told or not", () => {
    assert.deepStrictEqual(
      rows(next({ "AGENTS.md": unavailable, "a/AGENTS.md": "a\n", "x/CLAUDE.md": unavailable }).report),
      [
        "/repo/AGENTS.md unavailable: for a reason",
        "/repo/a/AGENTS.md unchanged",
        "/repo/x/CLAUDE.md unavailable: for a reason"
      ]
    )
  })

  it("[I-9] [I-64] what a frozen directory holds back is not blamed on the budget", () => {
    const settings: Given = { candidateSelection: "all" }
    const visible = tell(nothingTold, loaded({ "AGENTS.md": "root\n" }, settings))
    const { report, source } = compose({
      told: visible,
      fresh: false,
      baselineWaits: false,
      ...look({ "AGENTS.md": unavailable, "CLAUDE.md": "new\n" }, settings)
    })
    assert.strictEqual(source, undefined)
    const row = report.find(({ path }) => path === "/repo/CLAUDE.md")!
    assert.notStrictEqual(row.outcome, "omitted")
    assert.notInclude(row.reason ?? "", "budget")
  })

  it("[I-64] a message that is not sent says in its report what would not fit", () => {
    const deep = { ...before, "x/AGENTS.md": "x".repeat(500) }
    const settings = { maxBytes: 150 }
    const small = tell(nothingTold, loaded(before, given))
    const { observed, settings: resolved } = look(deep, { ...given, ...settings })
    const { report, source } = compose({
      told: { ...small, identity: observed.identity },
      fresh: false,
      baselineWaits: false,
      observed,
      settings: resolved
    })
    assert.strictEqual(source, undefined)
    assert.include(rows(report), "/repo/x/AGENTS.md omitted: the budget has no room for it")
  })

  it("[I-30] [I-64] what a new instance takes back for the budget's sake is omitted", () => {
    const small: Given = { chain: [".", "a"], maxBytes: 900 }
    const disk = { "AGENTS.md": "broad ".repeat(50), "a/AGENTS.md": "a\n" }
    const visible = tell(nothingTold, loaded(disk, small))
    const { observed, settings } = look({ ...disk, "a/AGENTS.md": "a ".repeat(190) }, small)
    const { report, source } = compose({ told: visible, fresh: true, baselineWaits: false, observed, settings })
    assert.strictEqual(source?.changes[0]?.action, "remove")
    assert.deepStrictEqual(rows(report), [
      "/repo/AGENTS.md omitted: the budget has no room for it",
      "/repo/a/AGENTS.md loaded"
    ])
  })
})

describe("diagnosticsOf", () => {
  it("[I-9] [I-10] [I-11] names what cannot be used, with tag, path and reason", () => {
    const { observed } = look(
      {
        "~": unavailable,
        "AGENTS.md": { unavailable: "oversized" },
        "a/CLAUDE.md": { unavailable: "binary" },
        "x/AGENTS.md": "fine"
      },
      { chain: [".", "a"], nested: ["x"] }
    )
    assert.deepStrictEqual(diagnosticsOf(observed), [
      {
        tag: "CandidateUnavailable",
        path: "/home/.dsh/AGENTS.md",
        message: "/home/.dsh/AGENTS.md is not used now: for a reason"
      },
      { tag: "SourceOversized", path: "/repo/AGENTS.md", message: "/repo/AGENTS.md is not used now: for a reason" },
      { tag: "SourceBinary", path: "/repo/a/CLAUDE.md", message: "/repo/a/CLAUDE.md is not used now: for a reason" }
    ])
  })

  it("[I-11] and what was repaired", () => {
    const { observed } = look({ "AGENTS.md": "caf\ufffd\n" })
    const [user, root] = observed.directories
    const [base, ...others] = root!.lists
    const [agents] = base!.candidates
    const { state } = agents!
    const repaired: Observed = {
      ...observed,
      directories: [
        user!,
        {
          ...root!,
          lists: [
            {
              ...base!,
              candidates: [
                {
                  ...agents!,
                  state:
                    state._tag === "present" && state.content._tag === "text"
                      ? { ...state, content: { ...state.content, repaired: true } }
                      : state
                }
              ]
            },
            ...others
          ]
        }
      ]
    }
    assert.deepStrictEqual(diagnosticsOf(observed), [])
    assert.deepStrictEqual(
      diagnosticsOf(repaired).map(({ path, tag }) => [tag, path]),
      [["InvalidUtf8", "/repo/AGENTS.md"]]
    )
  })
})
