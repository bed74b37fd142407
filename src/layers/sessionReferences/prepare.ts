/** Reads the sessions that messages refer to, and composes what is added after each message. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { citationsOf } from "../../pipeline/sessions/citations.ts"
import { project } from "../../pipeline/sessions/project.ts"
import { renderReferences, type Unavailable } from "../../pipeline/sessions/render.ts"
import { type Captured, type Snapshot, takeSnapshot } from "../../pipeline/sessions/snapshot.ts"
import type { UserMessage } from "../../schemas/Message.ts"
import type { SessionError } from "../../schemas/SessionError.ts"
import type { SessionId } from "../../schemas/SessionEvent.ts"
import {
  SessionReferenceBudgetExceeded,
  SessionReferenceError,
  sessionReferenceKind,
  type SessionReferenceSource,
  SessionReferenceUnavailable,
  sessionReferencesDefaults,
  type SessionMention,
  type SessionReferencesConfig
} from "../../schemas/SessionReference.ts"
import type { SessionStoreShape } from "../../services/SessionStore.ts"

/** How many sessions are read at a time. */
const concurrency = 8

type Reason = SessionReferenceError["reason"]

/** What was composed for one message. */
export interface Prepared {
  readonly citing: UserMessage
  readonly message: UserMessage
  readonly snapshots: ReadonlyArray<Snapshot>
  readonly unavailable: ReadonlyArray<Unavailable>
}

interface Citing {
  readonly message: UserMessage
  readonly mentions: ReadonlyArray<SessionMention>
}

/** A session as it was read; everything but the label, which is the reference's own. */
interface Read extends Omit<Captured, "label"> {
  readonly title: string | undefined
}

// What the model is told names no path: those of a store are nobody's business in a prompt.
const whyUnavailable = ({ reason }: SessionError): string => {
  switch (reason._tag) {
    case "SessionNotFound":
      return "there is no such session"
    case "SessionCorrupt":
      return "its log is damaged"
    default:
      return "its log is not readable now"
  }
}

const firstVisible = (...texts: ReadonlyArray<string | undefined>): string | undefined =>
  texts.find((text) => text !== undefined && text.trim() !== "")

const labelOf = ({ label, sessionId }: SessionMention, title?: string): string =>
  firstVisible(label, title) ?? sessionId

/** Unique in the log, and the same however often the message is prepared. No skill is called so. */
const messageId = (citing: UserMessage): string => `${citing.id}/@sessions`

const messageFor = (
  citing: UserMessage,
  snapshots: ReadonlyArray<Snapshot>,
  unavailable: ReadonlyArray<Unavailable>
): UserMessage => {
  const source: SessionReferenceSource = {
    kind: sessionReferenceKind,
    version: 1,
    references: snapshots.map(({ reference }) => reference)
  }
  return { id: messageId(citing), text: renderReferences(snapshots, unavailable), source: { ...source } }
}

/** Prepares all messages of one step together: every session is read once, whoever refers to it. */
export const makePrepare = (store: SessionStoreShape, self: SessionId, config: SessionReferencesConfig) => {
  const { maxReferenceBytes, maxReferences, onUnavailable } = { ...sessionReferencesDefaults, ...config }

  const citing = (message: UserMessage): Result.Result<Citing, Reason> =>
    Result.map(citationsOf(message, { self, maxReferences }), (mentions) => ({ message, mentions }))

  const read = Effect.fnUntraced(function* (sessionId: SessionId) {
    const now = yield* Clock.currentTimeMillis
    const { capturedThroughSeq, events, summary } = yield* store.surface(sessionId)
    return {
      sessionId,
      title: summary.title,
      capturedAt: Option.match(DateTime.make(now), { onNone: () => String(now), onSome: DateTime.formatIso }),
      running: summary.running,
      capturedThroughSeq,
      compacted: events.some(({ type }) => type === "compaction/checkpoint"),
      messages: project(events)
    } satisfies Read
  })

  const compose = Effect.fnUntraced(function* (
    { mentions, message }: Citing,
    answers: ReadonlyMap<SessionId, Result.Result<Read, SessionError>>
  ): Effect.fn.Return<Prepared, Reason> {
    const snapshots: Array<Snapshot> = []
    const unavailable: Array<Unavailable> = []
    for (const mention of mentions) {
      const { sessionId } = mention
      const answer = answers.get(sessionId)!
      if (Result.isFailure(answer)) {
        if (onUnavailable === "reject") {
          return yield* new SessionReferenceUnavailable({ sessionId, detail: answer.failure.reason.message })
        }
        unavailable.push({ sessionId, label: labelOf(mention), why: whyUnavailable(answer.failure) })
        continue
      }
      const { title, ...captured } = answer.success
      const taken = takeSnapshot({ ...captured, label: labelOf(mention, title) }, maxReferenceBytes)
      if (Result.isFailure(taken)) {
        return yield* new SessionReferenceBudgetExceeded({ sessionId, maxReferenceBytes, needed: taken.failure.needed })
      }
      snapshots.push(taken.success)
    }
    return { citing: message, message: messageFor(message, snapshots, unavailable), snapshots, unavailable }
  })

  return Effect.fnUntraced(
    function* (messages: ReadonlyArray<UserMessage>): Effect.fn.Return<ReadonlyArray<Prepared>, Reason> {
      // What is wrong with the messages themselves is known before anything is read.
      const all = yield* Effect.fromResult(Result.all(messages.map(citing)))
      const referring = all.filter(({ mentions }) => mentions.length > 0)
      const ids = [...new Set(referring.flatMap(({ mentions }) => mentions.map(({ sessionId }) => sessionId)))]
      const answers = yield* Effect.forEach(
        ids,
        (id) => Effect.map(Effect.result(read(id)), (answer) => [id, answer] as const),
        { concurrency }
      )
      // One after another, so that of several failures always the same one is reported.
      return yield* Effect.forEach(referring, (message) => compose(message, new Map(answers)))
    },
    Effect.mapError((reason) => new SessionReferenceError({ reason }))
  )
}
