/** The trees that are measured on: made once in the temporary directory, then used again. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** To be raised whenever a tree changes, so that nobody measures on an old one. */
const edition = 1
const base = path.join(os.tmpdir(), `effect-agent-context-bench-${edition}`)

/** Makes a tree completely or not at all: an interrupted run leaves nothing that looks finished. */
const cached = (name: string, fill: (directory: string) => void): string => {
  fs.mkdirSync(base, { recursive: true })
  const directory = path.join(fs.realpathSync(base), name)
  if (fs.existsSync(directory)) return directory
  const unfinished = fs.mkdtempSync(`${directory}.unfinished-`)
  fill(unfinished)
  try {
    fs.renameSync(unfinished, directory)
  } catch (error) {
    // Another run was faster.
    fs.rmSync(unfinished, { recursive: true })
    if (!fs.existsSync(directory)) throw error
  }
  return directory
}

/** Instructions of exactly `bytes` ASCII bytes, different for each `topic`. */
export const instructions = (topic: string, bytes: number): string => {
  const line = `- ${topic}: keep functions small, run the tests before you finish, explain what you changed.\n`
  const text = `# ${topic}\n\n${line.repeat(Math.ceil(bytes / line.length))}`.slice(0, bytes - 1)
  // Through bytes, as text from a disk comes, instead of a string that is still to be put together.
  return Buffer.from(`${text}\n`).toString()
}

/** An empty home directory: no user-global instructions. */
export const home = (): string => cached("home", () => {})

export interface Chain {
  readonly root: string
  /** The deepest directory. */
  readonly leaf: string
  /** What the deepest directory's file begins with. */
  readonly leafHeading: string
}

/** A project of `files` directories, one inside the other, each with an AGENTS.md of `bytes` bytes. */
export const chain = (files: number, bytes: number): Chain => {
  const names = Array.from({ length: files - 1 }, (_, index) => `level${index + 1}`)
  const root = cached(`chain-${files}-${bytes}`, (directory) => {
    fs.mkdirSync(path.join(directory, ".git"))
    const below = names.map((_, index) => path.join(directory, ...names.slice(0, index + 1)))
    for (const [level, place] of [directory, ...below].entries()) {
      fs.mkdirSync(place, { recursive: true })
      fs.writeFileSync(path.join(place, "AGENTS.md"), instructions(`Level ${level}`, bytes))
    }
  })
  return { root, leaf: path.join(root, ...names), leafHeading: `# Level ${files - 1}\n` }
}

/** A bare project root, and below it `depth` directories, one inside the other, each with an AGENTS.md of `bytes` bytes. */
export const nested = (depth: number, bytes: number): Chain => {
  const names = Array.from({ length: depth }, (_, index) => `level${index + 1}`)
  const root = cached(`nested-${depth}-${bytes}`, (directory) => {
    fs.mkdirSync(path.join(directory, ".git"))
    for (const index of names.keys()) {
      const place = path.join(directory, ...names.slice(0, index + 1))
      fs.mkdirSync(place, { recursive: true })
      fs.writeFileSync(path.join(place, "AGENTS.md"), instructions(`Level ${index + 1}`, bytes))
    }
  })
  return { root, leaf: path.join(root, ...names), leafHeading: `# Level ${depth}\n` }
}

/** A project of `count` skills of about 2 KiB each, and nothing else. */
export const skills = (count: number): string =>
  cached(`skills-${count}`, (directory) => {
    fs.mkdirSync(path.join(directory, ".git"))
    for (let index = 0; index < count; index++) {
      const name = `skill-${String(index).padStart(4, "0")}`
      const place = path.join(directory, ".agents/skills", name)
      fs.mkdirSync(place, { recursive: true })
      const head = [
        "---",
        `name: ${name}`,
        `description: Does thing number ${index} with care. Use when the user asks for thing ${index} or mentions widget-${index}.`,
        "license: Apache-2.0",
        "metadata:",
        "  author: bench",
        `  version: "1.${index}"`,
        "---",
        "",
        ""
      ].join("\n")
      fs.writeFileSync(path.join(place, "SKILL.md"), head + instructions(name, 2048))
    }
  })

const extensions = ["ts", "md", "json", "css", "py"]

/** A repository of `count` files in directories of 20, three levels deep, with ignore rules, all of it in git's index. */
export const filesRepository = (count: number): string =>
  cached(`files-${count}`, (root) => {
    for (let directory = 0; directory * 20 < count; directory++) {
      const [a, b, c] = [directory % 10, Math.floor(directory / 10) % 25, Math.floor(directory / 250)]
      const place = path.join(root, `pkg${a}`, `mod${b}`, `part${c}`)
      fs.mkdirSync(place, { recursive: true })
      for (let file = directory * 20; file < Math.min(count, directory * 20 + 20); file++) {
        fs.writeFileSync(path.join(place, `component-${file}.${extensions[file % 5]}`), "")
      }
    }
    fs.writeFileSync(path.join(root, ".gitignore"), "dist/\n*.log\n!keep.log\n*.py[cod]\n.env*\ncoverage\n/build\n*~\n")
    childProcess.execFileSync("git", ["init", "-q"], { cwd: root })
    childProcess.execFileSync("git", ["add", "-A"], { cwd: root })
  })
