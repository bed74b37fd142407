/** Tools for a coding agent: `read`, `write`, `edit`, `list` in the session's directory, and `skill`. */
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { loadSkill } from "../layers/skills/tool.ts"
import * as Paths from "../pipeline/paths.ts"
import { byteLength, decodeText, unitsThatFit } from "../pipeline/utf8.ts"
import { Session } from "../services/Session.ts"
import { SkillRegistry } from "../services/SkillRegistry.ts"
import { confine, explained, shownPath } from "./confine.ts"

/** The most bytes of a file that is read or written at all. */
export const maxFileBytes = 4_194_304
/** The most bytes of text that one `read` shows. */
export const maxReadBytes = 65_536
/** The most lines that one `read` shows. */
export const maxReadLines = 2_000
/** The most entries that one `list` shows. */
export const maxEntries = 1_000

// `file_path` is the name that what watches touches looks for.
const path = Schema.NonEmptyString.annotate({ description: "The path, relative to the working directory." })
const answer = { success: Schema.String, failure: Schema.String, failureMode: "return" as const }

const Read = Tool.make("read", {
  description: "Read a text file. A long one is shown in part, with a note where to go on.",
  parameters: Schema.Struct({
    file_path: path,
    offset: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThan(0)).annotate({ description: "The first line to show, from 1." })
    ),
    limit: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)).annotate({ description: "The most lines." }))
  }),
  ...answer
}).annotate(Tool.Readonly, true)

const Write = Tool.make("write", {
  description: "Write a file, with the directories above it. What was in it is replaced.",
  parameters: Schema.Struct({ file_path: path, content: Schema.String }),
  ...answer
})

const Edit = Tool.make("edit", {
  description: "Replace a piece of a file. `oldText` must be in it exactly once, unless `all` is true.",
  parameters: Schema.Struct({
    file_path: path,
    oldText: Schema.NonEmptyString,
    newText: Schema.String,
    all: Schema.optionalKey(Schema.Boolean)
  }),
  ...answer
})

const List = Tool.make("list", {
  description: "List a directory; directories end in a slash.",
  parameters: Schema.Struct({ path: Schema.optionalKey(path) }),
  ...answer
}).annotate(Tool.Readonly, true)

const Skill = Tool.make("skill", {
  description: "Load the instructions of a skill by its name.",
  parameters: Schema.Struct({ name: Schema.String }),
  ...answer
}).annotate(Tool.Readonly, true)

/** `read`, `write`, `edit` and `list`, as the model is offered them. What goes wrong is an answer in words, never a failure. `layerFiles` runs them. */
export const files = Toolkit.make(Read, Write, Edit, List)

/** `skill`, which loads the instructions of a skill by its name (S-43). `layerSkill` runs it. */
export const skill = Toolkit.make(Skill)

/** All five tools, to be given to `AgentLoop.run`: `yield* AgentTools.all`. `layer` runs them. */
export const all = Toolkit.merge(files, skill)

/** The lines from `offset` on that fit, and a note when there are others. */
const excerpt = (text: string, offset: number, limit: number): string => {
  const lines = text.split("\n")
  if (offset > lines.length) return `[There are only ${lines.length} lines.]`
  const wanted = lines.slice(offset - 1, offset - 1 + Math.min(limit, maxReadLines))
  const shown: Array<string> = []
  let bytes = 0
  for (const line of wanted) {
    bytes += byteLength(line) + 1
    if (bytes > maxReadBytes) break
    shown.push(line)
  }
  const [first = ""] = wanted
  if (shown.length === 0 && wanted.length > 0) {
    const cut = first.slice(0, unitsThatFit(first, 0, first.length, maxReadBytes))
    return `${cut}\n[Line ${offset} of ${lines.length} is cut after ${maxReadBytes} bytes.]`
  }
  const last = offset - 1 + shown.length
  if (offset === 1 && last >= lines.length) return text
  const more = last < lines.length ? ` Go on with offset ${last + 1}.` : ""
  return `${shown.join("\n")}\n[Lines ${offset} to ${last} of ${lines.length}.${more}]`
}

const makeFiles = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { cwd } = yield* Session
  // Two edits of one file at once would lose one of them.
  const oneWriter = Semaphore.withPermit(yield* Semaphore.make(1))

  /** Only plain files: opening a pipe may never return. */
  const plain = Effect.fnUntraced(function* (path: string, at: string) {
    const { size, type } = yield* explained(path)(fs.stat(at))
    if (type === "Directory") return yield* Effect.fail(`${shownPath(path)} is a directory. List it instead.`)
    if (type !== "File") return yield* Effect.fail(`${shownPath(path)} is not a plain file.`)
    if (BigInt(size) > BigInt(maxFileBytes)) {
      return yield* Effect.fail(`${shownPath(path)} is larger than ${maxFileBytes} bytes.`)
    }
  })

  const textOf = Effect.fnUntraced(function* (path: string) {
    const at = yield* confine(fs, cwd, path)
    yield* plain(path, at)
    const bytes = yield* explained(path)(fs.readFile(at))
    const decoded = decodeText(bytes)
    if (decoded._tag === "Text") return { at, bytes, ...decoded }
    return yield* Effect.fail(`${shownPath(path)} is no text in UTF-8.`)
  })

  const store = Effect.fnUntraced(function* (path: string, at: string, content: string) {
    if (byteLength(content) > maxFileBytes) {
      return yield* Effect.fail(`The content is larger than ${maxFileBytes} bytes. Write less.`)
    }
    yield* explained(path)(fs.writeFileString(at, content))
  })

  return files.of({
    read: ({ file_path: path, limit = maxReadLines, offset = 1 }) =>
      Effect.map(textOf(path), ({ text }) => excerpt(text, offset, limit)),
    write: ({ content, file_path: path }) =>
      Effect.gen(function* () {
        if (/[/\\]$/.test(path))
          return yield* Effect.fail(`${shownPath(path)} names a directory. Give the file's name, too.`)
        const at = yield* confine(fs, cwd, path)
        if (yield* explained(path)(fs.exists(at))) yield* plain(path, at)
        yield* explained(path)(fs.makeDirectory(Paths.parent(at), { recursive: true }))
        yield* store(path, at, content)
        return `Wrote ${byteLength(content)} bytes to ${path}.`
      }).pipe(oneWriter),
    edit: ({ all = false, file_path: path, newText, oldText }) =>
      Effect.gen(function* () {
        const { at, bytes, repaired, text } = yield* textOf(path)
        // Writing it back must change nothing but the piece.
        if (repaired || bytes[0]! >= 0xfe) return yield* Effect.fail(`${shownPath(path)} is no text in UTF-8.`)
        const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "\uFEFF" : ""
        const pieces = text.split(oldText)
        const found = pieces.length - 1
        if (found === 0) return yield* Effect.fail(`oldText is not in ${shownPath(path)}. Read the file again.`)
        if (found > 1 && !all) {
          return yield* Effect.fail(
            `oldText is in ${shownPath(path)} ${found} times. Give more of what surrounds it, or set all to true.`
          )
        }
        yield* store(path, at, mark + pieces.join(newText))
        return `Replaced ${found === 1 ? "1 place" : `${found} places`} in ${path}.`
      }).pipe(oneWriter),
    list: ({ path = "." }) =>
      Effect.gen(function* () {
        const at = yield* confine(fs, cwd, path)
        const entries = yield* explained(path)(fs.readDirectoryEntries(at))
        const names = entries.map(({ name, type }) => (type === "Directory" ? `${name}/` : name)).sort()
        if (names.length === 0) return "[Empty.]"
        const more = names.length > maxEntries ? [`[${names.length - maxEntries} more entries are not shown.]`] : []
        return [...names.slice(0, maxEntries), ...more].join("\n")
      })
  })
})

/** `files` over the file system there is. Paths outside of the session's directory are refused, by name and by real path. */
export const layerFiles: Layer.Layer<
  Tool.HandlersFor<typeof files.tools>,
  never,
  FileSystem.FileSystem | Session
> = files.toLayer(makeFiles)

/** Runs `skill` over the skills of the registry, as the session's directory sees them (S-43). */
export const layerSkill: Layer.Layer<
  Tool.HandlersFor<typeof skill.tools>,
  never,
  Session | SkillRegistry
> = skill.toLayer(
  Effect.gen(function* () {
    const registry = yield* SkillRegistry
    const { cwd } = yield* Session
    return skill.of({
      skill: ({ name }) =>
        loadSkill(registry, name, { cwd }).pipe(
          Effect.map(({ text }) => text),
          Effect.mapError(({ message }) => message)
        )
    })
  })
)

/** Runs all five tools, in the session's directory; `layerFiles` and `layerSkill` together. */
export const layer: Layer.Layer<
  Tool.HandlersFor<typeof all.tools>,
  never,
  FileSystem.FileSystem | Session | SkillRegistry
> = Layer.merge(layerFiles, layerSkill)
