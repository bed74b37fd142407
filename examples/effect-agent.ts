/**
 * An agent on Effect that edits a real repository. Its model is scripted: it reads, edits, loads a skill, and is done. Killed on the way
 * and started again, it goes on where it was. `node examples/effect-agent.ts DIR [--die]`
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { AgentLoop, AgentPrompt, AgentTools } from "../src/ai.ts"
import * as AgentContextNode from "../src/node.ts"

const [cwd = process.cwd(), ...flags] = process.argv.slice(2)

const call = (name: string, params: object): Array<Response.PartEncoded> => [
  { type: "tool-call", id: "1", name, params }
]

/** What to do next is told by the conversation alone. */
const next = (prompt: Prompt.Prompt): Array<Response.PartEncoded> => {
  const done = prompt.content.filter(({ role }) => role === "tool").length
  console.log(`step ${done + 1}: ${AgentPrompt.userMessages(prompt).map(({ source }) => source.kind)}`)
  if (done === 0) return call("read", { file_path: "src/greeting.txt" })
  if (done === 1) return call("edit", { file_path: "src/greeting.txt", oldText: "Hello", newText: "Good morning" })
  if (done === 2 && flags.includes("--die")) process.kill(process.pid, "SIGKILL")
  if (done === 2) return call("skill", { name: "proofread" })
  return [{ type: "text", text: "The greeting is polite now." }]
}

const model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) => Effect.sync(() => next(prompt)),
    streamText: () => Stream.empty
  })
)

const agent = Effect.gen(function* () {
  const toolkit = yield* AgentTools.all
  const resumed = yield* AgentLoop.run({ toolkit })
  const { text } = resumed.steps > 0 ? resumed : yield* AgentLoop.run({ toolkit, prompt: "Make the greeting polite." })
  console.log(text)
})

const context = AgentContextNode.layer({
  cwd,
  session: { id: "example" },
  store: { directory: `${cwd}/.sessions` },
  instructions: { maxBytes: 65_536 },
  skills: true
})

await Effect.runPromise(Effect.provide(agent, Layer.merge(AgentTools.layer, model).pipe(Layer.provideMerge(context))))
