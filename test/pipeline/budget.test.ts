/** Which parts a budget keeps, without any text. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { bySpecificity, type NoticeSize, type Part, select } from "../../src/pipeline/budget.ts"
import { pick, upTo } from "./instructions/generators.ts"

const check = (name: string, body: () => void) => it.effect(name, () => Effect.sync(body))
const never = () => false
const free: NoticeSize = () => 0
/** A notice of ten bytes, and one between two entries. */
const notice: NoticeSize = (omitted, entries) => (omitted === 0 ? 0 : 10 + entries + (omitted - 1))
const part = (rank: number, size: number | undefined, entry = 3): Part => ({ rank, size, entry })
const kept = (parts: ReadonlyArray<Part>, room: number, size = notice) => select(parts, room, size, never).kept

describe("select", () => {
  check("[I-61] the deepest first, of equal ones the later", () => {
    assert.deepStrictEqual(bySpecificity([part(0, 1), part(2, 1), part(1, 1), part(2, 1)]), [3, 1, 2, 0])
    assert.deepStrictEqual(kept([part(0, 50), part(1, 50), part(0, 50)], 110, free), [false, true, true])
  })
  check("[I-61] one that does not fit does not keep broader ones out", () => {
    assert.deepStrictEqual(kept([part(0, 20), part(1, 500), part(2, 20)], 60), [true, false, true])
  })
  check("[I-62] the notice about the others is paid for", () => {
    assert.deepStrictEqual(kept([part(0, 90), part(1, 20)], 33), [false, true])
    assert.deepStrictEqual(kept([part(0, 90), part(1, 20)], 32), [false, false])
  })
  check("[I-62] with everything kept there is none", () => {
    assert.deepStrictEqual(kept([part(0, 5), part(1, 20)], 25), [true, true])
    assert.deepStrictEqual(kept([part(0, 5), part(1, 20)], 24), [true, false])
    assert.deepStrictEqual(kept([part(0, 5), part(1, 8, 0), part(2, 99, 0)], 13), [true, true, false])
  })
  check("[I-49] parts that no notice mentions are decided first, whatever their rank", () => {
    assert.deepStrictEqual(kept([part(9, 50), part(0, 40, 0)], 60), [false, true])
    assert.deepStrictEqual(kept([part(9, 50), part(0, 60, 0)], 60), [true, false])
  })
  check("[I-61] a part that is not there is never kept", () => {
    assert.deepStrictEqual(kept([part(0, undefined), part(1, 5)], 1000), [false, true])
  })
  check("[I-61] only the most specific is offered for a cut, beside what is decided before it", () => {
    const asked: Array<readonly [number, number]> = []
    const ask = (answer: boolean) => (index: number, used: number) => {
      asked.push([index, used])
      return answer
    }
    const parts = [part(0, 500), part(3, 7, 0), part(2, 500), part(1, 1)]
    assert.deepStrictEqual(select(parts, 100, notice, ask(true)), { kept: [false, true, false, false], cut: 2 })
    assert.deepStrictEqual(select(parts, 100, notice, ask(false)), { kept: [false, true, false, true], cut: undefined })
    assert.deepStrictEqual(asked, [
      [2, 7],
      [2, 7]
    ])
    select([part(0, 500), part(2, 5)], 100, notice, ask(true))
    assert.strictEqual(asked.length, 2, "one that fits is not cut")
  })
  it.effect.prop(
    "[I-61] [I-63] the first choice that fits, in order of preference",
    {
      parts: Arbitrary.array(
        Arbitrary.map(
          Arbitrary.all([upTo(3), upTo(30), pick(["file", "file", "line", "unread"])]),
          ([rank, extra, kind]): Part =>
            // Larger than its entry and the separator, as every file is.
            kind === "line" ? part(rank, 1 + extra, 0) : part(rank, kind === "unread" ? undefined : 5 + extra, 3)
        ),
        { maxLength: 6 }
      ),
      room: upTo(150),
      size: pick([notice, free])
    },
    ({ parts, room, size }) =>
      Effect.sync(() => {
        const order = bySpecificity(parts)
        const preferred = [
          ...order.filter((index) => parts[index]!.entry === 0),
          ...order.filter((index) => parts[index]!.entry > 0)
        ]
        const fits = (chosen: ReadonlyArray<number>) => {
          const out = parts.filter((part, index) => part.entry > 0 && !chosen.includes(index))
          const used = chosen.reduce((sum, index) => sum + (parts[index]!.size ?? Infinity), 0)
          return (
            used +
              size(
                out.length,
                out.reduce((sum, part) => sum + part.entry, 0)
              ) <=
            room
          )
        }
        const search = (position: number, chosen: ReadonlyArray<number>): ReadonlyArray<number> | undefined => {
          const index = preferred[position]
          if (index === undefined) return fits(chosen) ? chosen : undefined
          return search(position + 1, [...chosen, index]) ?? search(position + 1, chosen)
        }
        // Not even the notice fits: lines are still measured against it, so nothing is kept.
        const best = search(0, []) ?? []
        assert.deepStrictEqual(
          kept(parts, room, size),
          parts.map((_, index) => best.includes(index))
        )
      }),
    { arbitrary: { runs: 2000, size: 8 } }
  )
})
