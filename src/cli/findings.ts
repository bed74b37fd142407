/** Diagnostics as the command's JSON has them. */
import type { Diagnostic } from "../schemas/Diagnostic.ts"

/** `{ tag, path?, message }` of each. */
export const findings = (diagnostics: ReadonlyArray<Diagnostic>) =>
  diagnostics.map(({ message, path, tag }) => ({ tag, ...(path === undefined ? {} : { path }), message }))
