/**
 * The `ai` package, and a context that says before each of its requests what the model should know. Its own mock stands for a model: put
 * a provider's in its place. `node examples/other-sdk.ts [DIR]`
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { generateText, jsonSchema, type ModelMessage, tool } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { createAgentContext } from "../src/promise.ts"

const cwd = process.argv[2] ?? process.cwd()

const usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined }
}

/** It reads a file, and then it is done. Each time it says what kinds of messages it was sent. */
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    console.log(`the model is sent: ${prompt.map(({ role }) => role).join(", ")}`)
    const call = { type: "tool-call", toolCallId: "1", toolName: "read", input: `{"file_path":"lib/a.txt"}` } as const
    return prompt.some(({ role }) => role === "tool")
      ? {
          content: [{ type: "text", text: "Done." }],
          finishReason: { unified: "stop", raw: undefined },
          usage,
          warnings: []
        }
      : { content: [call], finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings: [] }
  }
})

const tools = {
  read: tool({
    description: "Read a text file.",
    inputSchema: jsonSchema<{ file_path: string }>({
      type: "object",
      properties: { file_path: { type: "string" } },
      required: ["file_path"]
    }),
    execute: ({ file_path }) => readFile(join(cwd, file_path), "utf8")
  })
}

await using context = await createAgentContext({
  cwd,
  instructions: { maxBytes: 65_536 },
  skills: true,
  tools: Object.keys(tools)
})

const conversation: Array<ModelMessage> = []
for (let input: { text: string } | undefined = { text: "Tidy up." }; ; input = undefined) {
  const { decision, messages } = await context.preStep(input)
  if (decision === "reject") break
  // Each as an entry of its own, behind what the model has seen: nothing that was sent is ever changed.
  for (const { source, text } of messages) {
    conversation.push({ role: "user", content: text })
    console.log(`the model is told: ${source.kind}`)
  }
  const system = await context.systemPrompt()
  const answer = await generateText({ model, messages: conversation, tools, ...(system === "" ? {} : { system }) })
  conversation.push(...answer.response.messages)
  await context.assistantMessage(answer.text)
  for (const part of answer.content) {
    if (part.type !== "tool-result" && part.type !== "tool-error") continue
    const { input, toolName: name } = part
    if (part.type === "tool-error")
      await context.toolResult({ name, arguments: input, outcome: "error", text: String(part.error) })
    else await context.toolResult({ name, arguments: input, text: JSON.stringify(part.output) })
  }
  if (answer.finishReason !== "tool-calls") {
    console.log(`the model says: ${answer.text}`)
    break
  }
}
await context.endTurn()
