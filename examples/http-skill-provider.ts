/**
 * Skills from a server: one JSON index of names and descriptions, and one Markdown text for each skill.
 *
 *     GET <base>/index.json      [{ "name": "pdf", "description": "Reads PDF files", "path": "pdf/SKILL.md" }]
 *     GET <base>/pdf/SKILL.md    the instructions
 *
 * What the registry takes care of: deadlines, precedence, what happens while the server is down, and remembering the index.
 * What is left for a provider: to ask, to say honestly whether that was all, and to say when it may have changed.
 * (In a project of your own, import from "effect-agent-context/SkillRegistry".)
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as SkillRegistry from "../src/SkillRegistry.ts"

export interface HttpSkillsOptions {
  /** The provider's name; a registry may have several. */
  readonly name: string
  /** Where the index lies; ends in a slash. */
  readonly base: string
  /** Lower wins a name; skills on disk are between 100 and 600. */
  readonly rank?: number
  /** The most that is read of one answer, in bytes. */
  readonly maxBytes?: number
}

/** The server has not answered as it should. */
class HttpSkillsError extends Schema.TaggedError<HttpSkillsError>()("HttpSkillsError", {
  url: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.url}: ${this.detail}`
  }
}

const decodeIndex = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        description: Schema.String,
        path: Schema.String,
        modelInvocable: Schema.optionalKey(Schema.Boolean)
      })
    )
  )
)

/** An answer of at most `maxBytes`, or `undefined` when the server says that there is none. Interrupting it closes the connection. */
const fetchText = (url: string, maxBytes: number): Effect.Effect<string | undefined, HttpSkillsError> => {
  const failed = (cause: unknown) =>
    new HttpSkillsError({ url, detail: cause instanceof Error ? cause.message : String(cause) })
  return Effect.gen(function* () {
    const response = yield* Effect.tryPromise({ try: (signal) => fetch(url, { signal }), catch: failed })
    if (response.status === 404) return undefined
    if (!response.ok) return yield* failed(`the server answers ${response.status}`)
    const { body } = response
    if (body === null) return ""
    const bytes = Stream.fromReadableStream({ evaluate: () => body, onError: failed })
    let left = maxBytes
    const bounded = Stream.mapEffect(bytes, (chunk: Uint8Array) =>
      (left -= chunk.length) < 0
        ? Effect.fail(failed(`the answer has more than ${maxBytes} bytes`))
        : Effect.succeed(chunk)
    )
    return yield* Stream.mkString(Stream.decodeText(bounded))
  })
}

/** A provider for `registry.registerProvider`. */
export const httpSkills =
  ({ base, maxBytes = 1_048_576, name, rank = 350 }: HttpSkillsOptions): SkillRegistry.SkillProviderFactory =>
  () => ({
    name,
    list: Effect.fnUntraced(function* () {
      const url = new URL("index.json", base).href
      const text = yield* fetchText(url, maxBytes)
      // No index is no answer: the registry leaves this provider out, and takes no name away from anybody.
      if (text === undefined) return yield* new HttpSkillsError({ url, detail: "there is no index" })
      const entries = yield* decodeIndex(text)
      return {
        candidates: entries.map(({ description, modelInvocable = true, name, path }) => ({
          name,
          description,
          invocation: { modelInvocable, userInvocable: true },
          source: "http",
          rank,
          locator: new URL(path, base).href,
          resourceBase: { kind: "url", url: new URL(".", new URL(path, base)).href }
        }))
      }
    }),
    // Nothing there any more: `undefined` makes the registry ask for the index again.
    get: Effect.fnUntraced(function* (skill) {
      const content = yield* fetchText(String(skill.locator), maxBytes)
      return content === undefined ? undefined : { name: skill.name, content }
    })
  })

/** The same as a layer over a registry. */
export const layer = (
  options: HttpSkillsOptions
): Layer.Layer<never, SkillRegistry.SkillRegistryError, SkillRegistry.SkillRegistry> =>
  Layer.effectDiscard(SkillRegistry.SkillRegistry.use((registry) => registry.registerProvider(httpSkills(options))))
