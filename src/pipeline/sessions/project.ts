/** What of a session another one may know: what was said in it, and nothing else. */
import type { SessionEvent } from "../../schemas/SessionEvent.ts"

/** Who said it; a checkpoint is the summary that compaction has left. */
export interface SaidMessage {
  readonly role: "user" | "assistant" | "checkpoint"
  /** Well-formed, and never empty. */
  readonly text: string
}

const said = (role: SaidMessage["role"], text: string): ReadonlyArray<SaidMessage> =>
  text === "" ? [] : [{ role, text: text.toWellFormed() }]

/**
 * The messages of a surface: direct user text, assistant text, checkpoints. Tool calls and results, supplied context (so that
 * references never nest) and events of unknown types are no part of it.
 */
export const project = (surface: ReadonlyArray<SessionEvent>): ReadonlyArray<SaidMessage> =>
  surface.flatMap((event): ReadonlyArray<SaidMessage> => {
    switch (event.type) {
      case "user/message":
        return event.message.source.kind === "user" ? said("user", event.message.text) : []
      case "assistant/message":
        return said("assistant", event.text)
      case "compaction/checkpoint":
        return said("checkpoint", event.text ?? "")
      default:
        return []
    }
  })
