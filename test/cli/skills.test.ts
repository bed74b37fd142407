/** `agent-context skills`: what there is, one of them, and what keeps one from being published. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Memory from "../../src/testing/memoryFileSystem.ts"
import { skillFile } from "../layers/skills/disk.ts"
import { command } from "./harness.ts"

const shop = "/home/ann/shop"
const skills = `${shop}/.agents/skills`

const files = {
  [`${shop}/.git/`]: null,
  [`${skills}/pdf/SKILL.md`]: skillFile("pdf", "Reads PDF\u001b[31m files"),
  [`${skills}/pdf/scripts/fill.py`]: "",
  [`${skills}/deploy/SKILL.md`]:
    "---\nname: deploy\ndescription: Ships it\ndisable-model-invocation: true\n---\n\nPush.\n",
  "/home/ann/.dsh/skills/pdf.md": skillFile("pdf", "The user's own"),
  "/home/ann/.dsh/skills/zip.md": skillFile("zip", "Zips")
}

const broken = { ...files, [`${skills}/bad/SKILL.md`]: "---\nname: bad\n---\nx\n" }

describe("skills list", () => {
  it.effect("[S-4] a line a skill", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("skills", "list", shop)
      assert.strictEqual(
        stdout,
        `deploy  Ships it  [project-agents] (for the user alone)
pdf     Reads PDF\\u001b[31m files  [project-agents]
zip     Zips  [user-dsh]
`
      )
      assert.match(
        stderr,
        /^agent-context: SkillShadowed: The skill pdf of \/home\/ann\/\.dsh\/skills\/pdf\.md is hidden/
      )
      assert.strictEqual(code, 0)
    }).pipe(Effect.provide(Memory.layer(files)))
  )
  it.effect("[S-4] as JSON, with everything that was lost", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("skills", "list", shop, "--json")
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0)
      const { complete, diagnostics, failures, shadowed, skills: listed, ...rest } = JSON.parse(stdout)
      assert.deepStrictEqual(rest, {})
      assert.deepStrictEqual(listed, [
        {
          name: "deploy",
          description: "Ships it",
          source: "project-agents",
          path: `${skills}/deploy/SKILL.md`,
          invocation: { modelInvocable: false, userInvocable: true }
        },
        {
          name: "pdf",
          description: "Reads PDF\u001b[31m files",
          source: "project-agents",
          path: `${skills}/pdf/SKILL.md`,
          invocation: { modelInvocable: true, userInvocable: true }
        },
        {
          name: "zip",
          description: "Zips",
          source: "user-dsh",
          path: "/home/ann/.dsh/skills/zip.md",
          invocation: { modelInvocable: true, userInvocable: true }
        }
      ])
      assert.deepStrictEqual([complete, failures], [true, []])
      assert.deepStrictEqual(shadowed, [
        {
          name: "pdf",
          provider: "filesystem",
          source: "user-dsh",
          rank: 400,
          path: "/home/ann/.dsh/skills/pdf.md",
          by: { provider: "filesystem", source: "project-agents", rank: 200, path: `${skills}/pdf/SKILL.md` },
          why: "rank"
        }
      ])
      assert.deepStrictEqual(
        diagnostics.map(({ code, line, path, tag }: Record<string, unknown>) => [tag, code, path, line]),
        [
          ["SkillMalformed", "MissingField", `${skills}/bad/SKILL.md`, 1],
          ["SkillShadowed", undefined, "/home/ann/.dsh/skills/pdf.md", undefined]
        ]
      )
    }).pipe(Effect.provide(Memory.layer(broken)))
  )
  it.effect("[S-24] says that there may be more", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.MemoryFileSystem
      yield* memory.fault(skills, "list", "PermissionDenied")
      const { code, stderr, stdout } = yield* command("skills", "list", shop)
      assert.include(stdout, "zip")
      assert.include(stderr, "SkillUnreadable")
      assert.include(stderr, "there may be more")
      assert.strictEqual(code, 0)
      assert.strictEqual(JSON.parse((yield* command("skills", "list", shop, "--json")).stdout).complete, false)
    }).pipe(Effect.provide(Memory.layer(files)))
  )
  it.effect("[S-24] does not say that there are none where it could not look", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.MemoryFileSystem
      yield* memory.fault("/home/ann/.dsh/skills", "list", "PermissionDenied")
      const { code, stderr, stdout } = yield* command("skills", "list", "/empty")
      assert.deepStrictEqual([stdout, code], ["No skills were found for /empty.\n", 0])
      assert.include(stderr, "/home/ann/.dsh/skills: it cannot be read now")
      assert.include(stderr, "there may be more")
      const shown = yield* command("skills", "show", "pdf", "/empty")
      assert.deepStrictEqual([shown.stdout, shown.code], ["", 1])
      assert.include(shown.stderr, "none of that name among those that could be looked at now")
    }).pipe(Effect.provide(Memory.layer({ "/empty/.git/": null, "/home/ann/.dsh/skills/": null })))
  )
  it.effect("[S-20] none, and no directory", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* command("skills", "list", "/empty"), {
        stdout: "There are no skills for /empty.\n",
        stderr: "",
        code: 0
      })
      const { code, stderr, stdout } = yield* command("skills", "list", "/nowhere")
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, "There is no directory /nowhere")
    }).pipe(Effect.provide(Memory.layer({ "/empty/": null })))
  )
})

describe("skills show", () => {
  it.effect("[S-43] as a model reads it", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("skills", "show", "pdf", shop)
      assert.strictEqual(
        stdout,
        `<skill_content name="pdf">
<skill_resources>
Base directory: ${skills}/pdf
References in the instructions are relative to it. Load what they refer to only when it is needed.
Files:
- scripts/fill.py
</skill_resources>
<skill_instructions>
Body of pdf.
</skill_instructions>
</skill_content>
`
      )
      assert.deepStrictEqual([stderr, code], ["", 0])
      const json = JSON.parse((yield* command("skills", "show", "deploy", shop, "--json")).stdout)
      assert.strictEqual(json.content, "\nPush.\n")
      assert.deepStrictEqual(json.invocation, { modelInvocable: false, userInvocable: true })
      assert.include(json.text, "<skill_instructions>\nPush.\n")
    }).pipe(Effect.provide(Memory.layer(files)))
  )
  it.effect("[S-6] fails for a skill that is not there", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("skills", "show", "nope", shop)
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, `The skill "nope" is not available`)
    }).pipe(Effect.provide(Memory.layer(files)))
  )
  it.effect("[S-2] says what a name may be", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* command("skills", "show", "No Such", shop), {
        stdout: "",
        stderr: `agent-context: "No Such" is no skill name; names are lower-case letters and digits in groups joined by single hyphens, at most 64 characters\n`,
        code: 1
      })
    }).pipe(Effect.provide(Memory.layer(files)))
  )
})

describe("skills check", () => {
  it.effect("[S-22] good ones", () =>
    Effect.gen(function* () {
      const good = `${skills}/pdf`
      for (const path of [good, `${good}/SKILL.md`]) {
        assert.deepStrictEqual(yield* command("skills", "check", path), {
          stdout: "1 skill checked: 0 errors, 0 warnings\n",
          stderr: "",
          code: 0
        })
      }
      assert.deepStrictEqual(JSON.parse((yield* command("skills", "check", good, "--json")).stdout), {
        ok: true,
        findings: []
      })
      const { code, stdout } = yield* command("skills", "check", skills)
      assert.strictEqual(code, 0)
      assert.strictEqual(
        stdout,
        `${skills}/deploy/SKILL.md:4: warning ExtensionField: disable-model-invocation is no field of the Agent Skills format; some agents ignore it
2 skills checked: 0 errors, 1 warning
`
      )
    }).pipe(Effect.provide(Memory.layer(files)))
  )
  it.effect("[S-22] bad ones, with file, line, code and what is allowed, and an exit code", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* command("skills", "check", "/s")
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 1)
      assert.strictEqual(
        stdout,
        `/s/a/SKILL.md:2: error NameMismatch: name is "b", must be that of its place, "a"
/s/a/SKILL.md:3: error InvalidDescription: description is blank, must say something
/s/dir/SKILL.md:1: error NoFile: it is no regular file (Directory); put a file there
/s/flat.md:1: warning FlatFile: the Agent Skills format wants flat/SKILL.md; some agents do not find a flat file
/s/loop:1: error LinkLoop: its links lead in a circle; let them end at a file or a directory
/s/lower/skill.md:1: error MisnamedFile: it must be called SKILL.md
2 skills checked: 5 errors, 1 warning
`
      )
      const json = yield* command("skills", "check", "/s/a", "/nowhere", "/empty", "--json")
      assert.strictEqual(json.code, 1)
      assert.deepStrictEqual(JSON.parse(json.stdout), {
        ok: false,
        findings: [
          {
            path: "/empty",
            line: 1,
            code: "NoSkill",
            severity: "error",
            message: "there is no SKILL.md in it, and none in its directories"
          },
          {
            path: "/nowhere",
            line: 1,
            code: "NotFound",
            severity: "error",
            message: "there is nothing; name a skill that exists"
          },
          {
            path: "/s/a/SKILL.md",
            line: 2,
            code: "NameMismatch",
            severity: "error",
            message: `name is "b", must be that of its place, "a"`
          },
          {
            path: "/s/a/SKILL.md",
            line: 3,
            code: "InvalidDescription",
            severity: "error",
            message: "description is blank, must say something"
          }
        ]
      })
    }).pipe(
      Effect.provide(
        Memory.layer({
          "/s/a/SKILL.md": "---\nname: b\ndescription: ' '\n---\nx\n",
          "/s/flat.md": skillFile("flat"),
          "/s/lower/skill.md": skillFile("lower"),
          "/s/dir/SKILL.md/": null,
          "/s/loop": { link: "loop" },
          "/s/references/notes.txt": "",
          "/empty/": null
        })
      )
    )
  )
  it.effect("[S-20] the project's own, and the current directory, without a path", () =>
    Effect.gen(function* () {
      const here = process.cwd()
      const memory = yield* Memory.MemoryFileSystem
      const checked = Effect.map(command("skills", "check"), ({ code, stdout }) => [code, stdout])
      yield* memory.mkdir(`${here}/.git`)
      assert.deepStrictEqual(yield* checked, [
        0,
        "There are no skills here to check; name one, or a directory of skills.\n"
      ])
      yield* memory.write(`${here}/.agents/skills/a/SKILL.md`, skillFile("a"))
      yield* memory.write(`${here}/.dsh/skills/b/SKILL.md`, skillFile("b"))
      yield* memory.write("/home/ann/.dsh/skills/c/SKILL.md", skillFile("not-checked"))
      assert.deepStrictEqual(yield* checked, [0, "2 skills checked: 0 errors, 0 warnings\n"])
      yield* memory.write(`${here}/SKILL.md`, skillFile("x-y-z"))
      assert.deepStrictEqual((yield* checked)[0], 1)
    }).pipe(Effect.provide(Memory.layer({})))
  )
  it.effect("[S-24] files that cannot be read, and too large ones", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.MemoryFileSystem
      yield* memory.fault("/s/a/SKILL.md", "read", "PermissionDenied")
      yield* memory.fault("/s/b/SKILL.md", "stat", "PermissionDenied")
      const { findings } = JSON.parse((yield* command("skills", "check", "/s", "--json")).stdout)
      assert.deepStrictEqual(
        findings.map(({ code, path }: Record<string, unknown>) => [code, path]),
        [
          ["Unreadable", "/s/a/SKILL.md"],
          ["Unreadable", "/s/b/SKILL.md"],
          ["TooLarge", "/s/c/SKILL.md"]
        ]
      )
    }).pipe(
      Effect.provide(
        Memory.layer({
          "/s/a/SKILL.md": skillFile("a"),
          "/s/b/SKILL.md": skillFile("b"),
          "/s/c/SKILL.md": skillFile("c", "x", "y".repeat(1_100_000))
        })
      )
    )
  )
})
