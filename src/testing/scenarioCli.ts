/**
 * `npm run scenario -- FILE_OR_FOLDER… [--trace]`: plays scenarios and says what did not hold.
 *
 * A folder is read for its `*.json`, sorted. The last line is `N passed, N failed`; the process fails when one of them
 * has, and when there was nothing to play.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { parseArgs } from "node:util"
import { parseScenario } from "./scenario.ts"
import { traceStep } from "./scenario/trace.ts"
import { describeFailure, playScenario } from "./scenarioRunner.ts"

const usage = "Usage: npm run scenario -- FILE_OR_FOLDER… [--trace]"

interface Arguments {
  readonly paths: ReadonlyArray<string>
  readonly trace: boolean
}

const readArguments = (given: ReadonlyArray<string>): Result.Result<Arguments, string> =>
  Result.try({
    try: () => {
      const options = { trace: { type: "boolean", default: false } } as const
      const { positionals, values } = parseArgs({ args: [...given], allowPositionals: true, options })
      return { paths: positionals, trace: values.trace }
    },
    catch: (error) => (error instanceof Error ? error.message : String(error))
  }).pipe(
    Result.flatMap((read) => (read.paths.length === 0 ? Result.fail("no scenarios were named") : Result.succeed(read)))
  )

/** A file itself; of a folder, its scenarios. */
const filesIn = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const { type } = yield* Effect.mapError(fs.stat(path), (error) => `it cannot be read: ${error.message}`)
  if (type !== "Directory") return [path]
  const names = yield* Effect.mapError(fs.readDirectory(path), (error) => `it cannot be read: ${error.message}`)
  const scenarios = names.filter((name) => name.endsWith(".json")).sort()
  if (scenarios.length === 0) return yield* Effect.fail("the folder holds no *.json")
  return scenarios.map((name) => `${path.replace(/\/+$/, "")}/${name}`)
})

const report = (file: string, name: string, lines: ReadonlyArray<string>) =>
  Console.log(
    [
      `${lines.length === 0 ? "ok  " : "FAIL"} ${file}${name === "" ? "" : ` — ${name}`}`,
      ...lines.map((line) => `     ${line}`)
    ].join("\n")
  )

/** Plays one file and says whether it has passed. */
const play = Effect.fnUntraced(function* (file: string, trace: boolean) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(file), (error) => `it cannot be read: ${error.message}`)
  const scenario = yield* Effect.mapError(parseScenario(text), (error) => error.message)
  const { failures, name, steps } = yield* playScenario(scenario)
  yield* report(file, name, failures.map(describeFailure))
  if (trace) yield* Effect.forEach(steps.flatMap(traceStep), (line) => Console.log(`     ${line}`), { discard: true })
  return failures.length === 0
})

const failed = (path: string, problem: string) => Effect.as(report(path, "", problem.split("\n")), false)

const main = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const read = readArguments(given)
  if (Result.isFailure(read)) {
    yield* Console.error(`${read.failure}\n${usage}`)
    return [false]
  }
  const { paths, trace } = read.success
  const results = yield* Effect.forEach(paths, (path) =>
    filesIn(path).pipe(
      Effect.flatMap((files) =>
        Effect.forEach(files, (file) => Effect.catch(play(file, trace), (problem) => failed(file, problem)))
      ),
      Effect.catch((problem) => Effect.map(failed(path, problem), (result) => [result]))
    )
  )
  return results.flat()
})

const program = Effect.gen(function* () {
  const results = yield* main(process.argv.slice(2))
  const passed = results.filter((ok) => ok).length
  yield* Console.log(`\n${passed} passed, ${results.length - passed} failed`)
  if (passed < results.length) process.exitCode = 1
})

NodeRuntime.runMain(Effect.provide(program, NodeFileSystem.layer))
