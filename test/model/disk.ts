/** The disk as the model knows it, and what the contract says an agent should be told of it. Plain, slow, and independent of `src`. */
import { createHash } from "node:crypto"

export const root = "/repo"
export const cwd = "/repo/a"
export const nested = ["a/b", "a/b/d"]
export const chain = [".", "a"]
export const names = ["AGENTS.md", "CLAUDE.md", "AGENTS.local.md"]
export const userFile = "/home/u/.dsh/AGENTS.md"
/** What links may point to: beside every candidate, so that links never loop. */
export const linkTargets = ["/repo/doc.md", "/repo/nowhere.md"]

export type Entry = { readonly text: string } | { readonly link: string }
export type Disk = ReadonlyMap<string, Entry>

export interface Settings {
  readonly base: ReadonlyArray<string>
  readonly local: ReadonlyArray<string>
  readonly all: boolean
  readonly maxBytes: number
}

export const configurations: ReadonlyArray<{ readonly config: Record<string, unknown>; readonly settings: Settings }> =
  [
    {
      config: { maxBytes: 65_536 },
      settings: {
        base: ["AGENTS.md", "CLAUDE.md"],
        local: ["AGENTS.local.md", "CLAUDE.local.md"],
        all: false,
        maxBytes: 65_536
      }
    },
    {
      config: { maxBytes: 65_536, candidateSelection: "all" },
      settings: {
        base: ["AGENTS.md", "CLAUDE.md"],
        local: ["AGENTS.local.md", "CLAUDE.local.md"],
        all: true,
        maxBytes: 65_536
      }
    },
    {
      config: { maxBytes: 60_000, instructionFileCandidates: ["CLAUDE.md"], localInstructionFileCandidates: [] },
      settings: { base: ["CLAUDE.md"], local: [], all: false, maxBytes: 60_000 }
    },
    {
      config: { maxBytes: 520 },
      settings: {
        base: ["AGENTS.md", "CLAUDE.md"],
        local: ["AGENTS.local.md", "CLAUDE.local.md"],
        all: false,
        maxBytes: 520
      }
    }
  ]

export const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex")

/** The real path and text behind a candidate, if it leads to a file. */
export const follow = (disk: Disk, path: string): { readonly real: string; readonly text: string } | undefined => {
  const entry = disk.get(path)
  if (entry === undefined) return undefined
  return "link" in entry ? follow(disk, entry.link) : { real: path, text: entry.text }
}

export interface Told {
  readonly path: string
  readonly digest: string
}

export const keyOf = (scope: { readonly owner: string; readonly directory: string; readonly slot: string }): string =>
  `${scope.owner}|${scope.directory}|${scope.slot}`

/** Everything that should be told when every directory of the little world is looked at. */
export const expected = (disk: Disk, settings: Settings): ReadonlyMap<string, Told> => {
  const told = new Map<string, Told>()
  const reached = new Set<string>()
  const tell = (key: string, shown: string, path: string, texts: Set<string>): boolean => {
    const file = follow(disk, path)
    if (file === undefined) return false
    const twin = reached.has(file.real) || texts.has(file.text.trim())
    reached.add(file.real)
    texts.add(file.text.trim())
    if (!twin) told.set(key, { path: shown, digest: sha1(file.text) })
    return true
  }
  tell("user|.|base", "~/.dsh/AGENTS.md", userFile, new Set())
  for (const directory of [...chain, ...nested]) {
    const absolute = directory === "." ? root : `${root}/${directory}`
    const shown = (name: string) => (directory === "." ? name : `${directory}/${name}`)
    const texts = new Set<string>()
    const lists: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = settings.all
      ? [...settings.base, ...settings.local].map((name) => [name, [name]] as const)
      : [["base", settings.base] as const, ["local", settings.local] as const]
    for (const [slot, list] of lists) {
      list.some((name) => tell(`project|${directory}|${slot}`, shown(name), `${absolute}/${name}`, texts))
    }
  }
  return told
}
