/** The shape of what is logged about instructions (I-22). */
import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Change, InstructionsSource, ProjectRootUnavailable } from "../../src/schemas/Instructions.ts"

const scope = { owner: "project", directory: "a/b", slot: "base" } as const
const digest = "0123456789abcdef0123456789abcdef01234567"
const source = { kind: "agent-instructions", version: 1, changes: [] } as const

const accepts = (schema: typeof Change | typeof InstructionsSource, value: unknown): boolean =>
  Option.isSome(Schema.decodeUnknownOption(schema as typeof Change)(value))

describe("Change", () => {
  for (const value of [
    { action: "set", scope, path: "a/b/AGENTS.md", digest },
    { action: "replace", scope, path: "a/b/CLAUDE.md", previousPath: "a/b/AGENTS.md", digest },
    { action: "remove", scope, path: "a/b/AGENTS.md" },
    { action: "set", scope: { owner: "user", directory: ".", slot: "base" }, path: "~/.dsh/AGENTS.md", digest }
  ]) {
    it(`[I-22] accepts ${JSON.stringify(value)}`, () => assert.isTrue(accepts(Change, value)))
  }

  for (const [what, value] of [
    ["a set without a digest", { action: "set", scope, path: "x" }],
    ["a replace without a digest", { action: "replace", scope, path: "x" }],
    ["a remove with a digest", { action: "remove", scope, path: "x", digest }],
    ["a digest in capitals", { action: "set", scope, path: "x", digest: digest.toUpperCase() }],
    ["a digest that is too short", { action: "set", scope, path: "x", digest: digest.slice(1) }],
    ["another action", { action: "unset", scope, path: "x", digest }],
    ["no path", { action: "set", scope, digest }],
    ["an empty path", { action: "set", scope, path: "", digest }],
    ["another owner", { action: "set", scope: { ...scope, owner: "team" }, path: "x", digest }],
    ["an empty directory", { action: "set", scope: { ...scope, directory: "" }, path: "x", digest }],
    ["an empty slot", { action: "set", scope: { ...scope, slot: "" }, path: "x", digest }],
    ["a scope as a string", { action: "set", scope: "project:a:base", path: "x", digest }]
  ] as const) {
    it(`[I-22] refuses ${what}`, () => assert.isFalse(accepts(Change, value)))
  }
})

describe("InstructionsSource", () => {
  it("[I-22] accepts a baseline with its identity and a later message without", () => {
    assert.isTrue(accepts(InstructionsSource, source))
    assert.isTrue(accepts(InstructionsSource, { ...source, baseline: true, baselineIdentity: "[1]" }))
  })

  for (const [what, value] of [
    ["another kind", { ...source, kind: "skill-catalog" }],
    ["another version", { ...source, version: 2 }],
    ["a baseline that is false", { ...source, baseline: false }],
    ["an identity that is empty", { ...source, baseline: true, baselineIdentity: "" }],
    ["no changes", { kind: source.kind, version: 1 }],
    ["one damaged change", { ...source, changes: [{ action: "set", scope, path: "x" }] }]
  ] as const) {
    it(`[I-54] refuses ${what}`, () => assert.isFalse(accepts(InstructionsSource, value)))
  }
})

describe("ProjectRootUnavailable", () => {
  it("[I-5] says which marker could not be probed, why, and what to do", () => {
    const { message } = new ProjectRootUnavailable({ path: "/repo/.git", reason: "PermissionDenied (EACCES)" })
    assert.include(message, "/repo/.git")
    assert.include(message, "PermissionDenied (EACCES)")
    assert.include(message, "try again")
  })
})
