/**
 * Checks the package as a stranger installs it: packs it, installs the tarball with npm into an empty project outside of this
 * repository, and there type-checks an application under the settings people have, imports every entry point, and runs application
 * and command on each runtime. Needs the registry and a minute, so it is no part of `npm test`; `npm run package:check` is.
 *
 * `npm run package:install -- [RUNTIME…]`, each the name of an npm package that brings a runtime, such as `node@22` or `bun`.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "..")
const manifest: {
  name: string
  version: string
  engines: { node: string }
  devDependencies: Record<string, string>
} = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
const { name, version } = manifest

const oldest = manifest.engines.node.replace(">=", "")
const runtimes = process.argv.length > 2 ? process.argv.slice(2) : [`node@${oldest}`, "node@22", "node@24", "bun"]
const compilers = ["typescript@5.9", `typescript@${manifest.devDependencies["typescript"]}`]

const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "package-install-")))
const project = path.join(home, "project")
process.once("exit", () => fs.rmSync(home, { recursive: true, force: true }))

const problems: Array<string> = []
const problem = (what: string): void => {
  console.log(`✗ ${what}`)
  problems.push(what)
}
const fine = (what: string): void => console.log(`✓ ${what}`)

interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): Ran => {
  // Neither this user's instructions nor npm's settings for the script that runs this belong to a stranger.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_|^DSH_|^TMUX/.test(key)))
  const result = childProcess.spawnSync(command, args, { cwd, encoding: "utf8", env: { ...env, HOME: home } })
  return { status: result.status, stdout: result.stdout ?? "", stderr: result.stderr ?? String(result.error) }
}

const npm = (directory: string, ...args: ReadonlyArray<string>): void => {
  // The registry and its credentials, if any, are those of whoever runs this.
  const result = childProcess.spawnSync("npm", [...args, "--loglevel=error", "--no-audit", "--no-fund"], {
    cwd: directory,
    encoding: "utf8"
  })
  if (result.status === 0) return
  console.error(`npm ${args.join(" ")}\n${result.stdout}${result.stderr}`)
  process.exit(1)
}

/** A directory with nothing in it but a package.json, and what is installed there. */
const empty = (directory: string, ...packages: ReadonlyArray<string>): string => {
  fs.mkdirSync(directory, { recursive: true })
  // `node` fetches its binary when it is installed, and npm asks for leave.
  const allowScripts = { node: true, bun: true }
  fs.writeFileSync(
    path.join(directory, "package.json"),
    JSON.stringify({ type: "module", private: true, allowScripts })
  )
  npm(directory, "install", ...packages)
  return directory
}

const binary = (directory: string, command: string): string => path.join(directory, "node_modules/.bin", command)

npm(root, "pack", "--ignore-scripts", "--pack-destination", home)
empty(project, path.join(home, `${name}-${version}.tgz`), "effect", "@types/node@24")
const installed = path.join(project, "node_modules", name)

/** Every specifier the package can be imported by. */
const specifiers = [
  ...fs
    .readdirSync(path.join(installed, "dist"))
    .filter((file) => file.endsWith(".js"))
    .map((file) => path.posix.join(name, file === "index.js" ? "" : file.replace(/\.js$/, ""))),
  `${name}/testing`
]
fs.writeFileSync(
  path.join(project, "entries.ts"),
  specifiers.map((specifier, index) => `import * as entry${index} from "${specifier}"\n`).join("") +
    `const entries = [${specifiers.map((_, index) => `entry${index}`).join(", ")}]\n` +
    "console.log(entries.filter((entry) => Object.keys(entry).length > 0).length)\n"
)
for (const file of ["application.ts", "killed.ts"]) {
  const source = fs.readFileSync(path.join(root, "scripts/install", file), "utf8")
  const specifierOf = (_: string, module: string) =>
    JSON.stringify(path.posix.join(name, module.replace(/\/?index$/, "")))
  fs.writeFileSync(path.join(project, file), source.replaceAll(/"\.\.\/\.\.\/src\/([\w/]+)\.ts"/g, specifierOf))
}

// Declarations are checked, too: those of the package, of Effect, and of everything they lead to. Effect's need a `CryptoKey`.
const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true }
const common = { ...strict, skipLibCheck: false, target: "ES2022", types: ["node"] }
const lib = ["ES2024", "ESNext.Disposable", "DOM"]
const settings: Record<string, object> = {
  NodeNext: { module: "NodeNext", moduleResolution: "NodeNext", lib },
  bundler: { module: "ESNext", moduleResolution: "bundler", lib },
  "NodeNext without lib": { module: "NodeNext", moduleResolution: "NodeNext" }
}
for (const compiler of compilers) {
  const tsc = binary(empty(path.join(home, compiler), compiler), "tsc")
  for (const [title, compilerOptions] of Object.entries(settings)) {
    const tsconfig = { compilerOptions: { ...common, ...compilerOptions }, include: ["*.ts"] }
    fs.writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify(tsconfig))
    const { status, stdout } = run(project, tsc, "--pretty", "false")
    if (status === 0) fine(`types resolve: ${compiler}, ${title}`)
    else problem(`types: ${compiler}, ${title}\n${stdout}`)
  }
}

const expected = fs.readFileSync(path.join(root, "scripts/install/expected.txt"), "utf8")
for (const runtime of runtimes) {
  const directory = empty(path.join(home, "runtimes", runtime), runtime)
  const command = binary(directory, runtime.replace(/@.*/, ""))
  const label = `${runtime} (${run(project, command, "--version").stdout.trim()})`

  const entries = run(project, command, "entries.ts")
  if (entries.status === 0 && entries.stdout.trim() === String(specifiers.length)) {
    fine(`${label}: ${specifiers.length} entries import`)
  } else problem(`${label}: entries\n${entries.stdout}${entries.stderr}`)

  const workspace = fs.mkdtempSync(path.join(home, "workspace-"))
  const application = run(project, command, "application.ts", workspace)
  if (application.stdout === expected) fine(`${label}: the application says what it should`)
  else problem(`${label}: application\n${application.stdout}${application.stderr}`)

  const show = run(workspace, command, binary(project, "agent-context"), "show", "packages/cart")
  const shown = show.status === 0 && show.stdout.includes("Use tabs.") && show.stdout.includes("Round half up.")
  if (shown) fine(`${label}: agent-context show`)
  else problem(`${label}: agent-context show\n${show.stdout}${show.stderr}`)
}

console.log(`\n${problems.length === 0 ? "No problems." : `${problems.length} problems.`}`)
process.exitCode = problems.length === 0 ? 0 : 1
