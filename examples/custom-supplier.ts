/**
 * A supplier of one's own: the git branch, said once and again when it has changed. What the model has been told is read from the
 * session's surface, so resumes and compactions need nothing more. `node examples/custom-supplier.ts [DIR]`
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as ContextSupply from "../src/ContextSupply.ts"
import * as AgentContextNode from "../src/node.ts"
import * as Session from "../src/Session.ts"

const kind = "git-branch"

const branchLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const supply = yield* ContextSupply.ContextSupply
    const session = yield* Session.Session
    const fs = yield* FileSystem.FileSystem
    const head = Effect.orElseSucceed(fs.readFileString(`${session.cwd}/.git/HEAD`), () => "")
    const told = Effect.map(session.surface, (events) => {
      const own = events.findLast((event) => event.type === "user/message" && event.message.source.kind === kind)
      return own?.type === "user/message" ? own.message.text : undefined
    })
    yield* supply.register({
      name: "branch",
      kind,
      propose: ({ step, turn }) =>
        Effect.gen(function* () {
          const text = `The git branch is ${(yield* head).trim().split("refs/heads/").at(-1)}.`
          if (text === (yield* told)) return []
          const message = { id: `${kind}-${turn}-${step}`, text, source: { kind, version: 1 } }
          return [{ message, placement: { at: "end" }, ifNotEntered: "drop" }]
        })
    })
  })
)

const program = Effect.gen(function* () {
  const supply = yield* ContextSupply.ContextSupply
  for (const [turn, text] of ["Hello.", "Go on."].entries()) {
    const claimed = [{ id: `prompt-${turn}`, text, source: { kind: "user" } }]
    const decision = yield* supply.preStep({ turn, step: 1, claimed, decision: "enter" })
    if (decision.decision === "reject") continue
    yield* supply.enter(decision)
    console.log(decision.messages.map((message) => message.text).join(" "))
  }
})

const context = AgentContextNode.layer({ cwd: process.argv[2] ?? ".", instructions: false })
await Effect.runPromise(Effect.scoped(Effect.provide(program, Layer.provideMerge(branchLayer, context))))
