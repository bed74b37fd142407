import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryFileSystem from "../../src/testing/memoryFileSystem.ts"
import { command } from "./harness.ts"

const skill = (name: string, description: string, more = "") =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\nBody of ${name}.\n`

const shop = MemoryFileSystem.layer({
  "/home/ann/shop/.git/": null,
  "/home/ann/shop/AGENTS.md": "Money is counted in cents.\n",
  "/home/ann/shop/.agents/skills/refund/SKILL.md": skill("refund", "Pay money back"),
  "/home/ann/shop/.agents/skills/broken/SKILL.md": "no front matter\n",
  "/home/ann/.dsh/skills/secret/SKILL.md": skill("secret", "For people", "disable-model-invocation: true\n")
})

describe("what a first prompt brings beside the instructions", () => {
  it.effect("[S-40] show prints the catalog after the instructions, and says what was lost", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("show", "/home/ann/shop")
      assert.strictEqual(code, 0)
      const [instructions, catalog] = stdout.split("</system-reminder>\n\n<system-reminder>")
      assert.include(instructions, "Money is counted in cents.")
      assert.include(catalog, "<available_skills>\n- refund: Pay money back\n</available_skills>")
      assert.notInclude(stdout, "secret")
      assert.match(stderr, /^agent-context: SkillMalformed: [^\n]*broken[^\n]*\n$/)
    }).pipe(Effect.provide(shop))
  )

  it.effect("[S-40] --json has it as `catalog`, and explain accounts for every skill", () =>
    Effect.gen(function* () {
      const shown = JSON.parse((yield* command("show", "/home/ann/shop", "--json")).stdout)
      assert.deepStrictEqual(shown.catalog.entries, [{ name: "refund", description: "Pay money back" }])
      assert.strictEqual(shown.catalog.bytes, Buffer.byteLength(shown.catalog.text))
      const explained = JSON.parse((yield* command("explain", "/home/ann/shop", "--json")).stdout)
      assert.deepStrictEqual(explained.skills, [
        { name: "refund", outcome: "listed", bytes: 14 },
        { name: "secret", outcome: "not for the model", bytes: 10 }
      ])
      const { stdout } = yield* command("explain", "/home/ann/shop")
      assert.match(
        stdout,
        /Skill catalog, [\d,]+ bytes of 16,384 bytes\n├─ refund +listed +14 bytes\n└─ secret +not for the model/
      )
    }).pipe(Effect.provide(shop))
  )

  it.effect("[C-7] without skills nothing is said of them", () =>
    Effect.gen(function* () {
      const { stdout } = yield* command("show", "/home/ann/shop", "--json")
      assert.notProperty(JSON.parse(stdout), "catalog")
      assert.notProperty(JSON.parse((yield* command("explain", "/home/ann/shop", "--json")).stdout), "skills")
    }).pipe(Effect.provide(MemoryFileSystem.layer({ "/home/ann/shop/AGENTS.md": "x\n" })))
  )
})
