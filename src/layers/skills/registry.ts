/**
 * The skill registry: who offers skills, which of them win, and one loaded (S-1 to S-8).
 *
 * A snapshot is collected for a revision, and remembered only when it is complete and the revision has not moved
 * meanwhile. A registry on a parent merges its own providers' skills with the parent's snapshot, so what the parent
 * remembers serves every agent. No session's state is in here.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Paths from "../../pipeline/paths.ts"
import { snapshotOf, snapshotOver } from "../../pipeline/skills/precedence.ts"
import type { InvalidConfiguration } from "../../schemas/Configuration.ts"
import { runtimeProvider, type SkillSnapshot } from "../../schemas/Skill.ts"
import { DuplicateSkillProvider, SkillRegistryError, SkillUnavailable } from "../../schemas/SkillRegistryError.ts"
import { decodeSkillsConfig, type SkillsConfig, skillsDefaults } from "../../schemas/SkillsConfig.ts"
import {
  type Disposer,
  type ProviderControl,
  type SkillListing,
  SkillRegistry,
  type SkillRegistryShape
} from "../../services/SkillRegistry.ts"
import { fileSystem } from "../filesystem/probe.ts"
import { interruptedBy } from "../interruption.ts"
import { makeEnding } from "./ending.ts"
import { makeFlights } from "./flights.ts"
import { listFrom, loadFrom, type Registration } from "./listing.ts"
import { makeRuntime } from "./runtime.ts"
import { makeSnapshots } from "./snapshots.ts"

/** How many providers of a layer are asked at the same time. */
const providerConcurrency = 8

type RegistryReason = SkillRegistryError["reason"]

const failedBecause = (operation: string) => (reason: RegistryReason) => new SkillRegistryError({ operation, reason })

/** Tells file systems apart: what one of them holds says nothing about another (C-6, C-8). */
const makeIdentities = () => {
  const known = new WeakMap<object, number>()
  let next = 1
  return (value: object | undefined): number => {
    if (value === undefined) return 0
    const id = known.get(value) ?? next++
    known.set(value, id)
    return id
  }
}

/** Why nobody offers a name, as far as is known. */
const whyNone = (complete: boolean, failures: SkillSnapshot["failures"]): string => {
  const silent = failures.map(({ provider }) => provider).join(", ")
  if (silent !== "") return `there is none of that name; ${silent} could not be asked`
  return complete ? "there is none of that name" : "there is none of that name among those that could be looked at now"
}

interface Origin {
  readonly own: SkillSnapshot
  readonly providers: ReadonlyMap<string, Registration>
}

const noParent: Pick<SkillRegistryShape, "revision" | "changes" | "invalidate"> = {
  revision: Effect.succeed(0),
  changes: Stream.empty,
  invalidate: () => Effect.void
}

const make = Effect.fnUntraced(function* (
  parent: SkillRegistryShape | undefined,
  timeout: Duration.Duration
): Effect.fn.Return<SkillRegistryShape, never, Scope> {
  const registrations = new Map<string, Registration>()
  const listeners = new Set<() => void>()
  const flights = makeFlights<SkillSnapshot>()
  const snapshots = makeSnapshots()
  /** What of a snapshot is this layer's own, and whose it is by the provider's name; the rest is the parent's. */
  const origins = new WeakMap<SkillSnapshot, Origin>()
  const identity = makeIdentities()
  const above = parent ?? noParent
  let moves = 0
  let nextOrder = 1

  const moved = (): void => {
    moves += 1
    listeners.forEach((tell) => tell())
  }
  /** Every listener has room for one notice; what is more than it reads is told once. */
  const changes = Stream.callback<void>(
    (queue) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const tell = () => void Queue.offerUnsafe(queue, undefined)
          listeners.add(tell)
          return tell
        }),
        (tell) => Effect.sync(() => listeners.delete(tell))
      ),
    { bufferSize: 1, strategy: "sliding" }
  )
  const runtime = makeRuntime(moved)
  const revision = Effect.map(above.revision, (upper) => upper + moves)

  const isActive = (registration: Registration): boolean =>
    registrations.get(registration.provider.name) === registration

  const dispose = (registration: Registration): void => {
    if (!isActive(registration)) return
    registrations.delete(registration.provider.name)
    moved()
    registration.ending.end()
  }

  yield* Effect.addFinalizer(() => Effect.sync(() => [...registrations.values()].forEach(dispose)))

  /** What this layer's own providers have, without the parent's. */
  const listOwn = Effect.fnUntraced(function* (options: SkillListing): Effect.fn.Return<SkillSnapshot> {
    const since = moves
    const registered = [...registrations.values()]
    const listed = yield* Effect.forEach(registered, (registration) => listFrom(registration, options, timeout), {
      concurrency: providerConcurrency
    })
    const snapshot = snapshotOf(
      [runtime.offer(), ...listed.map(({ offer }) => offer)],
      listed.every(({ complete }) => complete),
      since,
      listed.flatMap(({ failures }) => failures),
      listed.flatMap(({ diagnostics }) => diagnostics)
    )
    origins.set(snapshot, { own: snapshot, providers: new Map(registered.map((one) => [one.provider.name, one])) })
    return snapshot
  })

  const noneAbove = snapshotOf([], true, 0, [], [])

  /**
   * Asks own providers and parent, and once more whichever has changed meanwhile; what is older than the revision then is
   * not complete (S-5). The parent has retried by itself when what it says is incomplete.
   */
  const collect = Effect.fnUntraced(function* (
    key: string,
    options: SkillListing,
    moveOn: (since: number) => void
  ): Effect.fn.Return<SkillSnapshot> {
    let own: SkillSnapshot | undefined
    let far: SkillSnapshot | undefined
    for (let attempt = 0; ; attempt++) {
      const upper = yield* above.revision
      moveOn(upper + moves)
      const nextOwn = own?.revision === moves ? Effect.succeed(own) : listOwn(options)
      const nextFar =
        far?.revision === upper ? Effect.succeed(far) : (parent?.snapshot(options) ?? Effect.succeed(noneAbove))
      ;[own, far] = yield* Effect.all([nextOwn, nextFar], { concurrency: 2 })
      const merged = snapshotOver(own, far)
      const behind = own.revision !== moves || (far.complete && far.revision !== (yield* above.revision))
      if (behind && attempt === 0) continue
      const snapshot = behind ? { ...merged, complete: false } : merged
      origins.set(snapshot, origins.get(own)!)
      if (snapshot.complete) snapshots.set(key, snapshot.revision, snapshot)
      return snapshot
    }
  })

  const current = Effect.fnUntraced(function* ({ cwd, revalidate }: SkillListing): Effect.fn.Return<SkillSnapshot> {
    const calling = yield* fileSystem(Context.empty())
    const options = { cwd: Paths.resolve("/", cwd), ...(revalidate === true ? { revalidate } : {}) }
    const key = `${identity(Option.getOrUndefined(calling))} ${options.cwd}`
    const now = yield* revision
    const known = revalidate === true ? undefined : snapshots.get(key, now)
    if (known !== undefined) return known
    const flight = `${revalidate === true} ${key}`
    return yield* flights.join(flight, now, (moveOn) => collect(key, options, moveOn))
  })

  const register = (registration: Registration): Effect.Effect<void, SkillRegistryError> => {
    const { name } = registration.provider
    if (name === runtimeProvider || registrations.has(name)) {
      registration.ending.end()
      return Effect.fail(failedBecause("registerProvider")(new DuplicateSkillProvider({ provider: name })))
    }
    registrations.set(name, registration)
    moved()
    return Effect.void
  }

  const create: SkillRegistryShape["registerProvider"] = Effect.fn("SkillRegistry.registerProvider")(
    function* (factory) {
      const ending = makeEnding()
      let registration: Registration | undefined
      const invalidateUnsafe = () => {
        if (registration !== undefined && isActive(registration)) moved()
      }
      const control: ProviderControl = {
        invalidate: Effect.sync(invalidateUnsafe),
        invalidateUnsafe,
        signal: ending.signal
      }
      const acquire = Effect.suspend(() => {
        const made = { provider: factory(control), order: nextOrder++, ending }
        registration = made
        return Effect.as(register(made), made)
      }).pipe(Effect.onError(() => Effect.sync(ending.end)))
      const made = yield* Effect.acquireRelease(acquire, (made) => Effect.sync(() => dispose(made)))
      const disposer: Disposer = Effect.sync(() => dispose(made))
      return disposer
    }
  )

  const get: SkillRegistryShape["get"] = Effect.fn("SkillRegistry.get")((name, options) =>
    Effect.gen(function* () {
      const failed = failedBecause("get")
      const snapshot = yield* current({ cwd: options.cwd })
      const { complete, failures, skills } = snapshot
      const skill = skills.find((skill) => skill.name === name)
      if (skill === undefined) {
        return yield* Effect.fail(failed(new SkillUnavailable({ name, detail: whyNone(complete, failures) })))
      }
      const own = runtime.get(skill)
      if (own !== undefined) return own
      const origin = origins.get(snapshot)
      const owner = origin?.own.skills.includes(skill) === true ? origin.providers.get(skill.provider) : undefined
      if (owner === undefined) return yield* parent!.get(name, options)
      return yield* Effect.catch(
        loadFrom(owner, skill, Paths.resolve("/", options.cwd), timeout),
        ({ reason, stale }) => {
          if (stale && isActive(owner)) moved()
          return Effect.fail(failed(reason))
        }
      )
    }).pipe(interruptedBy(options.signal))
  )

  return {
    registerProvider: create,
    register: runtime.register,
    snapshot: Effect.fn("SkillRegistry.snapshot")((options) => current(options).pipe(interruptedBy(options.signal))),
    list: Effect.fn("SkillRegistry.list")((options) =>
      Effect.map(current(options), ({ skills }) => skills).pipe(interruptedBy(options.signal))
    ),
    get,
    invalidate: Effect.fn("SkillRegistry.invalidate")((name) =>
      registrations.has(name) ? Effect.sync(moved) : above.invalidate(name)
    ),
    changes: parent === undefined ? changes : Stream.merge(changes, parent.changes),
    revision
  }
})

const timeoutOf = (config: SkillsConfig): Effect.Effect<Duration.Duration, InvalidConfiguration> =>
  Effect.map(decodeSkillsConfig(config), ({ providerTimeout }) =>
    Duration.fromInputUnsafe(providerTimeout ?? skillsDefaults.providerTimeout)
  )

const defaultTimeout = Duration.fromInputUnsafe(skillsDefaults.providerTimeout)

/** A host's registry, to be shared by all its sessions; each provider has 5 seconds for an answer. */
export const layer: Layer.Layer<SkillRegistry> = Layer.effect(SkillRegistry, make(undefined, defaultTimeout))

/** The same, with the `providerTimeout` of `config`; the other keys are not used here. */
export const layerWith = (config: SkillsConfig): Layer.Layer<SkillRegistry, InvalidConfiguration> =>
  Layer.effect(
    SkillRegistry,
    Effect.flatMap(timeoutOf(config), (timeout) => make(undefined, timeout))
  )

/** An agent's own registry on that of its host: what is registered here wins, for this agent alone (S-3). */
export const layerChild: Layer.Layer<SkillRegistry, never, SkillRegistry> = Layer.effect(
  SkillRegistry,
  Effect.flatMap(SkillRegistry, (parent) => make(parent, defaultTimeout))
)

/** The same, with the `providerTimeout` of `config`. */
export const layerChildWith = (config: SkillsConfig): Layer.Layer<SkillRegistry, InvalidConfiguration, SkillRegistry> =>
  Layer.effect(
    SkillRegistry,
    Effect.gen(function* () {
      const timeout = yield* timeoutOf(config)
      return yield* make(yield* SkillRegistry, timeout)
    })
  )
