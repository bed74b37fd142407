/**
 * `npm run bench -- [--json] [NAME…]`: the named benchmarks, or all of them, beside what users would pick instead.
 * Prints a table, or with `--json` nothing but one line for each measurement. Progress goes to stderr.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as util from "node:util"
import { home } from "./fixtures.ts"
import { type Measurement, onOneCore } from "./lib/bench.ts"
import { lineOf, tableOf } from "./lib/output.ts"

/** Every file in `benches/` is one. */
const known = fs
  .readdirSync(path.join(import.meta.dirname, "benches"))
  .map((file) => path.basename(file, ".ts"))
  .sort()

/** A name stands for itself and for its variants, which have it in front. */
const chosen = (asked: string): ReadonlyArray<string> => {
  const names = known.filter((name) => name === asked || name.startsWith(`${asked}-`))
  if (names.length === 0) throw new Error(`there is no benchmark "${asked}"; the names are ${known.join(", ")}`)
  return names
}

const pin = ["taskset", "-c", "0"] as const
const canPin = childProcess.spawnSync(pin[0], [...pin.slice(1), "true"], { stdio: "ignore" }).status === 0

/** The machine's own settings and instructions have no part in this. */
const environment = (): NodeJS.ProcessEnv => {
  const { DSH_HOME: _, GEMINI_CLI_HOME: __, ...rest } = process.env
  return { ...rest, HOME: home(), USERPROFILE: home() }
}

/** Each benchmark has a process of its own, so that none leaves its heap and its compiled code to the next. */
const measure = (name: string, report: (measurement: Measurement) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = [process.execPath, "--expose-gc", path.join(import.meta.dirname, "worker.ts"), name]
    const [command, ...args] = onOneCore(name) ? [...pin, ...worker] : worker
    // What a peer prints must not get between our lines.
    const child = childProcess.spawn(command!, args, { env: environment(), stdio: ["ignore", 2, 2, "ipc"] })
    child.on("message", (message) => report(message as Measurement))
    child.on("error", reject)
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`the benchmark "${name}" failed`))))
  })

const fail = (error: unknown): void => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

const main = async (): Promise<void> => {
  const { positionals, values } = util.parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true })
  const names = new Set(positionals.length === 0 ? known : positionals.flatMap(chosen))
  const measurements: Array<Measurement> = []
  const [load] = os.loadavg()
  const cores = os.availableParallelism()
  if (load! > cores / 2) console.error(`the machine is busy (load ${load!.toFixed(1)} on ${cores} cores): expect noise`)
  for (const name of names) {
    if (onOneCore(name) && !canPin) {
      console.error(`${name}: left out, there is no taskset here to pin it to one core`)
      continue
    }
    console.error(`${name} …`)
    // One that fails has said why, and costs the others nothing.
    await measure(name, (measurement) => {
      measurements.push(measurement)
      if (values.json) console.log(JSON.stringify(lineOf(measurement)))
    }).catch(fail)
  }
  if (!values.json) console.log(tableOf(measurements))
}

await main().catch(fail)
