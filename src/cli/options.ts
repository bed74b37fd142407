/** What `show` and `explain` are asked with, and the configuration that it amounts to. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Command from "effect/cli/Command"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import type { InvalidConfiguration } from "../schemas/Configuration.ts"
import type { InstructionsConfig } from "../schemas/Instructions.ts"
import { absolute, existing } from "./directory.ts"

/** The budget of the command: being a deployment, it has a default where the library has none (I-60). */
const defaultMaxBytes = 65_536

/** `a,b` is two names, the empty string none. White space around a name is not part of it. */
const list = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(",").map((name) => name.trim()))

const names = (flag: string, description: string) =>
  Flag.String(flag).pipe(Flag.withMetavar("a,b,…"), Flag.withDescription(description), Flag.map(list), Flag.optional)

// Without the pattern the empty string would be the number 0.
const decodeBytes = Schema.decodeOption(
  Schema.String.check(Schema.isPattern(/^-?\d+$/)).pipe(Schema.decodeTo(Schema.FiniteFromString.check(Schema.isInt())))
)

const bytes = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("bytes"),
    Flag.withDescription(description),
    Flag.filterMap(decodeBytes, () => "Expected a whole number of bytes")
  )

/** The arguments and flags that every look at a directory takes. */
export const options = {
  directory: Argument.String("dir").pipe(
    Argument.withDescription("The directory an agent would work in; the current one by default"),
    Argument.filter(
      (directory) => directory !== "",
      () => "Expected a directory"
    ),
    Argument.withDefault(".")
  ),
  maxBytes: bytes(
    "max-bytes",
    `The budget of the whole text; 0 or less turns instructions off (default: ${defaultMaxBytes})`
  ).pipe(Flag.withDefault(defaultMaxBytes)),
  maxSourceBytes: bytes("max-source-bytes", "The largest file that is read (default: 1048576)").pipe(Flag.optional),
  home: Flag.String("home").pipe(
    Flag.withMetavar("dir"),
    Flag.withDescription("Where the user's own AGENTS.md lies (default: $DSH_HOME, else ~/.dsh)"),
    Flag.optional
  ),
  candidates: names("candidates", "File names, the first that exists counts (default: AGENTS.md,CLAUDE.md)"),
  localCandidates: names(
    "local-candidates",
    "File names of the local overlay, none for an empty list (default: AGENTS.local.md,CLAUDE.local.md)"
  ),
  selection: Flag.Literals("selection", ["first", "all"]).pipe(
    Flag.withDescription("Whether the first existing name of each list counts, or all of them (default: first)"),
    Flag.optional
  ),
  rootMarkers: names("root-markers", "What a project's root holds; with none DIR is the root (default: .git)"),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
}

/** The options as they are parsed. */
export type Options = Command.Command.Config.Infer<typeof options>

/** The flag behind a configuration key, for messages that speak the user's language. */
const flags: Readonly<Record<string, string>> = {
  maxBytes: "--max-bytes",
  maxSourceBytes: "--max-source-bytes",
  home: "--home"
}

/** What the library has to say against the configuration, said about the flag. */
export const aboutTheFlag = (error: InvalidConfiguration): string =>
  `${flags[error.key] ?? error.key} was ${error.given}, must be ${error.allowed}`

const given = <const Key extends string, A>(key: Key, value: Option.Option<A>): { readonly [K in Key]?: A } =>
  Option.isSome(value) ? ({ [key]: value.value } as { readonly [K in Key]?: A }) : {}

/** What to load: where, and the configuration. Fails, having said so, when there is no such directory. */
export const toLoad = Effect.fnUntraced(function* (input: Options) {
  const cwd = yield* existing(input.directory)
  // A relative home is meant from where the command runs, as every path on a command line; the library takes it from cwd.
  const home =
    Option.isSome(input.home) && /^[^~]/.test(input.home.value)
      ? Option.some(yield* absolute(input.home.value))
      : input.home
  const config: InstructionsConfig = {
    maxBytes: input.maxBytes,
    ...given("maxSourceBytes", input.maxSourceBytes),
    ...given("home", home),
    ...given("instructionFileCandidates", input.candidates),
    ...given("localInstructionFileCandidates", input.localCandidates),
    ...given("candidateSelection", input.selection),
    ...given("projectRootMarkers", input.rootMarkers)
  }
  return { cwd, ...config }
})
