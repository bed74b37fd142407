/** Everything that reads what others wrote, and what has to hold whatever that is. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Prompt from "effect/ai/Prompt"
import * as assert from "node:assert/strict"
import * as yaml from "yaml"
import { fromPrompt, toPrompt } from "../../src/ai/prompt.ts"
import { layerWorkspace } from "../../src/layers/files/fileReferences.ts"
import { load } from "../../src/layers/instructions/load.ts"
import { layerJsonl } from "../../src/layers/session/jsonl.ts"
import { layerStoreMemory } from "../../src/layers/session/memory.ts"
import { formatMention, parseMentions } from "../../src/pipeline/files/mention.ts"
import { sessionFileName } from "../../src/pipeline/sessionFileName.ts"
import * as Sessions from "../../src/pipeline/sessions/mention.ts"
import { formatUri, parseUri } from "../../src/pipeline/sessions/uri.ts"
import { renderCatalog } from "../../src/pipeline/skills/catalog.ts"
import { plainHead, readFrontmatter, readHead } from "../../src/pipeline/skills/frontmatter.ts"
import { parsePane } from "../../src/pipeline/tmux/answer.ts"
import { parseProcStat, parsePs } from "../../src/pipeline/tmux/terminal.ts"
import { decodeAgentContextConfig } from "../../src/schemas/AgentContextConfig.ts"
import { SessionError } from "../../src/schemas/SessionError.ts"
import { isSkillName } from "../../src/schemas/Skill.ts"
import { FileReferences } from "../../src/services/FileReferences.ts"
import { SessionStore } from "../../src/services/SessionStore.ts"
import { make } from "../../src/testing/memoryFileSystem.ts"
import { command } from "../cli/harness.ts"
import type { Target } from "./fuzzer.ts"

const frameEnd = /<\/system-reminder\s*>/giu

/** What is said of damage is looked at elsewhere. */
const quiet = Logger.layer([])

const withFiles = <A, E, R>(
  files: Readonly<Record<string, string | Uint8Array | null>>,
  effect: Effect.Effect<A, E, R | FileSystem.FileSystem>
): Promise<Exit.Exit<A, E>> =>
  Effect.runPromiseExit(
    Effect.flatMap(make(files), ({ controls, fileSystem }) =>
      Effect.provideService(effect, FileSystem.FileSystem, fileSystem).pipe(
        Effect.tap(() => Effect.map(controls.openHandles, (open) => assert.equal(open, 0, "a file is open")))
      )
    ) as Effect.Effect<A, E>
  )

/** A failure has to be a typed one; anything else is a defect. */
const typed = <A, E>(exit: Exit.Exit<A, E>): A | undefined => {
  if (Exit.isSuccess(exit)) return exit.value
  const failed = exit.cause.reasons.every((reason) => reason._tag === "Fail")
  assert.ok(failed, `it is no typed error: ${exit.cause}`)
  return undefined
}

// A warning of the process is a text that somebody else has written, in the terminal of the user.
let warned: Error | undefined
process.on("warning", (warning) => (warned ??= warning))

const json = (bytes: Buffer): Option.Option<unknown> =>
  Result.getSuccess(Result.try(() => JSON.parse(bytes.toString()) as unknown))

const instructions: Target = {
  name: "instructions",
  words: [
    "# Rules\n",
    "<SYSTEM-REMINDER>",
    "</system-reminder\n>",
    "Instructions from: ",
    "\u0000",
    "\ufffe",
    "\u0085"
  ],
  run: async (bytes) => {
    // The first two bytes say how large the budget is.
    const maxBytes = bytes.length < 2 ? 65_536 : 64 + (bytes.readUInt16BE(0) % 4096)
    const files = { "/r/.git/": null, "/r/AGENTS.md": bytes.subarray(2), "/r/CLAUDE.local.md": "local\n" }
    const loaded = typed(await withFiles(files, load({ cwd: "/r", maxBytes, home: "/none" })))
    if (loaded === undefined) return
    assert.ok(Buffer.byteLength(loaded.text) <= maxBytes, "more than the budget")
    assert.ok(loaded.text.isWellFormed(), "half a code point")
    if (loaded.text === "") return
    assert.equal(loaded.text.match(frameEnd)?.length, 1, "the frame is closed more than once")
    assert.ok(loaded.text.endsWith("</system-reminder>"), "the frame is open")
    for (const { bytes, outcome } of loaded.report) if (outcome === "loaded") assert.ok(bytes !== undefined)
  }
}

const frontmatter: Target = {
  name: "frontmatter",
  words: [
    "---\n",
    "--- \n",
    "name: ",
    "description: ",
    "disable-model-invocation: true\n",
    "metadata:\n  a: b\n",
    "|\n  ",
    ">-\n  ",
    "&a ",
    "*a",
    "!!js/function ",
    "!!binary ",
    "<<: ",
    ": ",
    " #",
    "? ",
    "when_to_use: ",
    "allowed-tools: [a, b]\n"
  ],
  run: (bytes) => {
    const head = readHead(bytes, true)
    assert.ok(head !== undefined, "a whole file can be told")
    const plain = plainHead(bytes, bytes.length)
    if (plain !== undefined) assert.deepEqual(plain, head)
    if (head._tag === "Malformed") return assert.ok(head.line >= 1 && head.message !== "")
    const read = readFrontmatter(head, "skill", yaml)
    assert.ok(read !== undefined, "with the library everything can be told")
    const quick = readFrontmatter(head, "skill")
    if (quick !== undefined) assert.deepEqual(quick, read)
    if (read._tag === "Malformed") return assert.ok(read.line >= 1 && read.message !== "")
    const { skill } = read
    assert.ok(isSkillName(skill.name))
    assert.ok(skill.description.trim() !== "")
    if (skill.metadata !== undefined) assert.deepEqual(JSON.parse(JSON.stringify(skill.metadata)), skill.metadata)
    const { text } = renderCatalog([skill], 4096, 1024, "first")
    assert.ok(Buffer.byteLength(text) <= 4096)
    assert.ok((text.match(frameEnd)?.length ?? 0) <= 1, "the frame is closed more than once")
  }
}

const sessionLog: Target = {
  name: "session-log",
  words: [
    '{"type":"user/message","seq":0,"at":1,"message":{"id":"a","text":"t","source":{"kind":"user"}}}',
    '"seq":1',
    '"seq":-1',
    '"keptFrom":9',
    '{"type":"compaction/checkpoint","seq":1,"at":2,"keptFrom":0}',
    '{"type":"inbox/claimed","seq":1,"at":2,"ids":["a"]}',
    '"kind":"agent-instructions"',
    '"version":1',
    '"changes":[]'
  ],
  run: async (bytes) => {
    const path = `/s/${sessionFileName("main")}.jsonl`
    const open = Effect.gen(function* () {
      const store = yield* SessionStore
      const session = yield* store.open("main")
      const surface = yield* session.surface
      const before = (yield* session.log).length
      yield* session.append([{ type: "turn/start", turn: 1 }])
      return { before, surface: surface.length, log: yield* session.log }
    }).pipe(Effect.scoped, Effect.provide(layerJsonl("/s")))
    const exit = await withFiles({ [path]: bytes }, Effect.provide(open, quiet))
    const opened = typed(exit)
    if (opened === undefined) {
      const reason = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
      assert.ok(reason?._tag === "Fail" && reason.error instanceof SessionError)
      assert.ok(reason.error.message.length < 4096, "a message of moderate length")
      return
    }
    assert.equal(opened.log.length, opened.before + 1)
    for (const [index, event] of opened.log.entries()) assert.equal(event.seq, index)
  }
}

const mentions: Target = {
  name: "mentions",
  words: ["@", '@"', "@src/a.ts", '@"a b"', "@a/", "``", "```\n", "~~~\n", "(@", "<@", "ann@x.io", "@scope/pkg"],
  run: (bytes) => {
    const text = bytes.toString()
    let end = 0
    for (const mention of parseMentions(text)) {
      assert.ok(mention.start >= end && mention.end > mention.start && mention.end <= text.length, "in order, apart")
      end = mention.end
      const written = formatMention(mention)
      assert.ok(written !== undefined, "what is read can be written")
      const [again, ...more] = parseMentions(
        mention.kind === "directory" && written.startsWith('@"') ? `${written}"` : written
      )
      assert.deepEqual([again?.path, again?.kind, more.length], [mention.path, mention.kind, 0])
    }
    if (!text.includes("@")) assert.equal(end, 0, "no mention without an @")
    const path = text.replaceAll(/\p{Cc}/gu, "")
    const written = formatMention({ kind: "file", path })
    if (written !== undefined)
      assert.deepEqual(
        parseMentions(written).map((found) => found.path),
        [path]
      )
  }
}

const sessionMentions: Target = {
  name: "session-mentions",
  words: ["@[a](dsh-session:", "dsh-session:ImEi", "](", "\\]", "`", "```\n", ")", "%22"],
  run: (bytes) => {
    const text = bytes.toString()
    const parsed = Sessions.parseMentions(text)
    if (Result.isSuccess(parsed))
      for (const { label, sessionId } of parsed.success) {
        const written = Sessions.formatMention({ sessionId, ...(label === undefined ? {} : { label }) })
        assert.equal(Result.getOrThrow(Sessions.parseMentions(written))[0]?.sessionId, sessionId)
      }
    const id = text === "" ? "x" : text
    assert.equal(parseUri(formatUri(id)), id.toWellFormed() === id ? id : parseUri(formatUri(id)))
  }
}

const ignoreFiles: Target = {
  name: "ignore-files",
  words: ["*\n", "!", "/a\n", "**/", "a/**\n", "[a-z]", "[!a]", "\\ ", "#", "{a,b}", "?", "a/\n", "[", "\\"],
  run: async (bytes) => {
    const files = {
      "/w/.git/": null,
      "/w/.gitignore": bytes,
      "/w/a/b/c.ts": "",
      "/w/a/.ignore": bytes.subarray(bytes.length >> 1),
      "/w/a b": "",
      "/w/[a]": "",
      "/w/.hidden": ""
    }
    const list = (query: string) => FileReferences.use((references) => references.list(query))
    const found = typed(
      await withFiles(
        files,
        Effect.all([list("c"), list("a/"), list("")]).pipe(Effect.provide(Layer.fresh(layerWorkspace({ cwd: "/w" }))))
      )
    )
    assert.ok(found !== undefined)
    for (const { path } of found.flatMap(({ candidates }) => candidates)) assert.ok(!path.startsWith(".git/"))
  }
}

const configuration: Target = {
  name: "configuration",
  words: [
    '"instructions":',
    '{"maxBytes":65536}',
    "false",
    '"skills":',
    '"watch":true',
    '"cwd":"/r"',
    '"session":{"id":"x"}',
    '"store":"memory"',
    '"time":{"timeZone":"UTC"}',
    '"instructionFileCandidates":["A.md"]',
    "1e400",
    '"__proto__":{}'
  ],
  run: async (bytes) => {
    const given = json(bytes)
    if (Option.isNone(given)) return
    const exit = await Effect.runPromiseExit(decodeAgentContextConfig(given.value))
    typed(exit)
    if (Exit.isSuccess(exit)) return
    const [reason] = exit.cause.reasons
    assert.ok(reason?._tag === "Fail" && reason.error._tag === "InvalidConfiguration")
    assert.ok(reason.error.message.length < 2048, "a message of moderate length")
  }
}

const prompts: Target = {
  name: "prompts",
  words: [
    '"role":"user"',
    '"role":"assistant"',
    '"role":"tool"',
    '"content":[',
    '{"type":"text","text":"a"}',
    '{"type":"tool-call","id":"1","name":"read","params":{}}',
    '{"type":"tool-result","id":"1","name":"read","isFailure":false,"result":1}',
    '"options":{"effect-agent-context":{"id":"a","source":{"kind":"user"}}}'
  ],
  run: async (bytes) => {
    const given = json(bytes)
    if (Option.isNone(given)) return
    const decoded = decodePrompt({ content: given.value })
    if (Option.isNone(decoded)) return
    const events = fromPrompt(decoded.value)
    const logged = typed(
      await Effect.runPromiseExit(
        Effect.gen(function* () {
          const session = yield* (yield* SessionStore).create({ cwd: "/r" })
          for (const event of events) yield* session.append([event])
          return yield* session.surface
        }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layerStoreMemory)))
      )
    )
    // Once it has been in a log, it comes back as the same, over and over.
    if (logged === undefined) return
    const once = JSON.stringify(fromPrompt(toPrompt(logged)))
    const again = JSON.stringify(
      fromPrompt(toPrompt(fromPrompt(toPrompt(logged)).map((event, seq) => ({ ...event, seq, at: 0 }) as never)))
    )
    assert.equal(again, once)
  }
}

const decodePrompt = Schema.decodeUnknownOption(Prompt.Prompt)

const tmux: Target = {
  name: "tmux",
  words: ["%1", "\t", "/dev/pts/1", " 34817 ", ") S 1 ", "??", "0\n", "@1"],
  run: (bytes) => {
    const text = bytes.toString()
    const pane = parsePane("%1", text)
    if (pane !== undefined) assert.ok(Buffer.byteLength(JSON.stringify(pane)) < 16_384, "names are cut")
    for (const parsed of [parsePs(text), parseProcStat(text)])
      if (parsed?._tag === "Terminal") assert.ok(parsed.path.startsWith("/"), parsed.path)
  }
}

const commandLine: Target = {
  name: "command-line",
  words: [
    "show",
    "explain",
    "files",
    "skills",
    "list",
    "check",
    "sessions",
    "--json",
    "--max-bytes",
    "--max-bytes=0",
    "--home",
    "--candidates",
    "--selection",
    "first",
    "all",
    "--root-markers",
    "--help",
    "--version",
    "--limit",
    "--",
    "-",
    "--step",
    "--completions",
    "--log-level",
    "\n",
    "/r"
  ],
  run: async (bytes) => {
    const args = bytes.toString().split("\n").slice(0, 12)
    const files = {
      "/r/.git/": null,
      "/r/AGENTS.md": "rules\n",
      "/r/.dsh/skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\n"
    }
    const ran = typed(await withFiles(files, command(...args)))
    assert.ok(ran !== undefined)
    assert.ok([0, 1, 2].includes(ran.code), `it ends with ${ran.code}`)
    if (ran.code !== 0) assert.ok(ran.stderr + ran.stdout !== "", "a failure says what to do")
    assert.ok(!/\n {4}at /.test(ran.stderr), "no stack is shown")
  }
}

const withoutWarnings = ({ name, run, words }: Target): Target => ({
  name,
  words,
  run: async (bytes) => {
    await run(bytes)
    await new Promise<void>((next) => process.nextTick(next))
    const warning = warned
    warned = undefined
    assert.equal(warning, undefined, "the process has warned")
  }
})

export const targets: ReadonlyArray<Target> = [
  instructions,
  frontmatter,
  sessionLog,
  mentions,
  sessionMentions,
  ignoreFiles,
  configuration,
  prompts,
  tmux,
  commandLine
].map(withoutWarnings)
