import { assert, describe, it } from "@effect/vitest"
import { renderCatalog } from "../../../src/pipeline/skills/catalog.ts"

describe("a catalog that is said again", () => {
  it("[S-41] [S-42] shows the same entries whether it is the first one or an update, at every budget", () => {
    const skills = Array.from({ length: 10 }, (_, index) => ({
      name: `s0${index}`,
      description: "does a thing ".repeat(9)
    }))
    for (let budget = 300; budget < 2500; budget++) {
      const [first, update] = [
        renderCatalog(skills, budget, 500, "first"),
        renderCatalog(skills, budget, 500, "update")
      ]
      assert.deepStrictEqual(first.entries, update.entries, `budget ${budget}`)
    }
  })
})
