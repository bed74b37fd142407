/** Watching roots on a real disk: what editors and programs do to files there is seen, and nothing is left behind. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import * as childProcess from "node:child_process"
import * as nodeFs from "node:fs"
import * as path from "node:path"
import { layerHost } from "../../../src/layers/skills/mounted.ts"
import { SkillRegistry } from "../../../src/services/SkillRegistry.ts"
import { names, skillFile } from "./disk.ts"

interface Place {
  readonly root: string
  readonly fs: FileSystem.FileSystem
  /** Writes a file, with its directories. */
  readonly write: (file: string, text: string) => Effect.Effect<void, unknown>
  /** Waits until these are the skills, woken by the registry's changes alone. */
  readonly until: (...expected: ReadonlyArray<string>) => Effect.Effect<void, unknown>
}

/** The watched skills of a fresh project, with the user's own below it; everything ends with the scope. */
const watched = Effect.fnUntraced(function* <A>(
  use: (place: Place) => Effect.Effect<A, unknown, Scope>,
  prepare: (root: string) => void = () => {}
) {
  const fs = yield* FileSystem.FileSystem
  const root = yield* Effect.flatMap(fs.makeTempDirectoryScoped({ prefix: "skills-watch-" }), fs.realPath)
  yield* fs.makeDirectory(path.join(root, ".git"))
  prepare(root)
  const at = (file: string) => path.join(root, file)
  const write = (file: string, text: string) =>
    Effect.andThen(fs.makeDirectory(path.dirname(at(file)), { recursive: true }), fs.writeFileString(at(file), text))
  const config = { home: at("home"), agentsHome: at("agents"), watch: true }
  return yield* Effect.gen(function* () {
    const registry = yield* SkillRegistry
    const changed = yield* Queue.sliding<void>(1)
    yield* Effect.forkScoped(
      Stream.runForEach(registry.changes, () => Queue.offer(changed, undefined)),
      { startImmediately: true }
    )
    const until: Place["until"] = (...expected) =>
      Effect.gen(function* () {
        for (;;) {
          const snapshot = yield* registry.snapshot({ cwd: root })
          if (snapshot.complete && names(snapshot).join() === expected.join()) return
          // What is incomplete is not remembered: nobody has to say that it may have changed.
          if (snapshot.complete) yield* Queue.take(changed)
        }
      }).pipe(Effect.timeout("20 seconds"))
    return yield* use({ root, fs, write, until })
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layerHost(config))))
})

const onDisk = <A>(use: (place: Place) => Effect.Effect<A, unknown, Scope>, prepare?: (root: string) => void) =>
  watched(use, prepare).pipe(Effect.provide(NodeFileSystem.layer))

describe("a watcher on disk", () => {
  it.live("[S-25] sees skills come, change, move and go", () =>
    onDisk(
      Effect.fnUntraced(function* ({ fs, root, until, write }) {
        yield* until()
        yield* write(".agents/skills/a/SKILL.md", skillFile("a"))
        yield* until("a")
        yield* write(".agents/skills/b.md", skillFile("b"))
        yield* until("a", "b")
        yield* write(".agents/skills/a/SKILL.md", skillFile("aa"))
        yield* until("aa", "b")
        yield* fs.remove(path.join(root, ".agents/skills/b.md"))
        yield* until("aa")
        yield* fs.rename(path.join(root, ".agents/skills/a"), path.join(root, ".agents/skills/d"))
        yield* until("aa")
        yield* write(".agents/skills/d/SKILL.md", skillFile("dd"))
        yield* until("dd")
      })
    )
  )

  it.live("[S-25] sees files that editors put in the place of others", () =>
    onDisk(
      Effect.fnUntraced(function* ({ fs, root, until, write }) {
        const directory = path.join(root, ".agents/skills/a")
        const skill = path.join(directory, "SKILL.md")
        yield* until("one")
        // A new file renamed over the old one, twice: the second time it is the replacement that is replaced.
        for (const name of ["two", "three"]) {
          yield* write(".agents/skills/a/SKILL.md.tmp", skillFile(name))
          yield* fs.rename(`${skill}.tmp`, skill)
          yield* until(name)
        }
        // The old file renamed away as a backup, and a new one written.
        yield* fs.rename(skill, `${skill}~`)
        yield* write(".agents/skills/a/SKILL.md", skillFile("four"))
        yield* fs.remove(`${skill}~`)
        yield* until("four")
        // The same for a flat file, and for the whole directory.
        yield* write(".agents/skills/flat.md.tmp", skillFile("five"))
        yield* fs.rename(path.join(root, ".agents/skills/flat.md.tmp"), path.join(root, ".agents/skills/flat.md"))
        yield* until("five", "four")
        yield* write(".agents/staged/SKILL.md", skillFile("six"))
        yield* fs.remove(directory, { recursive: true })
        yield* fs.rename(path.join(root, ".agents/staged"), directory)
        yield* until("five", "six")
        yield* write(".agents/skills/a/SKILL.md", skillFile("seven"))
        yield* until("five", "seven")
      }),
      (root) => {
        nodeFs.mkdirSync(path.join(root, ".agents/skills/a"), { recursive: true })
        nodeFs.writeFileSync(path.join(root, ".agents/skills/a/SKILL.md"), skillFile("one"))
      }
    )
  )

  it.live("[S-25] sees a root deleted and made again, time after time", () =>
    onDisk(
      Effect.fnUntraced(function* ({ fs, root, until, write }) {
        const skills = path.join(root, ".agents/skills")
        for (const name of ["a", "b", "c"]) {
          yield* write(`.agents/skills/${name}/SKILL.md`, skillFile(name))
          yield* until(name)
          yield* fs.remove(skills, { recursive: true })
          yield* until()
        }
        // Nobody looks between the end of one and the beginning of the next.
        yield* write(".agents/skills/d/SKILL.md", skillFile("d"))
        yield* until("d")
        yield* fs.remove(path.join(root, ".agents"), { recursive: true })
        yield* write(".agents/skills/e/SKILL.md", skillFile("e"))
        yield* until("e")
        // Another directory takes its name.
        yield* write(".agents/next/f/SKILL.md", skillFile("f"))
        yield* fs.rename(skills, path.join(root, ".agents/previous"))
        yield* fs.rename(path.join(root, ".agents/next"), skills)
        yield* until("f")
        yield* write(".agents/skills/f/SKILL.md", skillFile("g"))
        yield* until("g")
      })
    )
  )

  it.live("[S-25] sees a root come into being with every directory above it", () =>
    onDisk(
      Effect.fnUntraced(function* ({ fs, root, until, write }) {
        yield* until()
        yield* write("home/skills/a/SKILL.md", skillFile("a"))
        yield* until("a")
        // One level at a time, each long enough to be noticed by itself.
        for (const directory of ["agents", "agents/skills", "agents/skills/b"]) {
          yield* fs.makeDirectory(path.join(root, directory))
          yield* until("a")
        }
        yield* write("agents/skills/b/SKILL.md", skillFile("b"))
        yield* until("a", "b")
        // And as a link to a directory elsewhere.
        yield* write("elsewhere/c/SKILL.md", skillFile("c"))
        yield* fs.makeDirectory(path.join(root, ".dsh"))
        yield* fs.symlink(path.join(root, "elsewhere"), path.join(root, ".dsh/skills"))
        yield* until("a", "b", "c")
        yield* write("elsewhere/d/SKILL.md", skillFile("d"))
        yield* until("a", "b", "c", "d")
      })
    )
  )

  it.live.skipIf(process.platform !== "linux")("[S-25] lets go of every handle with its scope", () =>
    Effect.gen(function* () {
      const watches = () =>
        nodeFs
          .readdirSync("/proc/self/fdinfo")
          .flatMap((file) => {
            try {
              return nodeFs.readFileSync(`/proc/self/fdinfo/${file}`, "utf8").split("\n")
            } catch {
              return []
            }
          })
          .filter((line) => line.startsWith("inotify ")).length
      const before = watches()
      let during = 0
      yield* onDisk(
        Effect.fnUntraced(function* ({ until, write }) {
          yield* write(".agents/skills/a/SKILL.md", skillFile("a"))
          yield* write("home/skills/b/SKILL.md", skillFile("b"))
          yield* until("a", "b")
          during = watches()
        })
      )
      assert.isAtLeast(during - before, 4)
      assert.strictEqual(watches(), before)
    })
  )

  it.live("[S-25] keeps no process alive", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = yield* Effect.flatMap(fs.makeTempDirectoryScoped({ prefix: "skills-watch-" }), fs.realPath)
      yield* fs.makeDirectory(path.join(root, ".agents/skills/a"), { recursive: true })
      yield* fs.writeFileString(path.join(root, ".agents/skills/a/SKILL.md"), skillFile("a"))
      const { code, stdout } = yield* Effect.callback<{ readonly code: number | null; readonly stdout: string }>(
        (resume) => {
          const child = childProcess.spawn(process.execPath, [path.join(import.meta.dirname, "watching.ts"), root])
          let stdout = ""
          child.stdout.on("data", (chunk) => (stdout += String(chunk)))
          child.once("close", (code) => resume(Effect.succeed({ code, stdout })))
          return Effect.sync(() => child.kill())
        }
      ).pipe(Effect.timeout("30 seconds"))
      assert.deepStrictEqual([stdout, code], ["watching a\n", 0])
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
