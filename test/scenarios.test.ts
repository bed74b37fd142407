/** The behaviour contract as data: every scenario of `test/scenarios`, and those the variable `SCENARIOS` names. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import * as path from "node:path"
import { describeFailure, missingParts, parseScenario, playScenario } from "../src/testing/index.ts"

const scenariosIn = (place: string): ReadonlyArray<string> => {
  if (!fs.statSync(place).isDirectory()) return [place]
  const names = fs.readdirSync(place).filter((name) => name.endsWith(".json"))
  assert.isNotEmpty(names, `${place} holds no scenarios`)
  return names.sort().map((name) => path.join(place, name))
}

const further = (process.env["SCENARIOS"] ?? "")
  .split(new RegExp(`[,${path.delimiter}]`))
  .filter((place) => place !== "")

const own = path.join(import.meta.dirname, "scenarios")

for (const place of [own, ...further]) {
  describe(path.basename(place), () => {
    for (const file of scenariosIn(place)) {
      const name = path.basename(file)
      const read = Effect.runSync(Effect.result(parseScenario(fs.readFileSync(file, "utf8"))))
      const missing = Result.isSuccess(read) ? missingParts(read.success) : []
      if (place === own && missing.length > 0) {
        it.skip(`${name} (${missing.join(", ")}: not part of this build yet)`)
        continue
      }
      it.live(name, () =>
        Effect.gen(function* () {
          const { failures } = yield* playScenario(yield* Effect.fromResult(read))
          assert.deepStrictEqual(failures.map(describeFailure), [])
        })
      )
    }
  })
}
