/** The instruction plugin of dsh, mounted on a context of its own with a stub agent over its real session and inbox. */
import { Context } from "@deepseek-ai/cordis"
import { agentEvents, Inbox } from "@deepseek-ai/dsh-agent"
import * as instructions from "@deepseek-ai/dsh-agent-instructions"
import LocalFileSystem from "@deepseek-ai/dsh-fs-local"
import { CallId } from "@deepseek-ai/dsh-llm"
import { Session, SESSION_FORMAT_VERSION, SessionId } from "@deepseek-ai/dsh-session"
import * as path from "node:path"

const { signal } = new AbortController()

// The packages are used as plain JavaScript: what matters here is the time they take.
type Anything = any // oxlint-disable-line typescript/no-explicit-any

export interface Agent {
  /** Touches a file and waits until a message is in the inbox. */
  readonly touch: (file: string) => Promise<unknown>
  /** One pre-step with one prompt; the messages of its batch. */
  readonly preStep: () => Promise<ReadonlyArray<unknown>>
  /** What a loop does with the messages of a step that it enters. */
  readonly enter: (messages: ReadonlyArray<unknown>) => void
}

let made = 0

export const mount = async (home: string, maxBytes: number) => {
  const context: Anything = new Context()
  await context.plugin(LocalFileSystem as Anything, { cwd: "/" })
  await context.plugin(instructions as Anything, { dshHome: path.join(home, ".dsh"), maxBytes })

  return (cwd: string): Agent => {
    made += 1
    const id = SessionId(`session-${made}`)
    const session: Anything = Session.create(id, [], {
      version: SESSION_FORMAT_VERSION,
      id,
      createdAt: 0,
      cwd
    } as Anything)
    let inserted: (message: unknown) => void = () => {}
    const agent: Anything = {
      ctx: new Context(),
      id,
      options: {},
      session,
      status: "idle",
      send() {},
      followup() {},
      steer() {},
      inject() {},
      cancel() {},
      runMaintenance: (task: Anything) => task(signal),
      whenIdle: () => Promise.resolve()
    }
    agent.inbox = new Inbox(session, {
      inserted: (message: unknown) => inserted(message),
      discarded() {},
      claimed() {}
    } as Anything)
    let calls = 0
    return {
      touch: (file) =>
        new Promise((resolve) => {
          inserted = resolve
          calls += 1
          const callId = CallId(`call-${calls}`)
          context.emit(
            "tools/result",
            {
              token: Symbol("touch"),
              rootCallId: callId,
              callId,
              name: "read",
              arguments: { file_path: file },
              agent,
              signal
            },
            { content: [], isError: false, value: null }
          )
        }),
      preStep: async () => {
        const messages: Anything = []
        const decision: Anything = await (agentEvents(context, agent) as Anything).waterfall(
          "agent/pre-step",
          { messages, turn: 1, step: 1, signal },
          async () => ({
            kind: "enter",
            messages: [
              { id: `prompt-${made}`, role: "user", content: [{ type: "text", text: "go" }], source: { kind: "user" } }
            ]
          })
        )
        return decision.messages
      },
      enter: (messages) => {
        for (const message of messages) {
          const event = session.append("user/message", message as Anything, { surfaceOp: "append" })
          context.emit("session/event", session, event)
        }
      }
    }
  }
}
