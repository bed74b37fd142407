import { assert, describe, it } from "@effect/vitest"
import { compact, isDue } from "../../../src/pipeline/time/elapsed.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

describe("[T-1] elapsed time", () => {
  it.each([
    [day + 2 * hour + 3 * minute + 4 * second, "1d 2h 3m 4s"],
    [0, "0s"],
    [999, "0s"],
    [1000, "1s"],
    [59_999, "59s"],
    [minute, "1m"],
    [hour, "1h"],
    [day, "1d"],
    [day + 4 * second, "1d 4s"],
    [400 * day, "400d"],
    [-5, "0s"],
    [-3 * day, "0s"]
  ])("%d ms are %s", (millis, text) => assert.strictEqual(compact(millis), text))
})

describe("[T-1] the refresh interval", () => {
  it("a first reading is always due", () => assert.isTrue(isDue(0, undefined, minute)))
  it("0 means every time, whatever the clock does", () => {
    for (const now of [-5, 0, 5]) assert.isTrue(isDue(now, 0, 0))
  })
  it("has passed when it is reached, not before", () => {
    assert.isFalse(isDue(minute - 1, 0, minute))
    assert.isTrue(isDue(minute, 0, minute))
  })
  it("a clock that goes back a little changes nothing, one that goes back further than the interval does", () => {
    assert.isFalse(isDue(day - 5, day, minute))
    assert.isTrue(isDue(day - hour, day, minute))
  })
})
