/** The configuration of a whole agent context: every part, where its sessions live, and which of them is meant (table K). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decodeConfiguration, type InvalidConfiguration } from "./Configuration.ts"
import { decodeFileReferencesConfig, type FileReferencesConfig } from "./FileReference.ts"
import { decodeInstructionsConfig, type InstructionsConfig } from "./Instructions.ts"
import { decodeSessionReferencesConfig, type SessionReferencesConfig } from "./SessionReference.ts"
import { decodeSkillsConfig, type SkillsConfig } from "./SkillsConfig.ts"
import { decodeTimeConfig, type TimeConfig } from "./TimeContext.ts"
import { decodeTmuxConfig, type TmuxConfig } from "./TmuxContext.ts"

/**
 * Everything there is to configure. Parts that are left out or `false` are off and leave no trace (C-7); `true` is the part with
 * all its defaults.
 */
export interface AgentContextConfig {
  /** The directory the agent works in; that of an opened session, else the process's own, unless given. */
  readonly cwd?: string
  /**
   * Which session: `"new"`, the default; `"latest"`, the newest one of `cwd` that nobody writes, else a new one; or the one of an
   * `id`, which is created if there is none.
   */
  readonly session?: "new" | "latest" | { readonly id: string }
  /** Where sessions live: `"memory"`, the default, or a directory, in which each is a file. `~/` is the user's home. */
  readonly store?: "memory" | { readonly directory: string }
  /** Workspace instructions: a budget in bytes, or `false`. There is no default (I-60). */
  readonly instructions: InstructionsConfig | false
  readonly skills?: SkillsConfig | boolean
  readonly fileReferences?: FileReferencesConfig | boolean
  readonly sessionReferences?: SessionReferencesConfig | boolean
  readonly time?: TimeConfig | boolean
  readonly tmux?: TmuxConfig | boolean
}

/** The same, decoded: what is off is absent. */
export interface AgentContextSettings {
  readonly cwd?: string
  readonly session: "new" | "latest" | { readonly id: string }
  readonly store: "memory" | { readonly directory: string }
  readonly instructions?: InstructionsConfig
  readonly skills?: SkillsConfig
  readonly fileReferences?: FileReferencesConfig
  readonly sessionReferences?: SessionReferencesConfig
  readonly time?: TimeConfig
  readonly tmux?: TmuxConfig
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const part = (example: string) => {
  const description = `true, false, or an object such as ${example}`
  return Schema.optionalKey(
    Schema.Unknown.check(
      Schema.makeFilter((value) => typeof value === "boolean" || isObject(value) || description)
    ).annotate({ description })
  )
}

const required = "false, or an object such as { maxBytes: 65536 }; no size is taken for granted"

/** The parts are told apart here; what is in them is for the decoder of each. */
const Outer = Schema.Struct({
  cwd: Schema.optionalKey(
    Schema.NonEmptyString.check(Schema.makeFilter((path) => !path.includes("\0"))).annotate({
      description: "a directory"
    })
  ),
  session: Schema.optionalKey(
    Schema.Union([Schema.Literals(["new", "latest"]), Schema.Struct({ id: Schema.NonEmptyString })]).annotate({
      description: `"new", "latest" or { id }, with a text for id`
    })
  ),
  store: Schema.optionalKey(
    Schema.Union([Schema.Literal("memory"), Schema.Struct({ directory: Schema.NonEmptyString })]).annotate({
      description: `"memory" or { directory }, with a path for directory`
    })
  ),
  instructions: Schema.Unknown.check(
    Schema.makeFilter((value) => value === false || isObject(value) || required)
  ).annotate({ description: required }),
  skills: part("{ catalogMaxBytes: 16384 }"),
  fileReferences: part("{ maxResults: 20 }"),
  sessionReferences: part("{ maxReferences: 3 }"),
  time: part("{ refreshIntervalMs: 60000 }"),
  tmux: part(`{ timeout: "1 second" }`)
})

/** The keys of a whole configuration. */
export const agentContextKeys: ReadonlyArray<string> = Object.keys(Outer.fields)

const decodeOuter = decodeConfiguration("agentContext", Outer)

/** `undefined` is what plain JavaScript leaves out with. */
const given = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, value]) => value !== undefined)) : value

const decodePart = <const Name extends string, A>(
  name: Name,
  value: unknown,
  decode: (input: unknown) => Effect.Effect<A, InvalidConfiguration>
): Effect.Effect<{ readonly [K in Name]?: A }, InvalidConfiguration> =>
  value === undefined || value === false
    ? Effect.succeed({})
    : Effect.map(decode(value === true ? {} : given(value)), (decoded) => ({ [name]: decoded }) as { [K in Name]?: A })

/** Decodes a whole configuration from anything; fails with `InvalidConfiguration` that names key, value and what is allowed. */
export const decodeAgentContextConfig = Effect.fnUntraced(function* (
  input: unknown
): Effect.fn.Return<AgentContextSettings, InvalidConfiguration> {
  const outer = yield* decodeOuter(given(input))
  return {
    ...(outer.cwd === undefined ? {} : { cwd: outer.cwd }),
    session: outer.session ?? "new",
    store: outer.store ?? "memory",
    ...(yield* decodePart("instructions", outer.instructions, decodeInstructionsConfig)),
    ...(yield* decodePart("skills", outer.skills, decodeSkillsConfig)),
    ...(yield* decodePart("fileReferences", outer.fileReferences, decodeFileReferencesConfig)),
    ...(yield* decodePart("sessionReferences", outer.sessionReferences, decodeSessionReferencesConfig)),
    ...(yield* decodePart("time", outer.time, decodeTimeConfig)),
    ...(yield* decodePart("tmux", outer.tmux, decodeTmuxConfig))
  }
})
