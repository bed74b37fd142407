/** Effects as promises: with a signal, with errors that are errors, and with an end. */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"

/** The context is closed, or was closed while a call was under way. */
export class AgentContextClosed extends Schema.TaggedError<AgentContextClosed>()("AgentContextClosed", {}) {
  override get message() {
    return "The agent context is closed: make another one with createAgentContext, and close it last"
  }
}

/** A method was called with what it does not take: only callers without types come here. */
export class InvalidArgument extends Schema.TaggedError<InvalidArgument>()("InvalidArgument", {
  method: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.method}: ${this.detail}`
  }
}

/** Methods that reject instead of throwing, whatever they are called with. */
export const rejecting = <Methods extends object>(methods: Methods): Methods =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      typeof method !== "function"
        ? method
        : (...args: ReadonlyArray<unknown>): unknown => {
            try {
              return method(...args)
            } catch (error) {
              const wrong =
                error instanceof TypeError ? new InvalidArgument({ method: name, detail: error.message }) : error
              return Promise.reject(wrong)
            }
          }
    ])
  ) as Methods

/** What was asked for belongs to a part that is off. */
export class PartNotConfigured extends Schema.TaggedError<PartNotConfigured>()("PartNotConfigured", {
  part: Schema.String
}) {
  override get message() {
    return `${this.part} are off: give createAgentContext the option ${this.part}, for instance { ${this.part}: true }`
  }
}

/** The innermost of errors that wrap a tagged reason: it says what to do. */
export const innermost = (error: unknown): unknown => {
  if (typeof error !== "object" || error === null || !("reason" in error)) return error
  const { reason } = error
  return typeof reason === "object" && reason !== null && "_tag" in reason && reason instanceof Error
    ? innermost(reason)
    : error
}

const toError = (cause: Cause.Cause<unknown>): unknown => {
  const error = innermost(Cause.squash(cause))
  return error instanceof Error ? error : new Error(String(error), { cause: error })
}

/** Throws the reason of a signal that has aborted already. Whatever is none is refused before anything is begun. */
export const begin = (signal: AbortSignal | undefined): void => {
  if ((signal ?? undefined) === undefined) return
  if (typeof signal!.throwIfAborted !== "function" || typeof signal!.addEventListener !== "function")
    throw new InvalidArgument({ method: "signal", detail: "it must be an AbortSignal, or left out" })
  signal!.throwIfAborted()
}

/** How a call runs. `settle` keeps its value, whatever happens afterwards: what is logged is not taken back. */
type Call<A, E, R> = (settle: (value: A) => void) => Effect.Effect<A, E, R>

/** Runs `effect` to its end; a signal interrupts it. */
export const settleWith = async <A, E, R>(
  services: Context.Context<R>,
  call: Call<A, E, R>,
  signal: AbortSignal | undefined,
  running: (fiber: Fiber.Fiber<A, E>) => void = () => {}
): Promise<A> => {
  begin(signal)
  let settled: { readonly value: A } | undefined
  const fiber = Effect.runForkWith(services)(call((value) => (settled = { value })))
  running(fiber)
  const abort = (): void => fiber.interruptUnsafe()
  signal?.addEventListener("abort", abort, { once: true })
  // Whoever was called on the way, a file system say, may have aborted it already.
  if (signal?.aborted === true) abort()
  const exit = await new Promise<Exit.Exit<A, E>>((resolve) => fiber.addObserver(resolve))
  signal?.removeEventListener("abort", abort)
  if (Exit.isSuccess(exit)) return exit.value
  if (settled !== undefined) return settled.value
  if (Cause.hasInterrupts(exit.cause) && signal?.aborted === true) throw signal.reason
  if (Cause.hasInterruptsOnly(exit.cause)) throw new AgentContextClosed()
  throw toError(exit.cause)
}

/** Runs calls on `services` until it is closed. */
export class Door<R> {
  readonly #services: Context.Context<R>
  readonly #scope: Scope.Closeable
  readonly #running = new Set<Fiber.Fiber<unknown, unknown>>()
  #closed: Promise<void> | undefined

  constructor(services: Context.Context<R>, scope: Scope.Closeable) {
    this.#services = services
    this.#scope = scope
  }

  /** A call that may be interrupted at any moment. */
  readonly run = <A, E>(effect: Effect.Effect<A, E, R>, signal?: AbortSignal): Promise<A> =>
    this.call(() => effect, signal)

  /** A call with a point of no return. */
  readonly call = async <A, E>(call: Call<A, E, R>, signal?: AbortSignal): Promise<A> => {
    begin(signal)
    if (this.#closed !== undefined) throw new AgentContextClosed()
    return await settleWith(this.#services, call, signal, (fiber) => {
      this.#running.add(fiber)
      fiber.addObserver(() => this.#running.delete(fiber))
    })
  }

  readonly close = (): Promise<void> => {
    this.#closed ??= Effect.runPromiseWith(this.#services)(
      Effect.yieldNow.pipe(
        // Closed by what a call runs before it returns, that call is not among the running ones yet.
        Effect.andThen(Effect.suspend(() => Fiber.interruptAll([...this.#running]))),
        Effect.andThen(Scope.close(this.#scope, Exit.void))
      )
    )
    return this.#closed
  }
}
