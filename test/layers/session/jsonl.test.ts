import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SessionEventInput } from "../../../src/schemas/SessionEvent.ts"
import { directory, diskWith, file, lineStarts, note, storeOn, types } from "./support.ts"

const text = (value: string): SessionEventInput => ({ type: "assistant/message", text: value })
const batches = [[text("one")], [text("zwei €"), text("drei 🙂"), { type: "turn/end" } as const]]
const bytesOf = (value: string) => new TextEncoder().encode(value)

describe("the file", () => {
  it.effect("is a header line and one line an append, and is locked while it is written", () =>
    Effect.gen(function* () {
      const { fileSystem, store } = yield* diskWith([])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* store.open("s")
          yield* session.append([{ type: "turn/start" }])
          yield* session.append([text("a\nb"), { type: "turn/end" }])
          assert.deepStrictEqual((yield* fileSystem.readDirectory(directory)).toSorted(), ["s.jsonl", "s.jsonl.lock"])
          assert.strictEqual((yield* fileSystem.stat(file)).mode & 0o777, 0o600)
        })
      )
      assert.deepStrictEqual(yield* fileSystem.readDirectory(directory), ["s.jsonl"])
      assert.strictEqual(
        yield* fileSystem.readFileString(file),
        '{"format":"effect-agent-context/session","version":1,"id":"s","cwd":"/repo","createdAt":0}\n' +
          '[{"seq":0,"at":0,"type":"turn/start"}]\n' +
          '[{"seq":1,"at":0,"type":"assistant/message","text":"a\\nb"},{"seq":2,"at":0,"type":"turn/end"}]\n'
      )
    })
  )

  it.effect(
    "a torn last line is cut off at every byte by the writer, with LogTailCut, and passed over by readers",
    () =>
      Effect.gen(function* () {
        const { fileSystem } = yield* diskWith(batches)
        const whole = yield* fileSystem.readFile(file)
        const [lastLine, end] = lineStarts(whole).slice(-2) as [number, number]
        for (let cut = lastLine; cut <= end; cut++) {
          const torn = whole.slice(0, cut)
          yield* fileSystem.writeFile(file, torn)
          // Without its line feed the batch is whole all the same.
          const expected = cut < end - 1 ? 1 : 4
          const store = yield* storeOn(fileSystem)
          const read = yield* store.surface("s")
          assert.strictEqual(read.capturedThroughSeq, expected - 1, `read at ${cut}`)
          assert.deepStrictEqual(yield* fileSystem.readFile(file), torn)
          yield* Effect.scoped(
            Effect.gen(function* () {
              const session = yield* store.open("s")
              assert.strictEqual((yield* session.log).length, expected, `opened at ${cut}`)
              const cutOff = cut > lastLine && cut < end - 1
              assert.deepStrictEqual(
                (yield* session.diagnostics!).map(({ path, tag }) => [tag, path]),
                cutOff ? [["LogTailCut", file]] : []
              )
              yield* session.append([note(1), note(2)])
            })
          )
          const again = yield* Effect.scoped(Effect.flatMap(store.open("s"), (session) => session.log))
          assert.deepStrictEqual(
            again.map((event) => event.seq),
            Array.from({ length: expected + 2 }, (_, seq) => seq)
          )
        }
      })
  )

  it.effect("a tail of zeros, as a power cut can leave, is a torn one", () =>
    Effect.gen(function* () {
      const { controls, fileSystem, store } = yield* diskWith(batches)
      const whole = yield* fileSystem.readFile(file)
      yield* controls.write(file, new Uint8Array([...whole, ...new Uint8Array(500)]))
      yield* Effect.scoped(store.open("s"))
      assert.deepStrictEqual(yield* fileSystem.readFile(file), whole)
    })
  )

  it.effect("a damaged byte anywhere before is SessionCorrupt, naming file and line, and is left as it is", () =>
    Effect.gen(function* () {
      const { fileSystem, store } = yield* diskWith([...batches, [note(1)], [note(2), note(3)]])
      const bytes = yield* fileSystem.readFile(file)
      // Without its line feed the last line would be a torn one.
      for (let offset = 0; offset < bytes.length - 1; offset++) {
        const line = bytes.slice(0, offset).filter((byte) => byte === 10).length + 1
        for (const byte of [0xff, 0x00, 0x0a]) {
          if (bytes[offset] === byte) continue
          const damaged = bytes.with(offset, byte)
          yield* fileSystem.writeFile(file, damaged)
          for (const attempt of [Effect.asVoid(Effect.scoped(store.open("s"))), Effect.asVoid(store.surface("s"))]) {
            const { reason } = yield* Effect.flip(attempt)
            assert.isTrue(reason._tag === "SessionCorrupt", `${reason._tag} at ${offset}`)
            if (reason._tag === "SessionCorrupt") assert.deepStrictEqual([reason.file, reason.line], [file, line])
          }
          assert.deepStrictEqual(yield* fileSystem.readFile(file), damaged)
        }
      }
    })
  )

  it.effect("a batch that is missing, doubled, out of order or no batch is SessionCorrupt at its line", () =>
    Effect.gen(function* () {
      const { fileSystem, store } = yield* diskWith([[note(0)], [note(1), note(2)], [note(3)]])
      const [header, a, b, c] = (yield* fileSystem.readFileString(file)).split("\n") as [string, string, string, string]
      const wrong: ReadonlyArray<readonly [lines: ReadonlyArray<string>, line: number]> = [
        [[header, a, c], 3],
        [[header, b, c], 2],
        [[header, a, a, b], 3],
        [[header, a, c, b], 3],
        [[header, a, "", b], 3],
        [[header, a, "[]"], 3],
        [[header, a, '{"seq":1,"at":0,"type":"turn/end"}'], 3],
        [[header, a, b.replace("test:note", "user/message")], 3],
        [[header, a, header, b], 3],
        [[a, b], 1],
        [[header.replace('"version":1', '"version":2'), a], 1],
        [[header.replace('"id":"s"', '"id":"t"'), a], 1],
        [[header.replace('"cwd":', '"wd":'), a], 1],
        [[`\ufeff${header}`, a], 1],
        [[`${header}\r`, a, `\ufeff${b}`], 3]
      ]
      for (const [lines, line] of wrong) {
        yield* fileSystem.writeFileString(file, `${lines.join("\n")}\n`)
        const { reason } = yield* Effect.flip(store.surface("s"))
        assert.strictEqual(reason._tag, "SessionCorrupt", lines.join("\n"))
        if (reason._tag === "SessionCorrupt") assert.deepStrictEqual([reason.file, reason.line], [file, line])
        assert.strictEqual((yield* Effect.flip(Effect.scoped(store.open("s")))).reason._tag, "SessionCorrupt")
      }
      // Parsable, hence not torn, and wrong: damage even without its line feed.
      yield* fileSystem.writeFileString(file, `${header}\n${a}\n${c}`)
      assert.strictEqual((yield* Effect.flip(store.surface("s"))).reason._tag, "SessionCorrupt")
      yield* fileSystem.writeFileString(file, header.slice(0, -1))
      assert.strictEqual((yield* Effect.flip(store.surface("s"))).reason._tag, "SessionCorrupt")
    })
  )
})

describe("the directory", () => {
  it.effect("is made when the first session is, and nothing is written by looking", () =>
    Effect.gen(function* () {
      const { controls, fileSystem, store } = yield* diskWith([])
      yield* controls.delete(directory)
      assert.deepStrictEqual(yield* store.list, [])
      yield* Effect.flip(store.surface("s"))
      yield* Effect.flip(Effect.scoped(store.open("s")))
      assert.isFalse(yield* fileSystem.exists(directory))
      yield* Effect.scoped(store.create({ cwd: "/", id: "s" }))
      assert.deepStrictEqual(yield* fileSystem.readDirectory(directory), ["s.jsonl"])
    })
  )

  it.effect("list passes over what is no session, and over what cannot be read", () =>
    Effect.gen(function* () {
      const { controls, fileSystem, store } = yield* diskWith(batches)
      const bytes = yield* fileSystem.readFile(file)
      for (const name of ["copy.jsonl", "s.jsonl.bak", "t.jsonl.new"])
        yield* controls.write(`${directory}/${name}`, bytes)
      yield* controls.write(`${directory}/other.jsonl`, '{"some":"log"}\n')
      yield* controls.write(`${directory}/empty.jsonl`, "")
      yield* controls.write(`${directory}/binary.jsonl`, new Uint8Array(100).fill(0xff))
      yield* controls.write(
        `${directory}/new.jsonl`,
        new TextDecoder().decode(bytes).replace('"version":1', '"version":9')
      )
      yield* controls.mkdir(`${directory}/directory.jsonl`)
      yield* controls.special(`${directory}/fifo.jsonl`, "FIFO")
      yield* controls.link(`${directory}/dangling.jsonl`, "nowhere")
      yield* controls.write(`${directory}/locked.jsonl`, bytes)
      yield* controls.chmod(`${directory}/locked.jsonl`, 0)
      assert.deepStrictEqual(
        (yield* store.list).map(({ id }) => id),
        ["s"]
      )
    })
  )

  it.effect("a FIFO or a directory in a session's place is a failure, not a wait", () =>
    Effect.gen(function* () {
      const { controls, store } = yield* diskWith([])
      yield* controls.special(file, "FIFO")
      assert.strictEqual((yield* Effect.flip(store.surface("s"))).reason._tag, "SessionStorageFailed")
      assert.strictEqual((yield* Effect.flip(Effect.scoped(store.open("s")))).reason._tag, "SessionStorageFailed")
      yield* controls.delete(file)
      yield* controls.mkdir(file)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(store.open("s")))).reason._tag, "SessionStorageFailed")
    })
  )

  it.effect("a session that cannot be read, or a directory that cannot be made, is SessionStorageFailed", () =>
    Effect.gen(function* () {
      const { controls, store } = yield* diskWith(batches)
      yield* controls.fault(file, "read", "PermissionDenied")
      assert.strictEqual((yield* Effect.flip(store.surface("s"))).reason._tag, "SessionStorageFailed")
      yield* controls.heal()
      yield* controls.fault(directory, "list", "Unknown")
      assert.strictEqual((yield* Effect.flip(store.list)).reason._tag, "SessionStorageFailed")
      yield* controls.delete(directory)
      yield* controls.write(directory, "a file")
      const { operation, reason } = yield* Effect.flip(Effect.scoped(store.create({ cwd: "/" })))
      assert.deepStrictEqual([operation, reason._tag], ["SessionStore.create", "SessionStorageFailed"])
    })
  )

  it.effect("list finds the latest title from behind, however long the log and its lines", () =>
    Effect.gen(function* () {
      const long = text("x".repeat(700_000))
      const title = (value: string): SessionEventInput => ({ type: "session/title", title: value })
      const mentions = text('"session/title" {"type":"session/title","title":"no"}')
      const { controls, fileSystem, store } = yield* diskWith([
        [title("first")],
        [long, title("second"), long],
        [mentions],
        [long]
      ])
      assert.strictEqual((yield* store.list)[0]!.title, "second")
      yield* Effect.scoped(Effect.flatMap(store.open("s"), (session) => session.append([title("third"), mentions])))
      yield* controls.resetCounters
      assert.strictEqual((yield* store.list)[0]!.title, "third")
      assert.isBelow(yield* controls.bytesRead(file), 400_000)
      const torn = `[{"seq":8,"at":0,"type":"session/title","title":"fourth"}`
      yield* controls.write(file, new Uint8Array([...(yield* fileSystem.readFile(file)), ...bytesOf(torn)]))
      assert.strictEqual((yield* store.list)[0]!.title, "third")
      yield* controls.write(file, new Uint8Array([...(yield* fileSystem.readFile(file)), ...bytesOf("]")]))
      assert.deepStrictEqual(
        [(yield* store.list)[0]!.title, (yield* store.surface("s")).summary.title],
        ["fourth", "fourth"]
      )
      assert.deepStrictEqual(types((yield* store.surface("s")).events).length, 5)
    })
  )
})
