/** Which file speaks for which scope (I-6, I-7, I-9). */
import { assert, describe, it } from "@effect/vitest"
import { resolveSettings } from "../../../src/pipeline/instructions/chain.ts"
import { placeKey, selectScopes } from "../../../src/pipeline/instructions/select.ts"
import { type Disk, observe, unavailable } from "./disk.ts"

const first = resolveSettings({ maxBytes: 1_000 })
const all = resolveSettings({ maxBytes: 1_000, candidateSelection: "all" })

/** `directory:slot path state` of every scope that is not gone. */
const selected = (disk: Disk, settings = first, chain: ReadonlyArray<string> = [".", "a"]): ReadonlyArray<string> =>
  selectScopes(observe(disk, { settings, chain }), settings.selection, () => false).scopes.flatMap(
    ({ path, scope, state }) =>
      state._tag === "gone"
        ? []
        : [
            `${scope.owner === "user" ? "user" : scope.directory}:${scope.slot} ${path} ${state._tag}${state._tag === "duplicate" ? ` of ${state.of}` : ""}`
          ]
  )

describe("selectScopes", () => {
  it("[I-6] every scope that was looked at has a state, in message order", () => {
    const { scopes } = selectScopes(
      observe({ "CLAUDE.md": "c" }, { settings: first, chain: [".", "a"], nested: ["b"] }),
      "first",
      () => false
    )
    assert.deepStrictEqual(
      scopes.map(({ absolute, chain, path, scope, state }) => [
        scope.owner,
        scope.directory,
        scope.slot,
        path,
        absolute,
        chain,
        state._tag
      ]),
      [
        ["user", ".", "base", "~/.dsh/AGENTS.md", "/home/.dsh/AGENTS.md", true, "gone"],
        ["project", ".", "base", "CLAUDE.md", "/repo/CLAUDE.md", true, "file"],
        ["project", ".", "local", "AGENTS.local.md", "/repo/AGENTS.local.md", true, "gone"],
        ["project", "a", "base", "a/AGENTS.md", "/repo/a/AGENTS.md", true, "gone"],
        ["project", "a", "local", "a/AGENTS.local.md", "/repo/a/AGENTS.local.md", true, "gone"],
        ["project", "b", "base", "b/AGENTS.md", "/repo/b/AGENTS.md", false, "gone"],
        ["project", "b", "local", "b/AGENTS.local.md", "/repo/b/AGENTS.local.md", false, "gone"]
      ]
    )
  })

  it("[I-7] first: the first existing file of each list", () =>
    assert.deepStrictEqual(selected({ "AGENTS.md": "1", "CLAUDE.md": "2", "CLAUDE.local.md": "3" }), [
      ".:base AGENTS.md file",
      ".:local CLAUDE.local.md file"
    ]))

  it("[I-7] all: each existing file", () =>
    assert.deepStrictEqual(selected({ "AGENTS.md": "1", "CLAUDE.md": "2", "CLAUDE.local.md": "3" }, all), [
      ".:AGENTS.md AGENTS.md file",
      ".:CLAUDE.md CLAUDE.md file",
      ".:CLAUDE.local.md CLAUDE.local.md file"
    ]))

  it("[I-7] texts of one directory that are equal after trimming collapse to the earliest", () => {
    assert.deepStrictEqual(selected({ "AGENTS.md": " x\n", "AGENTS.local.md": "x" }), [
      ".:base AGENTS.md file",
      ".:local AGENTS.local.md duplicate of AGENTS.md"
    ])
    assert.deepStrictEqual(
      selected({ "AGENTS.md": "x", "CLAUDE.md": "y", "AGENTS.local.md": "\tx\r\n", "CLAUDE.local.md": "y" }, all),
      [
        ".:AGENTS.md AGENTS.md file",
        ".:CLAUDE.md CLAUDE.md file",
        ".:AGENTS.local.md AGENTS.local.md duplicate of AGENTS.md",
        ".:CLAUDE.local.md CLAUDE.local.md duplicate of CLAUDE.md"
      ]
    )
  })

  it("[I-7] a difference inside, or in case, is one", () =>
    assert.deepStrictEqual(
      selected({ "AGENTS.md": "a  b", "AGENTS.local.md": "a b", "a/AGENTS.md": "x", "a/AGENTS.local.md": "X" }).length,
      4
    ))

  it("[I-7] equal files of different directories, and the user's, never collapse", () =>
    assert.deepStrictEqual(selected({ "~": "x", "AGENTS.md": "x", "a/AGENTS.md": "x" }), [
      "user:base ~/.dsh/AGENTS.md file",
      ".:base AGENTS.md file",
      "a:base a/AGENTS.md file"
    ]))

  it("[I-6] the same real file counts at its first place, wherever the others are", () =>
    assert.deepStrictEqual(
      selected({
        "~": { link: "/shared", text: "s" },
        "AGENTS.md": { link: "/shared", text: "s" },
        "CLAUDE.local.md": { link: "/other", text: "o" },
        "a/AGENTS.local.md": { link: "/other", text: "o" },
        "a/AGENTS.md": { link: "/shared", text: "s" }
      }),
      [
        "user:base ~/.dsh/AGENTS.md file",
        ".:base AGENTS.md duplicate of ~/.dsh/AGENTS.md",
        ".:local CLAUDE.local.md file",
        "a:base a/AGENTS.md duplicate of ~/.dsh/AGENTS.md",
        "a:local a/AGENTS.local.md duplicate of CLAUDE.local.md"
      ]
    ))

  it("[I-7] a file that was not read is nobody's duplicate", () =>
    assert.deepStrictEqual(selected({ "AGENTS.md": { unread: 1 }, "AGENTS.local.md": { unread: 1 } }), [
      ".:base AGENTS.md file",
      ".:local AGENTS.local.md file"
    ]))

  it("[I-9] an unavailable candidate holds its scope; the other list and other directories go on", () => {
    for (const outcome of ["unavailable", "oversized", "binary"] as const) {
      const disk = {
        "AGENTS.md": { unavailable: outcome },
        "CLAUDE.md": "no",
        "CLAUDE.local.md": "l",
        "a/AGENTS.md": "a"
      }
      assert.deepStrictEqual(selected(disk), [
        ".:base AGENTS.md held",
        ".:local CLAUDE.local.md file",
        "a:base a/AGENTS.md file"
      ])
    }
  })

  it("[I-9] an absent candidate hands over to one that is unavailable", () =>
    assert.deepStrictEqual(selected({ "CLAUDE.md": unavailable }), [".:base CLAUDE.md held"]))

  it("[I-9] in selection all, and there only, an unavailable candidate freezes its place", () => {
    const disk = { "~": unavailable, "CLAUDE.md": unavailable, "a/AGENTS.md": "a" }
    const frozen = (settings: typeof first) =>
      selectScopes(observe(disk, { settings, chain: [".", "a"] }), settings.selection, () => false).frozen
    assert.deepStrictEqual([...frozen(all)], [placeKey({ owner: "project", directory: "." })])
    assert.deepStrictEqual([...frozen(first)], [])
  })
})
