/**
 * The configuration as the environment says it: every key is a variable, `AGENT_CONTEXT_INSTRUCTIONS_MAX_BYTES` for
 * `instructions.maxBytes`. A part is on where `AGENT_CONTEXT_SKILLS` is `true` or one of its keys is set.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type AgentContextConfig, decodeAgentContextConfig } from "../schemas/AgentContextConfig.ts"
import { InvalidConfiguration } from "../schemas/Configuration.ts"
import { FileReferencesConfig } from "../schemas/FileReference.ts"
import { InstructionsConfig } from "../schemas/Instructions.ts"
import { SessionReferencesConfig } from "../schemas/SessionReference.ts"
import { SkillsConfig } from "../schemas/SkillsConfig.ts"
import { TimeConfig } from "../schemas/TimeContext.ts"
import { TmuxConfig } from "../schemas/TmuxContext.ts"

const prefix = "AGENT_CONTEXT"

const parts: Readonly<Record<string, { readonly fields: Schema.Struct.Fields }>> = {
  instructions: InstructionsConfig,
  skills: SkillsConfig,
  fileReferences: FileReferencesConfig,
  sessionReferences: SessionReferencesConfig,
  time: TimeConfig,
  tmux: TmuxConfig
}

/** Keys whose value is a list of names: `a,b`, or JSON. */
const lists = new Set([
  "instructionFileCandidates",
  "localInstructionFileCandidates",
  "projectRootMarkers",
  "excludedNames"
])

/** Keys whose value is a text, whatever it looks like. */
const texts = new Set(["home", "agentsHome", "bundledDirectory", "timeZone"])

const constant = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** The variable of a key, or of a whole part. */
const nameOf = (...keys: ReadonlyArray<string>): string => [prefix, ...keys.map(constant)].join("_")

const json = (text: string): unknown =>
  Result.getOrElse(
    Result.try(() => JSON.parse(text) as unknown),
    () => text
  )

const read = (key: string, text: string): unknown => {
  if (texts.has(key)) return text
  if (lists.has(key) && !text.trimStart().startsWith("[")) return text.split(",").map((name) => name.trim())
  return json(text)
}

const variable = (...keys: ReadonlyArray<string>) =>
  Effect.map(
    Effect.orElseSucceed(Config.option(Config.String(nameOf(...keys))), Option.none<string>),
    Option.getOrUndefined
  )

const readPart = Effect.fnUntraced(function* (part: string, keys: ReadonlyArray<string>) {
  const values: Record<string, unknown> = {}
  for (const key of keys) {
    const text = yield* variable(part, key)
    if (text !== undefined) values[key] = read(key, text)
  }
  const whole = yield* variable(part)
  const said = whole === undefined ? undefined : json(whole)
  if (said !== undefined && said !== true) return said
  return Object.keys(values).length > 0 || (said === true && part === "instructions") ? values : said
})

/** What is wrong, by the name of the variable. */
const byName = ({ allowed, given, key, part }: InvalidConfiguration): InvalidConfiguration =>
  new InvalidConfiguration({
    part: "environment",
    key: part === "agentContext" ? nameOf(key.split(".")[0] ?? "") : nameOf(part, key.split(".")[0] ?? ""),
    given,
    allowed
  })

/**
 * The whole configuration from the environment, decoded once already. Fails with `InvalidConfiguration` that names the variable.
 *
 * `AGENT_CONTEXT_CWD` · `AGENT_CONTEXT_SESSION`: `new`, `latest`, or an id · `AGENT_CONTEXT_STORE`: `memory`, or a directory ·
 * `AGENT_CONTEXT_INSTRUCTIONS_MAX_BYTES`, or `AGENT_CONTEXT_INSTRUCTIONS=false` · likewise for every other part and key.
 */
export const fromEnvironment: Effect.Effect<AgentContextConfig, InvalidConfiguration> = Effect.gen(function* () {
  const config: Record<string, unknown> = {}
  const cwd = yield* variable("cwd")
  const session = yield* variable("session")
  const store = yield* variable("store")
  if (cwd !== undefined) config["cwd"] = cwd
  if (session !== undefined) config["session"] = session === "new" || session === "latest" ? session : { id: session }
  if (store !== undefined) config["store"] = store === "memory" ? store : { directory: store }
  for (const [part, { fields }] of Object.entries(parts)) {
    const value = yield* readPart(part, Object.keys(fields))
    if (value !== undefined) config[part] = value
  }
  yield* Effect.mapError(decodeAgentContextConfig(config), byName)
  return config as unknown as AgentContextConfig
})
