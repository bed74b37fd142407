/** The options that are this door's own; everything else is checked where it is used. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { agentContextKeys } from "../schemas/AgentContextConfig.ts"
import { decodeConfiguration, InvalidConfiguration, leftOut, shown } from "../schemas/Configuration.ts"
import type { AgentContextOptions } from "./options.ts"

const isFileSystem = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "stat" in value && "open" in value && "readDirectory" in value

const decodeOwn = decodeConfiguration(
  "agentContext",
  Schema.Struct({
    tools: Schema.optional(Schema.Array(Schema.String).annotate({ description: "a list of the names of tools" })),
    fileSystem: Schema.optional(
      Schema.Unknown.check(Schema.makeFilter(isFileSystem)).annotate({
        description: "a file system, such as MemoryFileSystem.makeSync(files).fileSystem"
      })
    )
  })
)

const keys = [...agentContextKeys, "tools", "fileSystem"]

/** Fails with `InvalidConfiguration` where callers without types have given something else. */
export const checkedOptions = Effect.fnUntraced(function* (
  options: AgentContextOptions
): Effect.fn.Return<AgentContextOptions, InvalidConfiguration> {
  if (typeof options !== "object" || options === null) {
    return yield* new InvalidConfiguration({
      part: "agentContext",
      key: "",
      given: options === null ? "null" : options === undefined ? "nothing" : `a ${typeof options}`,
      allowed: "an object with at least the keys cwd and instructions"
    })
  }
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || keys.includes(key)) continue
    return yield* new InvalidConfiguration({
      part: "agentContext",
      key,
      given: shown(value),
      allowed: leftOut(key, keys)
    })
  }
  const { fileSystem, tools } = options
  yield* decodeOwn({ fileSystem, tools })
  return options
})
