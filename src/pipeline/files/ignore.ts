/**
 * `.gitignore` and `.ignore` files while a tree is walked (F-4).
 *
 * The matching itself is the `ignore` package's. Around it: which file has the last word — `.ignore` before `.gitignore`, and
 * of each kind the nearest that decides — and a cheap test that keeps the names which no rule could mean away from it.
 */
import ignore, { type Ignore } from "ignore"
import { couldMatch } from "./ignoreNames.ts"

/** One ignore file. `base`: the directory it lies in, as a prefix of root-relative paths (`""`, or ends in `/`). */
interface Level {
  readonly base: string
  /** For a file above the root: the way from its directory to the root, ends in `/`. */
  readonly above: string
  readonly lines: ReadonlyArray<string>
  readonly matcher: Ignore
  readonly possible: (name: string, path: string) => boolean
}

/** The ignore files that count in a directory, nearest first. */
export interface Rules {
  readonly ignore: ReadonlyArray<Level>
  readonly gitignore: ReadonlyArray<Level>
}

/** The texts of a directory's own ignore files. */
export interface IgnoreTexts {
  readonly gitignore?: string | undefined
  readonly ignore?: string | undefined
}

export const noRules: Rules = { ignore: [], gitignore: [] }

/**
 * How many `*` one segment of a rule may have. The matcher backtracks, and its time grows with the length of a name to the
 * power of that number: a rule with more would let one line of a repository stop the process for minutes.
 */
const mostWildcards = 3

/** Whether a rule can be matched in reasonable time; what cannot is left out, and what it means to hide is shown. */
const isTame = (line: string): boolean =>
  line.split("/").every((segment) => segment.split(/\*+/).length <= mostWildcards + 1)

const toLevel = (all: ReadonlyArray<string>, base: string, above: string): Level => {
  const lines = all.filter(isTame)
  return {
    base,
    above,
    lines,
    matcher: ignore({ ignorecase: false, allowRelativePaths: true }).add(lines),
    possible: couldMatch(lines)
  }
}

const extendKind = (levels: ReadonlyArray<Level>, text: string | undefined, base: string, above: string) =>
  text === undefined ? levels : [toLevel(text.replace(/^\uFEFF/, "").split(/\r?\n/), base, above), ...levels]

/** The rules inside a directory that has ignore files of its own. */
export const extend = (rules: Rules, texts: IgnoreTexts, base: string, above = ""): Rules =>
  texts.gitignore === undefined && texts.ignore === undefined
    ? rules
    : {
        ignore: extendKind(rules.ignore, texts.ignore, base, above),
        gitignore: extendKind(rules.gitignore, texts.gitignore, base, above)
      }

const relative = (level: Level, path: string): string => level.above + path.slice(level.base.length)

/** What the levels of one kind say, the nearest that has something to say. */
const verdict = (levels: ReadonlyArray<Level>, path: string, name: string, slash: string): boolean | undefined => {
  for (const level of levels) {
    const inside = relative(level, path)
    if (!level.possible(name, inside)) continue
    const { ignored, unignored } = level.matcher.test(inside + slash)
    if (ignored) return true
    if (unignored) return false
  }
  return undefined
}

/** Whether an entry of a directory that is not ignored is. `path` is root-relative and ends in `name`. */
export const isIgnored = (rules: Rules, path: string, name: string, directory: boolean): boolean => {
  const slash = directory ? "/" : ""
  return verdict(rules.ignore, path, name, slash) ?? verdict(rules.gitignore, path, name, slash) ?? false
}

const literally = (path: string): string => path.replace(/[\\*?[\]!# ]/g, "\\$&")

/**
 * A file that another one overrules about a directory must not ignore everything below it for the directory's sake: inside,
 * the directory itself is taken back. What its rules say about the entries there still counts. `inside` ends in `/`.
 */
const pardoned = (level: Level, inside: string): Level =>
  level.matcher.test(inside).ignored
    ? toLevel([...level.lines, `!/${literally(inside)}`], level.base, level.above)
    : level

/** The rules inside the directory `path`, which is entered whatever they say about it; its own files are not among them. */
export const entering = (rules: Rules, path: string, name: string): Rules => {
  const means = (level: Level) => level.possible(name, relative(level, path))
  const enter = (levels: ReadonlyArray<Level>) =>
    levels.some(means)
      ? levels.map((level) => (means(level) ? pardoned(level, `${relative(level, path)}/`) : level))
      : levels
  const [ignoreLevels, gitignore] = [enter(rules.ignore), enter(rules.gitignore)]
  return ignoreLevels === rules.ignore && gitignore === rules.gitignore ? rules : { ignore: ignoreLevels, gitignore }
}

/** The rules from above inside the root: working in an ignored directory is no reason to see nothing there. */
export const enteringRoot = (rules: Rules): Rules => {
  const enter = (levels: ReadonlyArray<Level>) =>
    levels.map((level) =>
      Array.from(level.above.matchAll(/\//g), ({ index }) => level.above.slice(0, index + 1)).reduce(pardoned, level)
    )
  return { ignore: enter(rules.ignore), gitignore: enter(rules.gitignore) }
}
