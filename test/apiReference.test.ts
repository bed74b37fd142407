/** The API reference is what the sources say, and the sources say something about everything. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { readEntries } from "../scripts/apiReference/read.ts"
import type { Export } from "../scripts/apiReference/read.ts"
import { renderReference } from "../scripts/apiReference/render.ts"
import { faces, root } from "./support/examples.ts"

const directory = path.join(root, "docs/api")
const entries = readEntries(faces)
const pages = await renderReference(entries)
const committed = new Map(
  fs.readdirSync(directory).map((file) => [file, fs.readFileSync(path.join(directory, file), "utf8")])
)

const below = (exports: ReadonlyArray<Export>): ReadonlyArray<Export> =>
  exports.flatMap((each) => [each, ...below(each.members)])

describe("[docs] every public entry", () => {
  it.each(entries)("$specifier says what it is for, with an example", ({ doc }) => {
    assert.match(doc, /^\S.*\S/)
    assert.match(doc, /^```ts\n/m)
  })

  it.each(entries)("$specifier has a docstring on every export", ({ exports }) => {
    const silent = below(exports).filter(({ doc }) => doc === "")
    assert.deepStrictEqual(
      silent.map(({ origin }) => origin),
      []
    )
  })
})

describe("[docs] docs/api", () => {
  it("is what `npm run docs:api` writes; run it again", () => {
    assert.deepStrictEqual([...committed.keys()].sort(), [...pages.keys()].sort())
    for (const [file, text] of pages) assert.strictEqual(committed.get(file), text, file)
  })

  it.each([...pages])("%s leads nowhere but to headings that are there", (file, text) => {
    const anchors = new Map(
      [...pages].map(([page, markdown]) => {
        const headings = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
          heading!
            .toLowerCase()
            .replace(/[^\w -]/g, "")
            .replaceAll(" ", "-")
        )
        const numbered = headings.map((heading, index) => {
          const before = headings.slice(0, index).filter((each) => each === heading).length
          return before === 0 ? heading : `${heading}-${before}`
        })
        return [page, new Set(numbered)]
      })
    )
    const prose = text.replaceAll(/^```[^]*?^```$/gm, "")
    for (const [, page, anchor] of prose.matchAll(/\]\((?:\.\/([\w.]+))?(?:#([\w-]+))?\)/g)) {
      const target = anchors.get(page ?? file)
      assert.isDefined(target, page)
      if (anchor !== undefined) assert.isTrue(target.has(anchor), `${page ?? file}#${anchor}`)
    }
  })

  it("names no file that a type was declared in", () => {
    for (const [file, text] of pages) assert.notInclude(text, 'import("', file)
  })

  it("has no block that would be run a second time", () => {
    for (const [file, text] of pages) assert.notMatch(text, /^```ts$/m, file)
  })
})
