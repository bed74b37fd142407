/** Frontmatter as people write it: what loads, what is lost, and what is said about it. */
import { assert, describe, it } from "@effect/vitest"
import * as Yaml from "yaml"
import {
  type Malformed,
  maxHeadBytes,
  readFrontmatter,
  readHead,
  type ReadSkill
} from "../../../src/pipeline/skills/frontmatter.ts"

const encode = (text: string) => new TextEncoder().encode(text)

const read = (file: string | Uint8Array, expected = "pdf"): ReadSkill | Malformed => {
  const bytes = typeof file === "string" ? encode(file) : file
  const head = readHead(bytes.subarray(0, maxHeadBytes), bytes.length <= maxHeadBytes)
  assert(head !== undefined, "the head is too short to tell")
  if (head._tag === "Malformed") return head
  const skill = readFrontmatter(head, expected, Yaml)
  assert(skill !== undefined)
  // Where the library is not needed it must not be asked for, and both ways have to agree.
  const alone = readFrontmatter(head, expected)
  if (alone !== undefined) assert.deepStrictEqual(alone, skill)
  return skill
}

const loaded = (file: string | Uint8Array, expected?: string) => {
  const result = read(file, expected)
  if (result._tag !== "Skill") assert.fail(`${result.code}: ${result.message}`)
  return result
}

const lost = (file: string | Uint8Array): Malformed => {
  const result = read(file)
  if (result._tag !== "Malformed") assert.fail(`it loads as ${JSON.stringify(result.skill)}`)
  return result
}

const lines = (...all: ReadonlyArray<string>): string => all.map((line) => `${line}\n`).join("")
const skill = (...fields: ReadonlyArray<string>): string => lines("---", ...fields, "---", "body")
const pdf = (...fields: ReadonlyArray<string>): string => skill("name: pdf", ...fields)

describe("what loads", () => {
  const description = (text: string | Uint8Array, expected: string, findings: ReadonlyArray<string> = []) => {
    const result = loaded(text)
    assert.strictEqual(result.skill.name, "pdf")
    assert.strictEqual(result.skill.description, expected)
    assert.deepStrictEqual(
      result.findings.map(({ tag }) => tag),
      findings
    )
  }

  const plain = pdf("description: Reads PDF files")
  const ends = { LF: "\n", CRLF: "\r\n", CR: "\r" }
  for (const [name, end] of Object.entries(ends)) {
    it(`[S-22] ${name} line ends`, () => description(plain.replaceAll("\n", end), "Reads PDF files"))
    it(`[S-22] ${name} line ends behind a byte-order mark`, () =>
      description(`\ufeff${plain.replaceAll("\n", end)}`, "Reads PDF files"))
    it(`[S-22] ${name} line ends in a folded text`, () =>
      description(pdf("description: >-", "  folded", "  text").replaceAll("\n", end), "folded text"))
  }

  const cases: ReadonlyArray<
    readonly [name: string, file: string, expected: string, findings?: ReadonlyArray<string>]
  > = [
    ["UTF-8 as it is", pdf("description: Straßen, 文書, 😀"), "Straßen, 文書, 😀"],
    ["blanks behind the fences", lines("---  ", "name: pdf", "description: x", "--- \t", "body"), "x"],
    ["no final line end", "---\nname: pdf\ndescription: x\n---", "x"],
    ["no body", lines("---", "name: pdf", "description: x", "---"), "x"],
    ["a folded text", pdf("description: >-", "  folded", "  text"), "folded text"],
    ["a folded text that keeps its end", pdf("description: >", "  folded", "  text"), "folded text\n"],
    ["a literal text", pdf("description: |", "  a: b: c", "  --- d"), "a: b: c\n--- d\n"],
    ["double quotes", pdf('description: "a --- b: c # d \\u00e9"'), "a --- b: c # d é"],
    ["single quotes", pdf("description: 'it''s: so'"), "it's: so"],
    ["a text over several lines", pdf("description: first", "  second", "  third"), "first second third"],
    ["a quoted text over several lines", pdf('description: "first', '  second"'), "first second"],
    ["a comment behind the text", pdf("description: x # not this"), "x"],
    ["comments between the fields", pdf("# one", "description: x", "  # two"), "x"],
    ["a hash that begins no comment", pdf("description: C#-like"), "C#-like"],
    ["dashes inside a text", pdf("description: a --- b"), "a --- b"],
    ["a colon without a blank", pdf("description: see http://example.org:80/x"), "see http://example.org:80/x"],
    ["flow style", lines("---", "{ name: pdf, description: x }", "---"), "x"],
    ["the standard tag of a text", pdf("description: !!str 12"), "12"],
    ["an anchor and its alias", pdf("license: &l MIT", "description: *l"), "MIT"],
    ["a date, which is a text in YAML 1.2", pdf("description: 2024-01-01"), "2024-01-01"],
    ["words that were booleans once", pdf("description: yes"), "yes"],
    ["an unquoted colon", pdf("description: Use for X: do Y"), "Use for X: do Y", ["FrontmatterRepaired"]],
    [
      "unquoted colons and an apostrophe",
      pdf("description: it's: so: what"),
      "it's: so: what",
      ["FrontmatterRepaired"]
    ],
    ["an unquoted colon before a comment", pdf("description: a: b # c"), "a: b", ["FrontmatterRepaired"]],
    ["1024 characters", pdf(`description: ${"x".repeat(1024)}`), "x".repeat(1024)],
    ["1025 characters", pdf(`description: ${"x".repeat(1025)}`), "x".repeat(1025)],
    ["unknown fields", pdf("description: x", "version: 3", "hooks: { a: [b] }"), "x"],
    ["a control character that an escape makes", pdf('description: "a\\u0007b"'), "a\u0007b"]
  ]
  for (const [name, file, expected, findings] of cases)
    it(`[S-22] ${name}`, () => description(file, expected, findings))

  it("[S-22] several unquoted colons, each with its line", () => {
    const { findings, skill } = loaded(pdf("description: a: b", "license: MIT", "compatibility: c: d"))
    assert.strictEqual(skill.compatibility, "c: d")
    assert.deepStrictEqual(
      findings.map(({ line, tag }) => [tag, line]),
      [
        ["FrontmatterRepaired", 3],
        ["FrontmatterRepaired", 5]
      ]
    )
  })
  it("[S-22] a line of dashes in the body is part of the body", () => {
    const head = readHead(encode(lines("---", "name: pdf", "description: x", "---", "top", "---", "rest")), true)
    assert(head?._tag === "Head")
    assert.strictEqual(head.source, "name: pdf\ndescription: x\n")
  })
  it("[S-22] UTF-16 with a byte-order mark", () => {
    for (const little of [true, false]) {
      const text = pdf("description: é 文 😀")
      const bytes = new Uint8Array(2 + 2 * text.length)
      const view = new DataView(bytes.buffer)
      view.setUint16(0, 0xfeff, little)
      for (let index = 0; index < text.length; index++) view.setUint16(2 + 2 * index, text.charCodeAt(index), little)
      description(bytes, "é 文 😀")
    }
  })
  it("[S-22] bytes that are no text are replaced, and it is said", () => {
    const bytes = encode(pdf("description: aXb"))
    bytes[bytes.indexOf("X".charCodeAt(0))] = 0xff
    const { findings, skill } = loaded(bytes)
    assert.strictEqual(skill.description, "a\ufffdb")
    assert.deepStrictEqual(
      findings.map(({ line, tag }) => [tag, line]),
      [["InvalidUtf8", 1]]
    )
  })
  it("[S-22] bytes of the body that are no text do not concern the frontmatter", () => {
    const bytes = encode(pdf("description: x"))
    bytes[bytes.length - 2] = 0xff
    assert.deepStrictEqual(loaded(bytes).findings, [])
  })
  it("[S-22] a code point that is cut by the end of what was read is no damage", () => {
    for (const character of ["é", "文", "😀"]) {
      const bytes = encode(pdf("description: x") + character.repeat(3))
      for (let cut = 1; cut <= 4; cut++) {
        const head = readHead(bytes.subarray(0, bytes.length - cut), false)
        assert.strictEqual(head?._tag === "Head" && head.repaired, false)
      }
    }
  })
})

describe("what is lost, and where", () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x]",
    ...Array.from("bcdefgh", (name, index) => {
      const before = "abcdefgh"[index]!
      return `${name}: &${name} [${Array(8).fill(`*${before}`).join(", ")}]`
    })
  ]
  const cases: ReadonlyArray<readonly [name: string, file: string, code: string, line: number]> = [
    ["an empty file", "", "NoFrontmatter", 1],
    ["no frontmatter", "# A heading\n", "NoFrontmatter", 1],
    ["a blank line before the fence", `\n${pdf("description: x")}`, "NoFrontmatter", 1],
    ["a blank before the fence", ` ${pdf("description: x")}`, "NoFrontmatter", 1],
    ["four dashes", lines("----", "name: pdf", "description: x", "----"), "NoFrontmatter", 1],
    [
      "a language behind the fence",
      lines("---js", "{ name: (globalThis.executed = true) }", "---"),
      "NoFrontmatter",
      1
    ],
    ["no closing fence", lines("---", "name: pdf", "description: x"), "UnclosedFrontmatter", 1],
    ["a closing fence that is indented", lines("---", "name: pdf", "description: x", " ---"), "UnclosedFrontmatter", 1],
    ["a closing fence of four dashes", lines("---", "name: pdf", "description: x", "----"), "UnclosedFrontmatter", 1],
    ["nothing between the fences", lines("---", "---"), "NotAMapping", 2],
    ["a list", skill("- name: pdf"), "NotAMapping", 2],
    ["a text", skill("just text"), "NotAMapping", 2],
    ["a key that stands twice", pdf("description: x", "name: pdf"), "DuplicateKey", 4],
    ["a key that stands twice further down", pdf("description: x", "metadata:", "  a: b", "  a: c"), "DuplicateKey", 6],
    ["a tag of somebody's own", pdf("description: x", "metadata: !mine { a: b }"), "UnknownTag", 4],
    ["a tag that would run something", pdf("description: !!js/function 'function(){}'"), "UnknownTag", 3],
    ["a tag of YAML 1.1", pdf("description: !!binary aGk="), "UnknownTag", 3],
    ["an alias without an anchor", pdf("description: *nowhere"), "InvalidYaml", 2],
    ["an alias bomb", pdf("description: x", ...bomb), "TooManyAliases", 2],
    [
      "collections that nest too deep",
      pdf("description: x", `metadata: ${"[".repeat(40)}${"]".repeat(40)}`),
      "TooDeep",
      4
    ],
    ["lists that nest too deep on one line", pdf("description: x", "metadata:", `  ${"- ".repeat(40)}x`), "TooDeep", 5],
    ["a tab as indentation", pdf("description: x", "metadata:", "\ta: b"), "InvalidYaml", 5],
    ["an unclosed quote", pdf('description: "x'), "InvalidYaml", 4],
    ["an unclosed list", pdf("description: x", "metadata: [a"), "InvalidYaml", 5],
    ["an unquoted colon over several lines", pdf("description: a: b", "  c"), "InvalidYaml", 3],
    ["a colon at the end", pdf("description: Use when:", "license: MIT"), "InvalidYaml", 3],
    ["an indicator that begins a text", pdf("description: @x"), "InvalidYaml", 3],
    ["a second document", pdf("description: x", "...", "name: other"), "InvalidYaml", 5],
    ["a version of YAML asked for", skill("%YAML 1.1", "name: pdf", "description: x"), "InvalidYaml", 3],
    ["no name", skill("description: x"), "MissingField", 1],
    ["an empty name", skill("name:", "description: x"), "MissingField", 2],
    ["null as name", skill("description: x", "name: ~"), "MissingField", 3],
    ["no description", skill("name: pdf"), "MissingField", 1],
    ["a number as name", skill("name: 123", "description: x"), "InvalidName", 2],
    ["a hexadecimal number as name", skill("name: 0x1f", "description: x"), "InvalidName", 2],
    ["a boolean as name", skill("name: true", "description: x"), "InvalidName", 2],
    ["a list as name", skill("name: [pdf]", "description: x"), "InvalidName", 2],
    ["upper case", skill("name: PDF", "description: x"), "InvalidName", 2],
    ["an underscore", skill("name: my_pdf", "description: x"), "InvalidName", 2],
    ["two hyphens", skill("name: my--pdf", "description: x"), "InvalidName", 2],
    ["a hyphen at the end", skill("name: pdf-", "description: x"), "InvalidName", 2],
    ["a path", skill("name: ../pdf", "description: x"), "InvalidName", 2],
    ["a name with a line break", skill('name: "pdf\\n"', "description: x"), "InvalidName", 2],
    ["65 characters", skill(`name: ${"x".repeat(65)}`, "description: x"), "InvalidName", 2],
    ["a number as description", pdf("description: 12"), "InvalidDescription", 3],
    ["a list as description", pdf("description:", "  - x"), "InvalidDescription", 3],
    ["a blank description", pdf('description: " \\t"'), "InvalidDescription", 3],
    [
      "a flag that is neither true nor false",
      pdf("description: x", "disable-model-invocation: maybe"),
      "InvalidFlag",
      4
    ],
    ["a flag with nothing", pdf("description: x", "user-invocable:"), "InvalidFlag", 4],
    ["a flag that is a list", pdf("description: x", "user-invocable: [true]"), "InvalidFlag", 4],
    ["a flag that is 2", pdf("description: x", "user-invocable: 2"), "InvalidFlag", 4],
    ["a flag in camel case", pdf("description: x", "disableModelInvocation: true"), "MisspelledFlag", 4],
    ["the other flag in camel case", pdf("description: x", "userInvocable: false"), "MisspelledFlag", 4],
    ["a flag with underscores", pdf("description: x", "user_invocable: false"), "MisspelledFlag", 4]
  ]
  for (const [name, file, code, line] of cases) {
    it(`[S-22] [S-23] ${name}`, () => {
      const result = lost(file)
      assert.deepStrictEqual([result.code, result.line], [code, line])
      assert.isNotEmpty(result.message)
    })
  }
  it("[S-22] nothing is ever executed", () => {
    assert.isFalse("executed" in globalThis)
  })
  it("[S-22] a file with NUL bytes is no text", () => {
    assert.strictEqual(lost(`${pdf("description: x")}\0`).code, "Binary")
  })
  it("[S-22] a fence has to close within 64 KiB", () => {
    const fill = (bytes: number) => {
      const file = (comment: string) => lines("---", "name: pdf", "description: x", `#${comment}`, "---", "body")
      return file("c".repeat(bytes - file("").length + "body\n".length))
    }
    assert.strictEqual(read(fill(maxHeadBytes))._tag, "Skill")
    const bytes = encode(fill(maxHeadBytes + 1))
    assert.isUndefined(readHead(bytes.subarray(0, maxHeadBytes), false))
  })
  it("[S-22] hostile sources end soon", () => {
    const hostile = [
      "[".repeat(60_000),
      "- ".repeat(30_000),
      "? ".repeat(30_000),
      "{a: ".repeat(15_000),
      "&a ".repeat(20_000),
      "!a ".repeat(20_000),
      "a: b: ".repeat(10_000),
      Array.from({ length: 300 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")
    ]
    for (const source of hostile) lost(pdf("description: x", `metadata: ${source}`, "license: [1"))
  })
})

describe("the fields", () => {
  it("[S-23] keeps what is optional", () => {
    const { findings, skill } = loaded(
      pdf(
        "description: x",
        "whenToUse: when asked",
        "license: MIT",
        "compatibility: needs python",
        "allowed-tools: Bash(git:*) Read",
        "metadata:",
        "  author: me",
        "  version: '1.0'"
      )
    )
    assert.deepStrictEqual(findings, [])
    assert.deepStrictEqual(skill, {
      name: "pdf",
      description: "x",
      invocation: { modelInvocable: true, userInvocable: true },
      whenToUse: "when asked",
      metadata: { author: "me", version: "1.0" },
      license: "MIT",
      compatibility: "needs python",
      allowedTools: "Bash(git:*) Read"
    })
  })
  it("[S-23] knows when_to_use, and lists of tools", () => {
    const { skill } = loaded(pdf("description: x", "when_to_use: now", "allowed-tools: [Read, Write]"))
    assert.strictEqual(skill.whenToUse, "now")
    assert.deepStrictEqual(skill.allowedTools, ["Read", "Write"])
  })
  it("[S-23] drops what has the wrong type, and says so with its line", () => {
    const { findings, skill } = loaded(
      pdf(
        "description: x",
        "license: [MIT]",
        "metadata: text",
        "compatibility: 3",
        "whenToUse: {}",
        "allowed-tools: [1]"
      )
    )
    assert.deepStrictEqual(Object.keys(skill).sort(), ["description", "invocation", "name"])
    assert.deepStrictEqual(findings.map(({ line, tag }) => [tag, line]).sort(), [
      ["SkillFieldDropped", 4],
      ["SkillFieldDropped", 5],
      ["SkillFieldDropped", 6],
      ["SkillFieldDropped", 7],
      ["SkillFieldDropped", 8]
    ])
  })
  it("[S-23] drops metadata that refers to itself or is no JSON", () => {
    for (const metadata of ["&m { a: *m }", "{ a: .inf }", "{ a: .nan }"]) {
      const { findings, skill } = loaded(pdf("description: x", `metadata: ${metadata}`))
      assert.isFalse("metadata" in skill)
      assert.deepStrictEqual(
        findings.map(({ tag }) => tag),
        ["SkillFieldDropped"]
      )
    }
  })
  it("[S-23] understands flags in every spelling", () => {
    const yes = ["true", "True", "TRUE", "'true'", "yes", "Yes", "on", "ON", "1", "'1'"]
    const no = ["false", "False", "FALSE", "'false'", "no", "No", "off", "OFF", "0", "'0'"]
    for (const [words, value] of [
      [yes, true],
      [no, false]
    ] as const) {
      for (const word of words) {
        const flags = pdf("description: x", `disable-model-invocation: ${word}`, `user-invocable: ${word}`)
        assert.deepStrictEqual(loaded(flags).skill.invocation, { modelInvocable: !value, userInvocable: value })
      }
    }
  })
  it("[S-23] a name of 64 characters, or one that is a date", () => {
    for (const name of ["x".repeat(64), "2024-01-01", "a-1-b"]) {
      assert.strictEqual(loaded(skill(`name: ${name}`, "description: x"), name).skill.name, name)
    }
  })
  it("[S-23] another name than the directory's loads, and it is said", () => {
    const { findings, skill: other } = loaded(skill("description: x", "name: pdf"), "pdf-tools")
    assert.strictEqual(other.name, "pdf")
    assert.deepStrictEqual(
      findings.map(({ line, tag }) => [tag, line]),
      [["SkillNameMismatch", 3]]
    )
  })
})
