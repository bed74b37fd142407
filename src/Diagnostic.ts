/** Findings that cost context but stop nothing: their tags and their shape. */
export { Diagnostic, DiagnosticTag } from "./schemas/Diagnostic.ts"
