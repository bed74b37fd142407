/**
 * Scripted agents with every part on, two on one host, in memory and in virtual time: providers come, fail, and go; files are
 * unreadable or hang; steps are given up anywhere; sessions refer to each other and are resumed.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import type { UserMessage } from "../../src/schemas/Message.ts"
import { formatUri } from "../../src/pipeline/sessions/uri.ts"
import { makeHost } from "../../src/testing/scripted/host.ts"
import { makeScriptedAgent, type ScriptedAgent } from "../../src/testing/scriptedAgent.ts"
import { perform } from "../../src/testing/scenario/perform.ts"
import type { PlainStep, Step } from "../../src/testing/scenario/steps.ts"
import * as VirtualTime from "../../src/testing/virtualTime.ts"
import { chain, configurations, type Entry, expected, names, nested, root, userFile } from "../model/disk.ts"
import { type Event, View } from "../model/view.ts"
import { Dice } from "./dice.ts"
import type { Lane } from "./lane.ts"

const directories = [...chain, ...nested]
const providers = ["north", "south"]
const skillNames = ["build", "deploy", "review"]
const ids = ["one", "two"]
const { settings } = configurations[0]!
const config = {
  instructions: { maxBytes: settings.maxBytes },
  skills: { providerTimeout: "5 seconds" },
  fileReferences: {},
  sessionReferences: { onUnavailable: "notice" },
  time: { timeZone: "UTC", refreshIntervalMs: 60_000 },
  tmux: {}
}
/** Real milliseconds; a machine that stops this process for a while has not made it hang. */
const patience = 900_000

interface Provider {
  readonly skills: ReadonlyArray<string>
  readonly whole: boolean
}

/** One agent as the story knows it. */
interface Player {
  readonly id: string
  readonly agent: ScriptedAgent
  readonly view: View
  read: number
  /** Whether something of it may hang, even if nothing would any more: only a new instance is free of it. */
  held: boolean
}

/** Disk and registry as they should be, and how the dice change them. */
class Truth {
  readonly dice: Dice
  readonly disk = new Map<string, Entry>()
  readonly skills = new Set<string>()
  readonly registered = new Map<string, Provider>()
  /** Whether something hangs or fails, so that a step may not end and findings are explained. */
  faulty = false
  #written = 0

  constructor(dice: Dice) {
    this.dice = dice
  }

  #place(): string {
    const index = this.dice.below(directories.length + 1)
    if (index === directories.length) return userFile
    const directory = directories[index]!
    return `${directory === "." ? root : `${root}/${directory}`}/${this.dice.pick(names)}`
  }

  #skillFile(name: string): string {
    return `${root}/.dsh/skills/${name}/SKILL.md`
  }

  write(): Step {
    const path = this.#place()
    const text = `rule ${(this.#written += 1)}\n`
    this.disk.set(path, { text })
    return { do: "write", path, content: text }
  }

  delete(): Step {
    const path = this.#place()
    this.disk.delete(path)
    return { do: "delete", path }
  }

  teach(): Step {
    const name = this.dice.pick(skillNames)
    this.skills.add(name)
    const text = `---\nname: ${name}\ndescription: Edition ${(this.#written += 1)}.\n---\nDo it.\n`
    return { do: "write", path: this.#skillFile(name), content: text }
  }

  forget(): Step {
    const name = this.dice.pick(skillNames)
    this.skills.delete(name)
    return { do: "delete", path: `${root}/.dsh/skills/${name}` }
  }

  fault(): Step {
    this.faulty = true
    const place = this.dice.chance(0.3) ? this.#skillFile(this.dice.pick(skillNames)) : this.#place()
    const path = this.dice.chance(0.2) ? this.dice.pick([`${root}/.dsh/skills`, `${root}/.git`, root]) : place
    const op = this.dice.pick(["stat", "read", "realPath", "list", "any"] as const)
    const as = this.dice.pick(["PermissionDenied", "Unknown", "hang"] as const)
    return { do: "fault", path, op, as }
  }

  heal(): Step {
    this.faulty = false
    return { do: "heal" }
  }

  flap(): ReadonlyArray<Step> {
    const name = this.dice.pick(providers)
    const known = this.registered.has(name)
    if (known && this.dice.chance(0.5)) return [{ do: "invalidate", provider: { name } }]
    this.registered.delete(name)
    const gone: ReadonlyArray<Step> = known ? [{ do: "dispose", provider: { name } }] : []
    if (known && this.dice.chance(0.5)) return gone
    const kind = this.dice.below(4)
    const own = [`${name}-a`, `${name}-b`].slice(0, 1 + this.dice.below(2))
    const candidates = own.map((skill) => ({ name: skill, description: `About ${skill}.` }))
    this.registered.set(name, { skills: kind === 0 ? [] : own, whole: kind > 1 })
    const given = { name, candidates, complete: kind > 1, ...(kind === 0 ? { fail: "down" } : {}) }
    return [...gone, { do: "register", provider: given }]
  }
}

const mention = (id: string): string => `@[x](${formatUri(id)})`

const ask = (dice: Dice): PlainStep => {
  const text = dice.pick(["go", `/${dice.pick(skillNames)} please`, `see ${mention(dice.pick([...ids, "nobody"]))}`])
  const file = `${dice.pick(directories)}/x.ts`
  const arguments_ = { file_path: `${root}/${file}` }
  const choices: ReadonlyArray<PlainStep> = [
    { do: "prompt", text },
    { do: "prompt", text: "no", reject: true },
    { do: "step" },
    { do: "step" },
    {
      do: "tool",
      name: dice.pick(["read", "edit", "bash"]),
      arguments: arguments_,
      outcome: dice.pick(["ok", "error"])
    },
    { do: "post", text: "by the way" },
    { do: "settle" },
    { do: "complete", query: dice.pick(["", "A", "a/", "x"]) },
    { do: "skill", name: dice.pick([...skillNames, "north-a", "south-b"]) },
    { do: "skills" }
  ]
  return dice.pick(choices)
}

/** What may be answered to a question of the dice: sentences for people, not accidents. */
const explained = new Set(["SkillUnavailable", "SkillTooLarge", "DuplicateSkillProvider"])

const story = Effect.fnUntraced(function* (seed: number) {
  const dice = new Dice(seed)
  const truth = new Truth(dice)
  const counts = { acts: 0, faults: 0, cancellations: 0, resumes: 0, compactions: 0 }
  const wrong: Array<string> = []
  const host = yield* makeHost({
    files: { [`${root}/.git/`]: null, [`${root}/a/b/d/`]: null, [`${root}/.dsh/skills/`]: null }
  })
  const players = yield* Effect.forEach(ids, (id) =>
    Effect.map(makeScriptedAgent({ cwd: `${root}/a`, config, host, sessionId: id }), (agent): Player => {
      return { id, agent, view: new View(() => true), read: 0, held: false }
    })
  )

  const follow = Effect.fnUntraced(function* ({ agent, id, view, ...player }: Player) {
    const instance = yield* agent.instance
    const log = yield* instance.session.log
    for (const event of log.slice(player.read)) view.add(event as unknown as Event, settings.maxBytes)
    wrong.push(...view.wrong.splice(0).map((what) => `${id}: ${what}`))
    return log.length
  })

  const play = Effect.fnUntraced(function* (player: Player, step: Step) {
    counts.acts += 1
    const exit = yield* perform(player.agent, step)
    player.read = yield* follow(player)
    if (Exit.isSuccess(exit)) return exit.value
    for (const reason of exit.cause.reasons) {
      if (reason._tag === "Interrupt" && step.do === "cancel") continue
      if (reason._tag === "Fail" && explained.has((reason.error as { readonly _tag: string })._tag)) continue
      wrong.push(`${player.id}, ${step.do}: ${String(reason._tag === "Fail" ? reason.error : exit.cause)}`)
    }
    return undefined
  })

  const resume = Effect.fnUntraced(function* (player: Player) {
    counts.resumes += 1
    yield* play(player, { do: "resume" })
    player.held = truth.faulty
  })

  /** What ends by itself, or is given up. */
  const request = Effect.fnUntraced(function* (player: Player, step: PlainStep) {
    if (!player.held && dice.chance(0.7)) return yield* play(player, step)
    counts.cancellations += 1
    const bySignal = step.do === "tool" || (step.do !== "post" && step.do !== "settle" && dice.chance(0.5))
    const after = dice.pick(["0 millis", "1 millis", "6 seconds"])
    return yield* play(player, { do: "cancel", while: step, after, how: bySignal ? "signal" : "fiber" })
  })

  const loopOf = (player: Player) => Effect.map(player.agent.instance, ({ loop }) => loop.conversation())
  const boundary = Effect.fnUntraced(function* (player: Player, turn: boolean) {
    const { stepOpen, turnOpen } = yield* loopOf(player)
    if (stepOpen) yield* play(player, { do: "endStep" })
    if (turn && turnOpen) yield* play(player, { do: "endTurn" })
  })

  const act = Effect.fnUntraced(function* (player: Player) {
    const kind = dice.below(20)
    if (kind < 2) return yield* play(player, truth.write())
    if (kind === 2) return yield* play(player, truth.delete())
    if (kind === 3) return yield* play(player, dice.chance(0.6) ? truth.teach() : truth.forget())
    if (kind === 4) {
      counts.faults += 1
      for (const each of players) each.held = true
      return yield* play(player, truth.fault())
    }
    if (kind === 5) return yield* play(player, truth.heal())
    if (kind === 6) return yield* Effect.forEach(truth.flap(), (step) => play(player, step))
    if (kind === 7) return yield* play(player, { do: "advance", by: dice.pick(["1 millis", "3 seconds", "2 minutes"]) })
    if (kind === 8) {
      counts.compactions += 1
      return yield* play(player, { do: "compact", keep: dice.below(5) })
    }
    if (kind === 9) return yield* resume(player)
    if (kind === 10) return yield* boundary(player, true)
    const step = ask(dice)
    if (step.do === "prompt") yield* boundary(player, true)
    if (step.do === "step") yield* boundary(player, false)
    return yield* request(player, step)
  })

  /** Everything is healed and nothing changes: the model sees the disk and every skill, and nothing is wrong with anything. */
  const converge = Effect.fnUntraced(function* (player: Player) {
    yield* play(player, truth.heal())
    for (const [name, provider] of truth.registered) {
      if (provider.whole) continue
      yield* play(player, { do: "dispose", provider: { name } })
      truth.registered.delete(name)
    }
    yield* play(player, { do: "advance", by: "2 minutes" })
    // Nobody watches the skills on this disk: a new instance looks at them again.
    yield* resume(player)
    yield* boundary(player, true)
    yield* play(player, { do: "compact", keep: 0 })
    const batch = yield* play(player, { do: "prompt", text: `see ${mention(ids.find((id) => id !== player.id)!)}` })
    yield* play(player, { do: "tool", name: "read", arguments: { file_path: `${root}/a/b/d/x.ts` } })
    yield* boundary(player, false)
    yield* play(player, { do: "settle" })
    yield* play(player, { do: "step" })
    const show = (told: ReadonlyMap<string, { readonly path: string; readonly digest: string }>) =>
      [...told]
        .map(([key, { digest, path }]) => `${key.split("|")[0]} ${path} ${digest.slice(0, 6)}`)
        .sort()
        .join("; ")
    const [seen, wanted] = [show(player.view.live), show(expected(truth.disk, settings))]
    if (seen !== wanted) wrong.push(`${player.id}: the model sees [${seen}], on disk is [${wanted}]`)

    const answer = yield* play(player, { do: "skills" })
    const there = [...truth.skills, ...[...truth.registered.values()].flatMap(({ skills }) => skills)].sort().join()
    const listed = [...(answer?.skills ?? [])].sort().join()
    if (listed !== there || answer?.complete !== true)
      wrong.push(`${player.id}: listed are [${listed}], there are [${there}]`)
    const entered = batch?.entered ?? []
    const told = (kind: string) => entered.filter(({ source }: UserMessage) => source.kind === kind)
    const entries = told("skill-catalog").flatMap(({ source }) => source["entries"] as ReadonlyArray<{ name: string }>)
    const catalog = entries
      .map(({ name }) => name)
      .sort()
      .join()
    if (catalog !== there) wrong.push(`${player.id}: the catalog tells [${catalog}], there are [${there}]`)
    if (told("session-reference").length !== 1) wrong.push(`${player.id}: what it refers to was not brought`)
    const { supply } = yield* player.agent.instance
    const { diagnostics, suppliers } = yield* supply.report
    for (const { message, path, tag } of [...diagnostics, ...suppliers.flatMap((each) => each.diagnostics)])
      wrong.push(`${player.id}, unexplained: ${tag} ${path ?? ""} ${message}`)
  })

  const length = 15 + dice.below(40)
  for (let count = 0; count < length && wrong.length === 0; count++) yield* act(dice.pick(players))
  for (const player of players) if (wrong.length === 0) yield* converge(player)
  const open = yield* host.disk.openHandles
  if (open > 0) wrong.push(`${open} files are open at the end`)
  return { counts, wrong }
})

export const partsLane: Lane = {
  name: "parts",
  story: (seed) =>
    Effect.scoped(story(seed)).pipe(
      Effect.provide(VirtualTime.layer(Date.UTC(2026, 2, 1), patience)),
      // What is logged stands in the reports that are looked at.
      Effect.provide(Logger.layer([])),
      Effect.orDie
    )
}
