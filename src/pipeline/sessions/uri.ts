/** The URI of a session: `dsh-session:` and the unpadded base64url of the JSON string of its id. */
import type { SessionId } from "../../schemas/SessionEvent.ts"

/** What every session URI begins with. */
export const scheme = "dsh-session:"

/** The URI of a session. Every id has exactly one. */
export const formatUri = (sessionId: SessionId): string =>
  scheme + Buffer.from(JSON.stringify(sessionId), "utf8").toString("base64url")

const jsonString = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

/** The id that a URI names; `undefined` for everything {@link formatUri} would not have written exactly so. */
export const parseUri = (uri: string): SessionId | undefined => {
  if (!uri.startsWith(scheme)) return undefined
  const id = jsonString(Buffer.from(uri.slice(scheme.length), "base64url").toString("utf8"))
  return id !== undefined && id !== "" && formatUri(id) === uri ? id : undefined
}
