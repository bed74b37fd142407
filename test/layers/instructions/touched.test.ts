/** From touched paths to directories, however long the paths are (I-40, I-41). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeTouchedDirectories, touchedPaths } from "../../../src/layers/instructions/touched.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"

const read = (path: string) =>
  touchedPaths({ read: "file_path" }, { name: "read", arguments: { file_path: path }, outcome: "ok", token: "t" })

describe("touched directories", () => {
  it.effect("[I-41] are those that are there, found in few questions however many are not", () =>
    Effect.gen(function* () {
      for (const there of [0, 1, 2, 3, 7, 40]) {
        for (const missing of [0, 1, 2, 3, 4, 9, 1000]) {
          const names = Array.from({ length: there }, (_, index) => `d${index}`)
          const { fileSystem } = yield* Memory.make({ [`/repo/${names.map((name) => `${name}/`).join("")}`]: null })
          let questions = 0
          const realPath = (path: string) => {
            questions += 1
            return fileSystem.realPath(path)
          }
          const touched = makeTouchedDirectories("/repo")
          const path = ["/repo", ...names, ...Array<string>(missing).fill("m"), "file"].join("/")
          const { directories, unresolved } = yield* touched({ ...fileSystem, realPath }, "/repo", [path])
          assert.deepStrictEqual(
            directories,
            names.map((_, index) => names.slice(0, index + 1).join("/"))
          )
          assert.deepStrictEqual(unresolved, [])
          assert.isAtMost(
            questions,
            3 + 2 * Math.ceil(Math.log2(missing + 2)) + 2,
            `${there} there, ${missing} missing`
          )
        }
      }
    })
  )

  it("[I-40] a path that no file system could hold touches nothing", () => {
    assert.strictEqual(read(`${"a/".repeat(2000)}x`).length, 1)
    assert.deepStrictEqual(read(`${"a/".repeat(2048)}x`), [])
  })
})
