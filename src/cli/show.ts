/** `agent-context show [DIR]`: the text an agent in DIR is told, exactly. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { load } from "../layers/instructions/load.ts"
import { findings } from "./findings.ts"
import { whyNothing } from "./nothing.ts"
import { options, toLoad } from "./options.ts"
import { print, printJson, report } from "./output.ts"

export const show = Command.make(
  "show",
  options,
  Effect.fnUntraced(function* (input) {
    const request = yield* toLoad(input)
    const {
      bytes,
      changes,
      diagnostics,
      maxBytes,
      omitted,
      projectRoot,
      report: files,
      text,
      truncated
    } = yield* load(request)
    if (input.json) {
      return yield* printJson({
        text,
        bytes,
        maxBytes,
        projectRoot,
        changes,
        omitted: omitted.map(({ path }) => path),
        truncated,
        diagnostics: findings(diagnostics)
      })
    }
    yield* Effect.forEach(diagnostics, ({ message, tag }) => report(`${tag}: ${message}`), { discard: true })
    yield* print(text === "" ? whyNothing({ maxBytes, projectRoot, report: files }, request.cwd) : text)
  })
).pipe(
  Command.withDescription("Print the instruction text that an agent working in a directory is told"),
  Command.withExamples([
    { command: "agent-context show", description: "What an agent would be told here" },
    { command: "agent-context show ~/work/shop --max-bytes 8192", description: "Elsewhere, within 8 KiB" },
    { command: "agent-context show --local-candidates '' --json", description: "Without local overlays, as JSON" }
  ])
)
