/** A pre-step with nothing due: rules of a chain of 1, 10 and 50 directories are told, and after logs of any length. */
import * as assert from "node:assert/strict"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Session from "../../src/Session.ts"
import { chain, home } from "../fixtures.ts"
import { makeAgent } from "../lib/agent.ts"
import type { Bench } from "../lib/bench.ts"
import { compare } from "../lib/compare.ts"
import * as dsh from "../peers/dshAgent.ts"
import * as gemini from "../peers/gemini.ts"

const bytes = 1024
const maxBytes = 65_536

const bench: Bench = async function* (name) {
  const dshAgent = await dsh.mount(home(), maxBytes)
  for (const depth of [1, 10, 50]) {
    const tree = chain(depth + 1, bytes)
    const ours = await makeAgent(tree.leaf, maxBytes)
    await ours.run(ours.enter)
    const theirs = dshAgent(tree.leaf)
    theirs.enter(await theirs.preStep())
    const again = await gemini.retouch(path.join(tree.leaf, "file.ts"), tree.root)
    yield await compare({
      name,
      n: depth,
      ours: {
        run: () => ours.run(ours.preStep),
        check: (messages: ReadonlyArray<unknown>) => assert.equal(messages.length, 1)
      },
      peers: { dsh: { run: () => theirs.preStep() }, gemini: { run: again } },
      target: { ratio: 1 }
    })
    await ours.close()
  }
  const tree = chain(11, bytes)
  const short = await makeAgent(tree.leaf, maxBytes)
  const long = await makeAgent(tree.leaf, maxBytes)
  for (const [agent, events] of [
    [short, 100],
    [long, 100_000]
  ] as const) {
    await agent.run(agent.enter)
    await agent.run(
      Effect.gen(function* () {
        const session = yield* Session.Session
        for (let event = 0; event < events; event++) yield* session.append([{ type: "assistant/message", text: "…" }])
      })
    )
  }
  yield await compare({
    name: `${name}-log`,
    n: 100_000,
    ours: {
      run: () => long.run(long.preStep),
      check: (messages: ReadonlyArray<unknown>) => assert.equal(messages.length, 1)
    },
    peers: { "ours at 100": { run: () => short.run(short.preStep) } },
    target: { ratio: 1.5 }
  })
  await short.close()
  await long.close()
}

export default bench
