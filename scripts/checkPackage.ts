/**
 * Checks the package as users get it: packs `dist` (build first), lets publint and attw judge the tarball, then unpacks
 * it and asks Node for every entry point, for the command, and for the rooms that nobody may reach.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { build } from "vite"

const root = path.join(import.meta.dirname, "..")
const { name, version }: { name: string; version: string } = JSON.parse(
  fs.readFileSync(path.join(root, "package.json"), "utf8")
)

// Below node_modules, so that the unpacked package finds its dependencies where an installed one would.
const home = path.join(root, "node_modules/.cache/package")
const installed = path.join(home, "node_modules", name)

const run = (command: string, ...args: ReadonlyArray<string>): string => {
  const result = childProcess.spawnSync(command, args, { cwd: root, encoding: "utf8" })
  if (result.status === 0) return result.stdout
  console.error(`${command} ${args.join(" ")}\n${result.stdout}${result.stderr}`)
  process.exit(1)
}

/** Every module of `dist`, without its extension. */
const modules = (): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(installed, "dist"), { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".js"))
    .map((file) => file.replace(/\.js$/, ""))
    .sort()

/** Run beside the unpacked package: which of `open` fail to load, which of `closed` can be found all the same. */
const probe = `
const [open, closed] = JSON.parse(process.argv[2])
const problems = []
for (const specifier of open) {
  await import(specifier).catch((error) => problems.push(specifier + " cannot be imported: " + error))
}
for (const specifier of closed) {
  try {
    problems.push(specifier + " can be reached from outside: " + import.meta.resolve(specifier))
  } catch (error) {
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") problems.push(specifier + ": " + error)
  }
}
console.log(JSON.stringify(problems))
`

fs.rmSync(home, { recursive: true, force: true })
fs.mkdirSync(installed, { recursive: true })
// A package of its own; otherwise the name would lead back to this one, and not to what is unpacked.
fs.writeFileSync(path.join(home, "package.json"), JSON.stringify({ type: "module", private: true }))
run("npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", home)
const tarball = path.join(home, `${name}-${version}.tgz`)
run("tar", "-xzf", tarball, "-C", installed, "--strip-components=1")

const all = modules()
const isOpen = (module: string) => !module.includes("/") || module === "testing/index"
const subpaths = all.filter(isOpen).map((module) => `./${module}`.replace(/\/?index$/, ""))
const specifiers = (paths: ReadonlyArray<string>) => paths.map((subpath) => path.posix.join(name, subpath))
const closed = all.filter((module) => !isOpen(module))

run("publint", "run", tarball, "--strict")
run("attw", tarball, "--profile", "esm-only", "--no-emoji", "--entrypoints", ...subpaths)

fs.writeFileSync(path.join(home, "probe.mjs"), probe)
const problems: ReadonlyArray<string> = JSON.parse(
  run(process.execPath, path.join(home, "probe.mjs"), JSON.stringify([specifiers(subpaths), specifiers(closed)]))
)
for (const problem of problems) console.error(problem)

/** Modules in the bundle of an application of which this is the code. */
const bundled = async (code: string): Promise<ReadonlyArray<string>> => {
  const entry = path.join(home, "app.mjs")
  fs.writeFileSync(entry, code)
  const result = await build({
    configFile: false,
    logLevel: "silent",
    root: home,
    build: { write: false, minify: false, target: "esnext", ssr: entry },
    ssr: { noExternal: true }
  })
  const outputs = "output" in result ? result.output : []
  // A module of which nothing is left is none.
  return outputs.flatMap((output) =>
    output.type === "chunk"
      ? Object.entries(output.modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : []))
      : []
  )
}

/** What an application should not pay for unless it uses it. */
const heavy = {
  node: /\/@effect\/platform-node|\/dist\/(?:node|promise)\b/,
  command: /\/dist\/cli\//,
  testing: /\/dist\/testing\//,
  yaml: /\/node_modules\/yaml\//,
  ignore: /\/node_modules\/ignore\//,
  model: /\/effect\/dist\/(?:unstable\/)?ai\//
}
/** Which of these the whole of an entry point is allowed to bring. */
const brings: Readonly<Record<string, ReadonlyArray<keyof typeof heavy>>> = {
  FileReferences: ["ignore"],
  SkillsFileSystem: ["yaml"],
  ai: ["model"],
  node: ["ignore", "node", "yaml"],
  promise: ["ignore", "node", "yaml"],
  testing: ["ignore", "testing", "yaml"]
}
const parts = Object.keys(heavy) as ReadonlyArray<keyof typeof heavy>
const applications = subpaths.map((subpath) => {
  const specifier = path.posix.join(name, subpath)
  // Of the barrel one name is used, of everything else all.
  return subpath === "."
    ? {
        specifier,
        allowed: [],
        code: `import { AgentInstructions } from "${specifier}"\nconsole.log(AgentInstructions)\n`
      }
    : {
        specifier,
        allowed: brings[path.basename(subpath)] ?? [],
        code: `import * as All from "${specifier}"\nconsole.log(All)\n`
      }
})
const unshaken: Array<string> = []
for (const { allowed, code, specifier } of applications) {
  const ids = await bundled(code)
  if (!ids.some((id) => id.includes(`/${name}/dist/`))) unshaken.push(`${specifier} is not in its own bundle`)
  for (const part of parts.filter((each) => !allowed.includes(each))) {
    const id = ids.find((each) => heavy[part].test(each))
    if (id !== undefined) unshaken.push(`${specifier} brings ${part} into a bundle: ${id}`)
  }
  for (const part of allowed) {
    if (!ids.some((id) => heavy[part].test(id)))
      unshaken.push(`${specifier} no longer brings ${part} into a bundle: say so`)
  }
}
for (const problem of unshaken) console.error(problem)

const printed = run(process.execPath, path.join(installed, "dist/cli/main.js"), "--version")
const versionIsRight = printed.includes(version)
if (!versionIsRight) console.error(`agent-context --version does not say ${version}, but: ${printed}`)

console.log(`${subpaths.length} entry points; ${closed.length} modules cannot be reached`)
process.exitCode = problems.length > 0 || unshaken.length > 0 || !versionIsRight ? 1 : 0
