/** Writes a session and is killed while it holds it. */
import { createAgentContext } from "../../src/promise.ts"

const [cwd, directory] = process.argv.slice(2)
const context = await createAgentContext({
  cwd: cwd!,
  instructions: false,
  session: { id: "killed" },
  store: { directory: directory! }
})
await context.post({ text: "Remember me." })
process.kill(process.pid, "SIGKILL")
