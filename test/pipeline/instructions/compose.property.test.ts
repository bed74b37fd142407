/**
 * What every message does to what is told, over any history: files come, change, go, cannot be read; agents go on, are
 * started anew, with other settings (I-9, I-30, I-31, I-49 to I-51, I-60).
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { resolveSettings, type Settings, slotOrder } from "../../../src/pipeline/instructions/chain.ts"
import { compose, type Composed } from "../../../src/pipeline/instructions/compose.ts"
import type { Observed } from "../../../src/pipeline/instructions/observed.ts"
import { compareScopes, scopeKey } from "../../../src/pipeline/instructions/order.ts"
import { placeKey, selectScopes } from "../../../src/pipeline/instructions/select.ts"
import { nothingTold, type Told } from "../../../src/pipeline/instructions/told.ts"
import type { Change, Scope } from "../../../src/schemas/Instructions.ts"
import { type Disk, type File, observe, tell, unavailable } from "./disk.ts"

const names = ["AGENTS.md", "CLAUDE.md", "AGENTS.local.md", "CLAUDE.local.md"]
const chain = [".", "a"]
const nested = ["a/b", "x", "x/y"]
const paths = [
  "~",
  ...[...chain, ...nested].flatMap((directory) =>
    names.map((name) => (directory === "." ? name : `${directory}/${name}`))
  )
]

const texts = ["one\n", "two\n", "", " one ", "middle ".repeat(40), "long ".repeat(150), "</system-reminder>\n"]

const Step = Schema.Struct({
  /** Which file changes to what: a text, unavailable, or gone. */
  changes: Schema.Array(
    Schema.Struct({
      path: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: paths.length - 1 })),
      to: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: texts.length + 2 }))
    })
  ).check(Schema.isMaxLength(8)),
  settings: Schema.Literals(["same", "same", "first", "all", "other"]),
  fresh: Schema.Boolean,
  baselineWaits: Schema.Literals([false, false, true]),
  compacted: Schema.Literals([false, false, false, true])
})

const History = Schema.Struct({
  maxBytes: Schema.Literals([100_000, 100_000, 1_500, 700, 450, 250]),
  steps: Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(6))
})

const configure = (maxBytes: number, kind: "first" | "all" | "other"): Settings =>
  resolveSettings({
    maxBytes,
    candidateSelection: kind === "all" ? "all" : "first",
    ...(kind === "other"
      ? { instructionFileCandidates: ["CLAUDE.md", "AGENTS.md"], localInstructionFileCandidates: [] }
      : {})
  })

const fileKey = (scope: Scope, path: string): string => JSON.stringify([scope.owner, path])

/** The files that are told as being there, with their digests. */
const alive = (told: Told): ReadonlyMap<string, string> =>
  new Map(
    [...told.scopes.values()].flatMap(({ digest, path, scope }) =>
      digest === undefined ? [] : [[fileKey(scope, path), digest] as const]
    )
  )

const digests = (observed: Observed, settings: Settings): ReadonlyMap<string, string> =>
  new Map(
    selectScopes(observed, settings.selection, () => false).scopes.flatMap(({ path, scope, state }) =>
      state._tag === "file" && state.content._tag === "text"
        ? [[fileKey(scope, path), state.content.digest] as const]
        : []
    )
  )

/** The files that cannot be read, and the places where one of them keeps everything as it was. */
const unreadable = (observed: Observed, settings: Settings) => {
  const held = selectScopes(observed, settings.selection, () => false).scopes.filter(
    ({ state }) => state._tag === "held"
  )
  return {
    files: new Set(held.map(({ path, scope }) => fileKey(scope, path))),
    places: new Set(held.map(({ scope }) => placeKey(scope)))
  }
}

const wellFormed = (composed: Composed, settings: Settings, before: Told) => {
  const changes = composed.source?.changes ?? []
  assert.isTrue(composed.bytes <= settings.maxBytes, "within the budget")
  assert.strictEqual(composed.bytes, Buffer.byteLength(composed.text))
  assert.strictEqual(composed.source === undefined, composed.text === "")
  const compare = compareScopes(slotOrder(settings))
  for (const [index, change] of changes.entries()) {
    const next = changes[index + 1]
    if (next !== undefined) assert.isBelow(compare(change.scope, next.scope), 0, "in message order, one change a scope")
    // A file told under another slot, before a change of selection, is told all the same.
    const own = before.scopes.get(scopeKey(change.scope))
    const told =
      own?.digest !== undefined
        ? own
        : [...before.scopes.values()].find(
            ({ digest, path, scope }) =>
              digest !== undefined && fileKey(scope, path) === fileKey(change.scope, change.path)
          )
    if (change.previousPath !== undefined) {
      assert.deepStrictEqual([change.action, change.previousPath], ["replace", told?.path])
      assert.notStrictEqual(change.previousPath, change.path)
    }
    if (change.action === "remove")
      assert.isTrue(told?.digest !== undefined && told.path === change.path, "removes what is told")
    if (change.action === "replace") assert.isTrue(told?.digest !== undefined, "replaces what is told")
    if (composed.source?.baseline !== true && change.action === "set")
      assert.isTrue(told?.digest === undefined, "adds what is not told")
  }
  const said = (action: (change: Change) => boolean) =>
    new Set(changes.filter(action).map(({ path, scope }) => fileKey(scope, path)))
  const removed = said(({ action }) => action === "remove")
  for (const file of said(({ action }) => action !== "remove"))
    assert.isFalse(removed.has(file), `${file} is told and removed at once`)
}

describe("compose", () => {
  it.effect.prop(
    "[I-9] [I-31] [I-50] [I-51] whatever happened before, a logged message brings told and true together",
    { history: History },
    ({ history }) =>
      Effect.sync(() => {
        const disk: Record<string, File> = {}
        let told = nothingTold
        let kind: "first" | "all" | "other" = "first"
        for (const step of history.steps) {
          for (const { path, to } of step.changes) {
            const file = to === texts.length ? unavailable : texts[to]
            if (file === undefined) delete disk[paths[path]!]
            else disk[paths[path]!] = file
          }
          const settings = configure(history.maxBytes, step.settings === "same" ? kind : step.settings)
          const fresh = step.fresh || step.compacted || (step.settings !== "same" && step.settings !== kind)
          if (step.settings !== "same") kind = step.settings
          if (step.compacted)
            told = { identity: undefined, scopes: new Map([...told.scopes].filter(([, { by }]) => by === "dynamic")) }
          const observed = observe(disk as Disk, { settings, chain, nested })
          const before = told
          const given = { told, fresh, baselineWaits: step.baselineWaits, observed, settings }
          const composed = compose(given)
          assert.deepStrictEqual(compose(given), composed)
          wellFormed(composed, settings, before)
          told = tell(told, composed)
          const isTrue = digests(observed, settings)
          const away = unreadable(observed, settings)
          const excused = (file: string) => {
            const { scope } = [...told.scopes.values()].find(({ path, scope }) => fileKey(scope, path) === file)!
            return away.files.has(file) || away.places.has(placeKey(scope))
          }
          const shown = (composed.source?.changes ?? []).filter(({ action }) => action !== "remove")
          for (const { digest, path, scope } of shown) {
            assert.strictEqual(digest, isTrue.get(fileKey(scope, path)), "what is shown is what is on disk")
            assert.strictEqual(told.scopes.get(scopeKey(scope))?.digest, digest, "what is shown is told")
          }
          if (before.identity !== undefined && before.identity !== observed.identity && composed.source !== undefined) {
            const files = new Set(shown.map(({ path, scope }) => fileKey(scope, path)))
            for (const file of alive(told).keys()) {
              if (files.has(file)) continue
              assert.include(composed.text, "earlier text still applies")
              assert.isTrue(excused(file), `${file} is still told, although everything was replaced`)
            }
          }
          if (history.maxBytes < 100_000) {
            // What the budget left out or took back is offered again, and removals that did not fit; what is told is settled.
            const again = compose({ ...given, told, fresh: false, baselineWaits: false })
            for (const { action, path, scope } of composed.source === undefined ? [] : (again.source?.changes ?? [])) {
              const file = fileKey(scope, path)
              // A new instance may have no room to say that a file no longer fits (I-51).
              assert.isTrue(
                fresh ||
                  composed.omitted.length > 0 ||
                  action === "remove" ||
                  (action === "set" && !alive(told).has(file)),
                `${action} ${path}: nothing was left out, and yet there is more to say`
              )
              if (action === "remove")
                assert.isFalse(isTrue.has(file) || away.files.has(file), `${path} is removed, and still there`)
            }
            continue
          }
          for (const change of composed.source?.changes ?? []) {
            const file = fileKey(change.scope, change.path)
            if (change.action === "remove")
              assert.isFalse(away.files.has(file), `${change.path} cannot be read, and is removed`)
          }
          // Without a baseline, a new instance has one to give.
          for (const next of told.identity === undefined ? [false] : [false, true]) {
            assert.strictEqual(
              compose({ ...given, told, fresh: next, baselineWaits: false }).source,
              undefined,
              "nothing more to say"
            )
          }
          for (const [file, digest] of alive(told)) {
            if (!excused(file)) assert.strictEqual(digest, isTrue.get(file), `${file} is told, but not true`)
          }
          for (const { path, scope } of selectScopes(observed, settings.selection, () => false).scopes) {
            const file = fileKey(scope, path)
            if (!isTrue.has(file) || (settings.selection === "all" && away.places.has(placeKey(scope)))) continue
            assert.strictEqual(alive(told).get(file), isTrue.get(file), `${file} is true, but not told`)
          }
        }
      }),
    { arbitrary: { runs: 3000 } }
  )
})
