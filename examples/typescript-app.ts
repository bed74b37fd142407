/**
 * A TypeScript application that has never heard of Effect: a model that is asked, tools that run, and a context that says before each
 * request what the model should know. `node examples/typescript-app.ts [DIR]`
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createAgentContext } from "../src/promise.ts"

const cwd = process.argv[2] ?? process.cwd()

/** Stands for a model: it reads a file, and then it is done. */
const model = async (history: ReadonlyArray<string>) =>
  history.length < 3
    ? { text: "I will read the package first.", call: { name: "read", arguments: { file_path: "package.json" } } }
    : { text: "Done.", call: undefined }

await using context = await createAgentContext({ cwd, instructions: { maxBytes: 65_536 }, skills: true })

const history: Array<string> = []
for (let input: { text: string } | undefined = { text: "Tidy up." }; ; input = undefined) {
  const { decision, messages } = await context.preStep(input)
  if (decision === "reject") break
  for (const { source, text } of messages) {
    history.push(text)
    console.log(`the model is told: ${source.kind}`)
  }
  const { call, text } = await model(history)
  await context.assistantMessage(text)
  console.log(`the model says: ${text}`)
  if (call === undefined) break
  const content = await readFile(join(cwd, call.arguments.file_path), "utf8").catch(String)
  history.push(content)
  await context.toolResult({ ...call, text: content })
}
await context.endTurn()
