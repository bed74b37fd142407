/** The package as it is published, built anew when the sources are younger. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

export const root = path.join(import.meta.dirname, "../..")
export const dist = path.join(root, "dist")

const modified = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

const youngestSource = (): number =>
  fs
    .readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .reduce((youngest, file) => Math.max(youngest, modified(path.join(root, "src", file))), 0)

export const build = (): void => {
  if (modified(path.join(dist, "AgentInstructions.js")) > youngestSource()) return
  // Standard output is for the results.
  const { status } = childProcess.spawnSync("npm run build", { cwd: root, shell: true, stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error("the package cannot be built")
}

/** A process of Node in this repository. */
export const node = (args: ReadonlyArray<string>): { readonly status: number | null; readonly stdout: string } =>
  childProcess.spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", 2] })

/** The arguments of a process that imports these modules and does nothing with them. */
export const importing = (modules: ReadonlyArray<string>): ReadonlyArray<string> => [
  "--input-type=module",
  "--eval",
  modules.map((specifier) => `import ${JSON.stringify(specifier)}`).join("\n")
]

/** The modules of Effect that the built files import in such a process, as it really runs. */
export const effectModules = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const record = ["--import", path.join(import.meta.dirname, "recordImports.ts")]
  const { output, status } = childProcess.spawnSync(process.execPath, [...record, ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, RECORD_IMPORTS_OF: `${dist}${path.sep}` },
    stdio: ["ignore", "ignore", 2, "pipe"]
  })
  if (status !== 0) throw new Error(`this does not run: node ${args.join(" ")}`)
  return output[3]!.split("\n").filter((specifier) => /^(?:@effect\/|effect\/)/.test(specifier))
}
