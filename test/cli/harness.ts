/** The command in this process: on a file system in memory, with everything it writes caught. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Runtime from "effect/Runtime"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as TestConsole from "effect/testing/TestConsole"
import { run } from "../../src/cli/app.ts"
import * as MemoryFileSystem from "../../src/testing/memoryFileSystem.ts"

const never = Effect.die(new Error("the command asks nothing of a terminal"))
const terminal = Terminal.make({
  columns: never,
  rows: never,
  size: never,
  readInput: never,
  readLine: never,
  display: () => never
})

export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

export interface Surroundings {
  readonly canColor?: boolean
  readonly env?: Record<string, string>
}

/** What the command writes and how it ends, on the file system of the caller. */
export const command = (...args: ReadonlyArray<string>) => commandIn({}, ...args)

/** The same, with colours or another environment. */
export const commandIn = Effect.fnUntraced(function* (
  { canColor = false, env = { HOME: "/home/ann" } }: Surroundings,
  ...args: ReadonlyArray<string>
): Effect.fn.Return<Ran, never, FileSystem.FileSystem> {
  const written = { stdout: "", stderr: "" }
  const into = (stream: keyof typeof written) => () =>
    Sink.forEach((chunk: string | Uint8Array) => Effect.sync(() => void (written[stream] += String(chunk))))
  const surroundings = Layer.mergeAll(
    Path.layer,
    Stdio.layerTest({ stdout: into("stdout"), stderr: into("stderr") }),
    Layer.succeed(Terminal.Terminal, terminal),
    Layer.mock(ChildProcessSpawner.ChildProcessSpawner, {}),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
  )
  const outcome = Effect.gen(function* () {
    const exit = yield* Effect.exit(run(args))
    const lines = (texts: ReadonlyArray<unknown>) => texts.map((text) => `${text}\n`).join("")
    const [logged, errors] = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
    return { exit, logged: lines(logged), errors: lines(errors) }
  })
  const { errors, exit, logged } = yield* outcome.pipe(
    Effect.provide(Layer.fresh(TestConsole.layer)),
    Effect.provideService(TerminalCapabilities.TerminalCapabilities, { canColor, canAnimate: false, canPrompt: false }),
    Effect.provide(surroundings)
  )
  let code = 0
  Runtime.defaultTeardown(exit, (is) => (code = is))
  return { stdout: written.stdout + logged, stderr: written.stderr + errors, code }
})

/** A workspace with a bit of everything: a broad file, an overlay, a duplicate, a shadowed name, a nested directory. */
export const shop = {
  "/home/ann/.dsh/AGENTS.md": "Answer in English.\n",
  "/home/ann/shop/.git/": null,
  "/home/ann/shop/AGENTS.md": `# Shop\n\n${"Money is counted in cents.\n".repeat(90)}`,
  "/home/ann/shop/CLAUDE.md": "# Shop\n",
  "/home/ann/shop/packages/cart/AGENTS.md": `# Cart\n\n${"A cart belongs to one customer.\n".repeat(20)}`,
  "/home/ann/shop/packages/cart/AGENTS.local.md": "Ann is working on discounts.\n"
} as const

export const cart = "/home/ann/shop/packages/cart"

/** The shop as a file system. */
export const shopLayer = MemoryFileSystem.layer(shop)
