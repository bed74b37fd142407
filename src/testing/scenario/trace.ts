/** A played step in a few words. */
import { briefly, type Seen, show } from "../expectations.ts"
import type { PlayedStep } from "../scenarioRunner.ts"
import type { UserMessage } from "../../schemas/Message.ts"

const messages = (list: ReadonlyArray<UserMessage>): string => `[${list.map(briefly).join("; ")}]`

const counts = (name: string, seen: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.keys(seen).length === 0 ? [] : [`${name} ${show(seen)}`]

const told = (seen: Seen): ReadonlyArray<string> => [
  ...(seen.decision === undefined ? [] : [seen.decision]),
  ...(seen.error === undefined ? [] : [`error ${seen.error.tag}: ${seen.error.message}`]),
  ...(seen.entered.length === 0 ? [] : [`entered ${messages(seen.entered)}`]),
  `inbox ${messages(seen.inbox)}`,
  ...(seen.logged.length === 0 ? [] : [`logged ${seen.logged.join(" ")}`]),
  ...counts("reads", seen.reads),
  ...counts("probes", seen.probes),
  // The report stays until the next pre-step; it is of interest where something was looked at.
  ...(Object.keys(seen.probes).length === 0 ? [] : counts("report", seen.report)),
  ...(seen.diagnostics.length === 0 ? [] : [`diagnostics ${seen.diagnostics.join(" ")}`]),
  ...(seen.candidates === undefined ? [] : [`candidates ${show(seen.candidates)}`]),
  ...(seen.skills === undefined ? [] : [`skills ${show(seen.skills)}`]),
  ...(seen.text === undefined ? [] : [`text ${show(seen.text)}`]),
  ...(seen.openHandles === 0 ? [] : [`${seen.openHandles} open handles`]),
  ...(seen.elapsed === 0 ? [] : [`${seen.elapsed} ms`])
]

/** One line with the step and, indented below it, what was seen. */
export const traceStep = ({ index, seen, step }: PlayedStep): ReadonlyArray<string> => {
  const { do: verb, expect: _, ...given } = step
  const line = `step ${index} ${verb}${Object.keys(given).length === 0 ? "" : ` ${show(given)}`}`
  return [
    line,
    ...(seen === undefined ? ["  it could not be played to its end"] : told(seen).map((text) => `  ${text}`))
  ]
}
