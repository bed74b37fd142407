/** The door for Effect on Node: one configuration, everything wired. */
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { FastReader } from "../../src/layers/files/fastReader.ts"
import { FastFiles } from "../../src/layers/skills/fastFiles.ts"
import * as AgentContextNode from "../../src/node.ts"
import { AgentInstructions } from "../../src/services/AgentInstructions.ts"
import { ContextSupply } from "../../src/services/ContextSupply.ts"
import { FileReferences } from "../../src/services/FileReferences.ts"
import { Inbox } from "../../src/services/Inbox.ts"
import { Session } from "../../src/services/Session.ts"
import { SessionReferences } from "../../src/services/SessionReferences.ts"
import { SessionStore } from "../../src/services/SessionStore.ts"
import { SkillRegistry } from "../../src/services/SkillRegistry.ts"
import { SystemPrompt } from "../../src/services/SystemPrompt.ts"
import { MemoryFileSystem } from "../../src/testing/index.ts"

const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\nBody.\n`

const workspace = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "node-door-")))
    fs.mkdirSync(path.join(directory, ".git"))
    fs.mkdirSync(path.join(directory, ".dsh/skills/greet"), { recursive: true })
    fs.writeFileSync(path.join(directory, "AGENTS.md"), "real rules\n")
    fs.writeFileSync(path.join(directory, ".dsh/skills/greet/SKILL.md"), skill("greet"))
    return directory
  }),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
)

/** Nothing of the machine that the tests run on. */
const homeless = (directory: string) => ({
  home: path.join(directory, "home"),
  agentsHome: path.join(directory, "agents")
})

const prompt = (text: string) =>
  Effect.gen(function* () {
    const supply = yield* ContextSupply
    const claimed = [...(yield* (yield* Inbox).claim), { id: `p-${text}`, text, source: { kind: "user" } }]
    const decision = yield* supply.preStep({ turn: 1, step: 1, claimed, decision: "enter" })
    if (decision.decision === "reject") return []
    yield* supply.enter(decision)
    return decision.messages
  })

const memory = (files: Parameters<typeof MemoryFileSystem.layer>[0]) =>
  Layer.merge(AgentContextNode.layerPlatform, MemoryFileSystem.layer(files))

describe("the Node door", () => {
  it.live("wires every part on the plain disk, with its quick readers", () =>
    Effect.gen(function* () {
      const cwd = yield* workspace
      const { agentsHome, home } = homeless(cwd)
      const config = {
        cwd,
        instructions: { maxBytes: 65_536, home },
        skills: { home, agentsHome },
        fileReferences: true,
        sessionReferences: true,
        time: { timeZone: "UTC" },
        tmux: { timeout: "2 seconds" }
      } as const
      const program = Effect.gen(function* () {
        const messages = yield* prompt("hello")
        assert.deepStrictEqual(
          messages.map(({ source }) => source.kind).filter((kind) => kind !== "tmux-context"),
          ["user", "agent-instructions", "skill-catalog", "time-context"]
        )
        assert.include(messages[1]?.text, "real rules")
        const fileSystem = yield* FileSystem.FileSystem
        assert.isTrue((yield* FastReader)?.standsFor(fileSystem))
        assert.isTrue((yield* FastFiles)?.standsFor(fileSystem))
        assert.deepStrictEqual((yield* (yield* FileReferences).list("AGENTS")).candidates, [
          { path: "AGENTS.md", kind: "file" }
        ])
        assert.include(yield* (yield* SystemPrompt).render, "@")
        assert.strictEqual((yield* (yield* AgentInstructions).load()).projectRoot, cwd)
        assert.deepStrictEqual((yield* (yield* SessionReferences).candidates("")).candidates, [])
        assert.strictEqual((yield* Session).cwd, cwd)
      })
      yield* Effect.provide(program, AgentContextNode.layer(config))
    })
  )

  it.live("[C-7] what is off leaves no trace", () =>
    Effect.gen(function* () {
      const cwd = yield* workspace
      const built = yield* Layer.build(AgentContextNode.layer({ cwd, instructions: false }))
      for (const tag of [AgentInstructions, SkillRegistry, FileReferences, SessionReferences])
        assert.strictEqual(Context.getOption(built, tag as typeof SkillRegistry)._tag, "None", tag.key)
      const messages = yield* Effect.provide(prompt("/greet"), built)
      assert.strictEqual(messages.length, 1)
      assert.strictEqual(yield* Context.get(built, SystemPrompt).render, "")
    })
  )

  it.live("[C-8] a file system that is given is the only one that is asked", () =>
    Effect.gen(function* () {
      const files = { "/repo/.git/": null, "/repo/AGENTS.md": "memory\n", "/repo/.dsh/skills/m.md": skill("m") }
      const config = { cwd: "/repo", instructions: { maxBytes: 9000 }, skills: true, fileReferences: true } as const
      const layer = Layer.provideMerge(AgentContextNode.layerWithoutPlatform(config), memory(files))
      const program = Effect.gen(function* () {
        const messages = yield* prompt("hello")
        assert.include(messages[1]?.text, "memory")
        assert.include(messages[2]?.text, "About m")
        const { candidates } = yield* (yield* FileReferences).list("AGENTS")
        assert.strictEqual(candidates.length, 1)
        const disk = yield* MemoryFileSystem.MemoryFileSystem
        assert.isAbove(yield* disk.lists("/repo"), 0)
      })
      yield* Effect.provide(program, layer)
    })
  )

  it.live("[C-6] a fleet shares its host, and each session is its own", () =>
    Effect.gen(function* () {
      const files = {
        "/a/.git/": null,
        "/a/AGENTS.md": "rules of a\n",
        "/b/.git/": null,
        "/b/AGENTS.md": "rules of b\n"
      }
      const config = { instructions: { maxBytes: 9000 }, skills: true, sessionReferences: true } as const
      const host = Layer.provideMerge(AgentContextNode.layerHostWithoutPlatform(config), memory(files))
      yield* Effect.gen(function* () {
        const sessions = yield* LayerMap.make((id: string) =>
          AgentContextNode.layerSession({ ...config, cwd: `/${id}`, session: { id } })
        )
        const a = yield* Layer.build(sessions.get("a"))
        const b = yield* Layer.build(sessions.get("b"))
        yield* Context.get(a, SkillRegistry).register({ name: "own", description: "Of a", content: "x" })
        yield* Context.get(a, Inbox).update(() => [
          undefined,
          [{ type: "inbox/inserted", position: "end", message: { id: "w", text: "for a", source: { kind: "user" } } }]
        ])
        const ofA = (yield* Effect.provide(prompt("hi"), a)).map(({ text }) => text).join()
        const ofB = (yield* Effect.provide(prompt("hi"), b)).map(({ text }) => text).join()
        for (const text of ["for a", "rules of a", "Of a"]) {
          assert.include(ofA, text)
          assert.notInclude(ofB, text)
        }
        assert.include(ofB, "rules of b")
        const store = yield* SessionStore
        assert.sameMembers(
          (yield* store.list).map(({ id }) => id),
          ["a", "b"]
        )
        assert.strictEqual((yield* Context.get(a, SessionReferences).candidates("")).candidates.length, 1)
      }).pipe(Effect.provide(host))
    })
  )

  it.live("keeps sessions in a directory, one writer at a time, and resumes by id or the latest", () =>
    Effect.gen(function* () {
      const cwd = yield* workspace
      const base = { cwd, instructions: false, store: { directory: path.join(cwd, "sessions") } } as const
      const id = Effect.map(Session, ({ id }) => id)
      const named = AgentContextNode.layer({ ...base, session: { id: "one" } })
      yield* Effect.gen(function* () {
        yield* prompt("hello")
        const conflict = yield* Effect.flip(
          Effect.scoped(Layer.build(AgentContextNode.layer({ ...base, session: { id: "one" } })))
        )
        assert.strictEqual("reason" in conflict ? conflict.reason._tag : conflict._tag, "SessionConflict")
      }).pipe(Effect.provide(named))
      assert.deepStrictEqual(fs.readdirSync(path.join(cwd, "sessions")), ["one.jsonl"])
      assert.strictEqual(yield* Effect.provide(id, AgentContextNode.layer({ ...base, session: "latest" })), "one")
      assert.notStrictEqual(yield* Effect.provide(id, AgentContextNode.layer(base)), "one")
      const { cwd: _, ...anywhere } = base
      const opened = yield* Effect.provide(Session, AgentContextNode.layer({ ...anywhere, session: { id: "one" } }))
      assert.strictEqual(opened.cwd, cwd)
      const moved = { ...base, cwd: os.tmpdir(), session: { id: "one" } }
      const error = yield* Effect.flip(Effect.scoped(Layer.build(AgentContextNode.layer(moved))))
      assert.match(error.message, /agentContext\.cwd: was .*, must be .* where session "one" lives/)
    })
  )

  it.live("[S-25] a watcher sees what others change, and ends with the layer", () =>
    Effect.gen(function* () {
      const files = { "/repo/.git/": null, "/repo/.dsh/skills/m.md": skill("m") }
      const given = { cwd: "/repo", instructions: false, skills: { watch: true } } as const
      const { controls, fileSystem } = yield* MemoryFileSystem.make(files)
      const platform = Layer.merge(AgentContextNode.layerPlatform, Layer.succeed(FileSystem.FileSystem, fileSystem))
      yield* Effect.gen(function* () {
        yield* prompt("hello")
        assert.isAbove(yield* controls.openHandles, 0)
      }).pipe(Effect.provide(Layer.provide(AgentContextNode.layerWithoutPlatform(given), platform)))
      assert.strictEqual(yield* controls.openHandles, 0)
    })
  )
})

const invalid: ReadonlyArray<readonly [config: object, message: RegExp]> = [
  [{}, /^agentContext\.instructions: is missing, must be false, or an object such as \{ maxBytes: 65536 \}/],
  [{ instructions: true }, /^agentContext\.instructions: was true, must be false, or/],
  [{ instructions: {} }, /^instructions\.maxBytes: is missing, must be a number of UTF-8 bytes/],
  [{ instructions: { maxBytes: "1" } }, /^instructions\.maxBytes: was "1", must be a number/],
  [{ instructions: false, cwd: "" }, /^agentContext\.cwd: was "", must be a directory/],
  [{ instructions: false, cwd: "/a\0b" }, /^agentContext\.cwd: was "\/a\\u0000b", must be a directory/],
  [{ instructions: false, store: "disk" }, /^agentContext\.store: was "disk", must be "memory" or \{ directory \}/],
  [{ instructions: false, session: 3 }, /^agentContext\.session: was 3, must be "new", "latest" or \{ id \}/],
  [{ instructions: false, skills: 1 }, /^agentContext\.skills: was 1, must be true, false, or an object/],
  [{ instructions: false, skills: { watch: 1 } }, /^skills\.watch: was 1, must be true or false/],
  [{ instructions: false, skils: true }, /^agentContext\.skils: was true, must be left out: the keys are cwd, session/],
  [{ instructions: false, skils: true }, /\(perhaps skills was meant\)$/],
  [{ instructions: false, skills: { provderTimeout: 1 } }, /\(perhaps providerTimeout was meant\)$/],
  [{ instructions: false, nothingOfTheKind: true }, /tmux$/],
  [
    { instructions: false, cwd: "/no/such/place" },
    /^agentContext\.cwd: was "\/no\/such\/place", which does not exist, must be/
  ],
  [
    { instructions: false, cwd: import.meta.filename },
    /^agentContext\.cwd: was .*, which is a file, must be a directory/
  ],
  [{ instructions: false, session: "latest", cwd: "/no/such" }, /which does not exist/],
  [{ instructions: false, time: { timeZone: "Nowhere" } }, /"Nowhere" is no IANA time zone/]
]

describe("[K] the configuration of the Node door", () => {
  it.live.each(invalid)("%j is refused", ([config, message]) =>
    Effect.gen(function* () {
      const layer = AgentContextNode.layer(config as AgentContextNode.AgentContextConfig)
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.match(error.message, message)
    })
  )

  const from = (env: Record<string, string>) =>
    AgentContextNode.fromEnvironment.pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))

  it.effect("reads every kind of key from the environment", () =>
    Effect.gen(function* () {
      const config = yield* from({
        AGENT_CONTEXT_CWD: "/repo",
        AGENT_CONTEXT_SESSION: "latest",
        AGENT_CONTEXT_STORE: "/sessions",
        AGENT_CONTEXT_INSTRUCTIONS_MAX_BYTES: "4096",
        AGENT_CONTEXT_INSTRUCTIONS_INSTRUCTION_FILE_CANDIDATES: "AGENTS.md, GEMINI.md",
        AGENT_CONTEXT_SKILLS: "true",
        AGENT_CONTEXT_FILE_REFERENCES: "false",
        AGENT_CONTEXT_TIME_TIME_ZONE: "UTC",
        AGENT_CONTEXT_TMUX_TIMEOUT: "2 seconds",
        UNRELATED: "1"
      })
      assert.deepStrictEqual(config, {
        cwd: "/repo",
        session: "latest",
        store: { directory: "/sessions" },
        instructions: { maxBytes: 4096, instructionFileCandidates: ["AGENTS.md", "GEMINI.md"] },
        skills: true,
        fileReferences: false,
        time: { timeZone: "UTC" },
        tmux: { timeout: "2 seconds" }
      })
    })
  )

  it.effect("[I-60] names the variable that is missing or wrong", () =>
    Effect.gen(function* () {
      const message = (env: Record<string, string>) => Effect.map(Effect.flip(from(env)), (error) => error.message)
      assert.match(yield* message({}), /^environment\.AGENT_CONTEXT_INSTRUCTIONS: is missing/)
      assert.match(
        yield* message({ AGENT_CONTEXT_INSTRUCTIONS_MAX_BYTES: "much" }),
        /^environment\.AGENT_CONTEXT_INSTRUCTIONS_MAX_BYTES: was "much", must be a number/
      )
      assert.match(
        yield* message({ AGENT_CONTEXT_INSTRUCTIONS: "false", AGENT_CONTEXT_SKILLS_WATCH: "often" }),
        /^environment\.AGENT_CONTEXT_SKILLS_WATCH: was "often", must be true or false/
      )
      assert.deepStrictEqual(yield* from({ AGENT_CONTEXT_INSTRUCTIONS: "false" }), { instructions: false })
    })
  )

  it.live("builds the whole from it", () =>
    Effect.gen(function* () {
      const cwd = yield* workspace
      const env = { AGENT_CONTEXT_CWD: cwd, AGENT_CONTEXT_INSTRUCTIONS_MAX_BYTES: "4096", HOME: cwd }
      const messages = yield* prompt("hello").pipe(
        Effect.provide(AgentContextNode.layerConfig()),
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
      assert.include(messages[1]?.text, "real rules")
    })
  )
})
