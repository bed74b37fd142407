/** Tools that are not run before somebody has agreed: whether a call needs that, and what became of the question. */
import type * as Prompt from "effect/ai/Prompt"
import type * as Tool from "effect/ai/Tool"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Call } from "./callTool.ts"

/** A call that waits for somebody's agreement. */
export interface ApprovalRequest {
  /** The token that the call is logged with. */
  readonly token: string
  readonly name: string
  /** As the model has written them: not checked yet. */
  readonly arguments: Schema.Json
}

/** `reason`: why not, for the model to read. */
export interface Approval {
  readonly approved: boolean
  readonly reason?: string
}

/** Asks somebody. Interrupting the run interrupts the question. */
export type Approve = (request: ApprovalRequest) => Effect.Effect<Approval>

/** What else to do when something goes wrong; interruption does not. */
const unlessInterrupted = <A>(
  self: Effect.Effect<A>,
  otherwise: (cause: Cause.Cause<never>) => Effect.Effect<A>
): Effect.Effect<A> =>
  Effect.catchCause(self, (cause) => (Cause.hasInterrupts(cause) ? Effect.failCause(cause) : otherwise(cause)))

/**
 * Whether the tool says that this call needs it. Arguments that it does not take need none, since it will not run with them; what
 * goes wrong in its own decision does.
 */
export const needsApproval = (
  tool: Tool.Any,
  { arguments: given, token }: Call,
  messages: ReadonlyArray<Prompt.Message>
): Effect.Effect<boolean> => {
  const needed = tool.needsApproval
  if (needed === undefined || typeof needed === "boolean") return Effect.succeed(needed ?? false)
  const decide = (params: unknown) =>
    unlessInterrupted(
      Effect.suspend(() => {
        const decided = needed(params as never, { toolCallId: token, messages })
        return Effect.isEffect(decided) ? decided : Effect.succeed(decided)
      }),
      () => Effect.succeed(true)
    )
  const decode = Schema.decodeUnknownEffect(tool.parametersSchema as Schema.Codec<unknown>)
  return Effect.matchEffect(decode(given), { onSuccess: decide, onFailure: () => Effect.succeed(false) })
}

const nobody: Approval = { approved: false, reason: "Nobody is there to approve it." }

/** Asks, and takes everything but an agreement as none. */
export const askFor = (approve: Approve | undefined, request: ApprovalRequest): Effect.Effect<Approval> =>
  approve === undefined
    ? Effect.succeed(nobody)
    : unlessInterrupted(
        Effect.suspend(() => approve(request)),
        (cause) => Effect.as(Effect.logWarning("AgentLoop: approve has failed", cause), { approved: false })
      )

/** What the model reads of a call that was not approved. */
export const refusalText = (approval: Approval | undefined): string =>
  `The call was not approved, and was not run.${approval?.reason === undefined ? "" : ` ${approval.reason}`}`
