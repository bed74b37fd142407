/**
 * Agents behind promises, with every part on, over a real directory: opened, asked many things at once, aborted, closed in the
 * middle, opened again, while files and skills change on the disk and a watcher looks on.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { formatUri } from "../../src/pipeline/sessions/uri.ts"
import { createWithin } from "../../src/promise/create.ts"
import type { AgentContext, AgentContextOptions } from "../../src/promise.ts"
import { chain, configurations, type Entry, expected, names, nested, root, userFile } from "../model/disk.ts"
import { type Event, View } from "../model/view.ts"
import { Dice } from "./dice.ts"
import type { Counts, Lane } from "./lane.ts"

const directories = [...chain, ...nested]
const skillNames = ["build", "deploy", "review"]
const { settings } = configurations[0]!

/** What a call may be rejected with besides the reason of its own signal. */
const explained = new Set(["AgentContextClosed", "OutsideWorkspace", "SkillUnavailable"])
/** What may be found when the disk changes under a look. All else, and anything at the end, is unexplained. */
const passing = new Set(["SkillUnreadable", "CandidateUnavailable"])

const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await new Promise<void>((resolve) => setImmediate(resolve))
}

class Workspace {
  readonly base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "soak-agent-")))
  readonly disk = new Map<string, Entry>()
  readonly skills = new Map<string, string>()
  #written = 0

  constructor() {
    for (const place of [`${root}/.git`, `${root}/a/b/d`, `${root}/.dsh/skills`, path.dirname(userFile), "/spare"])
      fs.mkdirSync(this.at(place), { recursive: true })
  }

  at(place: string): string {
    return this.base + place
  }

  /** As editors do it: what is read is the old text or the new one. */
  #put(place: string, text: string): void {
    const draft = this.at(`/spare/${(this.#written += 1)}`)
    fs.writeFileSync(draft, text)
    fs.mkdirSync(path.dirname(this.at(place)), { recursive: true })
    fs.renameSync(draft, this.at(place))
  }

  write(place: string): void {
    const text = `rule ${this.#written}\n`
    this.disk.set(place, { text })
    this.#put(place, text)
  }

  delete(place: string): void {
    this.disk.delete(place)
    fs.rmSync(this.at(place), { force: true })
  }

  teach(name: string): void {
    const description = `About ${name}, edition ${this.#written}.`
    this.skills.set(name, description)
    this.#put(`${root}/.dsh/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`)
  }

  forget(name: string): void {
    this.skills.delete(name)
    const gone = this.at(`/spare/${(this.#written += 1)}`)
    const directory = this.at(`${root}/.dsh/skills/${name}`)
    if (fs.existsSync(directory)) fs.renameSync(directory, gone)
  }

  /** A file of no meaning but to the index. */
  touch(name: string): void {
    this.#put(`${root}/a/src/${name}.ts`, "")
  }

  remove(): void {
    fs.rmSync(this.base, { recursive: true, force: true })
  }
}

class Story {
  readonly dice: Dice
  readonly workspace = new Workspace()
  readonly counts: Partial<Counts> & { acts: number; cancellations: number; resumes: number; compactions: number } = {
    acts: 0,
    cancellations: 0,
    resumes: 0,
    compactions: 0
  }
  readonly wrong: Array<string> = []
  #view = new View(() => true)
  #seen: ReadonlyArray<Event> = []
  #context: AgentContext | undefined
  #sessions = 0
  #session = "s0"

  constructor(seed: number) {
    this.dice = new Dice(seed)
  }

  #options(id: string): AgentContextOptions {
    const at = (place: string) => this.workspace.at(place)
    return {
      cwd: at(`${root}/a`),
      instructions: { maxBytes: settings.maxBytes },
      skills: { watch: true, agentsHome: at("/home/u/.agents") },
      fileReferences: true,
      sessionReferences: { onUnavailable: "notice" },
      time: { timeZone: "UTC", refreshIntervalMs: 3_600_000 },
      session: { id },
      store: { directory: at("/store") }
    }
  }

  #create(id: string): Promise<AgentContext> {
    const env = { HOME: this.workspace.at("/home/u") }
    const context = Context.make(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    return createWithin({ context: context as Context.Context<never> }, this.#options(id))
  }

  async #open(): Promise<AgentContext> {
    this.#context ??= await this.#create(this.#session)
    return this.#context
  }

  /** A call, aborted after a while when the dice say so. */
  async #call<A>(name: string, call: (signal: AbortSignal) => Promise<A>): Promise<A | undefined> {
    const controller = new AbortController()
    const reason = new Error("given up")
    const given = this.dice.chance(0.25)
    const after = this.dice.below(40)
    const settled = call(controller.signal).then(
      (value) => ({ value }),
      (error: unknown) => ({ error })
    )
    if (given) {
      this.counts.cancellations += 1
      await turns(after)
      controller.abort(reason)
    }
    const outcome = await settled
    if ("value" in outcome) return outcome.value
    const { error } = outcome
    if (error === reason || explained.has((error as { readonly _tag?: string })._tag ?? "")) return undefined
    this.wrong.push(`${name} was rejected with ${String(error)}`)
    return undefined
  }

  /** What is logged is never taken back, and is what may be in a log. */
  #read(log: ReadonlyArray<unknown>): void {
    const events = log as ReadonlyArray<Event>
    const before = this.#seen.map((event) => JSON.stringify(event)).join("\n")
    const kept = events.slice(0, this.#seen.length).map((event) => JSON.stringify(event))
    if (kept.join("\n") !== before) this.wrong.push("what was logged has changed")
    for (const event of events.slice(this.#seen.length)) this.#view.add(event, settings.maxBytes)
    this.#seen = events
    this.wrong.push(...this.#view.wrong.splice(0))
  }

  async #findings(context: AgentContext, allowed: ReadonlySet<string>): Promise<void> {
    const { diagnostics, suppliers } = await context.explain()
    for (const { message, path, tag } of [...diagnostics, ...suppliers.flatMap((each) => each.diagnostics)])
      if (!allowed.has(tag)) this.wrong.push(`unexplained: ${tag} ${path ?? ""} ${message}`)
  }

  #place(): string {
    const index = this.dice.below(directories.length + 1)
    if (index === directories.length) return userFile
    const directory = directories[index]!
    return `${directory === "." ? root : `${root}/${directory}`}/${this.dice.pick(names)}`
  }

  #edit(): void {
    const { dice, workspace } = this
    const kind = dice.below(6)
    if (kind < 2) workspace.write(this.#place())
    else if (kind === 2) workspace.delete(this.#place())
    else if (kind === 3) workspace.teach(dice.pick(skillNames))
    else if (kind === 4) workspace.forget(dice.pick(skillNames))
    else workspace.touch(`f${dice.below(50)}`)
  }

  #prompt(): string {
    const mention = this.#sessions > 0 ? ` @[x](${formatUri(`s${this.dice.below(this.#sessions + 1)}`)})` : ""
    return this.dice.pick(["go", "and now?", `/${this.dice.pick(skillNames)} please`, `as in${mention}`])
  }

  readonly #asks: Record<string, (context: AgentContext) => Promise<unknown>> = {
    prompt: (context) => this.#call("preStep", (signal) => context.preStep({ text: this.#prompt() }, { signal })),
    step: (context) => this.#call("preStep", (signal) => context.preStep(undefined, { signal })),
    reject: (context) =>
      this.#call("preStep", (signal) => context.preStep({ text: "no" }, { decision: "reject", signal })),
    tool: (context) =>
      this.#call("toolResult", (signal) => {
        const file_path = `${this.dice.pick(["", "b/", "b/d/", "../"])}x.ts`
        const name = this.dice.pick(["read", "edit", "bash"])
        return context.toolResult({ name, arguments: { file_path } }, { signal })
      }),
    answer: (context) => this.#call("assistantMessage", (signal) => context.assistantMessage("done", { signal })),
    endStep: (context) => this.#call("endStep", (signal) => context.endStep({ signal })),
    endTurn: (context) => this.#call("endTurn", (signal) => context.endTurn({ signal })),
    post: (context) => this.#call("post", (signal) => context.post({ text: "by the way" }, { signal })),
    settled: (context) => this.#call("settled", (signal) => context.settled({ signal })),
    compact: (context) => {
      this.counts.compactions += 1
      return this.#call("compact", (signal) => context.compact({ keep: this.dice.below(5), signal }))
    },
    files: (context) =>
      this.#call("files.list", (signal) => context.files.list(this.dice.pick(["", "f1", "src/", "../b"]), { signal })),
    skills: (context) => this.#call("skills.list", (signal) => context.skills.list({ signal })),
    skill: (context) =>
      this.#call("skills.load", (signal) => context.skills.load(this.dice.pick(skillNames), { signal })),
    sessions: (context) => this.#call("sessions.candidates", (signal) => context.sessions.candidates("s", { signal })),
    system: (context) => this.#call("systemPrompt", (signal) => context.systemPrompt({ signal })),
    explain: (context) => this.#call("explain", (signal) => context.explain({ signal, workspace: true }))
  }

  async #act(): Promise<void> {
    const { dice } = this
    this.counts.acts += 1
    const context = await this.#open()
    const kind = dice.below(20)
    if (kind < 5) this.#edit()
    else if (kind === 5) await this.#reopen(context)
    else if (kind === 6) await this.#another()
    else if (kind === 7) await this.#atOnce(context)
    else await this.#asks[dice.pick(Object.keys(this.#asks))]!(context)
    if (dice.chance(0.1)) await turns(dice.below(30))
  }

  async #close(context: AgentContext): Promise<void> {
    this.#context = undefined
    await context.close()
  }

  /** Closed in the middle of calls, opened again: what was logged is there. */
  async #reopen(context: AgentContext): Promise<void> {
    this.counts.resumes += 1
    this.#read(await context.log())
    const asks = Array.from({ length: this.dice.below(3) }, () => this.dice.pick(Object.values(this.#asks))(context))
    await turns(this.dice.below(10))
    await Promise.all([this.#close(context), ...asks])
    this.#read(await (await this.#open()).log())
  }

  /** A second context: of this session, which is refused, or of another one. */
  async #another(): Promise<void> {
    const mine = this.dice.chance(0.3)
    const id = mine ? this.#session : `s${this.dice.below(this.#sessions + 2)}`
    const taken = id === this.#session
    if (!taken) this.#sessions = Math.max(this.#sessions, Number(id.slice(1)))
    const opened = await this.#create(id).then(
      (context) => ({ context }),
      (error: unknown) => ({ error })
    )
    if ("error" in opened) {
      const tag = (opened.error as { readonly _tag?: string })._tag
      if (!taken || tag !== "SessionConflict") this.wrong.push(`${id} could not be opened: ${String(opened.error)}`)
      return
    }
    if (taken) this.wrong.push("one session has two writers")
    await opened.context.preStep({ text: `said in ${id}` })
    await opened.context.endTurn()
    await opened.context.close()
  }

  async #atOnce(context: AgentContext): Promise<void> {
    const asks = Array.from({ length: 2 + this.dice.below(3) }, () =>
      this.dice.pick(Object.values(this.#asks))(context)
    )
    await turns(this.dice.below(10))
    this.#edit()
    await Promise.all(asks)
    await this.#findings(context, passing)
  }

  /** Nothing changes any more: the model sees the disk, every skill is listed, nothing is wrong with anything. */
  async #converge(): Promise<void> {
    const context = await this.#open()
    await context.endTurn()
    await context.compact()
    await context.preStep({ text: "go" })
    await context.toolResult({ name: "read", arguments: { file_path: "b/d/x.ts" } })
    await context.endStep()
    await context.settled()
    await context.preStep()
    this.#read(await context.log())
    const show = (told: ReadonlyMap<string, { readonly path: string; readonly digest: string }>) =>
      [...told]
        .map(([key, { digest, path }]) => `${key.split("|")[0]} ${path} ${digest.slice(0, 6)}`)
        .sort()
        .join("; ")
    const [seen, wanted] = [show(this.#view.live), show(expected(this.workspace.disk, settings))]
    if (seen !== wanted) this.wrong.push(`the model sees [${seen}], on disk is [${wanted}]`)
    const { complete, skills } = await context.skills.list()
    const listed = skills.map(({ description, name }) => `${name} ${description}`).sort()
    const there = [...this.workspace.skills].map(([name, description]) => `${name} ${description}`).sort()
    if (!complete || listed.join() !== there.join())
      this.wrong.push(`listed are [${listed.join("; ")}], on disk are [${there.join("; ")}]`)
    await this.#findings(context, new Set())
    await this.#close(context)
  }

  async play(): Promise<void> {
    try {
      const length = 15 + this.dice.below(40)
      for (let act = 0; act < length && this.wrong.length === 0; act++) await this.#act()
      if (this.wrong.length === 0) await this.#converge()
    } finally {
      await this.#context?.close()
      this.workspace.remove()
    }
  }
}

export const promiseLane: Lane = {
  name: "promise",
  story: (seed) =>
    Effect.promise(async () => {
      const story = new Story(seed)
      await story.play()
      return { counts: story.counts, wrong: story.wrong }
    })
}
