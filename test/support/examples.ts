/** The examples of the documentation: every `ts` block of the Markdown files and of the module headers. */
import * as fs from "node:fs"
import * as path from "node:path"

export interface Example {
  /** File and line of the block, from the root of the repository. */
  readonly at: string
  readonly code: string
  /** What it says that it prints: `console.log(…) // => this`, one entry a line. */
  readonly prints: ReadonlyArray<string>
}

export const root = path.join(import.meta.dirname, "../..")

const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length

/** Only comments of a module, at their places; everything else is blank. */
const comments = (source: string): string => {
  let text = ""
  let end = 0
  for (const match of source.matchAll(/\/\*\*[^]*?\*\//g)) {
    text += source.slice(end, match.index).replace(/[^\n]/g, "")
    text += match[0].replace(/^[ \t]*(?:\/\*\*|\*(?!\/) ?)/gm, "")
    end = match.index + match[0].length
  }
  return text
}

const printed = /^\s*console\.log\(.*\)\s*\/\/ => (.*)$/gm

/** `name` is relative to the root; its extension says what it is. */
export const examplesIn = (name: string, content: string): ReadonlyArray<Example> => {
  const text = name.endsWith(".ts") ? comments(content) : content
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map((match) => ({
    at: `${name}:${lineOf(text, match.index)}`,
    code: match[1]!,
    prints: [...match[1]!.matchAll(printed)].map(([, value]) => value!)
  }))
}

const filesBelow = (directory: string): ReadonlyArray<string> =>
  fs.existsSync(path.join(root, directory))
    ? fs
        .readdirSync(path.join(root, directory), { recursive: true, encoding: "utf8" })
        .map((file) => path.posix.join(directory, file.split(path.sep).join("/")))
        .sort()
    : []

/** The modules that users import, relative to the root, with the specifier they import each by. */
export const faces: ReadonlyMap<string, string> = new Map([
  ["src/index.ts", "effect-agent-context"],
  ...filesBelow("src")
    .filter((file) => /^src\/\w+\.ts$/.test(file) && file !== "src/index.ts")
    .map((file) => [file, `effect-agent-context/${path.basename(file, ".ts")}`] as const),
  ...filesBelow("src/testing")
    .filter((file) => file === "src/testing/index.ts")
    .map((file) => [file, "effect-agent-context/testing"] as const)
])

/** Every example there is. */
export const examples = (): ReadonlyArray<Example> =>
  ["README.md", ...filesBelow("docs").filter((file) => file.endsWith(".md")), ...faces.keys()].flatMap((file) =>
    examplesIn(file, fs.readFileSync(path.join(root, file), "utf8"))
  )

const specifierOf = (relative: string): string => {
  const specifier = relative.split(path.sep).join("/")
  return specifier.startsWith(".") ? specifier : `./${specifier}`
}

/** The code as it stands in `directory`, which lies in the repository: the package's own name leads to the sources. */
export const againstTheSources = (code: string, directory: string): string => {
  const sources = new Map([...faces].map(([file, specifier]) => [specifier, path.join(root, file)]))
  return code.replace(/(["'])(effect-agent-context(?:\/[\w/]+)?)\1/g, (whole, _quote, specifier: string) => {
    const file = sources.get(specifier)
    return file === undefined ? whole : JSON.stringify(specifierOf(path.relative(directory, file)))
  })
}
