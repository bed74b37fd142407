/** The example of a remote provider, against a server of this test's own. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { layer } from "../../examples/http-skill-provider.ts"
import * as SkillRegistry from "../../src/SkillRegistry.ts"

const cwd = "/anywhere"

interface Server {
  readonly base: string
  readonly answers: Map<string, string | number | "hang">
  readonly asked: Array<string>
  /** Requests that are still waiting for an answer. */
  readonly waiting: Set<http.ServerResponse>
}

const server = Effect.acquireRelease(
  Effect.callback<Server & { readonly close: () => void }>((resume) => {
    const answers: Server["answers"] = new Map()
    const asked: Array<string> = []
    const waiting = new Set<http.ServerResponse>()
    const listening = http.createServer((request, response) => {
      const url = request.url ?? ""
      asked.push(url)
      const answer = answers.get(url) ?? 404
      if (answer === "hang") {
        waiting.add(response)
        response.on("close", () => waiting.delete(response))
        return
      }
      response.writeHead(typeof answer === "number" ? answer : 200)
      response.end(typeof answer === "number" ? "" : answer)
    })
    listening.listen(0, "127.0.0.1", () => {
      const { port } = listening.address() as AddressInfo
      const close = () => {
        listening.closeAllConnections()
        listening.close()
      }
      resume(Effect.succeed({ base: `http://127.0.0.1:${port}/skills/`, answers, asked, waiting, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const index = JSON.stringify([
  { name: "pdf", description: "Reads PDF files", path: "pdf/SKILL.md" },
  { name: "deploy", description: "Ships it", path: "deploy/SKILL.md", modelInvocable: false }
])

const withServer = <A, E>(
  use: (registry: SkillRegistry.SkillRegistryShape, server: Server) => Effect.Effect<A, E>,
  more: { readonly maxBytes?: number } = {},
  timeout = "10 seconds"
) =>
  Effect.gen(function* () {
    const running = yield* server
    running.answers.set("/skills/index.json", index).set("/skills/pdf/SKILL.md", "Use the pdf command.")
    const registry = SkillRegistry.layerWith({ providerTimeout: timeout as "10 seconds" })
    const skills = Layer.provideMerge(layer({ name: "http", base: running.base, ...more }), registry)
    return yield* SkillRegistry.SkillRegistry.use((registry) => use(registry, running)).pipe(
      Effect.provide(Layer.fresh(skills))
    )
  })

const names = ({ skills }: SkillRegistry.SkillSnapshot) => skills.map(({ name }) => name)

describe("skills over HTTP", () => {
  it.live("[S-2] [S-5] [S-6] [S-43] are listed once, and loaded each time", () =>
    withServer(
      Effect.fnUntraced(function* (registry, { answers, asked, base }) {
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["deploy", "pdf"])
        const first = yield* SkillRegistry.loadSkill(registry, "pdf", { cwd })
        assert.strictEqual(first.content, "Use the pdf command.")
        assert.include(first.text, `Base URL: ${base}pdf/\n`)
        answers.set("/skills/pdf/SKILL.md", "Use another command.")
        assert.strictEqual((yield* SkillRegistry.loadSkill(registry, "pdf", { cwd })).content, "Use another command.")
        answers.set("/skills/deploy/SKILL.md", "Push.")
        const refused = yield* Effect.flip(SkillRegistry.loadSkill(registry, "deploy", { cwd }))
        assert.strictEqual(refused.reason._tag, "SkillNotModelInvocable")
        assert.deepStrictEqual(asked.slice(0, 3), [
          "/skills/index.json",
          "/skills/pdf/SKILL.md",
          "/skills/pdf/SKILL.md"
        ])
      })
    )
  )
  it.live("[S-6] that are gone are unavailable, and the index is asked for again", () =>
    withServer(
      Effect.fnUntraced(function* (registry, { answers }) {
        yield* registry.snapshot({ cwd })
        answers.delete("/skills/pdf/SKILL.md")
        answers.set("/skills/index.json", "[]")
        assert.strictEqual((yield* Effect.flip(registry.get("pdf", { cwd }))).reason._tag, "SkillUnavailable")
        const snapshot = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual([names(snapshot), snapshot.complete], [[], true])
      })
    )
  )
  for (const [what, answer] of [
    ["that fails", 500],
    ["without an index", 404],
    ["with an index that is no JSON", "<html>"],
    ["with another index", `{"skills":[]}`],
    ["with a name that is none", `[{"name":"My PDF","description":"x","path":"x"}]`]
  ] as const) {
    it.live(`[S-4] of a server ${what} are left out, and the snapshot is incomplete`, () =>
      withServer(
        Effect.fnUntraced(function* (registry, { answers }) {
          answers.set("/skills/index.json", answer)
          const { complete, failures } = yield* registry.snapshot({ cwd })
          assert.isFalse(complete)
          assert.deepStrictEqual(
            failures.map(({ provider, tag }) => [provider, tag]),
            [["http", "SkillProviderFailed"]]
          )
          answers.set("/skills/index.json", index)
          assert.isTrue((yield* registry.snapshot({ cwd })).complete)
        })
      )
    )
  }
  it.live("[S-4] an answer that is too long is not read to its end", () =>
    withServer(
      Effect.fnUntraced(function* (registry, { answers }) {
        answers.set("/skills/pdf/SKILL.md", "x".repeat(1000))
        const { message } = yield* Effect.flip(registry.get("pdf", { cwd }))
        assert.include(message, "more than 500 bytes")
      }),
      { maxBytes: 500 }
    )
  )
  it.live("[S-1] [S-4] a server that never answers is given up, and its connection closed", () =>
    withServer(
      Effect.fnUntraced(function* (registry, { answers, asked, waiting }) {
        answers.set("/skills/index.json", "hang")
        const closed = Effect.gen(function* () {
          while (waiting.size > 0) yield* Effect.sleep("5 millis")
        })
        const given = yield* Effect.forkChild(registry.snapshot({ cwd }))
        while (asked.length === 0) yield* Effect.sleep("5 millis")
        yield* Fiber.interrupt(given)
        yield* closed
        const late = yield* registry.snapshot({ cwd })
        assert.strictEqual(late.failures[0]!.tag, "SkillProviderTimedOut")
        yield* closed
      }),
      {},
      "100 millis"
    )
  )
})
