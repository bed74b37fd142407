/**
 * Findings that cost context but stop nothing: their tags and their shape.
 *
 * **When to use**
 *
 * They stand in the reports of whatever has looked: `AgentInstructions.load`, `ContextSupply.report`, a snapshot of skills. Log them, or
 * show them to the user; the model never sees them.
 *
 * **Example**
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import * as Diagnostic from "effect-agent-context/Diagnostic"
 *
 * const line = ({ message, path, tag }: Diagnostic.Diagnostic) => `${tag}: ${path ?? ""} ${message}`
 *
 * const finding = { tag: "SourceBinary", path: "/repo/AGENTS.md", message: "is no text" }
 * console.log(line(Schema.decodeUnknownSync(Diagnostic.Diagnostic)(finding))) // => SourceBinary: /repo/AGENTS.md is no text
 * ```
 */
export { Diagnostic, DiagnosticTag } from "./schemas/Diagnostic.ts"
