/** What a wrong configuration is told: which key, what was given, what is allowed (table K). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decodeConfiguration, InvalidConfiguration } from "../../src/schemas/Configuration.ts"
import { decodeInstructionsConfig, InstructionsConfig } from "../../src/schemas/Instructions.ts"

const keys = Object.keys(InstructionsConfig.fields)
const refusal = (input: unknown) => Effect.flip(decodeInstructionsConfig(input))

const allowed = {
  maxBytes: "a number of UTF-8 bytes",
  maxSourceBytes: "a positive whole number of bytes",
  instructionFileCandidates: "a list of file names",
  localInstructionFileCandidates: "a list of file names",
  projectRootMarkers: "a list of file names",
  candidateSelection: `"first" or "all"`,
  home: "a directory",
  touchTools: "an object from tool name to the argument"
} as const

/** For each key what is wrong, where, and how it is quoted. */
const wrong: ReadonlyArray<readonly [key: keyof typeof allowed, given: unknown, at: string, shown: string]> = [
  ["maxBytes", "65536", "maxBytes", `"65536"`],
  ["maxBytes", null, "maxBytes", "null"],
  ["maxBytes", 10n, "maxBytes", "10"],
  ["maxBytes", [1], "maxBytes", "[1]"],
  ["maxSourceBytes", 0, "maxSourceBytes", "0"],
  ["maxSourceBytes", -1, "maxSourceBytes", "-1"],
  ["maxSourceBytes", 1.5, "maxSourceBytes", "1.5"],
  ["maxSourceBytes", Infinity, "maxSourceBytes", "Infinity"],
  ["maxSourceBytes", Number.NaN, "maxSourceBytes", "NaN"],
  ["maxSourceBytes", "1", "maxSourceBytes", `"1"`],
  ["instructionFileCandidates", "AGENTS.md", "instructionFileCandidates", `"AGENTS.md"`],
  ["instructionFileCandidates", ["AGENTS.md", 7], "instructionFileCandidates.1", "7"],
  ["instructionFileCandidates", [null], "instructionFileCandidates.0", "null"],
  ["localInstructionFileCandidates", { 0: "a" }, "localInstructionFileCandidates", `{"0":"a"}`],
  ["localInstructionFileCandidates", [["a"]], "localInstructionFileCandidates.0", `["a"]`],
  ["projectRootMarkers", false, "projectRootMarkers", "false"],
  ["projectRootMarkers", [".git", undefined], "projectRootMarkers.1", "nothing"],
  ["candidateSelection", "both", "candidateSelection", `"both"`],
  ["candidateSelection", "First", "candidateSelection", `"First"`],
  ["home", "", "home", `""`],
  ["home", 5, "home", "5"],
  ["touchTools", ["read"], "touchTools", `["read"]`],
  ["touchTools", { read: 5 }, "touchTools.read", "5"],
  ["touchTools", { read: "" }, "touchTools.read", `""`],
  ["touchTools", () => 1, "touchTools", "a function"]
]

describe("instructions", () => {
  it.effect("[K] what is allowed comes back as it was given", () =>
    Effect.gen(function* () {
      const whole: InstructionsConfig = {
        maxBytes: 1,
        maxSourceBytes: 1,
        instructionFileCandidates: [],
        localInstructionFileCandidates: ["", "../odd names are sorted out later"],
        projectRootMarkers: [".git", "package.json"],
        candidateSelection: "all",
        home: "~/x",
        touchTools: { read: "path" }
      }
      assert.deepStrictEqual(yield* decodeInstructionsConfig(whole), whole)
      assert.deepStrictEqual(yield* decodeInstructionsConfig({ maxBytes: 5 }), { maxBytes: 5 })
    })
  )

  for (const maxBytes of [0, -5, 0.5, Infinity, -Infinity, Number.NaN]) {
    it.effect(`[I-60] maxBytes ${maxBytes} is allowed: it turns instructions off, or is small`, () =>
      Effect.map(decodeInstructionsConfig({ maxBytes }), (config) => assert.deepStrictEqual(config.maxBytes, maxBytes))
    )
  }

  it.effect("[I-60] maxBytes has no default", () =>
    Effect.gen(function* () {
      for (const input of [{}, { maxBytes: undefined }, { home: "/h" }]) {
        const error = yield* refusal(input)
        assert.deepStrictEqual([error.part, error.key, error.given], ["instructions", "maxBytes", "nothing"])
        assert.match(error.message, /^instructions\.maxBytes: is missing, must be a number of UTF-8 bytes/)
      }
    })
  )

  it("[K] every key is tried", () => {
    assert.sameMembers(keys, Object.keys(allowed))
    assert.sameMembers(keys, [...new Set(wrong.map(([key]) => key))])
  })

  for (const [key, given, at, shown] of wrong) {
    it.effect(`[K] ${at} given as ${shown} is refused by name`, () =>
      Effect.gen(function* () {
        const error = yield* refusal({ maxBytes: 1, [key]: given })
        assert.instanceOf(error, InvalidConfiguration)
        assert.deepStrictEqual([error.part, error.key, error.given], ["instructions", at, shown])
        assert.include(error.allowed, allowed[key])
        assert.strictEqual(
          error.message,
          shown === "nothing"
            ? `instructions.${at}: is missing, must be ${error.allowed}`
            : `instructions.${at}: was ${shown}, must be ${error.allowed}`
        )
      })
    )
  }

  it.effect("[K] an unknown key is refused with the keys there are", () =>
    Effect.gen(function* () {
      for (const key of ["maxbytes", "max_bytes", "constructor", "toString", "candidates.x", ""]) {
        const error = yield* refusal({ maxBytes: 1, [key]: 5 })
        assert.deepStrictEqual([error.key, error.given], [key, "5"])
        for (const known of keys) assert.include(error.allowed, known)
        assert.include(error.message, "left out")
      }
    })
  )

  it.effect("[K] what is no object at all is refused as a whole", () =>
    Effect.gen(function* () {
      for (const [input, shown] of [
        [undefined, "nothing"],
        [null, "null"],
        [false, "false"],
        ["65536", `"65536"`],
        [65_536, "65536"],
        [[1], "[1]"]
      ] as const) {
        const error = yield* refusal(input)
        assert.deepStrictEqual([error.part, error.key, error.given], ["instructions", "", shown])
        assert.include(error.allowed, `an object with the keys ${keys.join(", ")}`)
        assert.match(error.message, /^instructions: /)
      }
    })
  )

  it.effect("[K] what cannot be quoted is described, what is long is shortened", () =>
    Effect.gen(function* () {
      const ring: { self?: unknown } = {}
      ring.self = ring
      for (const [given, shown] of [
        [ring, "a value that is not JSON"],
        [Symbol("s"), "Symbol(s)"],
        ["x".repeat(1000), `"${"x".repeat(198)}…`]
      ] as const) {
        const error = yield* refusal({ maxBytes: 1, candidateSelection: given })
        assert.strictEqual(error.given, shown)
        assert.isTrue(error.given.length <= 200)
      }
    })
  )
})

describe("decodeConfiguration", () => {
  const Part = Schema.Struct({
    limit: Schema.optionalKey(Schema.Natural.annotate({ description: "a whole number, at least 0" })),
    nested: Schema.optionalKey(Schema.Struct({ name: Schema.NonEmptyString })),
    plain: Schema.optionalKey(Schema.Boolean)
  })
  const decode = decodeConfiguration("part", Part)

  it.effect("[K] names nested keys with dots", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(decode({ nested: { name: 5 } }))
      assert.deepStrictEqual([error.part, error.key, error.given], ["part", "nested.name", "5"])
    })
  )

  it.effect("[K] a field without a description still says what was expected", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(decode({ plain: "yes" }))
      assert.deepStrictEqual([error.key, error.given], ["plain", `"yes"`])
      assert.include(error.allowed.toLowerCase(), "boolean")
    })
  )

  it.effect("[K] the first of several mistakes is told", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(decode({ limit: -1, plain: 1 }))
      assert.strictEqual(error.message, "part.limit: was -1, must be a whole number, at least 0")
    })
  )
})
