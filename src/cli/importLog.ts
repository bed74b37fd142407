/**
 * One session file into a database: in batches, going on where an earlier run was stopped, and compared by digest with what
 * the database then holds.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import type { Database } from "../layers/session/sql/database.ts"
import { readRows } from "../layers/session/sql/read.ts"
import * as Statements from "../layers/session/sql/statements.ts"
import { makeWriter, type Place, readEvents } from "../layers/session/sql/writer.ts"
import { decodeBatch, decodeHeader, type SessionHeader } from "../pipeline/sessionCodec.ts"
import { sessionFileName } from "../pipeline/sessionFileName.ts"
import { escapeText, type EventRow, searchedText } from "../pipeline/sessionRows.ts"
import { SessionConflict, SessionCorrupt } from "../schemas/SessionError.ts"
import type { SessionEvent } from "../schemas/SessionEvent.ts"

/** What became of one file. `events`: how many it holds; `added`: how many of them this run has written. */
export interface Imported {
  readonly id: string
  readonly events: number
  readonly added: number
  /** SHA-256 of the events as JSON, a line each; the file's and the database's. */
  readonly digest: string
}

/** Events are written at least this many at a time, where there are as many. */
const batchSize = 500

const lineFeed = 10

const digest = () => {
  const hash = createHash("sha256")
  return {
    add: (events: ReadonlyArray<SessionEvent>) => {
      for (const event of events) hash.update(`${JSON.stringify(event)}\n`)
    },
    // Looked at while more is to come.
    value: () => hash.copy().digest("hex")
  }
}

/** Of the first `length` events in the database. */
const digestOf = Effect.fnUntraced(function* (place: Place, length: number) {
  const sum = digest()
  for (let from = 0; from < length; from += batchSize) {
    sum.add(yield* readEvents(place, from, Math.min(from + batchSize, length)))
  }
  return sum.value()
})

/** Calls `take` with each line of the file, without its line feed; `whole`: it had one. */
const forEachLine = <E, R>(
  fs: FileSystem.FileSystem,
  path: string,
  take: (line: Uint8Array, whole: boolean) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    let rest: Array<Uint8Array> = []
    const lineOf = (last: Uint8Array) => (rest.length === 0 ? last : Buffer.concat([...rest, last]))
    yield* Stream.runForEach(fs.stream(path, { chunkSize: 262_144 }), (chunk) =>
      Effect.gen(function* () {
        let start = 0
        for (let end; (end = chunk.indexOf(lineFeed, start)) >= 0; start = end + 1) {
          const line = lineOf(chunk.subarray(start, end))
          rest = []
          yield* take(line, true)
        }
        if (start < chunk.length) rest.push(chunk.slice(start))
      })
    )
    if (rest.length > 0) yield* take(lineOf(new Uint8Array(0)), false)
  })

interface Target {
  readonly place: Place
  readonly writer: ReturnType<typeof makeWriter>
  /** How many events were there before this run. */
  readonly before: number
}

const openTarget = Effect.fnUntraced(function* (database: Database, header: SessionHeader) {
  const { createdAt, cwd, id } = header
  const key = sessionFileName(id)
  const given = { doing: "cannot make the session", sessionId: id }
  const nonce = globalThis.crypto.randomUUID()
  const values = [key, escapeText(id), escapeText(cwd), searchedText(id, cwd, undefined), createdAt, nonce]
  yield* database.run(given, Statements.make, values)
  const { rows } = yield* database.run<EventRow>(given, Statements.read, [key])
  const found = yield* readRows(id, rows)
  if (found.header.cwd !== cwd || found.header.createdAt !== createdAt) {
    return yield* new SessionConflict({ sessionId: id, detail: "the database has another session of this id" })
  }
  const place: Place = { database, id, key, cwd }
  return { place, writer: makeWriter(place, found.events), before: found.length } satisfies Target
})

/** Imports the file at `path`. `undefined`: it is no session's. */
export const importLog = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string, database: Database) {
  const sum = digest()
  let header: SessionHeader | undefined
  let target: Target | undefined
  let foreign = false
  let lines = 0
  let length = 0
  let batch: Array<SessionEvent> = []

  const corrupt = (detail: string) =>
    new SessionCorrupt({ sessionId: header?.id ?? path, file: path, line: lines, detail })

  const begin = Effect.fnUntraced(function* (line: Uint8Array) {
    const decoded = decodeHeader(line)
    if (Result.isFailure(decoded)) {
      foreign = decoded.failure.foreign
      return foreign ? undefined : yield* corrupt(decoded.failure.detail)
    }
    header = decoded.success
    target = yield* openTarget(database, header)
  })

  /** What is there already has to be the beginning of what the file holds. */
  const checkBefore = Effect.fnUntraced(function* ({ before, place }: Target) {
    if (before === 0 || (yield* digestOf(place, before)) === sum.value()) return
    const detail = "what the database has of this session is not what the file has"
    return yield* new SessionConflict({ sessionId: place.id, detail })
  })

  const flush = Effect.suspend(() => {
    const events = batch
    batch = []
    return events.length === 0 ? Effect.void : target!.writer.write(events)
  })

  const take = Effect.fnUntraced(function* (line: Uint8Array, whole: boolean) {
    lines += 1
    if (foreign) return
    if (target === undefined) return yield* begin(line)
    const decoded = decodeBatch(line, length)
    if (Result.isFailure(decoded)) {
      if (!whole && decoded.failure.torn) return
      return yield* corrupt(decoded.failure.detail)
    }
    for (const event of decoded.success) {
      if (length === target.before) yield* checkBefore(target)
      sum.add([event])
      length += 1
      if (length > target.before) batch.push(event)
    }
    if (batch.length >= batchSize) yield* flush
  })

  yield* forEachLine(fs, path, take)
  if (foreign || header === undefined || target === undefined) return undefined
  yield* flush
  const { before, place } = target as Target
  const value = sum.value()
  // The session may have gone on in the database since: what it has of the file is compared.
  const imported = yield* digestOf(place, length)
  if (imported !== value) {
    const detail = `the database has ${imported} where the file has ${value}`
    return yield* new SessionConflict({ sessionId: place.id, detail })
  }
  return { id: place.id, events: length, added: Math.max(0, length - before), digest: value } satisfies Imported
})
