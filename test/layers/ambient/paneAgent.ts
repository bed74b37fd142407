/**
 * An agent that runs in a pane: it connects to the socket of its test and plays a turn for each line it is sent. The arguments
 * are that socket, the directory of its session, and the timeout for a look.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as net from "node:net"
import * as readline from "node:readline"
import * as InboxLayer from "../../../src/layers/inbox/inbox.ts"
import { layer } from "../../../src/layers/ambient/tmux.ts"
import { layerJsonl } from "../../../src/layers/session/jsonl.ts"
import { layer as sessionLayer } from "../../../src/layers/session/session.ts"
import { layer as supplyLayer } from "../../../src/layers/supply/contextSupply.ts"
import { ContextSupply } from "../../../src/services/ContextSupply.ts"
import { Session } from "../../../src/services/Session.ts"
import { SessionStore } from "../../../src/services/SessionStore.ts"

const [socket = "", directory = "", timeout = ""] = process.argv.slice(2)

// The end of a terminal is not the end of the agent: the test says when.
process.on("SIGHUP", () => {})

const connection = net.connect(socket)
connection.on("close", () => process.exit(0))

const open = Effect.gen(function* () {
  const store = yield* SessionStore
  const known = (yield* store.list).length > 0
  return yield* known ? store.open("s") : store.create({ cwd: "/", id: "s" })
})

const turn = Effect.gen(function* () {
  const session = yield* Session
  const supply = yield* ContextSupply
  const number = (yield* session.log).length
  yield* session.append([{ type: "turn/start", turn: number }])
  const prompt = { id: `prompt-${number}`, text: "go", source: { kind: "user" } }
  const decision = yield* supply.preStep({ turn: number, step: 1, claimed: [prompt], decision: "enter" })
  if (decision.decision === "reject") return yield* Effect.die("rejected")
  yield* supply.enter(decision)
  yield* session.append([{ type: "step/end" }, { type: "turn/end", turn: number }])
  const { suppliers } = yield* supply.report
  return {
    messages: decision.messages.slice(1),
    diagnostics: suppliers.flatMap((report) => report.diagnostics).map(({ message, tag }) => `${tag}: ${message}`)
  }
})

const program = Effect.gen(function* () {
  const lines = readline.createInterface({ input: connection })[Symbol.asyncIterator]()
  for (;;) {
    const next = yield* Effect.promise(() => lines.next())
    if (next.done === true) return
    connection.write(`${JSON.stringify(yield* turn)}\n`)
  }
})

const perSession = layer({ timeout: Number(timeout) }).pipe(
  Layer.provideMerge(supplyLayer),
  Layer.provideMerge(InboxLayer.layer),
  Layer.provideMerge(sessionLayer(open)),
  Layer.provide(layerJsonl(directory)),
  Layer.provide(NodeServices.layer)
)

await Effect.runPromise(Effect.provide(program, perSession))
