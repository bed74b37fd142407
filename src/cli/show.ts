/** `agent-context show [DIR]`: what the first prompt of an agent in DIR brings, exactly: instructions, and the skill catalog. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { load } from "../layers/instructions/load.ts"
import { findings } from "./findings.ts"
import { firstCatalog } from "./firstCatalog.ts"
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
    const catalog = yield* firstCatalog(request.cwd, projectRoot, request.home)
    if (input.json) {
      return yield* printJson({
        text,
        bytes,
        maxBytes,
        projectRoot,
        changes,
        omitted: omitted.map(({ path }) => path),
        truncated,
        diagnostics: findings([...diagnostics, ...catalog.diagnostics]),
        ...(catalog.text === ""
          ? {}
          : { catalog: { text: catalog.text, bytes: catalog.bytes, entries: catalog.entries } })
      })
    }
    yield* Effect.forEach(
      [...diagnostics, ...catalog.diagnostics],
      ({ message, tag }) => report(`${tag}: ${message}`),
      { discard: true }
    )
    const messages = [text, catalog.text].filter((message) => message !== "")
    yield* print(
      messages.length === 0 ? whyNothing({ maxBytes, projectRoot, report: files }, request.cwd) : messages.join("\n\n")
    )
  })
).pipe(
  Command.withDescription(
    "Print what the first prompt of an agent in a directory brings: its instructions, and the skills it can load"
  ),
  Command.withExamples([
    { command: "agent-context show", description: "What an agent would be told here" },
    { command: "agent-context show ~/work/shop --max-bytes 8192", description: "Elsewhere, within 8 KiB" },
    { command: "agent-context show --local-candidates '' --json", description: "Without local overlays, as JSON" }
  ])
)
