/**
 * One working directory as instructions see it: its root, the user's home, and looks at any of its places.
 *
 * Belongs to one agent instance: the root is searched until it is found, and then kept (I-4).
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { resolveHome } from "../../pipeline/homePaths.ts"
import { identityOf, type Place, type Settings } from "../../pipeline/instructions/chain.ts"
import type { Observed } from "../../pipeline/instructions/observed.ts"
import { missingTexts } from "../../pipeline/instructions/plan.ts"
import { compareDirectories } from "../../pipeline/instructions/order.ts"
import * as Paths from "../../pipeline/paths.ts"
import type { ProjectRootUnavailable, Scope } from "../../schemas/Instructions.ts"
import { environment } from "../environment.ts"
import { makeListings } from "../listings.ts"
import { findRoot, supposeRoot } from "../projectRoot.ts"
import { look, type LookRequest } from "./discovery.ts"
import type { Memo } from "./memo.ts"

/** A look: what is told, and which directories beside the chain are to be looked into. */
export interface WorkspaceLook {
  readonly fs: FileSystem.FileSystem
  /** Root-relative directories beside the chain; duplicates and those of the chain are harmless. */
  readonly nested: ReadonlyArray<string>
  /** The digest told of a candidate, by its path as logged. */
  readonly toldDigest: (path: string, owner: Place["owner"]) => string | undefined
  /** Whether the model has a text of a scope. */
  readonly isTold: (scope: Scope) => boolean
  /** Whether the whole state is going to be rendered, given its identity. */
  readonly complete: (identity: string) => boolean
  readonly shadowed: boolean
  /** Whether directories may be listed instead of probed name by name: for a look that nothing told depends on. */
  readonly listing?: boolean
  /** Which unread files to read next, given what is known (see `worthReading`). Without it everything is read. */
  readonly plan?: (observed: Observed) => ReadonlySet<string>
}

export interface Workspace {
  readonly cwd: string
  /** The project root, once it has been found. */
  readonly root: (fs: FileSystem.FileSystem) => Effect.Effect<string, ProjectRootUnavailable>
  readonly look: (request: WorkspaceLook) => Effect.Effect<Observed, ProjectRootUnavailable>
}

/** What the user's own place holds. */
const userFile = "AGENTS.md"

/** `directory` relative to the root, upward from `cwd`: `.`, `..`, `../..` and so on. */
const upwardFrom = (root: string, cwd: string): string => {
  const inside = Paths.within(root, cwd) ?? "."
  return inside === "." ? "." : inside.split("/").fill("..").join("/")
}

/** Prepares a working directory. Nothing is probed before the first look. */
export const makeWorkspace = Effect.fnUntraced(function* (
  settings: Settings,
  cwd: string
): Effect.fn.Return<Workspace> {
  const here = Paths.resolve("/", cwd)
  const home = resolveHome(settings.home, { ...(yield* environment), cwd: here })
  const memo: Memo = new Map()
  let found: string | undefined

  const root = (fs: FileSystem.FileSystem) =>
    found === undefined
      ? Effect.map(findRoot(fs, here, settings.markers), (nearest) => (found = nearest))
      : Effect.succeed(found)

  /** Looks at the project while the root that a listing showed is being confirmed. */
  const atRoot = Effect.fnUntraced(function* (
    fs: FileSystem.FileSystem,
    listings: LookRequest["listings"],
    look: (root: string) => Effect.Effect<Observed>
  ) {
    if (found !== undefined || listings === undefined) return yield* Effect.flatMap(root(fs), look)
    const supposed = yield* supposeRoot(fs, here, settings.markers, listings)
    if (supposed.confirm === undefined) return yield* look((found = supposed.root))
    const [observed, confirmed] = yield* Effect.all([look(supposed.root), supposed.confirm], { concurrency: 2 })
    if (!confirmed) return yield* Effect.flatMap(root(fs), look)
    found = supposed.root
    return observed
  })

  const user: LookRequest["places"] =
    home === undefined ? [] : [{ owner: "user", directory: ".", absolute: home.path, chain: true }]

  const places = (base: string, nested: ReadonlyArray<string>): LookRequest["places"] => {
    const chain = Paths.descend(".", Paths.within(base, here) ?? ".")
    const inChain = new Set(chain)
    const all = [...inChain, ...new Set(nested.filter((directory) => !inChain.has(directory)))]
    return [
      ...user,
      ...all.sort(compareDirectories).map((directory) => ({
        owner: "project" as const,
        directory,
        absolute: Paths.resolve(base, directory),
        chain: inChain.has(directory)
      }))
    ]
  }

  return {
    cwd: here,
    root,
    look: ({ complete, fs, isTold, listing = false, nested, plan, shadowed, toldDigest }) => {
      const listings = listing ? makeListings(fs) : undefined
      const shownHome = home?.shown ?? "~/.dsh"
      return atRoot(fs, listings, (base) => {
        const identity = identityOf(settings, shownHome, upwardFrom(base, here))
        const observed = (directories: Observed["directories"]): Observed => ({
          root: base,
          identity,
          shownHome,
          directories
        })
        const digestTold = (path: string): string | undefined => {
          if (home !== undefined && path === Paths.child(home.path, userFile)) {
            const user = toldDigest(`${shownHome}/${userFile}`, "user")
            if (user !== undefined) return user
          }
          const relative = Paths.within(base, path)
          return relative === undefined ? undefined : toldDigest(relative, "project")
        }
        const looking = look({
          fs,
          settings,
          places: places(base, nested),
          toldDigest: digestTold,
          memo,
          complete: complete(identity),
          listings,
          shadowed,
          missing: (known) => missingTexts(observed(known), settings, isTold, digestTold),
          plan: plan && ((known) => plan(observed(known)))
        })
        return Effect.map(looking, observed)
      })
    }
  }
})
