/** What the documentation shows in a terminal is what a terminal shows. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { root } from "./support/examples.ts"
import { take, walkIn } from "./support/walks.ts"

const pages = fs
  .readdirSync(path.join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map(
    (name) => [`docs/${name}`, walkIn(`docs/${name}`, fs.readFileSync(path.join(root, "docs", name), "utf8"))] as const
  )
  .filter(([, steps]) => steps.length > 0)

describe("[docs] walks", () => {
  it.each(pages)("%s prints what it says", async (_, steps) => {
    const printed = await take(steps)
    assert.deepStrictEqual(
      steps.map(({ command }, index) => [command, printed[index]]),
      steps.map(({ command, prints }) => [command, prints])
    )
  })
})
