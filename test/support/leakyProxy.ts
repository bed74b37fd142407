/** A way to a server that breaks at the worst moment: after the server has answered, before the client hears of it. */
import * as Effect from "effect/Effect"
import * as net from "node:net"
import type { Scope } from "effect/Scope"

export interface LeakyProxy {
  readonly port: number
  /** The next answer to a message that contains `text` is swallowed, and its connection cut. */
  readonly swallowAnswerTo: (text: string) => void
  /** How often that has happened. */
  readonly swallowed: () => number
  /** Lets nobody through any more, and cuts who is. */
  readonly cut: () => void
  readonly mend: () => void
}

export const leakyProxy = (target: {
  readonly host: string
  readonly port: number
}): Effect.Effect<LeakyProxy, never, Scope> =>
  Effect.acquireRelease(
    Effect.callback<LeakyProxy & { readonly close: () => void }>((resume) => {
      const sockets = new Set<net.Socket>()
      let wanted: string | undefined
      let swallowed = 0
      let broken = false
      const server = net.createServer((client) => {
        if (broken) return void client.destroy()
        const upstream = net.connect(target)
        let swallowing = false
        for (const socket of [client, upstream]) {
          sockets.add(socket)
          socket
            .on("error", () => {})
            .on("close", () => {
              sockets.delete(socket)
              client.destroy()
              upstream.destroy()
            })
        }
        client.on("data", (data) => {
          if (wanted !== undefined && data.includes(wanted)) {
            wanted = undefined
            swallowing = true
          }
          upstream.write(data)
        })
        upstream.on("data", (data) => {
          if (!swallowing) return void client.write(data)
          // ReadyForQuery after the statement: it has been carried out and committed.
          if (!data.includes(Buffer.from([90, 0, 0, 0, 5]))) return
          swallowed += 1
          client.destroy()
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as net.AddressInfo
        const cut = () => {
          broken = true
          for (const socket of sockets) socket.destroy()
        }
        const close = () => {
          cut()
          server.close()
        }
        const swallowAnswerTo = (text: string) => (wanted = text)
        resume(
          Effect.succeed({
            port,
            swallowAnswerTo,
            swallowed: () => swallowed,
            cut,
            mend: () => (broken = false),
            close
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )
