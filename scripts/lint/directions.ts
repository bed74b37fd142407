/**
 * The house plan as data: which room of `src/` may import which, and where a package may be touched.
 * Pure, so the tests can ask it directly; `plugin.ts` hands it to the linter.
 */

type Room = keyof typeof sees | "face" | "index"

const core = ["schemas", "pipeline", "services", "layers"] as const
const doors = ["node", "ai", "testing"] as const

/** A room sees itself and these. `pipeline` and `services` stand side by side, so do the three doors, so do `promise` and `cli`. */
const sees = {
  schemas: [],
  pipeline: ["schemas"],
  services: ["schemas"],
  layers: ["schemas", "pipeline", "services"],
  agent: core,
  node: [...core, "agent"],
  ai: [...core, "agent"],
  testing: [...core, "agent"],
  promise: [...core, "agent", ...doors],
  cli: [...core, "agent", ...doors]
} as const satisfies Record<string, ReadonlyArray<string>>

/** What one folder of `layers/` may import from another. Files directly in `layers/` belong to all of them. */
const sharedLayers = ["filesystem/probe", "supply/projection"]

/** Packages that only some places may touch: rooms by name, single files by path. The first pattern that matches decides. */
const restricted: ReadonlyArray<{
  readonly match: RegExp
  readonly only: ReadonlyArray<string>
  readonly why: string
}> = [
  { match: /^effect$/, only: [], why: "the barrel is slow to load; import the module, such as effect/Effect" },
  {
    match: /^@effect\/platform-node$/,
    only: [],
    why: "the barrel is slow to load; import the module, such as @effect/platform-node/NodeFileSystem"
  },
  {
    match: /^effect\/FileSystem$/,
    only: ["layers", "testing", "node", "ai", "promise", "cli"],
    why: "unstable in Effect 4.1"
  },
  { match: /^effect\/sql(\/|$)/, only: ["layers", "testing", "cli"], why: "unstable in Effect 4.1" },
  { match: /^@effect\/sql-pg/, only: ["cli"], why: "an optional peer; a store works over any SqlClient" },
  { match: /^effect\/ai(\/|$)/, only: ["ai"], why: "unstable in Effect 4.1" },
  { match: /^effect\/cli(\/|$)/, only: ["cli"], why: "unstable in Effect 4.1" },
  {
    match: /^@effect\/platform-node/,
    only: ["node", "cli", "testing/scenarioCli.ts"],
    why: "the library itself runs anywhere"
  },
  {
    match: /^(node:)?(fs|fs\/promises|child_process)$/,
    only: ["node", "cli"],
    why: "files are read through Effect's FileSystem"
  }
]

/** The room of a file, given relative to `src/`. */
const roomOf = (file: string): Room | undefined => {
  const [first = "", ...rest] = file.split("/")
  const name = rest.length === 0 ? first.replace(/\.ts$/, "") : first
  if (Object.hasOwn(sees, name)) return name as Room
  if (rest.length > 0) return undefined
  return name === "index" ? "index" : /^[A-Z]/.test(name) ? "face" : undefined
}

const mayImport = (from: Room, to: Room): boolean => {
  if (from === "index") return to === "face"
  if (to === "index" || to === "face") return false
  if (from === "face") return (core as ReadonlyArray<string>).includes(to)
  return from === to || (sees[from] as ReadonlyArray<string>).includes(to)
}

/** `a/b` for `layers/a/b/c.ts` and `layers/a/b.ts`; `a` alone for a file directly in `layers/`. */
const layerPath = (file: string): ReadonlyArray<string> => file.replace(/\.ts$/, "").split("/").slice(1, 3)

const crossesLayers = (from: string, to: string): boolean => {
  const target = layerPath(to)
  if (target.length < 2 || sharedLayers.includes(target.join("/"))) return false
  const source = layerPath(from)
  return source.length < 2 || source[0] !== target[0]
}

/** `./` and `../` taken from a file's folder; `undefined` when the path leaves `src/`. */
const resolve = (from: string, specifier: string): string | undefined => {
  const parts = from.split("/").slice(0, -1)
  for (const part of specifier.split("/")) {
    if (part === "..") {
      if (parts.length === 0) return undefined
      parts.pop()
    } else if (part !== ".") parts.push(part)
  }
  return parts.join("/")
}

const relativeProblem = (from: string, room: Room, specifier: string): string | undefined => {
  const to = resolve(from, specifier)
  if (to === undefined) return `src/ may not import "${specifier}", which lies outside it`
  if (!to.endsWith(".ts")) return `"${specifier}" must end in .ts`
  const target = roomOf(to)
  if (target === undefined) return `src/${to} is in no room`
  if (!mayImport(room, target)) return `${describe(room)} may not import ${describe(target)} (src/${to})`
  if (room === "layers" && target === "layers" && crossesLayers(from, to)) {
    return `a layer may not look inside another, but for ${sharedLayers.join(" and ")} (src/${to})`
  }
  return undefined
}

const describe = (room: Room): string =>
  room === "face" ? "a public face" : room === "index" ? "src/index.ts" : `the room "${room}"`

const packageProblem = (from: string, room: Room, specifier: string, dependencies: ReadonlySet<string>) => {
  const rule = restricted.find(({ match }) => match.test(specifier))
  if (rule !== undefined && !rule.only.includes(room) && !rule.only.includes(from)) {
    const where = rule.only.length === 0 ? "never" : `only by ${rule.only.join(", ")}`
    return `"${specifier}" is imported ${where}: ${rule.why}`
  }
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
  return specifier.startsWith("node:") || dependencies.has(name)
    ? undefined
    : `"${name}" is not a dependency that users of the package have`
}

/**
 * What is wrong with an import, or `undefined`.
 *
 * @param from the importing file, relative to `src/`, with `/`
 * @param dependencies names of the packages that are installed together with this one
 */
export const importProblem = (
  from: string,
  specifier: string,
  dependencies: ReadonlySet<string>
): string | undefined => {
  const room = roomOf(from)
  if (room === undefined) return `src/${from} is in no room`
  return /^\.\.?\//.test(specifier)
    ? relativeProblem(from, room, specifier)
    : packageProblem(from, room, specifier, dependencies)
}

/** Public faces and `index.ts` hold nothing of their own. */
export const onlyReexports = (file: string): boolean => {
  const room = roomOf(file)
  return room === "face" || room === "index"
}
