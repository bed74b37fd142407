/** The steps of a scenario: one struct a verb, and nothing that is not in it is accepted. */
import * as Schema from "effect/Schema"
import { Source } from "../../schemas/Message.ts"
import { ToolOutcome } from "../../schemas/SessionEvent.ts"
import { Content } from "./content.ts"
import { DurationText } from "./duration.ts"
import { Expectations } from "./match.ts"

/** What an agent can be configured with. A missing part is off, `false` too. */
const part = Schema.optionalKey(Schema.Union([Schema.Literal(false), Schema.Record(Schema.String, Schema.Json)]))

export const AgentConfiguration = Schema.Struct({
  instructions: part,
  skills: part,
  fileReferences: part,
  sessionReferences: part,
  time: part,
  tmux: part
})

/** The parts a configuration can name. */
export type PartName = keyof typeof AgentConfiguration.fields

/** The whole configuration of an agent, part by part; each part is checked by whoever builds it. */
export type AgentConfig = { readonly [Part in PartName]?: unknown }

/** The parts that are on. */
export const partsOf = (config: AgentConfig): ReadonlyArray<PartName> =>
  (Object.keys(AgentConfiguration.fields) as Array<PartName>).filter(
    (name) => config[name] !== undefined && config[name] !== false
  )

const optional = Schema.optionalKey
const verb = <const Verb extends string, const Fields extends Schema.Struct.Fields>(name: Verb, fields: Fields) =>
  Schema.Struct({ do: Schema.Literal(name), ...fields, expect: optional(Expectations) })

const path = Schema.String.check(Schema.makeFilter((text) => text.startsWith("/") || "Expected an absolute path"))

const Provider = Schema.Struct({
  name: Schema.String,
  /** Unchecked: a provider may bring anything, and what it brings is the registry's to judge. */
  candidates: optional(Schema.Array(Schema.Record(Schema.String, Schema.Json))),
  complete: optional(Schema.Boolean),
  fail: optional(Schema.String)
})
const scope = optional(Schema.String)

/** Every verb that can be cancelled. */
const plain = {
  prompt: verb("prompt", { text: Schema.String, reject: optional(Schema.Literal(true)), source: optional(Source) }),
  step: verb("step", {}),
  endStep: verb("endStep", {}),
  endTurn: verb("endTurn", {}),
  tool: verb("tool", {
    name: Schema.NonEmptyString,
    arguments: optional(Schema.Json),
    outcome: optional(ToolOutcome),
    token: optional(Schema.NonEmptyString),
    parent: optional(Schema.NonEmptyString)
  }),
  post: verb("post", { text: Schema.String, source: optional(Source) }),
  write: verb("write", { path, content: optional(Content), sameStat: optional(Schema.Boolean) }),
  mkdir: verb("mkdir", { path }),
  delete: verb("delete", { path }),
  link: verb("link", { path, target: Schema.NonEmptyString }),
  fault: verb("fault", {
    path,
    op: Schema.Literals(["stat", "read", "realPath", "list", "any"]),
    as: Schema.Union([Schema.Literals(["PermissionDenied", "Unknown", "hang"]), Schema.Struct({ delay: DurationText })])
  }),
  heal: verb("heal", { path: optional(path) }),
  compact: verb("compact", { keep: optional(Schema.Natural) }),
  resume: verb("resume", { config: optional(AgentConfiguration) }),
  settle: verb("settle", {}),
  advance: verb("advance", { by: DurationText }),
  complete: verb("complete", { query: Schema.String, limit: optional(Schema.Natural) }),
  skill: verb("skill", { name: Schema.String }),
  skills: verb("skills", {}),
  register: verb("register", { provider: Provider, in: scope }),
  dispose: verb("dispose", { provider: Provider, in: scope }),
  invalidate: verb("invalidate", { provider: Provider, in: scope }),
  session: verb("session", {
    id: Schema.NonEmptyString,
    cwd: Schema.String,
    title: optional(Schema.String),
    events: optional(
      Schema.Array(Schema.Struct({ type: Schema.NonEmptyString, text: Schema.String, source: optional(Source) }))
    )
  }),
  check: verb("check", {})
}

type PlainSteps = { readonly [Verb in keyof typeof plain]: (typeof plain)[Verb]["Type"] }

/** A step that is no cancellation. */
export type PlainStep = PlainSteps[keyof PlainSteps]

/** The verbs that a part answers, and the part that does. */
export const partVerbs = {
  complete: "fileReferences",
  skill: "skills",
  skills: "skills",
  register: "skills",
  dispose: "skills",
  invalidate: "skills"
} as const satisfies { readonly [Verb in keyof PlainSteps]?: PartName }

export type PartVerb = keyof typeof partVerbs
export type PartStep<Verb extends PartVerb = PartVerb> = PlainSteps[Verb]

/** Whether a part has to answer a step. */
export const isPartStep = (step: PlainStep): step is PartStep => Object.hasOwn(partVerbs, step.do)

/** A step that is given up: played until nothing can go on, and then interrupted after a while. */
export interface CancelStep {
  readonly do: "cancel"
  readonly while: PlainStep
  readonly after: string
  readonly how?: "fiber" | "signal"
  readonly expect?: Expectations
}

export type Step = PlainStep | CancelStep

/** The schema of each verb; that of `cancel` takes its nested step as it comes. */
export const verbs = {
  ...plain,
  cancel: verb("cancel", {
    while: Schema.Json,
    after: DurationText,
    how: optional(Schema.Literals(["fiber", "signal"]))
  })
}
