/** Which sessions to offer for a query. */
import type { SessionId } from "../../schemas/SessionEvent.ts"
import type { SessionCandidate, SessionCandidates } from "../../schemas/SessionReference.ts"
import { formatMention, normalizeLabel } from "./mention.ts"
import { formatUri } from "./uri.ts"

/** What is known of a session. */
interface Known {
  readonly id: SessionId
  readonly cwd: string
  readonly title?: string
  readonly createdAt: number
  readonly running: boolean
}

/** Who asks, for what. */
export interface CandidateQuery {
  readonly query: string
  /** The asking session, which is not offered. */
  readonly self?: SessionId
  readonly cwd: string
  readonly limit: number
}

/** How texts are compared: in any letter case, composed. */
export const fold = (text: string): string => text.normalize("NFC").toLowerCase()

const candidateOf = ({ createdAt, cwd, id, running, title }: Known): SessionCandidate => {
  const label = normalizeLabel(title ?? "") || id
  return {
    sessionId: id,
    label,
    uri: formatUri(id),
    mention: formatMention({ sessionId: id, label }),
    cwd,
    ...(title === undefined ? {} : { title }),
    createdAt,
    running
  }
}

/**
 * The other sessions whose id, directory or title contains the query, in any letter case: those of the same directory first,
 * then those without one, then all others, each in the order given.
 */
export const selectCandidates = (
  sessions: ReadonlyArray<Known>,
  { cwd, limit, query, self }: CandidateQuery
): SessionCandidates => {
  const wanted = fold(query.trim())
  const groups: readonly [Array<Known>, Array<Known>, Array<Known>] = [[], [], []]
  for (const session of sessions) {
    const searched = [session.id, session.cwd, session.title ?? ""]
    if (session.id === self || !searched.some((text) => fold(text).includes(wanted))) continue
    groups[session.cwd === cwd ? 0 : session.cwd === "" ? 1 : 2].push(session)
  }
  const found = groups.flat()
  return { candidates: found.slice(0, limit).map(candidateOf), truncated: found.length > limit }
}
