import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { decodeCandidates, vetted } from "../../../src/pipeline/skills/candidate.ts"
import type { Skill } from "../../../src/schemas/Skill.ts"

const skill: Skill = {
  name: "pdf",
  description: "Reads PDF files",
  invocation: { modelInvocable: true, userInvocable: true },
  source: "test",
  provider: "disk",
  rank: 1,
  locator: "pdf"
}
const wrong = { ...skill, name: "Not A Name" }

describe("candidates that were checked before", () => {
  it("[S-2] are taken as they are", () => {
    const list = vetted([skill])
    assert.strictEqual(Result.getOrThrow(decodeCandidates("disk", list)), list)
  })
  it("[S-2] are checked when somebody else hands them over, or a copy", () => {
    assert.isTrue(Result.isFailure(decodeCandidates("disk", [...vetted([wrong])])))
    assert.isTrue(Result.isFailure(decodeCandidates("another", vetted([skill]))))
    assert.isTrue(Result.isFailure(decodeCandidates("disk", [wrong])))
  })
})
