/** Private tmux servers, and agents in their panes that can be talked to. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import * as readline from "node:readline"
import { fileURLToPath } from "node:url"
import type { UserMessage } from "../../../src/schemas/Message.ts"

/** What a turn of an agent has brought; diagnostics as `tag: message`. */
export interface Turn {
  readonly messages: ReadonlyArray<UserMessage>
  readonly diagnostics: ReadonlyArray<string>
}

const paneAgent = fileURLToPath(new URL("./paneAgent.ts", import.meta.url))

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A directory of its own, in which every server has its socket; all of it is gone when the scope ends. */
export const makeDesk = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tmux-"))),
    (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
  )
  const { TMUX: _, TMUX_PANE: __, ...outside } = process.env
  const env: NodeJS.ProcessEnv = { ...outside, TMUX_TMPDIR: directory, TERM: "xterm", LC_ALL: "C" }
  const sockets = path.join(directory, `tmux-${process.getuid?.()}`)

  /** A server; it is stopped, whatever state it is in, when the scope ends. */
  const server = (name: string) => {
    const run = (...args: ReadonlyArray<string>): string =>
      childProcess
        .execFileSync("tmux", ["-u", "-L", name, "-f", "/dev/null", ...args], { env, encoding: "utf8" })
        .trim()
    const start = (shell: string) =>
      run("new-session", "-d", "-s", "work", "-n", "agent", "-x", "80", "-y", "24", shell)
    return Effect.gen(function* () {
      let pid = 0
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (pid === 0) return
          childProcess.spawnSync("kill", ["-CONT", String(pid)])
          childProcess.spawnSync("tmux", ["-L", name, "kill-server"], { env })
        })
      )
      return {
        run,
        socket: path.join(sockets, name),
        /** Starts it with one pane that runs `shell`. */
        start: (shell: string) => {
          start(shell)
          pid = Number(run("display-message", "-p", "#{pid}"))
        },
        /** Sends its process a signal. */
        signal: (signal: NodeJS.Signals) => process.kill(pid, signal)
      }
    })
  }

  let sessions = 0
  /**
   * Waits for an agent. `command` starts it in a shell; `session` names the directory its session lives in, so that another
   * agent can go on with it.
   */
  const agent = Effect.fnUntraced(function* (
    launch: (command: string) => void,
    options: { readonly session?: string; readonly timeout?: number } = {}
  ) {
    sessions += 1
    const place = path.join(directory, `agent-${sessions}`)
    const connected = yield* Deferred.make<net.Socket>()
    const listener = yield* Effect.acquireRelease(
      Effect.sync(() => net.createServer((socket) => Deferred.doneUnsafe(connected, Effect.succeed(socket)))),
      (made) => Effect.sync(() => made.close())
    )
    yield* Effect.callback<void>((resume) => void listener.listen(place, () => resume(Effect.void)))
    const session = path.join(directory, options.session ?? `session-${sessions}`)
    const command = [process.execPath, paneAgent, place, session, String(options.timeout ?? 20_000)]
      .map(quote)
      .join(" ")
    launch(`exec ${command} 2>${quote(`${place}.log`)}`)
    const socket = yield* Deferred.await(connected)
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    const lines = readline.createInterface({ input: socket })[Symbol.asyncIterator]()
    return {
      turn: Effect.promise(async (): Promise<Turn> => {
        socket.write("turn\n")
        const line = await lines.next()
        if (line.done === true) throw new Error(fs.readFileSync(`${place}.log`, "utf8"))
        return JSON.parse(line.value)
      }),
      /** Ends it, and waits until it has let go of its session. */
      end: Effect.callback<void>((resume) => {
        socket.once("close", () => resume(Effect.void))
        socket.end()
      })
    }
  })

  /** Runs a command outside of every server. */
  const outsideOf = (command: string) =>
    void childProcess.spawn("sh", ["-c", command], { env, stdio: "ignore", detached: true })

  return { directory, server, agent, outsideOf }
})
