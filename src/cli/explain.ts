/** `agent-context explain [DIR]`: every path that was looked at, what became of it, and how the budget is spent. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import { load } from "../layers/instructions/load.ts"
import { catalogTree, colours, explainTree, plain } from "./explainTree.ts"
import { findings } from "./findings.ts"
import { firstCatalog } from "./firstCatalog.ts"
import { options, toLoad } from "./options.ts"
import { print, printJson } from "./output.ts"

export const explain = Command.make(
  "explain",
  options,
  Effect.fnUntraced(function* (input) {
    const request = yield* toLoad(input)
    const loaded = yield* load({ ...request, shadowed: true })
    const catalog = yield* firstCatalog(request.cwd, loaded.projectRoot, request.home)
    if (!input.json) {
      const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
      const paint = canColor ? colours : plain
      const parts = [explainTree(loaded, request.cwd, paint), catalogTree(catalog, paint)]
      return yield* print(parts.filter((part) => part !== "").join("\n"))
    }
    yield* printJson({
      projectRoot: loaded.projectRoot,
      maxBytes: loaded.maxBytes,
      bytes: loaded.bytes,
      files: loaded.report.map(({ bytes, outcome, outside, path, reason, renderedBytes, scope }) => ({
        path,
        scope,
        outcome,
        bytes,
        renderedBytes,
        ...(outside === undefined ? {} : { outside }),
        ...(reason === undefined ? {} : { reason })
      })),
      diagnostics: findings([...loaded.diagnostics, ...catalog.diagnostics]),
      ...(catalog.rows.length === 0 ? {} : { skills: catalog.rows })
    })
  })
).pipe(
  Command.withDescription("Print every path that is looked at, what becomes of it, and how the budget is spent"),
  Command.withExamples([
    { command: "agent-context explain", description: "Why an agent would be told what it is told here" },
    {
      command: "agent-context explain --selection all --json",
      description: "As JSON, with every existing file counted"
    }
  ])
)
