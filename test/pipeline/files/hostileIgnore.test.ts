import { assert, describe, it } from "@effect/vitest"
import { extend, isIgnored, noRules } from "../../../src/pipeline/files/ignore.ts"

describe("ignore files that mean harm", () => {
  it("[F-4] a rule that would take minutes to match is left out, and the others still count", () => {
    const gitignore = `${"[a-z]*".repeat(12)}!\n${"*a".repeat(14)}?x\nbuild\n*.log\na*b*c*d\n`
    const rules = extend(noRules, { gitignore }, "")
    const name = "a".repeat(200)
    assert.isFalse(isIgnored(rules, name, name, false))
    assert.isTrue(isIgnored(rules, "build", "build", true))
    assert.isTrue(isIgnored(rules, "x.log", "x.log", false))
    assert.isTrue(isIgnored(rules, "a1b2c3d", "a1b2c3d", false))
  })
})
