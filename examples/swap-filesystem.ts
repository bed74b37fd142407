/**
 * A test of one's own agent that never touches a disk: the context reads a file system in memory, whose files change and whose
 * faults come and go as the test likes. `node --test examples/swap-filesystem.ts`
 */
import { strict as assert } from "node:assert"
import { test } from "node:test"
import { createAgentContext } from "../src/promise.ts"
import { MemoryFileSystem } from "../src/testing/index.ts"

test("the agent hears of an edit, and forgets nothing while the file cannot be read", async () => {
  const { controls, fileSystem } = MemoryFileSystem.makeSync({ "/repo/.git/": null, "/repo/AGENTS.md": "Use tabs.\n" })
  await using context = await createAgentContext({ cwd: "/repo", fileSystem, instructions: { maxBytes: 65_536 } })
  const told = async (text: string) => {
    const { messages } = await context.preStep({ text })
    await context.endTurn()
    return messages.filter(({ source }) => source.kind === "agent-instructions").map((message) => message.text)
  }
  const touch = () => context.toolResult({ name: "read", arguments: { file_path: "/repo/main.c" } })

  assert.match((await told("Tidy up."))[0]!, /Use tabs\./)
  assert.deepEqual(await told("Go on."), [])

  controls.fault("/repo/AGENTS.md", "stat", "PermissionDenied")
  await touch()
  assert.deepEqual(await told("Go on."), [])

  controls.heal()
  controls.write("/repo/AGENTS.md", "Use two spaces.\n")
  await touch()
  assert.match((await told("Go on."))[0]!, /Use two spaces\./)
  assert.equal(controls.openHandles(), 0)
})
