import { assert, describe, it } from "@effect/vitest"
import * as Staging from "../../src/pipeline/staging.ts"

interface Call extends Staging.Stageable {
  readonly token: string
  readonly parent?: string
}
const call = (token: string, parent?: string): Call => ({ token, ...(parent === undefined ? {} : { parent }) })

/** Plays moves in order; what each has released, by token. */
const play = (...moves: ReadonlyArray<(staging: Staging.Staging<Call>) => Staging.Move<Call>>) => {
  let staging: Staging.Staging<Call> = Staging.closed
  return moves.map((move) => {
    const [next, released] = move(staging)
    staging = next
    return released.map(({ token }) => token)
  })
}
const settle = (token: string, parent?: string) => (staging: Staging.Staging<Call>) =>
  Staging.settle(staging, call(token, parent))

describe("staging", () => {
  it("[I-43] outside a step an execution counts at once", () => {
    assert.deepStrictEqual(play(settle("a")), [["a"]])
  })

  it("[I-43] inside a step, and while one is prepared, it waits for the end", () => {
    assert.deepStrictEqual(play(Staging.begin, settle("a"), settle("b"), Staging.release, settle("c")), [
      [],
      [],
      [],
      ["a", "b"],
      ["c"]
    ])
    assert.deepStrictEqual(play(Staging.prepare, settle("a"), Staging.begin, settle("b"), Staging.release)[4], [
      "a",
      "b"
    ])
  })

  it("[I-44] the next pre-step takes over what a step that never ended has kept", () => {
    assert.deepStrictEqual(play(Staging.prepare, settle("a"), Staging.prepare), [[], [], ["a"]])
  })

  it("[I-42] calls inside others wait level by level for the outermost", () => {
    assert.deepStrictEqual(play(settle("c", "b"), settle("x", "b"), settle("b", "a"), settle("y", "a"), settle("a")), [
      [],
      [],
      [],
      [],
      ["c", "x", "b", "y", "a"]
    ])
  })

  it("[I-42] a child that reports after its parent goes past every call that has settled", () => {
    assert.deepStrictEqual(play(settle("b", "a"), settle("a"), settle("late", "b")), [[], ["b", "a"], ["late"]])
  })

  it("[I-42] calls that name each other as parents end nowhere but at the end of the turn", () => {
    assert.deepStrictEqual(play(settle("a", "b"), settle("b", "a"), Staging.endTurn)[2]!.sort(), ["a", "b"])
  })

  it("[I-42] the end of the turn waits for nobody", () => {
    assert.deepStrictEqual(play(settle("c", "gone"), Staging.begin, settle("a"), Staging.endTurn), [
      [],
      [],
      [],
      ["a", "c"]
    ])
  })

  it("[I-42] what never settled is released in the order in which it began to wait", () => {
    const children = ["q", "b", "z", "a", "m"].map((parent, index) => settle(`child ${index}`, parent))
    assert.deepStrictEqual(play(...children, settle("later", "b"), Staging.endTurn).at(-1), [
      "child 0",
      "child 1",
      "later",
      "child 2",
      "child 3",
      "child 4"
    ])
  })

  it("[I-42] a child that reports after the turn waits for none of its calls, settled or given up", () => {
    const moves = [settle("b", "a"), settle("a"), settle("c", "gone"), Staging.endTurn]
    assert.deepStrictEqual(play(...moves, settle("late", "b"), settle("late too", "gone")), [
      [],
      ["b", "a"],
      [],
      ["c"],
      ["late"],
      ["late too"]
    ])
  })

  it("[I-42] the next turn may use the tokens of the last one again", () => {
    for (const next of [Staging.prepare, Staging.begin]) {
      const moves = [settle("a"), Staging.endTurn, next, Staging.release, settle("child", "a"), settle("a")]
      assert.deepStrictEqual(play(...moves), [["a"], [], [], [], [], ["child", "a"]])
    }
  })

  it("[I-42] waits for thousands of calls, and with one that holds thousands, without copying them", () => {
    const count = 20_000
    const parents = Array.from({ length: count }, (_, index) => settle(`child ${index}`, `parent ${index}`))
    assert.strictEqual(play(...parents, Staging.endTurn).at(-1)!.length, count)
    const chain = Array.from({ length: count }, (_, index) => settle(`${index}`, `${index + 1}`))
    assert.deepStrictEqual(
      play(...chain, settle(`${count}`)).at(-1),
      Array.from({ length: count + 1 }, (_, index) => `${index}`)
    )
  })

  it("[I-42] remembers a bounded number of settled calls, the latest", () => {
    let staging: Staging.Staging<Call> = Staging.closed
    for (let index = 0; index < 1000; index++) staging = Staging.settle(staging, call(`t${index}`))[0]
    const known = Array.from({ length: 1000 }, (_, index) => index).filter(
      (index) => Staging.settle(staging, call("late", `t${index}`))[1].length > 0
    )
    assert.isAtMost(known.length, 512)
    const latest = Array.from({ length: 256 }, (_, index) => 744 + index)
    assert.deepStrictEqual(known.slice(-256), latest)
  })
})
