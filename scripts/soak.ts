/**
 * `npm run soak -- [--minutes N] [--seed S] [--lane NAME…]`: random stories over the real layers until the time is up, something is
 * wrong, or what the process holds grows. `--lane NAME --story SEED` plays one story again.
 *
 * With `SESSION_SQL_URL`, sessions in PostgreSQL too.
 */
import * as Effect from "effect/Effect"
import * as util from "node:util"
import { lanes } from "../test/soak/lanes.ts"
import { soak, tell } from "../test/soak/soak.ts"

const { values } = util.parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string" },
    lane: { type: "string", multiple: true },
    story: { type: "string" }
  }
})

const mistake = (what: string): never => {
  console.error(what)
  process.exit(2)
}

const seed = Number(values.seed ?? Date.now() % 1_000_000_007)
const minutes = Number(values.minutes)
if (!Number.isInteger(seed)) mistake("--seed takes a whole number")
if (!(minutes > 0)) mistake("--minutes takes a number above 0")
const unknown = (values.lane ?? []).filter((name) => !lanes.some((lane) => lane.name === name))
if (unknown.length > 0)
  mistake(`there is no lane ${unknown.join(", ")}; there are ${lanes.map(({ name }) => name).join(", ")}`)
const chosen = values.lane === undefined ? lanes : lanes.filter(({ name }) => values.lane!.includes(name))

const playOne = Effect.fnUntraced(function* (story: number) {
  if (chosen.length !== 1) mistake("--story needs one --lane")
  return (yield* tell(chosen[0]!, story)).wrong
})

const wrong = await Effect.runPromise(
  values.story === undefined
    ? soak({ lanes: chosen, seed, millis: minutes * 60_000, say: (line) => console.log(line) })
    : playOne(Number(values.story))
)
if (wrong.length === 0) console.log(`nothing was wrong (seed ${seed})`)
else {
  for (const line of wrong) console.error(line)
  console.error(`failed; the whole of it: npm run soak -- --minutes ${minutes} --seed ${seed}`)
}
process.exitCode = wrong.length === 0 ? 0 : 1
