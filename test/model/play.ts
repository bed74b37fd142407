/** Plays a random story against the real layers over a file system that can be broken, and against the model. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { layer as inboxLayer } from "../../src/layers/inbox/inbox.ts"
import { putBack } from "../../src/layers/inbox/putBack.ts"
import { layer as instructionsLayer } from "../../src/layers/instructions/supplier.ts"
import { makeSession } from "../../src/layers/makeSession.ts"
import { layer as supplyLayer } from "../../src/layers/supply/contextSupply.ts"
import { SessionLog } from "../../src/pipeline/sessionLog.ts"
import type { InstructionsConfig } from "../../src/schemas/Instructions.ts"
import type { UserMessage } from "../../src/schemas/Message.ts"
import type { SessionEvent } from "../../src/schemas/SessionEvent.ts"
import { ContextSupply } from "../../src/services/ContextSupply.ts"
import { Inbox } from "../../src/services/Inbox.ts"
import { Session } from "../../src/services/Session.ts"
import {
  chain,
  configurations,
  cwd,
  type Entry,
  expected,
  follow,
  linkTargets,
  names,
  nested,
  root,
  userFile
} from "./disk.ts"
import type { Act } from "./story.ts"
import { type Event, View } from "./view.ts"
import { inMemory, type MakeWorld } from "./world.ts"

const directories = [...chain, ...nested]
const absolute = (directory: number): string => {
  const relative = directories[directory % directories.length]!
  return relative === "." ? root : `${root}/${relative}`
}
const candidate = (act: { readonly directory: number; readonly name: number }): string =>
  act.directory >= directories.length ? userFile : `${absolute(act.directory)}/${names[act.name % names.length]!}`

export const play = Effect.fnUntraced(function* (story: ReadonlyArray<Act>, makeWorld: MakeWorld = inMemory) {
  yield* TestClock.setTime(Date.UTC(2026, 2, 1))
  const { controls, fileSystem, pause, settled } = yield* makeWorld({
    "/repo/.git/": null,
    "/repo/a/b/d/": null,
    "/home/u/.dsh/": null,
    "/repo/doc.md": "linked\n",
    "/repo/AGENTS.md": "root\n",
    "/repo/a/b/AGENTS.md": "nested\n"
  })
  const disk = new Map<string, Entry>([
    ["/repo/doc.md", { text: "linked\n" }],
    ["/repo/AGENTS.md", { text: "root\n" }],
    ["/repo/a/b/AGENTS.md", { text: "nested\n" }]
  ])
  let written = 0
  /** Scopes that had no file at some moment since the last message of ours: `absent` says it of a key. */
  let absences = new Set<string>()
  let configuration = 0
  const noteAbsences = () => {
    const { settings } = configurations[configuration]!
    const now = expected(disk, settings)
    const keys = [
      "user|.|base",
      ...directories.flatMap((d) => ["base", "local", ...names, "CLAUDE.local.md"].map((s) => `project|${d}|${s}`))
    ]
    for (const key of keys) if (!now.has(key)) absences.add(key)
  }
  noteAbsences()
  const view = new View((key) => absences.has(key))
  const log = new SessionLog()
  const world = yield* Scope.make()
  let scope = yield* Scope.fork(world)
  let watched = -1
  const watch = (event: SessionEvent) => {
    if (event.seq <= watched) return
    watched = event.seq
    view.add(event as unknown as Event, configurations[configuration]!.settings.maxBytes)
    if (event.type === "user/message" && event.message.source.kind === "agent-instructions") {
      absences = new Set()
      noteAbsences()
    }
  }
  const build = Effect.gen(function* () {
    const session = Layer.effect(Session, makeSession({ id: "main", cwd, log, write: () => Effect.void }))
    const perSession = instructionsLayer(configurations[configuration]!.config as unknown as InstructionsConfig).pipe(
      Layer.provideMerge(supplyLayer),
      Layer.provideMerge(inboxLayer),
      Layer.provideMerge(session),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HOME: "/home/u" } }))),
      Layer.provide(Layer.succeed(FileSystem.FileSystem, fileSystem)),
      Layer.fresh
    )
    const context = yield* Layer.buildWithScope(perSession, scope)
    yield* Context.get(context, Session).observe(watch).pipe(Scope.provide(scope))
    return context
  })
  let context = yield* build
  let turn: number | undefined
  let turns = 0
  let step = 0
  let open = false
  let prompts = 0
  let calls = 0

  const session = () => Context.get(context, Session)
  const supply = () => Context.get(context, ContextSupply)
  const inbox = () => Context.get(context, Inbox)

  const endStep = Effect.suspend(() => {
    if (!open) return Effect.void
    open = false
    return session().append([{ type: "step/end" }])
  })
  const endTurn = Effect.gen(function* () {
    yield* endStep
    if (turn === undefined) return
    turn = undefined
    yield* session().append([{ type: "turn/end" }])
  })

  /** A step, with a prompt or without; whatever hangs is given up. */
  const boundary = Effect.fnUntraced(function* (
    direct: ReadonlyArray<UserMessage>,
    how: "enter" | "reject" | "interrupt" | "abort",
    after: number
  ) {
    yield* endStep
    const claimed = yield* inbox().claim
    step += 1
    const controller = new AbortController()
    const fiber = yield* Effect.forkChild(
      supply().preStep({
        ...(turn === undefined ? {} : { turn }),
        step,
        claimed: [...claimed, ...direct],
        decision: how === "reject" ? "reject" : "enter",
        signal: controller.signal
      }),
      { startImmediately: true }
    )
    const cancel = how === "interrupt" || how === "abort"
    const first = yield* settled(fiber, cancel ? after : undefined)
    if (how === "abort") controller.abort()
    else if (first === undefined) yield* Fiber.interrupt(fiber)
    const exit = yield* Fiber.await(fiber)
    if (Exit.isSuccess(exit) && exit.value.decision === "enter" && !cancel) {
      yield* supply().enter(exit.value)
      open = true
      return
    }
    yield* putBack(inbox(), claimed)
  })

  const prompt = Effect.fnUntraced(function* (how: "enter" | "reject" | "interrupt" | "abort", after: number) {
    yield* endTurn
    turns += 1
    turn = turns
    step = 0
    yield* session().append([{ type: "turn/start", turn }])
    prompts += 1
    yield* boundary([{ id: `prompt-${prompts}`, text: "go", source: { kind: "user" } }], how, after)
  })

  const tool = Effect.fnUntraced(function* (act: Extract<Act, { readonly do: "tool" }>) {
    calls += 1
    const controller = new AbortController()
    const token = `c${calls}`
    const file_path = act.directory >= directories.length ? "/repo/c/x.ts" : `${absolute(act.directory)}/x.ts`
    yield* supply().toolResult({
      name: act.name,
      arguments: { file_path },
      outcome: act.outcome,
      token,
      ...(act.nested ? { parent: `p${calls % 3}` } : {}),
      signal: controller.signal
    })
    if (act.nested && act.settles)
      yield* supply().toolResult({ name: "run", arguments: {}, outcome: "blocked", token: `p${calls % 3}` })
    if (act.abort !== undefined) {
      yield* pause(act.abort)
      controller.abort()
    }
  })

  const settle = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(supply().settled)
    if ((yield* settled(fiber, undefined)) === undefined) yield* Fiber.interrupt(fiber)
  })

  const wrong = () => view.wrong

  /** Faults are healed and everything is touched: what the model sees has to be what is on disk. */
  const converge = Effect.gen(function* () {
    yield* controls.heal()
    yield* TestClock.adjust("10 seconds")
    yield* prompt("enter", 0)
    const { settings } = configurations[configuration]!
    // What does not fit one message comes at a later touch (I-49, I-51).
    for (let touch = 0; touch < (settings.maxBytes > 1000 ? 1 : 6); touch++) {
      calls += 1
      yield* supply().toolResult({
        name: "read",
        arguments: { file_path: "/repo/a/b/d/x.ts" },
        outcome: "ok",
        token: `c${calls}`
      })
      yield* endStep
      yield* settle
      yield* boundary([], "enter", 0)
    }
    const truth = expected(disk, settings)
    const show = (map: ReadonlyMap<string, { readonly path: string; readonly digest: string }>) =>
      // By path: told under the slot of an earlier configuration, a file is told all the same.
      [...map].map(([key, { digest, path }]) => `${key.split("|")[0]} ${path} ${digest.slice(0, 6)}`).sort()
    if (settings.maxBytes > 1000) {
      const [seen, wanted] = [show(view.live), show(truth)]
      if (seen.join("\n") !== wanted.join("\n"))
        view.wrong.push(`the model sees [${seen.join("; ")}], on disk is [${wanted.join("; ")}]`)
    } else {
      // Under a budget not everything is told, and what is too large to be told anew keeps its earlier text.
      const paths = new Set([...truth.values()].map(({ path }) => path))
      for (const [key, { path }] of view.live)
        if (!truth.has(key) && !paths.has(path)) view.wrong.push(`${key} is told, and gone from disk`)
    }
    const handles = yield* controls.openHandles
    if (handles > 0) view.wrong.push(`${handles} files are open`)
    const before = yield* controls.requests
    yield* boundary([], "enter", 0)
    const after = yield* controls.requests
    if (settings.maxBytes > 1000 && after !== before)
      view.wrong.push(`${after - before} requests although nothing was due`)
  })

  for (const act of story) {
    if (view.wrong.length > 0) break
    switch (act.do) {
      case "write": {
        const path = candidate(act)
        written += act.same ? 0 : 1
        const text = act.empty ? "" : `rule ${written}\n`.repeat(act.long ? 30 : 1)
        disk.set(path, { text })
        yield* controls.delete(path)
        yield* controls.write(path, text)
        break
      }
      case "overwrite": {
        const path = candidate(act)
        const entry = disk.get(path)
        if (entry === undefined || "link" in entry) break
        written += 1
        // The same size within the same tick, more often than not.
        const text = `rule ${written % 10}\n`
        disk.set(path, { text })
        yield* controls.write(path, text)
        break
      }
      case "delete":
        disk.delete(candidate(act))
        yield* controls.delete(candidate(act))
        break
      case "rename": {
        const [from, to] = [candidate(act), candidate({ directory: act.to, name: act.name })]
        const entry = disk.get(from)
        if (entry === undefined || from === to) break
        disk.set(to, entry)
        disk.delete(from)
        yield* controls.delete(to)
        yield* controls.rename(from, to)
        break
      }
      case "link": {
        const target = linkTargets[act.target]!
        disk.set(candidate(act), { link: target })
        yield* controls.link(candidate(act), target)
        break
      }
      case "fault": {
        const path = act.marker ? "/repo/.git" : act.realPath ? absolute(act.directory) : candidate(act)
        yield* controls.fault(path, act.realPath ? "realPath" : act.on, act.as)
        break
      }
      case "heal":
        yield* controls.heal()
        break
      case "advance":
        yield* TestClock.adjust(act.by)
        break
      case "prompt":
        yield* prompt(act.how, act.after)
        break
      case "step":
        yield* boundary([], act.how, act.after)
        break
      case "endStep":
        yield* endStep
        break
      case "endTurn":
        yield* endTurn
        break
      case "settle":
        yield* settle
        break
      case "tool":
        yield* tool(act)
        break
      case "post":
        prompts += 1
        yield* inbox().update(() => [
          undefined,
          [
            {
              type: "inbox/inserted",
              position: "end",
              message: { id: `post-${prompts}`, text: "by the way", source: { kind: "user" } }
            }
          ]
        ])
        break
      case "compact": {
        const surface = yield* session().surface
        const kept = surface.at(-act.keep)
        yield* session().append([
          { type: "compaction/checkpoint", keptFrom: act.keep === 0 || kept === undefined ? log.length : kept.seq }
        ])
        break
      }
      case "resume":
        yield* Scope.close(scope, Exit.void)
        configuration = act.config
        noteAbsences()
        scope = yield* Scope.fork(world)
        context = yield* build
        turn = turn === undefined ? undefined : turns
        break
      case "converge":
        yield* converge
    }
    noteAbsences()
  }
  if (view.wrong.length === 0) yield* converge
  yield* Scope.close(world, Exit.void)
  const handles = yield* controls.openHandles
  if (handles > 0) view.wrong.push(`${handles} files are open at the end`)
  return { wrong: wrong(), text: log.events.map((event) => JSON.stringify(event)).join("\n"), follow }
})
