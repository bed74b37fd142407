/** The registry: registrations, snapshots, what is remembered, what is shared, one skill loaded. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { layer, layerChild, layerWith } from "../../../src/layers/skills/registry.ts"
import { loadSkill, loadSkillForUser } from "../../../src/layers/skills/tool.ts"
import type { RuntimeSkill, Skill } from "../../../src/schemas/Skill.ts"
import { SkillRegistryError, SkillTooLarge, SkillUnavailable } from "../../../src/schemas/SkillRegistryError.ts"
import type { SkillsConfig } from "../../../src/schemas/SkillsConfig.ts"
import { SkillRegistry, type SkillRegistryShape } from "../../../src/services/SkillRegistry.ts"
import * as Memory from "../../../src/testing/memoryFileSystem.ts"
import { candidate, puppet } from "./providers.ts"

const cwd = "/repo"

const withRegistry = <A, E>(
  use: (registry: SkillRegistryShape) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, E, Scope.Scope> => SkillRegistry.use(use).pipe(Effect.provide(Layer.fresh(layer)))

const names = ({ skills }: { readonly skills: ReadonlyArray<Skill> }) => skills.map(({ name }) => name)
const reason = <A>(effect: Effect.Effect<A, SkillRegistryError, Scope.Scope>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

const some = (name: string, ...all: ReadonlyArray<string>) =>
  puppet(
    name,
    all.map((name) => candidate(name))
  )

describe("registrations", () => {
  it.effect("[S-1] a provider is asked until its disposer runs, which ends its signal and nothing else", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const [one, two] = [some("one", "a"), some("two", "b")]
        const dispose = yield* registry.registerProvider(one.factory)
        yield* registry.registerProvider(two.factory)
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a", "b"])
        assert.isFalse(one.control!.signal.aborted)
        yield* dispose
        assert.isTrue(one.control!.signal.aborted)
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["b"])
        const again = some("one", "c")
        yield* registry.registerProvider(again.factory)
        yield* dispose
        assert.isFalse(again.control!.signal.aborted)
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["b", "c"])
      })
    )
  )
  it.effect("[S-1] a registration ends with its scope", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = some("one", "a")
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* registry.registerProvider(one.factory)
            assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a"])
          })
        )
        assert.isTrue(one.control!.signal.aborted)
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), [])
      })
    )
  )
  it.effect("[S-1] a second provider of one name, and the reserved name, are refused and their signal ends", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        yield* registry.registerProvider(some("one", "a").factory)
        for (const name of ["one", "runtime"]) {
          const refused = some(name, "b")
          const { _tag, message } = yield* reason(registry.registerProvider(refused.factory))
          assert.strictEqual(_tag, "DuplicateSkillProvider")
          assert.include(message, name)
          assert.isTrue(refused.control!.signal.aborted)
        }
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a"])
      })
    )
  )
  it.effect("[S-1] control of a registration that has ended invalidates nothing", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = some("one", "a")
        const dispose = yield* registry.registerProvider(one.factory)
        yield* dispose
        const before = yield* registry.revision
        yield* one.control!.invalidate
        one.control!.invalidateUnsafe()
        assert.strictEqual(yield* registry.revision, before)
      })
    )
  )
  it.effect("[S-1] nothing slow happens while registering", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const slow = puppet("slow", [], "never")
        yield* registry.registerProvider(slow.factory)
        assert.strictEqual(slow.lists, 0)
      })
    )
  )
})

describe("candidates", () => {
  const malformed: ReadonlyArray<readonly [what: string, value: unknown, field: string]> = [
    ["no object", "a", ""],
    ["null", null, ""],
    ["no name", { ...candidate("a"), name: undefined }, "name"],
    ["a name that is none", candidate("A"), "name"],
    ["a name of 65 characters", candidate("x".repeat(65)), "name"],
    ["a blank description", candidate("a", { description: " \n" }), "description"],
    ["no invocation", { ...candidate("a"), invocation: undefined }, "invocation"],
    ["half an invocation", candidate("a", { invocation: { modelInvocable: true } }), "invocation"],
    ["an empty source", candidate("a", { source: "" }), "source"],
    ["a rank that is no number", candidate("a", { rank: Number.NaN }), "rank"],
    ["another provider's name", candidate("a", { provider: "two" }), "provider"],
    ["an odd base", candidate("a", { resourceBase: { kind: "ftp" } }), "resourceBase"],
    ["metadata that are no JSON", candidate("a", { metadata: { f: () => 1 } }), "metadata"]
  ]
  for (const [what, value, field] of malformed) {
    it.effect(`[S-2] ${what} fails its provider's listing, and no other`, () =>
      withRegistry(
        Effect.fnUntraced(function* (registry) {
          yield* registry.registerProvider(puppet("one", [candidate("fine"), value]).factory)
          yield* registry.registerProvider(some("two", "b").factory)
          const snapshot = yield* registry.snapshot({ cwd })
          assert.deepStrictEqual(names(snapshot), ["b"])
          assert.isFalse(snapshot.complete)
          const [{ message, provider, tag } = assert.fail("it has failed")] = snapshot.failures
          assert.deepStrictEqual([provider, tag], ["one", "SkillProviderFailed"])
          const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined
          assert.include(message, typeof name === "string" ? JSON.stringify(name) : `"1"`)
          assert.include(message, "one")
          if (field !== "") assert.include(message, field)
        })
      )
    )
  }
  it.effect("[S-2] an answer that is no listing, and a candidate that throws, are failures as well", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const throwing = {
          get name(): string {
            throw new Error("no")
          }
        }
        yield* registry.registerProvider(puppet("throws", [throwing]).factory)
        yield* registry.registerProvider(() => ({
          name: "odd",
          list: () => Effect.succeed(undefined as never),
          get: () => Effect.void
        }))
        yield* registry.registerProvider(() => ({
          name: "sync",
          list: () => {
            throw new Error("at once")
          },
          get: () => Effect.void
        }))
        yield* registry.registerProvider(some("two", "b").factory)
        const { failures, skills } = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual(failures.map(({ provider }) => provider).sort(), ["odd", "sync", "throws"])
        assert.deepStrictEqual(names({ skills }), ["b"])
      })
    )
  )
})

describe("snapshots", () => {
  it.effect("[S-4] a provider that fails is left out, named, and makes the snapshot incomplete", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const logged: Array<unknown> = []
        const logger = Logger.make(({ logLevel, message }) => void logged.push([logLevel, message]))
        yield* registry.registerProvider(puppet("bad", [candidate("a")], "fails").factory)
        yield* registry.registerProvider(some("two", "b").factory)
        const snapshot = yield* registry.snapshot({ cwd }).pipe(Effect.provide(Logger.layer([logger])))
        assert.deepStrictEqual(names(snapshot), ["b"])
        assert.isFalse(snapshot.complete)
        assert.deepStrictEqual(snapshot.failures, [{ provider: "bad", tag: "SkillProviderFailed", message: "down" }])
        assert.deepStrictEqual(
          snapshot.diagnostics.map(({ tag }) => tag),
          ["SkillProviderFailed"]
        )
        assert.include(JSON.stringify(logged), "Warn")
        assert.include(JSON.stringify(logged), "down")
      })
    )
  )
  it.effect("[S-4] one that says it is incomplete contributes", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        yield* registry.registerProvider(puppet("some", [candidate("a")], "incomplete").factory)
        const snapshot = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual([names(snapshot), snapshot.complete, snapshot.failures], [["a"], false, []])
      })
    )
  )
  for (const manner of ["never", "stubborn"] as const) {
    it.effect(`[S-4] one that takes longer than 5 s is left out (${manner})`, () =>
      withRegistry(
        Effect.fnUntraced(function* (registry) {
          const slow = puppet("slow", [candidate("a")], manner)
          yield* registry.registerProvider(slow.factory)
          yield* registry.registerProvider(some("two", "b").factory)
          const fiber = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
          yield* TestClock.adjust("4999 millis")
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust("1 millis")
          const snapshot = yield* Fiber.join(fiber)
          assert.deepStrictEqual([names(snapshot), snapshot.complete], [["b"], false])
          assert.deepStrictEqual(
            snapshot.failures.map(({ provider, tag }) => [provider, tag]),
            [["slow", "SkillProviderTimedOut"]]
          )
          assert.isTrue(slow.signals[0]!.aborted)
          assert.strictEqual(slow.running, manner === "never" ? 0 : 1)
        })
      )
    )
  }
  it.effect("[S-4] the deadline can be configured", () =>
    SkillRegistry.use(
      Effect.fnUntraced(function* (registry) {
        yield* registry.registerProvider(puppet("slow", [], "never").factory)
        const fiber = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
        yield* TestClock.adjust("20 millis")
        assert.isFalse((yield* Fiber.join(fiber)).complete)
      })
    ).pipe(Effect.provide(layerWith({ providerTimeout: "20 millis" })))
  )
  it.effect("[S-4] a deadline that is none is refused", () =>
    Effect.gen(function* () {
      for (const providerTimeout of [0, -1, "soon", Number.POSITIVE_INFINITY]) {
        const config = { providerTimeout } as SkillsConfig
        const error = yield* Effect.flip(Effect.provide(SkillRegistry, Layer.fresh(layerWith(config))))
        assert.strictEqual(error._tag, "InvalidConfiguration")
        assert.include(error.message, "skills.providerTimeout")
      }
    })
  )
  it.effect("[S-4] eight providers are asked at a time, and precedence does not depend on who is fast", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const all = Array.from({ length: 10 }, (_, index) =>
          puppet(`p${index}`, [candidate("same", { locator: index }), candidate(`s${index}`)], {
            after: `${(10 - index) * 10} millis`
          })
        )
        for (const one of all) yield* registry.registerProvider(one.factory)
        const fiber = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
        yield* Effect.yieldNow
        assert.strictEqual(all.filter(({ running }) => running > 0).length, 8)
        yield* TestClock.adjust("1 second")
        const { complete, skills } = yield* Fiber.join(fiber)
        assert.isTrue(complete)
        assert.strictEqual(skills.length, 11)
        assert.deepStrictEqual(
          skills.filter(({ name }) => name === "same").map(({ locator, provider }) => [provider, locator]),
          [["p0", 0]]
        )
      })
    )
  )
  it.effect("[S-4] list gives the skills of the snapshot", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        yield* registry.registerProvider(some("one", "b", "a").factory)
        assert.deepStrictEqual(
          (yield* registry.list({ cwd })).map(({ name }) => name),
          ["a", "b"]
        )
      })
    )
  )
})

describe("what is remembered", () => {
  it.effect("[S-5] a complete snapshot is, by working directory; revalidation asks again", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = some("one", "a")
        yield* registry.registerProvider(one.factory)
        const first = yield* registry.snapshot({ cwd })
        assert.strictEqual(yield* registry.snapshot({ cwd: "/repo/." }), first)
        assert.strictEqual(one.lists, 1)
        yield* registry.snapshot({ cwd: "/other" })
        assert.strictEqual(one.lists, 2)
        one.candidates = [candidate("b")]
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["a"])
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd, revalidate: true })), ["b"])
        assert.deepStrictEqual(one.revalidations, [false, false, true])
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), ["b"])
        assert.strictEqual(one.lists, 3)
      })
    )
  )
  for (const manner of ["fails", "incomplete", "malformed", "dies"] as const) {
    it.effect(`[S-5] an incomplete one never is (${manner})`, () =>
      withRegistry(
        Effect.fnUntraced(function* (registry) {
          const bad = puppet("bad", [candidate("a")], manner)
          yield* registry.registerProvider(bad.factory)
          assert.isFalse((yield* registry.snapshot({ cwd })).complete)
          assert.isFalse((yield* registry.snapshot({ cwd })).complete)
          assert.strictEqual(bad.lists, 2)
          bad.manner = "prompt"
          assert.isTrue((yield* registry.snapshot({ cwd })).complete)
        })
      )
    )
  }
  it.effect("[S-5] anything that is registered, disposed of or invalidated ends it", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = some("one", "a")
        yield* registry.registerProvider(one.factory)
        const moves: ReadonlyArray<Effect.Effect<unknown, unknown, Scope.Scope>> = [
          registry.registerProvider(some("two").factory),
          registry.register({ name: "r", description: "x", content: "" }),
          one.control!.invalidate,
          Effect.sync(() => one.control!.invalidateUnsafe()),
          registry.invalidate("one"),
          Effect.flatMap(registry.registerProvider(some("three").factory), (dispose) => dispose)
        ]
        let revision = yield* registry.revision
        for (const move of moves) {
          const before = one.lists
          yield* registry.snapshot({ cwd })
          yield* registry.snapshot({ cwd })
          assert.strictEqual(one.lists, before + 1)
          yield* move
          assert.isAbove(yield* registry.revision, revision)
          revision = yield* registry.revision
        }
        yield* registry.invalidate("nobody")
        assert.strictEqual(yield* registry.revision, revision)
      })
    )
  )
  it.effect("[S-5] the 128 working directories that were used last", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = some("one", "a")
        yield* registry.registerProvider(one.factory)
        const look = (index: number) => registry.snapshot({ cwd: `/${index}` })
        for (let index = 0; index < 128; index++) yield* look(index)
        yield* look(0)
        assert.strictEqual(one.lists, 128)
        yield* look(128)
        yield* look(0)
        assert.strictEqual(one.lists, 129)
        yield* look(1)
        assert.strictEqual(one.lists, 130)
      })
    )
  )
  it.effect("[C-6] [C-8] apart for each file system of a caller", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = some("one", "a")
        yield* registry.registerProvider(one.factory)
        const first = Effect.provide(registry.snapshot({ cwd }), Memory.layer({}))
        yield* first
        yield* Effect.provide(registry.snapshot({ cwd }), Layer.fresh(Memory.layer({})))
        assert.strictEqual(one.lists, 2)
      })
    )
  )
  it.effect("[S-5] one retry when something changes meanwhile, then the latest, incomplete", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = puppet("one", [candidate("a")], { after: "1 second" })
        yield* registry.registerProvider(one.factory)
        const once = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
        yield* TestClock.adjust("500 millis")
        one.candidates = [candidate("b")]
        yield* one.control!.invalidate
        yield* TestClock.adjust("1500 millis")
        const retried = yield* Fiber.join(once)
        assert.deepStrictEqual([names(retried), retried.complete, one.lists], [["b"], true, 2])
        yield* one.control!.invalidate
        const twice = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
        for (const name of ["c", "d"]) {
          yield* TestClock.adjust("500 millis")
          one.candidates = [candidate(name)]
          yield* one.control!.invalidate
          yield* TestClock.adjust("500 millis")
        }
        const late = yield* Fiber.join(twice)
        assert.deepStrictEqual([names(late), late.complete, one.lists], [["d"], false, 4])
        one.manner = "prompt"
        assert.isTrue((yield* registry.snapshot({ cwd })).complete)
        assert.strictEqual(one.lists, 5)
      })
    )
  )
})

describe("what is shared", () => {
  it.effect("[S-5] callers at the same time share one collection", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = puppet("one", [candidate("a")], { after: "1 second" })
        yield* registry.registerProvider(one.factory)
        const fibers = yield* Effect.forEach([1, 2, 3], () =>
          Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
        )
        yield* TestClock.adjust("1 second")
        const [first, ...others] = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        for (const other of others) assert.strictEqual(other, first)
        assert.strictEqual(one.lists, 1)
      })
    )
  )
  it.effect("[S-5] one that is interrupted leaves the others waiting; the last one ends it", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = puppet("one", [candidate("a")], { after: "1 second" })
        yield* registry.registerProvider(one.factory)
        const fork = Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
        const [first, second, third] = [yield* fork, yield* fork, yield* fork]
        yield* Fiber.interrupt(first)
        assert.strictEqual(one.running, 1)
        yield* TestClock.adjust("500 millis")
        yield* Fiber.interrupt(second)
        yield* TestClock.adjust("500 millis")
        assert.isTrue((yield* Fiber.join(third)).complete)
        yield* registry.invalidate("one")
        const [fourth, fifth] = [yield* fork, yield* fork]
        yield* Fiber.interrupt(fourth)
        yield* Fiber.interrupt(fifth)
        assert.strictEqual(one.running, 0)
        assert.isTrue(one.signals.at(-1)!.aborted)
        assert.strictEqual(one.lists, 2)
      })
    )
  )
  it.effect("[S-5] a caller that comes after a change does not get what was collected before", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const one = puppet("one", [candidate("a")], { after: "1 second" })
        yield* registry.registerProvider(one.factory)
        yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
        yield* TestClock.adjust("500 millis")
        yield* one.control!.invalidate
        const late = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
        assert.strictEqual(one.lists, 2)
        yield* TestClock.adjust("1 second")
        assert.isTrue((yield* Fiber.join(late)).complete)
      })
    )
  )
  it.effect("[S-4] a signal interrupts its caller at once, whatever the provider does", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        yield* registry.registerProvider(puppet("stubborn", [], "stubborn").factory)
        for (const call of [registry.snapshot, registry.list]) {
          const controller = new AbortController()
          const fiber = yield* Effect.forkChild(call({ cwd, signal: controller.signal }), { startImmediately: true })
          yield* Effect.yieldNow
          controller.abort()
          assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        }
        const aborted = yield* Effect.exit(registry.get("a", { cwd, signal: AbortSignal.abort() }))
        assert.isTrue(Exit.hasInterrupts(aborted))
      })
    )
  )
  it.effect("[S-1] disposing of a provider ends its work, and nobody waits for it any longer", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        for (const manner of ["never", "stubborn"] as const) {
          const one = puppet("one", [], manner)
          const dispose = yield* registry.registerProvider(one.factory)
          const fiber = yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
          yield* Effect.yieldNow
          yield* dispose
          const snapshot = yield* Fiber.join(fiber)
          assert.deepStrictEqual([names(snapshot), snapshot.complete], [[], true])
          assert.isTrue(one.signals[0]!.aborted)
          if (manner === "never") assert.strictEqual(one.running, 0)
        }
      })
    )
  )
  it.effect("[S-1] many may wait for one provider without a warning", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const warnings: Array<Error> = []
        const listener = (warning: Error) => warnings.push(warning)
        process.on("warning", listener)
        const slow = puppet("slow", [], { after: "1 second" })
        const dispose = yield* registry.registerProvider(slow.factory)
        const fibers = yield* Effect.forEach(Array.from({ length: 30 }), (_, index) =>
          Effect.forkChild(registry.snapshot({ cwd: `/${index}` }), { startImmediately: true })
        )
        yield* Effect.yieldNow
        assert.strictEqual(slow.running, 30)
        yield* dispose
        yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        process.off("warning", listener)
        assert.deepStrictEqual(warnings, [])
      })
    )
  )
  it.effect("[S-1] everything ends with the registry", () =>
    Effect.gen(function* () {
      const one = puppet("one", [], "never")
      const scope = yield* Scope.make()
      const registry = yield* Effect.provide(SkillRegistry, yield* Layer.buildWithScope(Layer.fresh(layer), scope))
      yield* registry.registerProvider(one.factory)
      yield* Effect.forkChild(registry.snapshot({ cwd }), { startImmediately: true })
      yield* Effect.yieldNow
      assert.strictEqual(one.running, 1)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(one.running, 0)
      assert.isTrue(one.control!.signal.aborted)
    })
  )
})

describe("a registry on a parent", () => {
  const layered = Effect.fnUntraced(function* () {
    const host = yield* Layer.build(Layer.fresh(layer))
    const parent = yield* Effect.provide(SkillRegistry, host)
    const child = Effect.provide(SkillRegistry, Layer.fresh(Layer.provide(layerChild, Layer.succeedContext(host))))
    return {
      parent,
      child: Effect.provide(
        SkillRegistry,
        yield* Layer.build(Layer.fresh(Layer.provide(layerChild, Layer.succeedContext(host))))
      ),
      other: child
    }
  })
  it.effect("[S-3] adds to it and wins over it, for itself alone", () =>
    Effect.gen(function* () {
      const { child: own, parent } = yield* layered()
      const child = yield* own
      const far = puppet("shared", [candidate("a", { rank: 1 }), candidate("b")])
      yield* parent.registerProvider(far.factory)
      yield* child.registerProvider(puppet("shared", [candidate("a", { rank: 900 }), candidate("c")]).factory)
      const snapshot = yield* child.snapshot({ cwd })
      assert.deepStrictEqual(names(snapshot), ["a", "b", "c"])
      assert.strictEqual(snapshot.skills[0]!.rank, 900)
      assert.deepStrictEqual(
        snapshot.shadowed.map(({ name, why }) => [name, why]),
        [["a", "layer"]]
      )
      assert.deepStrictEqual(names(yield* parent.snapshot({ cwd })), ["a", "b"])
      assert.strictEqual((yield* parent.snapshot({ cwd })).skills[0]!.rank, 1)
    })
  )
  it.effect("[S-5] shares what the parent remembers", () =>
    Effect.gen(function* () {
      const { child: own, parent } = yield* layered()
      const child = yield* own
      const far = some("far", "a")
      yield* parent.registerProvider(far.factory)
      yield* parent.snapshot({ cwd })
      yield* child.snapshot({ cwd })
      yield* child.snapshot({ cwd })
      assert.strictEqual(far.lists, 1)
      far.candidates = [candidate("b")]
      yield* parent.invalidate("far")
      assert.deepStrictEqual(names(yield* child.snapshot({ cwd })), ["b"])
      yield* child.invalidate("far")
      yield* child.snapshot({ cwd })
      assert.strictEqual(far.lists, 3)
      yield* child.snapshot({ cwd, revalidate: true })
      assert.deepStrictEqual(far.revalidations, [false, false, false, true])
    })
  )
  it.effect("[S-4] is as complete as its parent", () =>
    Effect.gen(function* () {
      const { child: own, parent } = yield* layered()
      const child = yield* own
      yield* parent.registerProvider(puppet("far", [], "fails").factory)
      yield* child.registerProvider(some("near", "a").factory)
      const { complete, failures, skills } = yield* child.snapshot({ cwd })
      assert.deepStrictEqual([names({ skills }), complete, failures.length], [["a"], false, 1])
    })
  )
  it.effect("[S-5] a change in the parent while its own providers are asked is noticed", () =>
    Effect.gen(function* () {
      const { child: own, parent } = yield* layered()
      const child = yield* own
      const far = some("far", "a")
      yield* parent.registerProvider(far.factory)
      yield* child.registerProvider(puppet("near", [], { after: "1 second" }).factory)
      const fiber = yield* Effect.forkChild(child.snapshot({ cwd }), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      far.candidates = [candidate("b")]
      yield* parent.invalidate("far")
      yield* TestClock.adjust("2 seconds")
      const snapshot = yield* Fiber.join(fiber)
      assert.deepStrictEqual([names(snapshot), snapshot.complete], [["b"], true])
    })
  )
  it.effect("[S-6] loads from the layer that won", () =>
    Effect.gen(function* () {
      const { child: own, parent } = yield* layered()
      const child = yield* own
      yield* parent.registerProvider(some("far", "a", "b").factory)
      yield* child.registerProvider(some("near", "a").factory)
      assert.strictEqual((yield* child.get("a", { cwd })).content, "body of a by near")
      assert.strictEqual((yield* child.get("b", { cwd })).content, "body of b by far")
      assert.strictEqual((yield* parent.get("a", { cwd })).content, "body of a by far")
    })
  )
  it.effect("[C-6] two children do not see each other", () =>
    Effect.gen(function* () {
      const { child: own, other } = yield* layered()
      const child = yield* own
      const second = yield* other
      yield* child.registerProvider(some("near", "a").factory)
      assert.deepStrictEqual(names(yield* second.snapshot({ cwd })), [])
    })
  )
})

describe("one skill", () => {
  const provider = (get: (skill: Skill) => Effect.Effect<unknown, unknown>, more: Record<string, unknown> = {}) =>
    puppet("one", [candidate("a", { whenToUse: "always", locator: 42, ...more })], "prompt", get)

  it.effect("[S-6] is asked for every time, by its locator, and completed by what was offered", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const asked: Array<unknown> = []
        yield* registry.registerProvider(
          provider(({ locator, name }) => Effect.sync(() => ({ name, content: `body ${asked.push(locator)}` }))).factory
        )
        const first = yield* registry.get("a", { cwd })
        assert.deepStrictEqual(first, {
          name: "a",
          description: "about a",
          whenToUse: "always",
          invocation: { modelInvocable: true, userInvocable: true },
          source: "test",
          provider: "one",
          content: "body 1"
        })
        assert.strictEqual((yield* registry.get("a", { cwd })).content, "body 2")
        assert.deepStrictEqual(asked, [42, 42])
      })
    )
  )
  it.effect("[S-6] what the provider says now counts, not what it has offered", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const invocation = { modelInvocable: false, userInvocable: false }
        yield* registry.registerProvider(provider(() => Effect.succeed({ name: "a", content: "", invocation })).factory)
        assert.deepStrictEqual((yield* registry.get("a", { cwd })).invocation, invocation)
      })
    )
  )
  const gone: ReadonlyArray<readonly [what: string, get: () => Effect.Effect<unknown, unknown>]> = [
    ["another name", () => Effect.succeed({ name: "b", content: "" })],
    ["nothing", () => Effect.void],
    ["that it is gone", () => Effect.fail(new SkillUnavailable({ name: "a", detail: "gone" }))],
    [
      "so as a registry error",
      () =>
        Effect.fail(
          new SkillRegistryError({ operation: "get", reason: new SkillUnavailable({ name: "a", detail: "gone" }) })
        )
    ]
  ]
  for (const [what, get] of gone) {
    it.effect(`[S-6] a provider that answers ${what} is listed anew`, () =>
      withRegistry(
        Effect.fnUntraced(function* (registry) {
          const one = provider(get)
          yield* registry.registerProvider(one.factory)
          yield* registry.snapshot({ cwd })
          assert.strictEqual((yield* reason(registry.get("a", { cwd })))._tag, "SkillUnavailable")
          yield* registry.snapshot({ cwd })
          assert.strictEqual(one.lists, 2)
        })
      )
    )
  }
  const failing: ReadonlyArray<readonly [what: string, tag: string, get: () => Effect.Effect<unknown, unknown>]> = [
    ["fails", "SkillUnavailable", () => Effect.fail("no network")],
    ["dies", "SkillUnavailable", () => Effect.die(new Error("a bug"))],
    ["answers nonsense", "SkillUnavailable", () => Effect.succeed({ name: "a" })],
    [
      "finds it too large",
      "SkillTooLarge",
      () => Effect.fail(new SkillTooLarge({ name: "a", path: "/a", bytes: 2, maxBytes: 1 }))
    ]
  ]
  for (const [what, tag, get] of failing) {
    it.effect(`[S-6] a provider that ${what} is not`, () =>
      withRegistry(
        Effect.fnUntraced(function* (registry) {
          const one = provider(get)
          yield* registry.registerProvider(one.factory)
          assert.strictEqual((yield* reason(registry.get("a", { cwd })))._tag, tag)
          yield* registry.snapshot({ cwd })
          assert.strictEqual(one.lists, 1)
        })
      )
    )
  }
  it.effect("[S-6] has its deadline, and ends with the registration", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const dispose = yield* registry.registerProvider(provider(() => Effect.uninterruptible(Effect.never)).factory)
        const late = yield* Effect.forkChild(reason(registry.get("a", { cwd })), { startImmediately: true })
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Fiber.join(late))._tag, "SkillUnavailable")
        const removed = yield* Effect.forkChild(reason(registry.get("a", { cwd })), { startImmediately: true })
        yield* Effect.yieldNow
        yield* dispose
        assert.include((yield* Fiber.join(removed)).message, "removed")
      })
    )
  )
  it.effect("[S-6] that nobody offers is unavailable, and who could not be asked is named", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        yield* registry.registerProvider(puppet("broken", [], "fails").factory)
        const { _tag, message } = yield* reason(registry.get("a", { cwd }))
        assert.strictEqual(_tag, "SkillUnavailable")
        assert.include(message, "broken")
      })
    )
  )
})

describe("skills of the program", () => {
  const greet: RuntimeSkill = { name: "greet", description: "Says hello", content: "Wave." }

  it.effect("[S-7] have rank 250 and both invocations unless said", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const dispose = yield* registry.register(greet)
        yield* registry.registerProvider(puppet("low", [candidate("greet", { rank: 251 }), candidate("x")]).factory)
        const { skills } = yield* registry.snapshot({ cwd })
        assert.deepStrictEqual(
          skills.map(({ invocation, name, provider, rank }) => [name, provider, rank, invocation]),
          [
            ["greet", "runtime", 250, { modelInvocable: true, userInvocable: true }],
            ["x", "low", 300, { modelInvocable: true, userInvocable: true }]
          ]
        )
        assert.deepStrictEqual(yield* registry.get("greet", { cwd }), {
          ...greet,
          invocation: { modelInvocable: true, userInvocable: true },
          source: "runtime",
          provider: "runtime"
        })
        yield* registry.registerProvider(puppet("high", [candidate("greet", { rank: 249 })]).factory)
        assert.strictEqual((yield* registry.get("greet", { cwd })).provider, "high")
        yield* dispose
        assert.strictEqual((yield* registry.snapshot({ cwd })).shadowed.length, 1)
      })
    )
  )
  it.effect("[S-7] the first of a name wins; the second warns, and its disposer does nothing", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const logged: Array<unknown> = []
        const logger = Logger.make(({ logLevel, message }) => void logged.push([logLevel, message]))
        const first = yield* registry.register(greet)
        const second = yield* registry
          .register({ ...greet, content: "Nod." })
          .pipe(Effect.provide(Logger.layer([logger])))
        assert.include(JSON.stringify(logged), "Warn")
        yield* second
        assert.strictEqual((yield* registry.get("greet", { cwd })).content, "Wave.")
        yield* first
        yield* first
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), [])
      })
    )
  )
  it.effect("[S-7] end with their scope, and are checked", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        yield* Effect.scoped(registry.register(greet))
        assert.deepStrictEqual(names(yield* registry.snapshot({ cwd })), [])
        const error = yield* reason(registry.register({ ...greet, name: "Greet" }))
        assert.strictEqual(error._tag, "SkillCandidateInvalid")
        assert.include(error.message, "name")
      })
    )
  )
})

describe("changes", () => {
  it.effect("[S-8] are told without payload, and a listener that dawdles or fails holds up nobody", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const seen: Array<unknown> = []
        const listen = (each: (value: void) => Effect.Effect<unknown>) =>
          Effect.forkChild(Stream.runForEach(registry.changes, each), { startImmediately: true })
        yield* listen(() => Effect.never)
        yield* listen(() => Effect.die(new Error("a bad listener")))
        yield* listen((value) => Effect.sync(() => seen.push(value)))
        yield* Effect.yieldNow
        const one = some("one", "a")
        const moves: ReadonlyArray<Effect.Effect<unknown, unknown, Scope.Scope>> = [
          registry.registerProvider(one.factory),
          Effect.suspend(() => one.control!.invalidate),
          registry.register({ name: "r", description: "x", content: "" }),
          registry.invalidate("one")
        ]
        for (const [index, move] of moves.entries()) {
          yield* move
          for (let turn = 0; turn < 8; turn++) yield* Effect.yieldNow
          assert.deepStrictEqual(seen, Array(index + 1).fill(undefined))
        }
      })
    )
  )
  it.effect("[S-8] of a parent are told as well", () =>
    Effect.gen(function* () {
      const host = yield* Layer.build(Layer.fresh(layer))
      const parent = yield* Effect.provide(SkillRegistry, host)
      const child = yield* Effect.provide(
        SkillRegistry,
        yield* Layer.build(Layer.fresh(Layer.provide(layerChild, Layer.succeedContext(host))))
      )
      const told = yield* Effect.forkChild(Stream.runHead(child.changes), { startImmediately: true })
      yield* Effect.yieldNow
      const before = yield* child.revision
      yield* parent.registerProvider(some("far", "a").factory)
      yield* Fiber.join(told)
      assert.isAbove(yield* child.revision, before)
    })
  )
})

describe("the tool", () => {
  it.effect("[S-43] checks the name, then who may", () =>
    withRegistry(
      Effect.fnUntraced(function* (registry) {
        const invocations = { both: [true, true], model: [true, false], user: [false, true], nobody: [false, false] }
        for (const [name, [modelInvocable, userInvocable]] of Object.entries(invocations)) {
          yield* registry.register({
            name,
            description: "x",
            content: `Body of ${name}.`,
            invocation: { modelInvocable: modelInvocable!, userInvocable: userInvocable! },
            resourceBase: { kind: "url", url: "https://x.example/" }
          })
        }
        const outcome = (load: typeof loadSkill, name: string) =>
          load(registry, name, { cwd }).pipe(
            Effect.match({ onSuccess: () => "loaded", onFailure: ({ reason }) => reason._tag })
          )
        const all = (load: typeof loadSkill) =>
          Effect.forEach(["both", "model", "user", "nobody", "nope", "No Such", ""], (name) => outcome(load, name))
        const [model, user] = ["SkillNotModelInvocable", "SkillNotUserInvocable"]
        assert.deepStrictEqual(yield* all(loadSkill), [
          "loaded",
          "loaded",
          model,
          model,
          "SkillUnavailable",
          "InvalidSkillName",
          "InvalidSkillName"
        ])
        assert.deepStrictEqual(yield* all(loadSkillForUser), [
          "loaded",
          user,
          "loaded",
          user,
          "SkillUnavailable",
          "InvalidSkillName",
          "InvalidSkillName"
        ])
        assert.deepStrictEqual(yield* loadSkill(registry, "both", { cwd }), {
          name: "both",
          provider: "runtime",
          resourceBase: { kind: "url", url: "https://x.example/" },
          content: "Body of both.",
          text: `<skill_content name="both">
<skill_resources>
Base URL: https://x.example/
References in the instructions are relative to it. Load what they refer to only when it is needed.
</skill_resources>
<skill_instructions>
Body of both.
</skill_instructions>
</skill_content>`
        })
      })
    )
  )
})
