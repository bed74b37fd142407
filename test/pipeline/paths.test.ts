/** Absolute paths as text. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as NodePath from "node:path"
import * as Paths from "../../src/pipeline/paths.ts"
import { pick, textOf } from "./instructions/generators.ts"

const check = (name: string, body: () => void) => it.effect(name, () => Effect.sync(body))

const names = textOf(["a", "b", "C:", " ", "\\", "\n", "é", "..."], 2, 1)
const relatives = Arbitrary.map(
  Arbitrary.array(pick(["a", "b", "..", ".", "", "c d", "C:\\x"]), { maxLength: 6 }),
  (parts) => parts.join("/")
)
const bases = Arbitrary.map(Arbitrary.array(names, { maxLength: 4 }), (parts) => `/${parts.join("/")}`)

describe("resolve", () => {
  it.effect.prop(
    "[I-40] on POSIX, as the platform does",
    { base: bases, path: relatives },
    ({ base, path }) =>
      Effect.sync(() => {
        // Only the root takes a path of either kind.
        const posix = base === "/" && /^[A-Za-z]:[\\/]/.test(path) ? `./${path}` : path
        assert.strictEqual(Paths.resolve(base, posix), NodePath.posix.resolve(base, posix))
      }),
    { arbitrary: { runs: 1000 } }
  )
  it.effect.prop(
    "[I-40] on Windows, as the platform does",
    {
      base: Arbitrary.map(
        Arbitrary.all([pick(["C:\\", "d:/", "\\\\server\\share\\"]), relatives]),
        ([root, rest]) => root + rest.replaceAll("C:\\x", "x")
      ),
      path: Arbitrary.map(
        Arbitrary.all([pick(["", "", "\\", "/", "E:\\", "f:/", "\\\\other\\disk\\"]), relatives, pick(["/", "\\"])]),
        ([root, rest, separator]) => root + rest.replaceAll("C:\\x", "x").replace(/^\/+/, "").replaceAll("/", separator)
      )
    },
    ({ base, path }) =>
      Effect.sync(() => assert.strictEqual(Paths.resolve(base, path), NodePath.win32.resolve(base, path))),
    { arbitrary: { runs: 1000 } }
  )
  check("[I-40] the base says what a separator is", () => {
    assert.strictEqual(Paths.resolve("/w", "C:\\x"), "/w/C:\\x")
    assert.strictEqual(Paths.resolve("/w", "a\\b"), "/w/a\\b")
    assert.strictEqual(Paths.resolve("/w", "\\\\a\\b"), "/w/\\\\a\\b")
    assert.strictEqual(Paths.resolve("C:\\w", "a/b\\c"), "C:\\w\\a\\b\\c")
    assert.strictEqual(Paths.resolve("/", "C:/w/../x"), "C:\\x")
    assert.strictEqual(Paths.resolve("/", "\\\\server//share\\x"), "\\\\server\\share\\x")
  })
})

describe("isAbsolute", () => {
  check("[I-40] a slash, a drive, a share", () => {
    for (const path of ["/", "/a", "C:\\", "c:/x", "\\\\server\\share"]) assert.isTrue(Paths.isAbsolute(path), path)
    for (const path of ["", "a", "./a", "~", "C:", "C:x", "\\a", "\\\\server"])
      assert.isFalse(Paths.isAbsolute(path), path)
  })
})

describe("up and down", () => {
  check("[I-4] a path and all directories above it, nearest first", () => {
    assert.deepStrictEqual(Paths.ancestors("/a/b/c"), ["/a/b/c", "/a/b", "/a", "/"])
    assert.deepStrictEqual(Paths.ancestors("/"), ["/"])
    assert.deepStrictEqual(Paths.ancestors("C:\\a\\b"), ["C:\\a\\b", "C:\\a", "C:\\"])
    assert.deepStrictEqual(Paths.ancestors("\\\\server\\share\\a"), ["\\\\server\\share\\a", "\\\\server\\share\\"])
  })
  check("[I-41] the directory that holds a path; the root holds itself", () => {
    assert.deepStrictEqual(["/a/b", "/a", "/", "/a/b/", "C:\\a", "C:\\"].map(Paths.parent), [
      "/a",
      "/",
      "/",
      "/a",
      "C:\\",
      "C:\\"
    ])
  })
  check("[I-23] relative to the root, always with slashes", () => {
    assert.strictEqual(Paths.within("/a", "/a"), ".")
    assert.strictEqual(Paths.within("/a", "/a/b/c"), "b/c")
    assert.strictEqual(Paths.within("/", "/a"), "a")
    assert.strictEqual(Paths.within("/a", "/ab"), undefined)
    assert.strictEqual(Paths.within("/a/b", "/a"), undefined)
    assert.strictEqual(Paths.within("C:\\a", "c:/a/b\\c"), "b/c")
    assert.strictEqual(Paths.within("C:\\a", "D:\\a\\b"), undefined)
    assert.strictEqual(Paths.within("\\\\Server\\share", "\\\\server\\\\Share\\a"), "a")
  })
  check("[I-6] [I-41] every directory on the way down, both ends included", () => {
    assert.deepStrictEqual(Paths.descend(".", "a/b"), [".", "a", "a/b"])
    assert.deepStrictEqual(Paths.descend(".", "."), ["."])
    assert.deepStrictEqual(Paths.descend("a", "a/b/c"), ["a", "a/b", "a/b/c"])
    assert.deepStrictEqual(Paths.descend("a/b", "a/b"), ["a/b"])
  })
  it.effect.prop(
    "[I-6] the way down is the way up",
    { root: bases, below: Arbitrary.array(names, { maxLength: 4 }), skip: pick([0, 1, 2, 3, 4]) },
    ({ root, below, skip }) =>
      Effect.sync(() => {
        const relative = below.join("/") || "."
        const path = Paths.resolve(root, `./${relative}`)
        assert.strictEqual(Paths.within(root, path), relative)
        const base = below.slice(0, skip).join("/") || "."
        const absolute = Paths.descend(base, relative).map((directory) => Paths.resolve(root, `./${directory}`))
        const top = Paths.resolve(root, `./${base}`)
        assert.deepStrictEqual(
          absolute,
          Paths.ancestors(path)
            .filter((directory) => Paths.within(top, directory) !== undefined)
            .toReversed()
        )
        assert.strictEqual(Paths.parent(path), Paths.ancestors(path)[1] ?? "/")
      }),
    { arbitrary: { runs: 1000 } }
  )
  check("[I-23] a name below a directory", () => {
    assert.deepStrictEqual(
      [Paths.below(".", "AGENTS.md"), Paths.below("a/b", "AGENTS.md")],
      ["AGENTS.md", "a/b/AGENTS.md"]
    )
  })
})

describe("child and within", () => {
  check("an entry of a directory, of either kind", () => {
    assert.deepStrictEqual(
      [Paths.child("/", "a"), Paths.child("/a", "b"), Paths.child("C:\\", "a"), Paths.child("C:\\a", "b")],
      ["/a", "/a/b", "C:\\a", "C:\\a\\b"]
    )
  })
  check("a place in a directory, itself included, and none outside of it", () => {
    assert.deepStrictEqual(
      [
        Paths.within("/a", "/a"),
        Paths.within("/a", "/a/b/c"),
        Paths.within("/a", "/ab"),
        Paths.within("/a/b", "/a"),
        Paths.within("C:\\a", "c:\\a\\b"),
        Paths.within("C:\\a", "D:\\a\\b"),
        Paths.within("/a", "C:\\a")
      ],
      [".", "b/c", undefined, undefined, "b", undefined, undefined]
    )
  })
})
