/** An input made of others: what a fuzzer does to bytes. */
import type { Dice } from "../soak/dice.ts"

/** What is special to most readers of text. */
const common = [
  "\0",
  "\n",
  "\r\n",
  "\r",
  "\ufeff",
  "\u2028",
  "\ud800",
  "😀",
  "é",
  "\u00a0",
  "\\",
  '"',
  "'",
  "`",
  "```\n",
  "---",
  "../",
  "</system-reminder>",
  "__proto__",
  "constructor",
  "9007199254740993",
  "-1",
  "1e999",
  "null",
  "{}",
  "[]"
]

const longest = 8192

const splice = (bytes: Buffer, at: number, gone: number, come: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), come, bytes.subarray(at + gone)])

const once = (bytes: Buffer, pool: ReadonlyArray<Buffer>, words: ReadonlyArray<string>, dice: Dice): Buffer => {
  const at = dice.below(bytes.length + 1)
  const length = Math.min(bytes.length - at, 1 << dice.below(8))
  switch (dice.below(8)) {
    case 0:
      return bytes.length === 0 ? bytes : splice(bytes, at, 1, Buffer.from([dice.below(256)]))
    case 1:
      return splice(bytes, at, 0, Buffer.from(dice.pick(words)))
    case 2:
      return splice(bytes, at, length, Buffer.from(dice.pick(common)))
    case 3:
      return splice(bytes, at, length, Buffer.alloc(0))
    case 4:
      return splice(
        bytes,
        at,
        0,
        Buffer.concat(Array.from({ length: 1 + dice.below(5) }, () => bytes.subarray(at, at + length)))
      )
    case 5: {
      const other = dice.pick(pool)
      const from = dice.below(other.length + 1)
      return splice(bytes, at, length, other.subarray(from, from + (1 << dice.below(9))))
    }
    case 6:
      return bytes.subarray(0, at)
    default:
      return splice(bytes, at, 0, Buffer.from(dice.pick(common)))
  }
}

/** One of `pool`, changed in a few places. `words`: what means something to the target. */
export const mutate = (pool: ReadonlyArray<Buffer>, words: ReadonlyArray<string>, dice: Dice): Buffer => {
  let bytes = dice.pick(pool)
  for (let change = 1 + dice.below(6); change > 0; change--) bytes = once(bytes, pool, [...words, ...common], dice)
  return bytes.length > longest ? bytes.subarray(0, longest) : bytes
}
