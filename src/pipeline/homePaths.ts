/**
 * The user's home of this family of tools: where it is and how it is shown (I-3).
 */
import { resolve } from "./paths.ts"

/** What the operating system and the environment say. */
export interface HomeEnvironment {
  /** The operating-system home, when there is one. */
  readonly osHome: string | undefined
  /** `$DSH_HOME`; blank counts as unset. */
  readonly dshHome: string | undefined
  /** What a relative home is taken from. */
  readonly cwd: string
}

/** A home directory. `shown` stands for it wherever the model sees it; its real path never does. */
export interface Home {
  readonly path: string
  readonly shown: "~/.dsh" | "$DSH_HOME"
}

const tilde = /^~(?:[/\\]|$)/

/** Expands `~`, `~/…` and `~\…` against the operating-system home. `~other` is left alone. */
export const expandTilde = (path: string, osHome: string | undefined): string =>
  osHome !== undefined && tilde.test(path) ? resolve(osHome, `./${path.slice(2)}`) : path

const given = (text: string | undefined): string | undefined => (text?.trim() === "" ? undefined : text)

/**
 * The configured home, else `$DSH_HOME`, else `~/.dsh`; nothing when the chosen one begins with `~` and there is no
 * operating-system home: a folder called `~` in the workspace is nobody's home.
 */
export const resolveHome = (configured: string | undefined, environment: HomeEnvironment): Home | undefined => {
  const osHome = given(environment.osHome)
  const standard = expandTilde("~/.dsh", osHome)
  const expanded = expandTilde(given(configured) ?? given(environment.dshHome) ?? "~/.dsh", osHome)
  if (tilde.test(expanded)) return undefined
  const path = resolve(environment.cwd, expanded)
  return { path, shown: path === standard ? "~/.dsh" : "$DSH_HOME" }
}
