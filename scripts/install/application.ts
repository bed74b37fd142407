/**
 * An application that uses the package through every door, on whatever runs it. `scripts/checkInstall.ts` has it import the installed
 * package instead of these sources, type-checks it there, and compares what it prints on every runtime.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import * as AgentInstructions from "../../src/AgentInstructions.ts"
import { AgentPrompt } from "../../src/ai.ts"
import * as ContextSupply from "../../src/ContextSupply.ts"
import { FileReferences } from "../../src/index.ts"
import * as AgentContextNode from "../../src/node.ts"
import { createAgentContext } from "../../src/promise.ts"
import * as Session from "../../src/Session.ts"
import * as SessionStore from "../../src/SessionStore.ts"
import { MemoryFileSystem, sessionStoreConformance, sessionStoreDurability } from "../../src/testing/index.ts"

const cwd = fs.realpathSync(process.argv[2]!)
const directory = path.join(cwd, ".sessions")
const say = (what: string, value: unknown): void => console.log(`${what}: ${JSON.stringify(value)}`)

const write = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true })
  fs.writeFileSync(path.join(cwd, file), text)
}
const skill = (name: string): void =>
  write(
    `.agents/skills/${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: >\n  Folded,\n  so real YAML.\n---\nBe kind.\n`
  )

write(".git/HEAD", "")
write(".gitignore", "ignored.ts\n.sessions\n")
write("AGENTS.md", "Use tabs.\n")
write("packages/cart/AGENTS.md", "Round half up.\n")
write("packages/cart/total.ts", "export const total = 0\n")
write("packages/cart/ignored.ts", "")
skill("review")

// ./promise: a session on disk, what a tool touches, and a resume by somebody else.
const options = {
  cwd,
  instructions: { maxBytes: 65_536 },
  skills: { watch: true },
  fileReferences: true,
  sessionReferences: true,
  time: true,
  tmux: true,
  session: { id: "s1" },
  store: { directory }
} as const
const kinds = (messages: ReadonlyArray<{ readonly source: { readonly kind: string } }>) =>
  messages.map(({ source }) => source.kind)

const first = await createAgentContext(options)
say("first step", kinds((await first.preStep({ text: "Tidy up." })).messages))
await first.toolResult({ name: "read", arguments: { file_path: "packages/cart/total.ts" }, text: "…" })
say("second step", kinds((await first.preStep()).messages))
await first.endTurn()
say("files", (await first.files.list("t")).candidates)
say("skill", (await first.skills.load("review")).content)
skill("release")
const names = async () => (await first.skills.list()).skills.map(({ name }) => name)
for (let attempt = 0; attempt < 200 && (await names()).length < 2; attempt++) await setTimeout(50)
say("skills that are noticed", await names())
const conflict = await createAgentContext(options).catch((error: { readonly _tag: string }) => error._tag)
say("a second writer", conflict)
const abort = AbortSignal.abort(new Error("enough"))
say("aborted", await first.preStep({ text: "No." }, { signal: abort }).catch((error: Error) => error.message))
await first.close()

const second = await createAgentContext(options)
say("resumed", kinds((await second.preStep({ text: "Go on." })).messages))
await second.close()

// ./node and ./ai, on the session the promises have written.
const asPrompt = Effect.gen(function* () {
  const session = yield* Session.Session
  const supply = yield* ContextSupply.ContextSupply
  const prompt = { id: "p9", text: "hello", source: { kind: "user" } }
  const { decision } = yield* supply.preStep({ turn: 9, step: 1, claimed: [prompt], decision: "enter" })
  const surface = yield* session.surface
  const asked = surface.filter((event) => event.type === "user/message")
  return [decision, AgentPrompt.userMessages(AgentPrompt.toPrompt(surface)).length === asked.length] as const
})
const wired = AgentContextNode.layer({
  cwd,
  instructions: { maxBytes: 65_536 },
  session: { id: "s1" },
  store: { directory }
})
say("node and ai", await Effect.runPromise(Effect.provide(asPrompt, wired)))

// ./AgentInstructions over ./testing, and the barrel.
const memory = await Effect.runPromise(
  MemoryFileSystem.make({ "/repo/.git/HEAD": "", "/repo/AGENTS.md": "In memory." })
)
const load = AgentInstructions.load({ cwd: "/repo", maxBytes: 4096 })
const loaded = await Effect.runPromise(Effect.provideService(load, FileSystem.FileSystem, memory.fileSystem))
say("in memory", loaded.text.includes("In memory."))
say("barrel", typeof FileReferences.layer)

// The promises of every store, on this runtime's own file system.
const cases = [...sessionStoreConformance, ...sessionStoreDurability]
for (const [index, { name, run }] of cases.entries()) {
  const store = SessionStore.layerJsonl(path.join(directory, `case-${index}`)).pipe(Layer.provide(NodeFileSystem.layer))
  await Effect.runPromise(Effect.provide(run(store), Logger.layer([]))).catch((error: unknown) =>
    say(`broken: ${name}`, String(error))
  )
}
say("cases of a store", cases.length)

// What a process leaves behind that is killed: its lock must not hold.
const child = childProcess.spawnSync(process.execPath, [path.join(import.meta.dirname, "killed.ts"), cwd, directory], {
  encoding: "utf8"
})
say("killed", child.signal)
if (child.signal === null) console.log(child.stderr)
const third = await createAgentContext({ ...options, session: { id: "killed" } })
say("its session", kinds(await third.pending()))
await third.close()
