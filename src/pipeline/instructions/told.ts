/**
 * What the visible log says the model knows of workspace instructions: a fold over instruction messages (I-50, I-54).
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { InstructionsSource, type Scope } from "../../schemas/Instructions.ts"
import type { Source } from "../../schemas/Message.ts"
import { scopeKey } from "./order.ts"

/** The latest change of one scope. Without a digest it is a tombstone: the model was told that it is gone. */
export interface ToldScope {
  readonly scope: Scope
  readonly path: string
  readonly digest: string | undefined
  /** Whether a baseline has said it, or a later message. Retention is compared only for the former (I-30). */
  readonly by: "baseline" | "dynamic"
}

export interface Told {
  /** The identity of the latest visible baseline. */
  readonly identity: string | undefined
  readonly scopes: ReadonlyMap<string, ToldScope>
}

export const nothingTold: Told = { identity: undefined, scopes: new Map() }

/** Whether the model has a text, not a tombstone. */
export const live = (told: ToldScope | undefined): told is ToldScope => told?.digest !== undefined

/** Asks whether the model has a text of a scope. */
export const isTold =
  ({ scopes }: Told) =>
  (scope: Scope): boolean =>
    live(scopes.get(scopeKey(scope)))

const decode = Schema.decodeUnknownOption(InstructionsSource)

const clean = (directory: string): boolean =>
  directory === "." ||
  (!/[\0]/.test(directory) &&
    directory.split("/").every((segment) => segment !== "" && segment !== "." && segment !== ".."))

/**
 * The source, if it is one of this version and undamaged. Directories come back as places to look into, so one that
 * leads out of the root makes the whole source untrustworthy (I-54).
 */
export const readSource = (source: Source): InstructionsSource | undefined => {
  const own = Option.getOrUndefined(decode(source))
  return own?.changes.every(({ scope }) => clean(scope.directory)) === true ? own : undefined
}

/**
 * Adds one visible message. A path that is told for a scope is no longer told for another one that had it: a message
 * that supersedes a baseline may move a file to a new slot without withdrawing the old one (I-31).
 */
export const announce = (told: Told, source: Source): Told => {
  const own = readSource(source)
  if (own === undefined) return told
  const scopes = new Map(told.scopes)
  const by = own.baseline === true ? "baseline" : "dynamic"
  for (const change of own.changes) {
    const key = scopeKey(change.scope)
    if (change.action !== "remove" && scopes.get(key)?.path !== change.path) {
      for (const [other, earlier] of scopes) {
        if (earlier.path === change.path && earlier.scope.owner === change.scope.owner) scopes.delete(other)
      }
    }
    scopes.set(key, { scope: change.scope, path: change.path, digest: change.digest, by })
  }
  return { identity: own.baseline === true ? (own.baselineIdentity ?? "") : told.identity, scopes }
}
