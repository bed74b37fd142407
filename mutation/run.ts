/**
 * `npm run mutation -- [--again] [GROUP…]`: mistakes are built into the sources one by one, and some test has to notice each.
 *
 * A group is a directory of sources with the tests that are near to it. What these leave alive is tried again with all tests that
 * could reach it; what is still alive then is told by file, unless `explained.json` says why nobody can notice it. `--again` begins with what the
 * near tests have left alive before.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as util from "node:util"
import { explained, type Mutant, type Report, score } from "./score.ts"

const here = import.meta.dirname
const root = path.join(here, "..")
const reports = path.join(root, "reports/mutation")

const pipeline = ["test/pipeline/**/*.test.ts", "test/schemas/**/*.test.ts"]
const suppliers = [
  "test/layers/supply/{contextSupply,hostile}.test.ts",
  "test/layers/instructions/*.test.ts",
  "test/layers/inbox/*.test.ts",
  "test/scenarios.test.ts"
]

interface Group {
  readonly mutate: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
}

const groups: Readonly<Record<string, Group>> = {
  instructions: { mutate: ["src/pipeline/instructions/**/*.ts"], tests: pipeline },
  skills: { mutate: ["src/pipeline/skills/**/*.ts"], tests: pipeline },
  files: { mutate: ["src/pipeline/files/**/*.ts"], tests: pipeline },
  ambient: { mutate: ["src/pipeline/{time,tmux}/**/*.ts"], tests: pipeline },
  sessions: { mutate: ["src/pipeline/sessions/**/*.ts", "src/pipeline/session*.ts"], tests: pipeline },
  core: { mutate: ["src/pipeline/*.ts", "!src/pipeline/session*.ts"], tests: pipeline },
  suppliers: {
    mutate: [
      "src/layers/supply/*.ts",
      "src/layers/instructions/*.ts",
      "src/layers/skills/{catalog,catalogLayer,invocation}.ts",
      "src/layers/ambient/*.ts",
      "src/layers/sessionReferences/*.ts"
    ],
    tests: [
      ...suppliers,
      "test/layers/ambient/{time,tmux}.test.ts",
      "test/layers/skills/catalog*.test.ts",
      "test/layers/sessionReferences/*.test.ts"
    ]
  }
}

/** Everything that ends in a reasonable time on a machine without servers. */
const wide = [
  ...pipeline,
  ...suppliers,
  "test/layers/{ambient/time,ambient/tmux,files/fileReferences,filesystem/probe,makeSession,interruption}.test.ts",
  "test/layers/session/{conformance,jsonl}.test.ts",
  "test/layers/sessionReferences/*.test.ts",
  "test/layers/skills/{catalog,fileSystem,registry}*.test.ts",
  "test/layers/systemPrompt/*.test.ts",
  "test/cli/{explain,files,firstCatalog,sessions,show,skills}.test.ts"
]

const run = (name: string, mutate: ReadonlyArray<string>, tests: ReadonlyArray<string>): Report => {
  const reportFile = path.join(reports, `${name}.json`)
  const configFile = path.join(reports, `${name}.config.json`)
  fs.mkdirSync(reports, { recursive: true })
  fs.rmSync(reportFile, { force: true })
  fs.writeFileSync(
    configFile,
    JSON.stringify({
      testRunner: "vitest",
      plugins: [path.join(here, "node_modules/@stryker-mutator/vitest-runner/dist/src/index.js")],
      vitest: { configFile: "mutation/vitest.config.ts" },
      // There is nothing to rewrite in the settings of TypeScript.
      tsconfigFile: "none.json",
      mutate,
      coverageAnalysis: "perTest",
      ignoreStatic: true,
      concurrency: 2,
      reporters: ["json", "progress-append-only"],
      jsonReporter: { fileName: path.relative(root, reportFile) },
      ignorePatterns: ["bench", "docs", "reports", "dist", "mutation/node_modules"],
      timeoutMS: 3000,
      disableTypeChecks: false
    })
  )
  const { status } = childProcess.spawnSync(
    process.execPath,
    [path.join(here, "node_modules/@stryker-mutator/core/bin/stryker.js"), "run", path.relative(root, configFile)],
    { cwd: root, stdio: "inherit", env: { ...process.env, MUTATION_TESTS: JSON.stringify(tests) } }
  )
  if (!fs.existsSync(reportFile)) throw new Error(`the group ${name} did not come to an end (${status})`)
  return JSON.parse(fs.readFileSync(reportFile, "utf8")) as Report
}

const range = ({ location: { end, start } }: Mutant): string =>
  `${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`

/** Tries again what is alive in `report`, with all tests. */
const again = (name: string, report: Report): Report | undefined => {
  const alive = Object.entries(report.files).flatMap(([file, { mutants, source }]) =>
    mutants
      .filter((mutant) => score(mutant) === "alive" && explained(file, source, mutant) === undefined)
      .map((mutant) => `${file}:${range(mutant)}`)
  )
  return alive.length === 0 ? undefined : run(`${name}-again`, [...new Set(alive)], wide)
}

const tell = (name: string, first: Report, second: Report | undefined): void => {
  let [dead, reasoned, alive] = [0, 0, 0]
  const key = (file: string, mutant: Mutant) => `${file} ${range(mutant)} ${mutant.replacement}`
  const noticed = new Set(
    Object.entries(second?.files ?? {}).flatMap(([file, { mutants }]) =>
      mutants.filter((mutant) => score(mutant) === "dead").map((mutant) => key(file, mutant))
    )
  )
  for (const [file, { mutants, source }] of Object.entries(first.files)) {
    const lines: Array<string> = []
    for (const mutant of mutants) {
      const result = score(mutant)
      if (result === "none") continue
      if (result === "dead" || noticed.has(key(file, mutant))) dead += 1
      else if (explained(file, source, mutant) !== undefined) reasoned += 1
      else {
        alive += 1
        lines.push(
          `  ${mutant.location.start.line}: ${mutant.mutatorName} ${mutant.replacement?.replace(/\s+/g, " ").slice(0, 80)}`
        )
      }
    }
    if (lines.length > 0) console.log([file, ...lines].join("\n"))
  }
  const share = (100 * (dead + reasoned)) / Math.max(1, dead + reasoned + alive)
  console.log(`${name}: ${dead} noticed, ${reasoned} explained, ${alive} alive: ${share.toFixed(1)} %`)
}

const { positionals: asked, values } = util.parseArgs({
  options: { again: { type: "boolean" } },
  allowPositionals: true
})
const unknown = asked.filter((name) => groups[name] === undefined)
if (unknown.length > 0) {
  console.error(`there is no group ${unknown.join(", ")}; there are ${Object.keys(groups).join(", ")}`)
  process.exit(2)
}
for (const name of asked.length === 0 ? Object.keys(groups) : asked) {
  const { mutate, tests } = groups[name]!
  const known = path.join(reports, `${name}.json`)
  const first =
    values.again === true && fs.existsSync(known)
      ? (JSON.parse(fs.readFileSync(known, "utf8")) as Report)
      : run(name, mutate, tests)
  tell(name, first, again(name, first))
}
