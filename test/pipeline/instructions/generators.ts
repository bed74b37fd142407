/** Hostile instruction sections and budgets. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import type { Section, Style } from "../../../src/pipeline/instructions/render.ts"
import { bytesOf, frame, introOf, write, writeAll } from "./reference.ts"

/** One of `values`; earlier ones are the simpler. */
export const pick = <const Values extends ReadonlyArray<unknown>>(
  values: Values
): Arbitrary.Arbitrary<Values[number]> => Arbitrary.map(upTo(values.length - 1), (index) => values[index]!)

export const upTo = (maximum: number): Arbitrary.Arbitrary<number> =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })))

export const textOf = (pieces: ReadonlyArray<string>, maxLength: number, minLength = 0): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(Arbitrary.array(pick(pieces), { minLength, maxLength }), (parts) => parts.join(""))

/** What a text may be made of: every piece is harmless or dangerous at a cut, alone or beside another. */
export const textPieces = [
  "a",
  "b c",
  "\n",
  "\r\n",
  "\r",
  "é",
  "€",
  "😀",
  "\ud83d",
  "\ude00",
  "</system-reminder>",
  "</SYSTEM-Reminder \t\n>",
  `</system-reminder${" ".repeat(40)}>`,
  "</system-reminder",
  ">",
  "<",
  "/system-reminder>",
  "</",
  "</b>",
  "<system-reminder>",
  "\\",
  "\ufeff",
  "\u2028",
  "0123456789"
]

const namePieces = [
  "a",
  "b",
  "dir",
  "é",
  "😀",
  " ",
  "\n",
  "\r",
  "\t",
  "\b",
  "\f",
  "\u0007",
  "\u007f",
  "\u0085",
  "\u2028",
  "\u2029",
  "\\",
  '"',
  "'",
  ">",
  "<",
  "</system-reminder>",
  "</system-reminder",
  "</SYSTEM-REMINDER ",
  "</system-reminder\u00a0>",
  "\ud800",
  "\udc00",
  " (5 bytes)",
  ", ",
  "; truncated ",
  "long".repeat(40)
]

const directories = Arbitrary.map(
  Arbitrary.array(textOf(namePieces, 3, 1), { maxLength: 3 }),
  (names) => names.join("/") || "."
)

const scopes = Arbitrary.map(
  Arbitrary.all({ user: upTo(9), directory: directories, slot: pick(["base", "local", "AGENTS.md"]) }),
  ({ user, directory, slot }) =>
    user === 9
      ? { owner: "user" as const, directory: ".", slot: "base" }
      : { owner: "project" as const, directory, slot }
)

const paths = textOf(["AGENTS.md", ...namePieces], 2, 1)

/** Sections in any order. `texts` gives the texts of files. */
export const sections = (
  texts: Arbitrary.Arbitrary<string>,
  lengths: Arbitrary.ArrayOptions
): Arbitrary.Arbitrary<ReadonlyArray<Section>> =>
  Arbitrary.array(
    Arbitrary.map(
      Arbitrary.all({
        kind: pick([
          "set",
          "set",
          "set",
          "set",
          "additional",
          "replace",
          "replaceOther",
          "unread",
          "gone",
          "budget",
          "held"
        ]),
        scope: scopes,
        path: paths,
        other: paths,
        text: texts,
        size: upTo(10_000_000)
      }),
      ({ kind, scope, path: name, other, text, size }): Section => {
        const path =
          scope.owner === "user" ? `$DSH_HOME/${name}` : scope.directory === "." ? name : `${scope.directory}/${name}`
        const bytes = bytesOf(text)
        switch (kind) {
          case "gone":
          case "budget":
            return { kind: "remove", scope, path, because: kind }
          case "held":
            return { kind: "held", scope, path, because: "unreadable" }
          case "unread":
            return { kind: "set", scope, path, text: undefined, bytes: size }
          case "replaceOther":
            return { kind: "replace", scope, path, previousPath: other, text, bytes }
          default:
            return { kind, scope, path, text, bytes }
        }
      }
    ),
    lengths
  )

/** What is rendered. */
export interface Case {
  readonly list: ReadonlyArray<Section>
  readonly style: Style
  readonly maxBytes: number
}

export const styles: Arbitrary.Arbitrary<Style> = pick(["baseline", "superseding", "dynamic"])

/** Lists with a budget that is chosen in relation to what the introduction alone and the whole message take. */
export const cases = (lists: Arbitrary.Arbitrary<ReadonlyArray<Section>>): Arbitrary.Arbitrary<Case> =>
  Arbitrary.map(
    Arbitrary.all({ list: lists, style: styles, kind: upTo(29), share: upTo(1000), extra: upTo(60) }),
    ({ list, style, kind, share, extra }) => {
      const intro = bytesOf(frame.join("") + introOf(list, style))
      const total = bytesOf(writeAll(list, style))
      const spread = Math.round(intro + ((total - intro) * share) / 1000)
      const chosen = () => {
        if (kind === 29) return [0, -1, NaN, Infinity, -Infinity, 0.5, spread + 0.5][extra % 7]!
        if (kind === 28) return Math.round((total * share) / 1000)
        if (kind > 25) return intro + extra
        if (kind > 20) return total - extra + 5
        return spread + extra
      }
      return { list, style, maxBytes: chosen() }
    }
  )

/** A deep file among tiny ones, and a budget in which it has to be cut about where a size gets one more digit. */
export const cutCases: Arbitrary.Arbitrary<Case> = Arbitrary.map(
  Arbitrary.all({
    fill: pick([0, 0, 1, 6, 8, 94, 96, 98]),
    end: textOf(
      [
        "x",
        "\n",
        "\r\n",
        "€",
        "😀",
        "\ud83d",
        "</system-reminder>",
        "</System-Reminder \n>",
        `</system-reminder${" ".repeat(90)}>`
      ],
      6,
      1
    ),
    others: Arbitrary.array(pick(["\n", "x", "", "😀", "xx\n"]), { maxLength: 3 }),
    removals: pick([0, 0, 0, 1, 2]),
    style: styles,
    detail: pick(["full", "counts", "none"]),
    length: upTo(6),
    extra: upTo(22)
  }),
  ({ fill, end, others, removals, style, detail, length, extra }) => {
    const scope = (directory: string) => ({ owner: "project" as const, directory, slot: "base" })
    const file = (directory: string, path: string, text: string): Section => ({
      kind: "set",
      scope: scope(directory),
      path,
      text,
      bytes: bytesOf(text)
    })
    const list: ReadonlyArray<Section> = [
      ...others.map((text, index) => file(".", String(index), text)),
      ...Array.from({ length: removals }, () => ({
        kind: "remove" as const,
        scope: scope("r"),
        path: "r",
        because: "gone" as const
      })),
      file("d/e", "d", "y".repeat(fill) + end + "z".repeat(200))
    ]
    const possible = {
      detail,
      kept: new Set([...list.keys()].filter((index) => list[index]!.kind === "remove")),
      cut: { index: list.length - 1, length: fill + length }
    }
    return { list, style, maxBytes: bytesOf(write(list, 500, style, possible)) + extra - 4 }
  }
)
