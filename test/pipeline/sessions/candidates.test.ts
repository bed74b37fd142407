/** Which sessions are offered. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { selectCandidates } from "../../../src/pipeline/sessions/candidates.ts"
import { parseMentions } from "../../../src/pipeline/sessions/mention.ts"

const session = (id: string, cwd: string, title?: string) => ({
  id,
  cwd,
  ...(title === undefined ? {} : { title }),
  createdAt: 1,
  running: false
})
const all = [
  session("newest", "/elsewhere", "Login page"),
  session("nowhere", ""),
  session("self", "/repo", "Login"),
  session("here-2", "/repo", "Fix the LOGIN [again]\n"),
  session("here-1", "/repo", " "),
  session("oldest", "/repo/login", "Ünï")
]
const ask = (query: string, limit = 50) => selectCandidates(all, { query, self: "self", cwd: "/repo", limit })
const idsOf = (query: string, limit?: number) => ask(query, limit).candidates.map(({ sessionId }) => sessionId)

describe("candidates", () => {
  it("[R-2] are all others: of the same directory, then without one, then elsewhere, each in the order of the store", () => {
    assert.deepStrictEqual(idsOf(""), ["here-2", "here-1", "nowhere", "newest", "oldest"])
    assert.deepStrictEqual(selectCandidates(all, { query: "", cwd: "/repo", limit: 50 }).candidates.length, 6)
  })
  it("[R-2] match on id, directory or title, in any letter case", () => {
    assert.deepStrictEqual(idsOf("login"), ["here-2", "newest", "oldest"])
    assert.deepStrictEqual(idsOf(" HERE-"), ["here-2", "here-1"])
    assert.deepStrictEqual(idsOf("/ELSE"), ["newest"])
    assert.deepStrictEqual(idsOf("U\u0308NÏ"), ["oldest"])
    assert.deepStrictEqual(idsOf("nothing like it"), [])
  })
  it("[R-2] are at most as many as asked for, and say when there are more", () => {
    assert.deepStrictEqual(idsOf("", 2), ["here-2", "here-1"])
    assert.isTrue(ask("", 4).truncated)
    assert.isFalse(ask("", 5).truncated)
  })
  it("[R-1] [R-2] are labelled with their title, else their id, and bring the mention to insert", () => {
    const labels = ask("").candidates.map(({ label }) => label)
    assert.deepStrictEqual(labels, ["Fix the LOGIN [again]", "here-1", "nowhere", "Login page", "Ünï"])
    for (const { label, mention, sessionId, uri } of ask("").candidates) {
      assert.include(mention, uri)
      assert.deepStrictEqual(parseMentions(mention), Result.succeed([{ sessionId, label }]))
    }
  })
})
