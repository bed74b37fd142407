/** A user's `/name` brings a skill into the step that answers it (S-45). */
import * as Effect from "effect/Effect"
import { parseInvocations } from "../../pipeline/skills/invocations.ts"
import type { UserMessage } from "../../schemas/Message.ts"
import { invocationSourceKind, type SkillInvocationSource } from "../../schemas/Skill.ts"
import { type SkillsConfig, skillsDefaults } from "../../schemas/SkillsConfig.ts"
import type { Contribution, Supplier, SupplierReport } from "../../services/ContextSupply.ts"
import type { SkillRegistryShape } from "../../services/SkillRegistry.ts"
import { loadSkillForUser } from "./tool.ts"

/** A call: the name, and the message that made it first. */
interface Call {
  readonly name: string
  readonly by: UserMessage
}

const callsIn = (
  messages: ReadonlyArray<UserMessage>,
  mode: NonNullable<SkillsConfig["userInvocation"]>
): ReadonlyArray<Call> => {
  const calls = new Map<string, Call>()
  for (const by of messages) {
    if (by.source.kind !== "user") continue
    for (const name of parseInvocations(by.text, mode)) if (!calls.has(name)) calls.set(name, { name, by })
  }
  return [...calls.values()]
}

/** The supplier of one agent instance. */
export const makeInvocationSupplier = (registry: SkillRegistryShape, cwd: string, config: SkillsConfig): Supplier => {
  const mode = config.userInvocation ?? skillsDefaults.userInvocation
  let reports: ReadonlyArray<SupplierReport> = []

  const load = Effect.fnUntraced(function* ({ by, name }: Call) {
    const loaded = yield* Effect.result(loadSkillForUser(registry, name, { cwd }))
    if (loaded._tag === "Failure") return { name, failure: loaded.failure } as const
    const source: SkillInvocationSource = { kind: invocationSourceKind, version: 1, name }
    const message: UserMessage = { id: `${by.id}/${name}`, text: loaded.success.text, source: { ...source } }
    return {
      name,
      contribution: { message, placement: { at: "end" }, ifNotEntered: "drop" } satisfies Contribution
    } as const
  })

  return {
    name: "skill invocation",
    kind: invocationSourceKind,
    explain: Effect.sync(() => reports),
    propose: Effect.fnUntraced(function* (step) {
      reports = []
      const calls = step.decision === "enter" && step.turn !== undefined ? callsIn(step.claimed, mode) : []
      if (calls.length === 0) return []
      const { skills } = yield* registry.snapshot({ cwd })
      // Unknown names and those the user may not call are prose.
      const callable = new Set(skills.flatMap(({ invocation, name }) => (invocation.userInvocable ? [name] : [])))
      const loaded = yield* Effect.forEach(
        calls.filter(({ name }) => callable.has(name)),
        load,
        { concurrency: 4 }
      )
      const contributions = loaded.flatMap((entry) => ("contribution" in entry ? [entry.contribution] : []))
      const bytes = contributions.map(({ message }) => Buffer.byteLength(message.text))
      reports = [
        {
          supplier: "skill invocation",
          occasion: "pre-step",
          bytes: bytes.reduce((sum, size) => sum + size, 0),
          items: loaded.map((entry) => ({
            path: entry.name,
            outcome: "contribution" in entry ? "loaded" : "unavailable"
          })),
          diagnostics: loaded.flatMap((entry) =>
            "failure" in entry ? [{ tag: "SkillUnreadable" as const, message: entry.failure.reason.message }] : []
          )
        }
      ]
      return contributions
    })
  }
}
