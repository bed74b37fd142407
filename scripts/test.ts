/**
 * `npm test`: every check of this repository, the cheap ones first, up to the first that fails. The last line of the
 * output is `N passed, N failed`: the tests as Vitest counts them, and one failure for a check that is none.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..")
const reportFile = path.join(root, "node_modules/.cache/vitest/report.json")

/** Scripts of package.json that come before the tests. */
const checks = ["format:check", "lint", "check", "unused", "build", "package:check"]
const testOptions = `--allowOnly=false --reporter=default --reporter=json --outputFile.json="${reportFile}"`

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
}

const run = (script: string, args = ""): boolean => {
  console.log(`\n> ${script}`)
  const started = performance.now()
  const command = `npm run --silent ${script}${args === "" ? "" : ` -- ${args}`}`
  const { status } = childProcess.spawnSync(command, { cwd: root, shell: true, stdio: "inherit" })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${status === 0 ? "✓" : "✗"} ${script} (${seconds} s)`)
  return status === 0
}

const runTests = (): { readonly passed: number; readonly failed: number; readonly skipped: number } => {
  fs.rmSync(reportFile, { force: true })
  const ok = run("vitest", testOptions)
  if (!fs.existsSync(reportFile)) return { passed: 0, failed: 1, skipped: 0 }
  const report: Report = JSON.parse(fs.readFileSync(reportFile, "utf8"))
  return {
    passed: report.numPassedTests,
    // A file that does not load and an error outside every test fail the run without failing a test.
    failed: ok ? report.numFailedTests : Math.max(1, report.numFailedTests),
    skipped: report.numPendingTests + report.numTodoTests
  }
}

const { passed, failed, skipped } = checks.every((check) => run(check))
  ? runTests()
  : { passed: 0, failed: 1, skipped: 0 }

if (skipped > 0 && process.env["SESSION_SQL_URL"] === undefined) {
  console.log("\nThe tests of sessions in PostgreSQL were skipped: SESSION_SQL_URL names no server to test with.")
  console.log("`scripts/postgres.sh start` starts one where PostgreSQL is installed, and prints its URL.")
}
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
