import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PathIndex, rootParent, type Parent } from "../../../src/pipeline/files/pathIndex.ts"
import { parseQuery } from "../../../src/pipeline/files/query.ts"
import { listing, search } from "../../../src/pipeline/files/rank.ts"

/** An index of paths; those that end in `/` are directories, and all directories above are there. */
const indexOf = (paths: ReadonlyArray<string>): PathIndex => {
  const index = new PathIndex()
  const parents = new Map<string, Parent>([["", rootParent]])
  for (const path of paths) {
    let above = ""
    const segments = path.split("/").filter((segment) => segment !== "")
    for (const [at, name] of segments.entries()) {
      const directory = at < segments.length - 1 || path.endsWith("/")
      const whole = `${above}${name}/`
      if (directory && parents.has(whole)) {
        above = whole
        continue
      }
      const below = index.add(parents.get(above)!, name, directory)
      if (directory) parents.set(whole, below)
      above = whole
    }
  }
  return index
}

const found = (index: PathIndex, text: string, limit = 20) => {
  const query = parseQuery(text, ["/repo"])
  assert.strictEqual(query._tag, "Search")
  if (query._tag !== "Search") return { paths: [], truncated: false }
  const { candidates, truncated } = search(index, query, limit)
  return { paths: candidates.map(({ kind, path }) => (kind === "directory" ? `${path}/` : path)), truncated }
}

describe("[F-5] ranking", () => {
  it("by class: exact, beginning, inside the base name, in the path, as a subsequence", () => {
    const index = indexOf(["a/plan", "a/plan.ts", "a/replan.ts", "planet/x.ts", "a/p-l-a-n.ts", "other"])
    assert.deepStrictEqual(found(index, "plan").paths, [
      "a/plan",
      "planet/",
      "a/plan.ts",
      "a/replan.ts",
      "planet/x.ts",
      "a/p-l-a-n.ts"
    ])
  })

  it("in a class directories, then shorter paths, then code units", () => {
    const index = indexOf(["b/plan.b", "a/plan.b", "plan.long.name", "plan.dir/", "B/plan.b"])
    assert.deepStrictEqual(found(index, "plan").paths, [
      "plan.dir/",
      "B/plan.b",
      "a/plan.b",
      "b/plan.b",
      "plan.long.name"
    ])
  })

  it("a capital letter makes case count", () => {
    const index = indexOf(["Plan.ts", "plan.ts", "src/x.PLAN"])
    assert.deepStrictEqual(found(index, "plan").paths, ["Plan.ts", "plan.ts", "src/x.PLAN"])
    assert.deepStrictEqual(found(index, "Plan").paths, ["Plan.ts"])
  })

  it("composed and decomposed letters meet, and the spelling of the disk is returned", () => {
    const decomposed = "cafe\u0301.ts"
    const index = indexOf([decomposed, "Cafe.ts", "re\u0301sume\u0301s/CAF\u00c9.md"])
    assert.deepStrictEqual(found(index, "caf\u00e9").paths, [decomposed, "re\u0301sume\u0301s/CAF\u00c9.md"])
    assert.deepStrictEqual(found(index, "cafe\u0301").paths, [decomposed, "re\u0301sume\u0301s/CAF\u00c9.md"])
    assert.deepStrictEqual(found(index, "r\u00e9sum\u00e9s").paths[0], "re\u0301sume\u0301s/")
  })

  it("is what sorting everything gives among many of the same length, wherever they lie", () => {
    let seed = 11
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below
    const names = ["ab", "ba", "aa", "bb", "a.", "a"]
    for (let round = 0; round < 60; round++) {
      const paths = new Set<string>()
      for (let at = 0; at < 600; at++) {
        const depth = 1 + random(4)
        const segments = Array.from({ length: depth }, () => `${names[random(names.length)]}${random(3)}`)
        paths.add(`${segments.join("/")}/x${random(10)}`)
      }
      const index = indexOf([...paths])
      for (const [needle, rankOf] of [
        ["x", (path: string) => (/\/x\d$/.test(path) ? 0 : 9)],
        ["a2x", (path: string) => (/a.*2.*x/.test(path) ? 0 : 9)]
      ] as const) {
        const expected = [...paths]
          .filter((path) => rankOf(path) < 9)
          .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
        for (const limit of [1, 3, 20])
          assert.deepStrictEqual(found(index, needle, limit).paths, expected.slice(0, limit))
      }
    }
  })

  it("a letter that folds to others is found by them", () => {
    const index = indexOf(["\u0130zmir.md", "a\u0130/x.ts", "other"])
    assert.deepStrictEqual(found(index, "i").paths, ["\u0130zmir.md", "a\u0130/", "a\u0130/x.ts"])
    assert.deepStrictEqual(found(index, "\u0130").paths, ["\u0130zmir.md", "a\u0130/", "a\u0130/x.ts"])
  })

  it("the halves of a character are not torn apart", () => {
    const index = indexOf(["\ud83d\ude01\ud83c\ude00", "\ud83d\ude00-b"])
    assert.deepStrictEqual(found(index, "\ud83d\ude00b").paths, ["\ud83d\ude00-b"])
    assert.deepStrictEqual(found(index, "\ud83d\ude00").paths, ["\ud83d\ude00-b"])
  })

  it("what is removed is gone with everything below it, and the rest is found as before", () => {
    const index = indexOf(["a/plan.ts", "ab/plan.ts", "a/b/plan/x.ts", "plan.md"])
    assert.deepStrictEqual(found(index, "plan").paths, [
      "a/b/plan/",
      "plan.md",
      "a/plan.ts",
      "ab/plan.ts",
      "a/b/plan/x.ts"
    ])
    index.remove("a")
    assert.deepStrictEqual(found(index, "plan").paths, ["plan.md", "ab/plan.ts"])
    assert.deepStrictEqual(
      [index.kindOf("a"), index.kindOf("a/b/plan"), index.kindOf("ab")],
      [undefined, undefined, "directory"]
    )
    const below = index.add(index.parentOf("ab")!, "Plan", true)
    index.add(below, "new.ts", false)
    assert.deepStrictEqual(found(index, "Plan").paths, ["ab/Plan/", "ab/Plan/new.ts"])
    assert.isUndefined(index.parentOf("ab/plan.ts"))
  })

  it("every name keeps its spelling, in whatever alphabet, whatever is removed around it and added later", () => {
    const paths = [
      "Read Me.md",
      "caf\u0065\u0301/CAFE\u0301.ts",
      "\u0178 es/x",
      "\u65e5\u672c/\u8a9e.md",
      "\ud800/lone",
      `${"Long".repeat(2000)}.ts`
    ]
    const index = indexOf(paths)
    const spelled = () => Array.from({ length: index.size }, (_, at) => index.candidate(at).path)
    const files = () => spelled().filter((path) => index.kindOf(path) === "file")
    assert.sameMembers(files(), paths)
    index.trim()
    assert.sameMembers(files(), paths)
    index.remove("\u0178 es")
    index.add(index.parentOf("caf\u0065\u0301")!, "N\u0303 New", false)
    index.remove("Read Me.md")
    const left = [paths[1]!, "caf\u0065\u0301/N\u0303 New", ...paths.slice(3)]
    assert.sameMembers(files(), left)
    assert.deepStrictEqual(found(index, "Long").paths, [paths.at(-1)])
    assert.deepStrictEqual(found(index, "\u00d1 N").paths, ["caf\u0065\u0301/N\u0303 New"])
    assert.deepStrictEqual(found(index, "CAF\u00c9").paths, [paths[1]])
    assert.deepStrictEqual(found(index, "\u8a9e").paths, [paths[3]])
  })

  it("[F-4] hidden entries match when a segment of the query begins with a dot", () => {
    const index = indexOf([".github/plan.yml", "plan.ts", ".env"])
    assert.deepStrictEqual(found(index, "plan").paths, ["plan.ts"])
    assert.deepStrictEqual(found(index, ".env").paths, [".env"])
    assert.deepStrictEqual(found(index, ".gith").paths, [".github/", ".github/plan.yml"])
  })

  it("says that there is more", () => {
    const index = indexOf(["a1.ts", "a2.ts", "a3.ts", "a-2.ts"])
    assert.deepStrictEqual(found(index, "a", 2), { paths: ["a1.ts", "a2.ts"], truncated: true })
    assert.deepStrictEqual(found(index, "a", 4).truncated, false)
    assert.deepStrictEqual(found(index, "a2", 1), { paths: ["a2.ts"], truncated: true })
    assert.deepStrictEqual(found(index, "a2", 2), { paths: ["a2.ts", "a-2.ts"], truncated: false })
    assert.deepStrictEqual(found(index, "a", 0), { paths: [], truncated: true })
    assert.deepStrictEqual(found(index, "zzz", 0), { paths: [], truncated: false })
  })

  const Name = Schema.Array(Schema.Literals([..."abAB.-é"])).pipe(
    Schema.check(Schema.isMinLength(1), Schema.isMaxLength(4))
  )
  const Path = Schema.Array(Name).pipe(Schema.check(Schema.isMinLength(1), Schema.isMaxLength(3)))

  it.effect.prop(
    "is what sorting everything gives, for every limit, in whatever order the entries came",
    { paths: Schema.Array(Path), text: Name, limit: Schema.Literals([0, 1, 2, 3, 20]) },
    ({ limit, paths, text }) =>
      Effect.sync(() => {
        const given = [...new Set(paths.map((path) => path.map((name) => name.join("")).join("/")))]
        const files = given.filter((path) => !given.some((other) => other.startsWith(`${path}/`)))
        const needle = text.join("")
        if (needle === "..") return
        const hidden = needle.startsWith(".")
        const sensitive = needle !== needle.toLowerCase()
        const classOf = (path: string): number => {
          const compared = sensitive ? path : path.toLowerCase()
          const base = compared.slice(compared.lastIndexOf("/") + 1)
          if (base === needle) return 0
          if (base.startsWith(needle)) return 1
          if (base.includes(needle)) return 2
          if (compared.includes(needle)) return 3
          let at = -1
          return [...needle].every((letter) => (at = compared.indexOf(letter, at + 1)) >= 0) ? 4 : 5
        }
        const everything = (index: PathIndex) => Array.from({ length: index.size }, (_, at) => index.candidate(at))
        const isHidden = (path: string) =>
          path.split("/").some((name) => name.startsWith(".") && name !== "." && name !== "..")
        const index = indexOf(files)
        const expected = everything(index)
          .filter(({ path }) => classOf(path) < 5 && (hidden || !isHidden(path)))
          .sort(
            (a, b) =>
              classOf(a.path) - classOf(b.path) ||
              (a.kind === b.kind ? 0 : a.kind === "directory" ? -1 : 1) ||
              a.path.length - b.path.length ||
              (a.path < b.path ? -1 : 1)
          )
          .map(({ kind, path }) => (kind === "directory" ? `${path}/` : path))
        for (const order of [files, [...files].reverse()]) {
          assert.deepStrictEqual(found(indexOf(order), needle, limit), {
            paths: expected.slice(0, limit),
            truncated: expected.length > limit
          })
        }
      }),
    { arbitrary: { runs: 500 } }
  )
})

describe("[F-3] listing", () => {
  it("directories first, then code units, by the beginning of the name", () => {
    const entries = [
      { path: "src/b.ts", kind: "file" },
      { path: "src/Z", kind: "directory" },
      { path: "src/a", kind: "directory" },
      { path: "src/B.ts", kind: "file" }
    ] as const
    const names = (rest: string) => listing(entries, rest, 20).candidates.map(({ path }) => path)
    assert.deepStrictEqual(names(""), ["src/Z", "src/a", "src/B.ts", "src/b.ts"])
    assert.deepStrictEqual(names("b"), ["src/B.ts", "src/b.ts"])
    assert.deepStrictEqual(names("B"), ["src/B.ts"])
    assert.deepStrictEqual(names("src"), [])
    assert.isTrue(listing(entries, "", 3).truncated)
  })
})

describe("[F-3] queries", () => {
  const parse = (query: string) => parseQuery(query, ["/repo", "/real"])
  it.each(["..", "../", "../x", "a/../..", "a/../../b", "/", "/etc/", "/repo", "/repository/x", "./..", "/repo/../x/"])(
    "%j is outside",
    (query) => {
      assert.strictEqual(parse(query)._tag, "Outside")
    }
  )
  it.each([
    ["", ".", ""],
    ["./", ".", ""],
    ["src/pl", "src", "pl"],
    ["a/../b//c/", "b/c", ""],
    ["a/..", "a", ".."],
    ["/repo/src/x", "src", "x"],
    ["/real/", ".", ""]
  ])("%j lists", (query, directory, rest) => {
    assert.deepInclude(parse(query), { _tag: "Listing", directory, rest })
  })
})
