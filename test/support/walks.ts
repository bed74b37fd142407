/** The walks of the documentation: `console` blocks of a page, one shell from the first to the last. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { root } from "./examples.ts"

/** One command and everything it prints, standard error included. */
export interface WalkStep {
  readonly at: string
  readonly command: string
  readonly prints: string
}

/** `$ command`, gone on behind a `\` at the end of a line, and below it what it prints. */
export const walkIn = (name: string, text: string): ReadonlyArray<WalkStep> => {
  const steps: Array<{ at: string; command: string; prints: string }> = []
  let inside = false
  let unfinished = false
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("```")) {
      inside = line === "```console"
      continue
    }
    if (!inside) continue
    const last = steps.at(-1)
    if (unfinished) last!.command += `\n${line}`
    else if (line.startsWith("$ ")) steps.push({ at: `${name}:${index + 1}`, command: line.slice(2), prints: "" })
    else if (last === undefined) throw new Error(`${name}:${index + 1}: output without a command`)
    else last.prints += `${line}\n`
    unfinished = (unfinished || line.startsWith("$ ")) && line.endsWith("\\")
  }
  return steps
}

const shim = (directory: string): void => {
  const main = path.join(root, "src/cli/main.ts")
  const script = `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(main)} "$@"\n`
  fs.writeFileSync(path.join(directory, "agent-context"), script, { mode: 0o755 })
}

/**
 * Takes the walk as the user `ann` with an empty home, in bash, and says what each command has printed. Fails where one
 * of them ends with another code than 0.
 */
export const take = async (steps: ReadonlyArray<WalkStep>): Promise<ReadonlyArray<string>> => {
  const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "walk-")))
  const [home, bin] = [path.join(place, "ann"), path.join(place, "bin")]
  try {
    for (const directory of [home, bin]) fs.mkdirSync(directory)
    shim(bin)
    const commands = steps.map(({ at, command }) => `${command}\n[ $? = 0 ] || { echo 'failed at ${at}'; exit 1; }\n`)
    const script = ["exec 2>&1\n", ...commands].join("printf '\\0'\n")
    const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin`, LC_ALL: "C" }
    const printed = await new Promise<string>((resolve, reject) =>
      childProcess.execFile("bash", ["-c", script], { cwd: home, env, encoding: "utf8" }, (error, stdout) =>
        error === null ? resolve(stdout) : reject(new Error(stdout.slice(stdout.lastIndexOf("\0") + 1)))
      )
    )
    return printed.replaceAll(home, "/home/ann").split("\0").slice(1)
  } finally {
    fs.rmSync(place, { recursive: true })
  }
}
