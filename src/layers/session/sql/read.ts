/** What one statement reads of a session: what is known of it, and some of its events. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SessionHeader } from "../../../pipeline/sessionCodec.ts"
import { unescapeText } from "../../../pipeline/sessionRows.ts"
import type { EventRow } from "../../../pipeline/sessionRows.ts"
import { SessionCorrupt } from "../../../schemas/SessionError.ts"
import type { SessionEvent, SessionId } from "../../../schemas/SessionEvent.ts"
import type { SessionReason } from "../../makeSession.ts"
import { notFound } from "../shared.ts"
import { decodeRows } from "./writer.ts"

const Head = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    cwd: Schema.String,
    title: Schema.NullOr(Schema.String),
    createdAt: Schema.Finite,
    length: Schema.Natural,
    floor: Schema.Natural,
    running: Schema.Boolean
  })
)
const decodeHead = Schema.decodeUnknownEffect(Head)

/** What one statement has read of a session. */
interface Read {
  readonly header: SessionHeader
  readonly title: string | undefined
  readonly length: number
  readonly floor: number
  readonly running: boolean
  /** By `seq`. */
  readonly events: Array<SessionEvent>
}

/** Puts together what `open`, `read` or `surface` have found. */
export const readRows = Effect.fnUntraced(function* (
  id: SessionId,
  rows: ReadonlyArray<EventRow>
): Effect.fn.Return<Read, SessionReason> {
  const head = rows.find(({ seq }) => seq === -1)
  if (head === undefined) return yield* notFound(id)
  const known = yield* Effect.mapError(
    decodeHead(head.body),
    ({ message }) => new SessionCorrupt({ sessionId: id, detail: `its row cannot be read: ${message}` })
  )
  const header = { id: unescapeText(known.id), cwd: unescapeText(known.cwd), createdAt: known.createdAt }
  // Very long ids are cut and hashed for their key, and two could share one.
  if (header.id !== id) return yield* notFound(id)
  const events = yield* decodeRows(
    id,
    rows.filter((row) => row !== head)
  )
  const { floor, length, running } = known
  return { header, title: known.title === null ? undefined : unescapeText(known.title), length, floor, running, events }
})
