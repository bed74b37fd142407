/** The strict look at a skill before it is published. */
import { assert, describe, it } from "@effect/vitest"
import * as Yaml from "yaml"
import { checkSkill } from "../../../src/pipeline/skills/check.ts"

const lines = (...all: ReadonlyArray<string>): string => all.map((line) => `${line}\n`).join("")
const skill = (...fields: ReadonlyArray<string>): string => lines("---", ...fields, "---", "Do it.")
const pdf = (...fields: ReadonlyArray<string>): string => skill("name: pdf", ...fields)

const check = (file: string | Uint8Array, { expected = "pdf", flat = false } = {}) =>
  checkSkill(
    {
      path: "/s/pdf/SKILL.md",
      expected,
      flat,
      bytes: typeof file === "string" ? new TextEncoder().encode(file) : file
    },
    Yaml
  )

const found = (file: string | Uint8Array, options?: Parameters<typeof check>[1]) =>
  check(file, options).map(({ code, line, severity }) => `${line} ${severity} ${code}`)

describe("checkSkill", () => {
  it("[S-22] has nothing to say against a good one", () => {
    assert.deepStrictEqual(
      check(
        pdf(
          `description: ${"x".repeat(1024)}`,
          "license: MIT",
          `compatibility: ${"x".repeat(500)}`,
          "allowed-tools: Bash(git:*) Read",
          "metadata:",
          "  author: me",
          '  version: "1.0"'
        )
      ),
      []
    )
    assert.deepStrictEqual(
      check(skill(`name: ${"x".repeat(64)}`, "description: 文書 😀"), { expected: "x".repeat(64) }),
      []
    )
  })
  const cases: ReadonlyArray<readonly [what: string, file: string, findings: ReadonlyArray<string>]> = [
    ["no frontmatter", "# PDF\n", ["1 error NoFrontmatter"]],
    ["a language", lines("---js", "{}", "---"), ["1 error NoFrontmatter"]],
    ["an open frontmatter", lines("---", "name: pdf"), ["1 error UnclosedFrontmatter"]],
    ["broken YAML", pdf("description: [x"), ["4 error InvalidYaml"]],
    ["a duplicate key", pdf("description: x", "name: pdf"), ["4 error DuplicateKey"]],
    ["a tag", pdf("description: !mine x"), ["3 error UnknownTag"]],
    ["an unquoted colon", pdf("description: Use for X: do Y"), ["3 error UnquotedColon"]],
    ["no fields", lines("---", "---", "x"), ["2 error NotAMapping"]],
    ["neither name nor description", skill("license: MIT"), ["1 error MissingField", "1 error MissingField"]],
    ["another name", skill("description: x", "name: zip"), ["3 error NameMismatch"]],
    ["a name that is none", skill("name: My PDF", "description: x"), ["2 error InvalidName", "2 error NameMismatch"]],
    [
      "65 characters",
      skill(`name: ${"x".repeat(65)}`, "description: x"),
      ["2 error InvalidName", "2 error NameMismatch"]
    ],
    ["a number as name", skill("name: 12", "description: x"), ["2 error InvalidName"]],
    ["an empty name", skill("name:", "description: x"), ["2 error InvalidName"]],
    ["1025 characters", pdf(`description: ${"x".repeat(1025)}`), ["3 error InvalidDescription"]],
    ["a blank description", pdf("description: ' '"), ["3 error InvalidDescription"]],
    ["a list as description", pdf("description: [x]"), ["3 error InvalidDescription"]],
    ["501 characters", pdf("description: x", `compatibility: ${"x".repeat(501)}`), ["4 error InvalidCompatibility"]],
    ["a number as compatibility", pdf("description: x", "compatibility: 3"), ["4 error InvalidCompatibility"]],
    ["a list as license", pdf("description: x", "license: [MIT]"), ["4 error InvalidLicense"]],
    ["metadata that are a text", pdf("description: x", "metadata: mine"), ["4 error InvalidMetadata"]],
    [
      "metadata of other types",
      pdf("description: x", "metadata:", "  a: b", "  version: 1.0", "  on: true"),
      ["6 error InvalidMetadata", "7 error InvalidMetadata"]
    ],
    ["a list of tools", pdf("description: x", "allowed-tools: [Read]"), ["4 error InvalidAllowedTools"]],
    ["an unknown field", pdf("description: x", "version: 1"), ["4 error UnknownField"]],
    [
      "fields of this library",
      pdf("description: x", "whenToUse: now", "user-invocable: false"),
      ["4 warning ExtensionField", "5 warning ExtensionField"]
    ],
    ["a flag that is none", pdf("description: x", "disable-model-invocation: maybe"), ["4 error InvalidFlag"]],
    ["a flag in camel case", pdf("description: x", "disableModelInvocation: true"), ["4 error MisspelledFlag"]],
    ["an odd whenToUse", pdf("description: x", "when_to_use: 3"), ["4 error InvalidWhenToUse"]],
    ["no instructions", lines("---", "name: pdf", "description: x", "---", "", " "), ["4 warning EmptyBody"]],
    ["a byte-order mark", `\ufeff${pdf("description: x")}`, ["1 warning ByteOrderMark"]],
    ["NUL bytes", `${pdf("description: x")}\0`, ["1 error Binary"]],
    [
      "all at once",
      skill("name: 1", "description: 2", "nope: 3"),
      ["2 error InvalidName", "3 error InvalidDescription", "4 error UnknownField"]
    ]
  ]
  for (const [what, file, findings] of cases) {
    it(`[S-22] [S-23] ${what}`, () => {
      assert.deepStrictEqual(found(file), findings)
      for (const { message, path } of check(file)) {
        assert.strictEqual(path, "/s/pdf/SKILL.md")
        assert.match(message, /must|write|leave|keep|quote|close|ignore/)
      }
    })
  }
  it("[S-22] other encodings", () => {
    const bytes = new TextEncoder().encode(pdf("description: x"))
    bytes[bytes.length - 2] = 0xff
    assert.deepStrictEqual(found(bytes), ["1 error NotUtf8"])
    const text = pdf("description: x")
    const wide = new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))
    assert.deepStrictEqual(found(wide), ["1 error NotUtf8"])
  })
  it("[S-21] a flat file", () => {
    assert.deepStrictEqual(found(pdf("description: x"), { flat: true }), ["1 warning FlatFile"])
  })
  it("[S-22] a frontmatter of more than 64 KiB", () => {
    assert.deepStrictEqual(found(pdf("description: x", `# ${"x".repeat(70_000)}`)), ["1 error UnclosedFrontmatter"])
  })
})
